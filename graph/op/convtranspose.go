package op

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// transposedConvolutions has the gradient of convolutions: it spreads each element of an image by the weights.
var transposedConvolutions = []Row{
	{Op: "ConvTranspose", Since: 1, In: "T:F T:F T:F?", Class: ComplexOut, Infer: inferConvTranspose,
		Eval:      evalConvTranspose,
		Decompose: decomposeConvTranspose},
	{Op: "wmtune.ConvTranspose", In: "T:F T:F T:F?", Class: ComplexOut, Infer: inferConvTranspose, Eval: evalConvTranspose,
		Body: bodyConvTranspose},
}

// convTransposeOf returns the sizes of a ConvTranspose. Element r of the window at input position i is output position
// i*stride + r*dilation - before.
func convTransposeOf(n *graph.Node) (*conv, error) {
	x, w := n.Inputs[0].Shape, n.Inputs[1].Shape
	if len(x) < 3 || len(w) != len(x) {
		return nil, fmt.Errorf("an image of shape %v and weights of shape %v: both need 3 or more dimensions, as many",
			x, w)
	}
	c := &conv{batch: x[0], ci: x[1], in: x[2:], groups: n.Int("group", 1), weightSize: w[2:],
		withBias: n.Input(2) != nil}
	if c.groups < 1 || c.ci%c.groups != 0 || w[0] != c.ci {
		return nil, fmt.Errorf("weights of shape %v do not fit an image of shape %v in %d groups", w, x, c.groups)
	}
	c.inGroup, c.outGroup = c.ci/c.groups, w[1]
	c.co = c.outGroup * c.groups
	if k := n.Ints("kernel_shape"); k != nil && !slices.Equal(k, c.weightSize) {
		return nil, fmt.Errorf("attribute kernel_shape is %v, but the weights have shape %v", k, w)
	}
	if c.withBias && !slices.Equal(n.Inputs[2].Shape, []int64{c.co}) {
		return nil, fmt.Errorf("a bias of shape %v for %d output channels", n.Inputs[2].Shape, c.co)
	}
	return c, c.spread(n)
}

// spread finds windows and output extents. What auto_pad makes of them differs from a convolution's.
func (c *conv) spread(n *graph.Node) error {
	rank := len(c.in)
	plain := *n
	plain.Attrs = slices.DeleteFunc(slices.Clone(n.Attrs), func(a graph.Attr) bool { return a.Name == "auto_pad" })
	var err error
	if c.windows, err = windowsOf(&plain, c.in, c.weightSize); err != nil {
		return err
	}
	extra, err := perDimension(n, "output_padding", rank, 0)
	if err != nil {
		return err
	}
	auto, shape := n.Str("auto_pad", "NOTSET"), n.Ints("output_shape")
	if len(shape) == rank+2 { // some exporters write batch and channels too
		shape = shape[2:]
	}
	if shape != nil && len(shape) != rank {
		return fmt.Errorf("attribute output_shape is %v for %d spatial dimensions", shape, rank)
	}
	for d := range c.windows {
		w := &c.windows[d]
		full := (c.in[d]-1)*w.stride + w.span() + extra[d]
		out := full - w.before - w.after
		switch {
		case shape != nil:
			out = shape[d]
		case auto == "SAME_UPPER" || auto == "SAME_LOWER":
			out = c.in[d] * w.stride
		case auto == "VALID":
			w.before, w.after, out = 0, 0, full
		}
		if total := full - out; shape != nil || auto == "SAME_UPPER" || auto == "SAME_LOWER" {
			if auto != "SAME_UPPER" {
				auto = "SAME_LOWER"
			}
			total = max(total, 0)
			w.before, w.after = splitPads(auto, total)
		}
		if out < 1 {
			return fmt.Errorf("dimension %d: %d elements, spread over %d, are fewer than the paddings %d and %d", d,
				c.in[d], full,
				w.before, w.after)
		}
		c.out = append(c.out, out)
	}
	return nil
}

func inferConvTranspose(n *graph.Node) ([]Type, error) {
	c, err := convTransposeOf(n)
	if err != nil {
		return nil, err
	}
	return []Type{{DType: n.Inputs[0].Type, Shape: image(channelsFirst, c.batch, c.out, c.co)}}, nil
}

// bodyConvTranspose dilates the image by the stride and convolves it with the mirrored weights, as tir/op does:
//
//	dilate(i0, i1, i2, i3) = tir.if_then_else(..., x[i0, i1, floordiv((i2 - 1), 2), ...], 0f)
//	conv2d_transpose(n, c, i, j) += (dilate[n, rc, (i + rh), (j + rw)]*w[rc, c, (2 - rh), (2 - rw)])
func bodyConvTranspose(b *Body) error {
	c, err := convTransposeOf(b.Node)
	if err != nil {
		return err
	}
	out := b.Node.Outputs[0].Type
	t := Register(out)
	spread := c.dilate(b)
	w := b.Input(1)
	rank := len(c.in)
	offsets := map[int][]string{1: {"rc", "rw"}, 2: {"rc", "rh", "rw"}, 3: {"rc", "rd", "rh", "rw"}}[rank]
	axes := named(imageAxes(channelsFirst, rank, "c"), "i", image(channelsFirst, c.batch, c.out, c.co))
	reduce := named(offsets, "r", append([]int64{c.inGroup}, c.weightSize...))
	at, r := compute.Vars(axes), compute.Vars(reduce)
	channel, outChannel := c.inputChannel(at[1], r[0]), at[1]
	if c.groups > 1 {
		outChannel = floormod(at[1], c.outGroup)
	}
	place, mirrored := make([]tir.Expr, rank), make([]tir.Expr, rank)
	for d, win := range c.windows {
		place[d] = add(at[2+d], times(r[1+d], win.dilation))
		mirrored[d] = sub(tir.Int(win.size-1), r[1+d])
	}
	x := Cast(spread.At(image(channelsFirst, at[0], place, channel)...), t)
	y := b.SumWith(b.Unique(fmt.Sprintf("conv%dd_transpose", rank)), axes, reduce,
		mul(x, Cast(w.At(append([]tir.Expr{channel, outChannel}, mirrored...)...), t)), b.layoutFree(1))
	b.Output(b.epilogue(y, 1, out))
	return nil
}

