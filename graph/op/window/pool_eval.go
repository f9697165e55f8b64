package window

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// each computes an element of each output from the elements of its window: do gets the number of the output, and where
// the window's elements of the image are, by their offsets in x and by their places in a channel. Counted is the number
// of the window's positions on the image or the padding that the node declares.
func (p *pool) each(call *graph.Call, do func(at int, x, places []int64, counted int)) error {
	inStrides := array.Strides(tirop.Image(p.Layout, p.Batch, p.In, p.Channels))
	outStrides := array.Strides(p.Output())
	channel := p.Layout.Channel(len(inStrides))
	size := make([]int64, len(p.Windows))
	for d, w := range p.Windows {
		size[d] = w.Size
	}
	plane := array.Strides(p.In)
	return array.Parallel(call.Context, int(p.Batch*p.Channels), func(i int) {
		n, c := int64(i)/p.Channels, int64(i)%p.Channels
		var x, places []int64
		array.WalkIndex(p.Out, func(at []int64) {
			x, places = x[:0], places[:0]
			counted := 0
			array.WalkIndex(size, func(r []int64) {
				from, place, inside, padded := n*inStrides[0]+c*inStrides[channel], int64(0), true, true
				for d, w := range p.declared {
					q := at[d]*w.Stride + r[d]*w.Dilation - w.Before
					inside = inside && q >= 0 && q < p.In[d]
					padded = padded && q < p.In[d]+w.After
					from += q * tirop.Spatial(p.Layout, inStrides)[d]
					place += q * plane[d]
				}
				if inside {
					x, places = append(x, from), append(places, place)
				}
				if padded {
					counted++
				}
			})
			to := n*outStrides[0] + c*outStrides[channel]
			for d, o := range at {
				to += o * tirop.Spatial(p.Layout, outStrides)[d]
			}
			do(int(to), x, places, counted)
		})
	})
}

// fold is the reference of a pool whose result is a function of the elements of a window.
func (p *pool) fold(call *graph.Call, in *graph.Tensor, f func(x []float64, counted int) float64,
) ([]*graph.Tensor, error) {
	y := graph.NewTensor(in.Type, p.Output()...)
	err := p.each(call, func(at int, x, _ []int64, counted int) {
		values := make([]float64, len(x))
		for i, k := range x {
			values[i] = in.At(int(k))
		}
		if v := f(values, counted); y.F != nil {
			y.F[at] = v
		} else {
			y.I[at] = int64(v)
		}
	})
	return []*graph.Tensor{y}, err
}

func (p *pool) evalMax(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	y, index := graph.NewTensor(in[0].Type, p.Output()...), graph.NewTensor(tir.I64, p.Output()...)
	channel := p.Layout.Channel(len(y.Shape))
	outStrides := array.Strides(y.Shape)
	plane := graph.Elems(p.In)
	err := p.each(call, func(at int, x, places []int64, _ int) {
		if len(x) == 0 {
			if y.F != nil {
				y.F[at] = math.Inf(-1)
			} else {
				y.I[at] = int64(lowest(y.Type))
			}
			return
		}
		best := 0
		for i, k := range x {
			if larger(in[0], k, x[best]) {
				best = i
			}
		}
		array.Put(y, int64(at), in[0], x[best])
		place := places[best]
		if n.Int("storage_order", 0) != 0 {
			place = columnMajor(p.In, place)
		}
		c := int64(at) / outStrides[channel] % p.Channels
		index.I[at] = (int64(at)/outStrides[0]*p.Channels+c)*plane + place
	})
	return []*graph.Tensor{y, index}, err
}

// larger reports whether element i of t is larger than element k, or the first NaN.
func larger(t *graph.Tensor, i, k int64) bool {
	if t.F == nil {
		return t.I[i] > t.I[k]
	}
	return t.F[i] > t.F[k] || math.IsNaN(t.F[i]) && !math.IsNaN(t.F[k])
}

// columnMajor returns where an element is that is at place in row-major order.
func columnMajor(shape []int64, place int64) int64 {
	r, step := int64(0), int64(1)
	for d, s := range array.Strides(shape) {
		r += place / s % shape[d] * step
		step *= shape[d]
	}
	return r
}

func (p *pool) evalAverage(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	withPad := n.Int("count_include_pad", 0) != 0
	return p.fold(call, in[0], func(x []float64, counted int) float64 {
		if !withPad {
			counted = len(x)
		}
		return array.SumOf(x) / float64(counted)
	})
}

func (p *pool) evalLp(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	order := float64(n.Int("p", 2))
	return p.fold(call, in[0], func(x []float64, _ int) float64 {
		return math.Pow(array.SumBy(x, func(v float64) float64 { return math.Pow(math.Abs(v), order) }), 1/order)
	})
}
