package op

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/wmtune/wmtune/graph"
)

// columnLimit is the number of elements up to which evalConv lays out windows of an image as columns of a matrix.
const columnLimit = 1 << 20

// evalConv is the reference of convolutions. Products of many output channels are those of matrices, weights times
// windows of the image; other ones, and those of numbers that are not finite, are summed one by one.
func evalConv(o order) graph.EvalFunc {
	return func(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		c, err := convOf(n, o)
		if err != nil {
			return nil, err
		}
		y := graph.NewTensor(in[0].Type, image(o, c.batch, c.out, c.co)...)
		e := newConvEval(c)
		if c.withBias {
			e.bias(y, in[2])
		}
		switch {
		case y.F == nil:
			err = convDirect(call.Context, e, in[0].I, in[1].I, y.I)
			for i, v := range y.I {
				y.I[i] = Wrap(y.Type, v)
			}
		case c.outGroup < 4 || e.inGroup == 0 || !allFinite(in[0].F) || !allFinite(in[1].F):
			err = convDirect(call.Context, e, in[0].F, in[1].F, y.F)
		default:
			err = e.product(call.Context, in[0].F, in[1].F, y.F)
		}
		return []*graph.Tensor{y}, err
	}
}

func allFinite(list []float64) bool {
	for _, v := range list {
		if v-v != 0 { // NaN of infinities and of NaN
			return false
		}
	}
	return true
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
	e := &convEval{conv: c, pixels: graph.Elems(c.out)}
	first := func(shape []int64) []int64 {
		s := strides(shape)
		return append([]int64{s[0], s[c.order.channel(len(s))]}, spatial(c.order, s)...)
	}
	e.x = first(image(c.order, c.batch, c.in, c.ci))
	e.y = first(image(c.order, c.batch, c.out, c.co))
	size, in, out := c.splitWeights(strides(weights(c, c.weightSize, c.inGroup, c.co)))
	e.w = append([]int64{out, in}, size...)
	walkIndex(c.weightSize, func(at []int64) {
		e.offsets = append(e.offsets, append([]int64(nil), at...))
	})
	return e
}

// walkIndex calls do for each point of shape, in row-major order. The point is do's only during the call.
func walkIndex(shape []int64, do func(at []int64)) {
	at := make([]int64, len(shape))
	for range graph.Elems(shape) {
		do(at)
		for d := len(shape) - 1; d >= 0; d-- {
			if at[d]++; at[d] < shape[d] {
				break
			}
			at[d] = 0
		}
	}
}

func (e *convEval) bias(y, bias *graph.Tensor) {
	for p := range e.batch * e.pixels {
		at := p/e.pixels*e.y[0] + e.pixel(p%e.pixels)
		for c := range e.co {
			if y.F != nil {
				y.F[at+c*e.y[1]] = bias.F[c]
			} else {
				y.I[at+c*e.y[1]] = bias.I[c]
			}
		}
	}
}

// pixel returns where pixel p of an output image is.
func (e *convEval) pixel(p int64) int64 {
	at := int64(0)
	for d := len(e.out) - 1; d >= 0; d-- {
		at += p % e.out[d] * e.y[2+d]
		p /= e.out[d]
	}
	return at
}

// row calls do for each stretch of output pixels from p0 to p1 along the last dimension, with its first pixel and
// length, and with where the element of the window at an offset reads its first one. Of the pixels of the stretch,
// those from lo to hi read the image, others its padding.
func (e *convEval) row(offset []int64, p0, p1 int64, do func(p, n, from, lo, hi int64)) {
	last := len(e.out) - 1
	win, width := e.windows[last], e.out[last]
	for p := p0; p < p1; {
		first := p % width
		n := min(width-first, p1-p)
		rest, from, inside := p/width, int64(0), true
		for d := last - 1; d >= 0; d-- {
			w := e.windows[d]
			q := rest%e.out[d]*w.stride + offset[d]*w.dilation - w.before
			rest /= e.out[d]
			inside = inside && q >= 0 && q < e.in[d]
			from += q * e.x[2+d]
		}
		// Positions first+i for i in lo..hi read elements 0..in-1.
		shift := offset[last]*win.dilation - win.before + first*win.stride
		lo := min(n, max(0, ceilDiv(-shift, win.stride)))
		hi := max(lo, min(n, ceilDiv(e.in[last]-shift, win.stride)))
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
	last := 2 + len(e.out) - 1
	xStep, yStep := e.windows[len(e.out)-1].stride*e.x[last], e.y[last]
	return parallel(ctx, int(e.batch*e.co), func(i int) {
		image, channel := int64(i)/e.co, int64(i)%e.co
		for ic := range e.inGroup {
			xAt := image*e.x[0] + (channel/e.outGroup*e.inGroup+ic)*e.x[1]
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

// product lays out the windows of a stretch of pixels as columns, and adds weights times columns.
func (e *convEval) product(ctx context.Context, x, w, y []float64) error {
	inner := e.inGroup * int64(len(e.offsets))
	stretch := min(e.pixels, max(64, columnLimit/inner))
	columns, result := make([]float64, inner*stretch), make([]float64, e.outGroup*stretch)
	rows := make([]float64, e.outGroup*inner)
	for g := range e.groups {
		e.rows(w, g, rows)
		for image := range e.batch {
			for p0 := int64(0); p0 < e.pixels; p0 += stretch {
				n := min(stretch, e.pixels-p0)
				if err := e.columns(ctx, x[image*e.x[0]+g*e.inGroup*e.x[1]:], p0, n, columns); err != nil {
					return err
				}
				blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
					blas64.General{Rows: int(e.outGroup), Cols: int(inner), Stride: int(inner), Data: rows},
					blas64.General{Rows: int(inner), Cols: int(n), Stride: int(n), Data: columns}, 0,
					blas64.General{Rows: int(e.outGroup), Cols: int(n), Stride: int(n), Data: result})
				for p := range n {
					to := image*e.y[0] + g*e.outGroup*e.y[1] + e.pixel(p0+p)
					for c := range e.outGroup {
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
	for c := range e.outGroup {
		for ic := range e.inGroup {
			for _, offset := range e.offsets {
				at := (g*e.outGroup+c)*e.w[0] + ic*e.w[1]
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
	last := len(e.out) - 1
	step := e.windows[last].stride * e.x[2+last]
	return parallel(ctx, int(e.inGroup)*len(e.offsets), func(i int) {
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