// dilate puts stride-1 zeros between the elements of the image, and around them the margins that windows need.
func (c *conv) dilate(b *Body) compute.Tensor {
	x := b.Input(0)
	list := make([]margin, len(c.in))
	dilated := false
	for d, w := range c.windows {
		dilated = dilated || w.stride > 1
		before := w.span() - 1 - w.before
		list[d] = margin{before, c.out[d] + w.span() - 1 - before - ((c.in[d]-1)*w.stride + 1)}
	}
	if !dilated {
		return b.pad(x, image(channelsFirst, margin{}, list, margin{}), 0, nil)
	}
	shape := image(channelsFirst, c.batch, slices.Clone(c.in), c.ci)
	for d, w := range c.windows {
		shape[2+d] = c.out[d] + w.span() - 1
	}
	axes, at := b.Axes(shape)
	index := slices.Clone(at)
	var inside []tir.Expr
	for d, w := range c.windows {
		lo, n := list[d].before, (c.in[d]-1)*w.stride+1
		from := plus(at[2+d], -lo)
		if lo > 0 {
			inside = append(inside, ge(at[2+d], tir.Int(lo)))
		}
		if list[d].after > 0 {
			inside = append(inside, lt(at[2+d], tir.Int(lo+n)))
		}
		if w.stride > 1 {
			inside = append(inside, eq(floormod(from, w.stride), tir.Int(0)))
			from = floordiv(from, w.stride)
		}
		index[2+d] = from
	}
	return b.Stage("dilate", x.Type, axes, tir.IfThenElse(tir.AllOf(inside...), x.At(index...), tir.Const(x.Type, 0)))
}

// evalConvTranspose is the reference of ConvTranspose: the products of a stretch of pixels with all weights, then added
// where they belong.
func evalConvTranspose(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	c, err := convTransposeOf(n)
	if err != nil {
		return nil, err
	}
	y := graph.NewTensor(in[0].Type, image(channelsFirst, c.batch, c.out, c.co)...)
	if y.Len() == 0 {
		return []*graph.Tensor{y}, nil
	}
	pixels, window, outPixels := graph.Elems(c.in), graph.Elems(c.weightSize), graph.Elems(c.out)
	for i := range y.F {
		if c.withBias {
			y.F[i] = in[2].F[int64(i)/outPixels%c.co]
		}
	}
	rows := c.outGroup * window
	stretch := min(pixels, max(16, columnLimit/rows))
	products := make([]float64, rows*stretch)
	finite := allFinite(in[0].F) && allFinite(in[1].F)
	for image := range c.batch {
		for g := range c.groups {
			x := in[0].F[(image*c.ci+g*c.inGroup)*pixels:][:c.inGroup*pixels]
			w := in[1].F[g*c.inGroup*rows:][:c.inGroup*rows]
			for p0 := int64(0); p0 < pixels; p0 += stretch {
				m := min(stretch, pixels-p0)
				if finite {
					blas64.Gemm(blas.Trans, blas.NoTrans, 1,
						blas64.General{Rows: int(c.inGroup), Cols: int(rows), Stride: int(rows), Data: w},
						blas64.General{Rows: int(c.inGroup), Cols: int(m), Stride: int(pixels), Data: x[p0:]}, 0,
						blas64.General{Rows: int(rows), Cols: int(m), Stride: int(m), Data: products})
				} else {
					transposedProduct(w, x[p0:], products, rows, m, c.inGroup, pixels)
				}
				to := y.F[(image*c.co+g*c.outGroup)*outPixels:]
				if err := c.scatter(call.Context, products, to, p0, m); err != nil {
					return nil, err
				}
			}
		}
	}
	return []*graph.Tensor{y}, nil
}

// transposedProduct computes r = wᵀ·x, for x of cols columns out of width.
func transposedProduct(w, x, r []float64, rows, cols, inner, width int64) {
	for i := range rows {
		for j := range cols {
			sum := 0.0
			for k := range inner {
				sum += w[k*rows+i] * x[k*width+j]
			}
			r[i*cols+j] = sum
		}
	}
}

// scatter adds the products of m pixels from p0 on to the images that they belong to.
func (c *conv) scatter(ctx context.Context, products, y []float64, p0, m int64) error {
	inStrides, outStrides := strides(c.in), strides(c.out)
	window := graph.Elems(c.weightSize)
	return parallel(ctx, int(c.outGroup), func(channel int) {
		to := y[int64(channel)*graph.Elems(c.out):]
		k := int64(0)
		walkIndex(c.weightSize, func(r []int64) {
			from := products[(int64(channel)*window+k)*m:]
			k++
			for p := range m {
				at, inside := int64(0), true
				for d, w := range c.windows {
					o := (p0+p)/inStrides[d]%c.in[d]*w.stride + r[d]*w.dilation - w.before
					inside = inside && o >= 0 && o < c.out[d]
					at += o * outStrides[d]
				}
				if inside {
					to[at] += from[p]
				}
			}
		})
	})
}
