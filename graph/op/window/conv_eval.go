package window

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/nn/kernel"
	"github.com/wmtune/wmtune/tir"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// columnLimit is the number of elements up to which eval lays out windows of an image as columns of a matrix.
const columnLimit = 1 << 20

var EvalConv = op.EvalBy(convOf, (*conv).eval)

// eval is the reference of convolutions. Products of many output channels are those of matrices, weights times
// windows of the image; other ones, and those of numbers that are not finite, are summed one by one.
func (c *conv) eval(call *graph.Call, n *graph.Node, in []*graph.Tensor) (_ []*graph.Tensor, err error) {
	y := graph.NewTensor(op.SumType(n), c.Output()...)
	e := newConvEval(c)
	if c.withBias {
		e.bias(y, in[2].At)
	}
	if fill := array.Argument(in, 3); fill != nil {
		in = slices.Clone(in)
		in[0] = e.filled(y, in[0], in[1], fill.I[0])
	}
	if y.F != nil && in[0].F == nil {
		in = []*graph.Tensor{array.Convert(in[0], tir.F64), array.Convert(in[1], tir.F64)}
	}
	switch {
	case y.F == nil:
		err = e.whole(call.Context, in[0].I, in[1].I, y.I)
		array.WrapAll(y)
	case c.OutGroup() < 4 || c.InGroup() == 0 || !array.AllFinite(in[0].F) || !array.AllFinite(in[1].F):
		err = convDirect(call.Context, e, in[0].F, in[1].F, y.F)
	default:
		err = e.product(call.Context, in[0].F, in[1].F, y.F)
	}
	return []*graph.Tensor{y}, err
}

// A convEval has what the reference needs: strides of the tensors, in the order batch, channel, spatial dimensions for
// images, and output channel, input channel, spatial dimensions for weights.
type convEval struct {
	*conv
	x, w, y []int64
	offsets [][]int64 // of the window's elements
	pixels  int64     // of an output image
}

func newConvEval(c *conv) *convEval {
	e := &convEval{conv: c, pixels: graph.Elems(c.Out)}
	first := func(shape []int64) []int64 {
		s := array.Strides(shape)
		return append([]int64{s[0], s[c.Layout.Channel(len(s))]}, tirop.Spatial(c.Layout, s)...)
	}
	e.x = first(c.Input())
	e.y = first(c.Output())
	size, in, out := c.splitWeights(array.Strides(tirop.Weights(&c.Conv, c.Size(), c.InGroup(), c.CO)))
	e.w = append([]int64{out, in}, size...)
	array.WalkIndex(c.Size(), func(at []int64) {
		e.offsets = append(e.offsets, append([]int64(nil), at...))
	})
	return e
}

// filled returns the image less the number that it is padded with, and adds to y what that number makes.
func (e *convEval) filled(y, x, w *graph.Tensor, fill int64) *graph.Tensor {
	less, sums := graph.NewTensor(x.Type, x.Shape...), make([]int64, e.CO)
	for i, v := range x.I {
		less.I[i] = v - fill
	}
	row, inner := make([]float64, e.OutGroup()*e.inner()), e.inner()
	floats := array.Convert(w, tir.F64)
	for g := range e.Groups {
		e.rows(floats.F, g, row)
		for i, v := range row {
			sums[g*e.OutGroup()+int64(i)/inner] += fill * int64(v)
		}
	}
	e.bias(y, func(c int) float64 { return float64(sums[c]) })
	return less
}

// inner is the number of products of a sum.
func (e *convEval) inner() int64 { return e.InGroup() * int64(len(e.offsets)) }

// bias adds a number for each channel.
func (e *convEval) bias(y *graph.Tensor, bias func(c int) float64) {
	for p := range e.Batch * e.pixels {
		at := p/e.pixels*e.y[0] + e.pixel(p%e.pixels)
		for c := range e.CO {
			if y.F != nil {
				y.F[at+c*e.y[1]] += bias(int(c))
			} else {
				y.I[at+c*e.y[1]] += int64(bias(int(c)))
			}
		}
	}
}

// pixel returns where pixel p of an output image is.
func (e *convEval) pixel(p int64) int64 {
	at := int64(0)
	for d := len(e.Out) - 1; d >= 0; d-- {
		at += p % e.Out[d] * e.y[2+d]
		p /= e.Out[d]
	}
	return at
}

// row calls do for each stretch of output pixels from p0 to p1 along the last dimension, with its first pixel and
// length, and with where the element of the window at an offset reads its first one. Of the pixels of the stretch,
// those from lo to hi read the image, others its padding.
func (e *convEval) row(offset []int64, p0, p1 int64, do func(p, n, from, lo, hi int64)) {
	last := len(e.Out) - 1
	win, width := e.Windows[last], e.Out[last]
	for p := p0; p < p1; {
		first := p % width
		n := min(width-first, p1-p)
		rest, from, inside := p/width, int64(0), true
		for d := last - 1; d >= 0; d-- {
			w := e.Windows[d]
			q := rest%e.Out[d]*w.Stride + offset[d]*w.Dilation - w.Before
			rest /= e.Out[d]
			inside = inside && q >= 0 && q < e.In[d]
			from += q * e.x[2+d]
		}
		// Positions first+i for i in lo..hi read elements 0..in-1.
		shift := offset[last]*win.Dilation - win.Before + first*win.Stride
		lo := min(n, max(0, ceilDiv(-shift, win.Stride)))
		hi := max(lo, min(n, ceilDiv(e.In[last]-shift, win.Stride)))
		if !inside {
			lo, hi = n, n
		}
		do(p, n, from+shift*e.x[2+last], lo, hi)
		p += n
	}
}

// ceilDiv returns a/b rounded up, for b above 0.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// convDirect adds the products one by one, on a goroutine for each output channel of an image.
func convDirect[T float64 | int64](ctx context.Context, e *convEval, x, w, y []T) error {
	last := 2 + len(e.Out) - 1
	xStep, yStep := e.Windows[len(e.Out)-1].Stride*e.x[last], e.y[last]
	return array.Parallel(ctx, int(e.Batch*e.CO), func(i int) {
		image, channel := int64(i)/e.CO, int64(i)%e.CO
		for ic := range e.InGroup() {
			xAt := image*e.x[0] + (channel/e.OutGroup()*e.InGroup()+ic)*e.x[1]
			for _, offset := range e.offsets {
				wAt := channel*e.w[0] + ic*e.w[1]
				for d, o := range offset {
					wAt += o * e.w[2+d]
				}
				v := w[wAt]
				e.row(offset, 0, e.pixels, func(p, _, from, lo, hi int64) {
					to := image*e.y[0] + channel*e.y[1] + e.pixel(p)
					for k := lo; k < hi; k++ {
						y[to+k*yStep] += v * x[xAt+from+k*xStep]
					}
				})
			}
		}
	})
}

// whole adds the products of whole numbers: those of many output channels as floats, if that is exact.
func (e *convEval) whole(ctx context.Context, x, w, y []int64) error {
	xf, wf := array.ExactFloats(x, w, e.inner())
	defer array.GiveBack(xf, wf)
	if e.OutGroup() < 4 || e.InGroup() == 0 || xf == nil {
		return convDirect(ctx, e, x, w, y)
	}
	sums := make([]float64, len(y))
	if err := e.product(ctx, xf, wf, sums); err != nil {
		return err
	}
	for i, v := range sums {
		y[i] += int64(v)
	}
	return nil
}

// product lays out the windows of a stretch of pixels as columns, and adds weights times columns.
func (e *convEval) product(ctx context.Context, x, w, y []float64) error {
	inner := e.inner()
	stretch := min(e.pixels, max(64, columnLimit/inner))
	columns, result := make([]float64, inner*stretch), make([]float64, e.OutGroup()*stretch)
	rows := make([]float64, e.OutGroup()*inner)
	for g := range e.Groups {
		e.rows(w, g, rows)
		for image := range e.Batch {
			for p0 := int64(0); p0 < e.pixels; p0 += stretch {
				n := min(stretch, e.pixels-p0)
				if err := e.columns(ctx, x[image*e.x[0]+g*e.InGroup()*e.x[1]:], p0, n, columns); err != nil {
					return err
				}
				parts, part := kernel.Doubles(result[:e.OutGroup()*n], kernel.M(rows, int(inner)),
					kernel.M(columns[:inner*n], int(n)))
				if err := array.Parallel(ctx, parts, part); err != nil {
					return err
				}
				for p := range n {
					to := image*e.y[0] + g*e.OutGroup()*e.y[1] + e.pixel(p0+p)
					for c := range e.OutGroup() {
						y[to+c*e.y[1]] += result[c*n+p]
					}
				}
			}
		}
	}
	return nil
}

// rows lays out the weights of a group, a row for each output channel.
func (e *convEval) rows(w []float64, g int64, rows []float64) {
	i := 0
	for c := range e.OutGroup() {
		for ic := range e.InGroup() {
			for _, offset := range e.offsets {
				at := (g*e.OutGroup()+c)*e.w[0] + ic*e.w[1]
				for d, o := range offset {
					at += o * e.w[2+d]
				}
				rows[i] = w[at]
				i++
			}
		}
	}
}

// columns lays out the windows of n pixels from p0 on, a column for each.
func (e *convEval) columns(ctx context.Context, x []float64, p0, n int64, columns []float64) error {
	last := len(e.Out) - 1
	step := e.Windows[last].Stride * e.x[2+last]
	return array.Parallel(ctx, int(e.InGroup())*len(e.offsets), func(i int) {
		xAt := int64(i/len(e.offsets)) * e.x[1]
		to := columns[int64(i)*n : int64(i+1)*n]
		e.row(e.offsets[i%len(e.offsets)], p0, p0+n, func(p, n, from, lo, hi int64) {
			line := to[p-p0 : p-p0+n]
			clear(line[:lo])
			clear(line[hi:])
			if step == 1 && lo < hi {
				copy(line[lo:hi], x[xAt+from+lo:])
				return
			}
			for k := lo; k < hi; k++ {
				line[k] = x[xAt+from+k*step]
			}
		})
	})
}
