package op

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// each computes an element of each output from the elements of its window: do gets the number of the output, and where
// the window's elements of the image are, by their offsets in x and by their places in a channel. Counted is the number
// of the window's positions on the image or the padding that the node declares.
func (p *pool) each(call *graph.Call, do func(at int, x, places []int64, counted int)) error {
	inStrides := strides(image(p.order, p.batch, p.in, p.channels))
	outStrides := strides(p.shape())
	channel := p.order.channel(len(inStrides))
	size := make([]int64, len(p.windows))
	for d, w := range p.windows {
		size[d] = w.size
	}
	plane := strides(p.in)
	return parallel(call.Context, int(p.batch*p.channels), func(i int) {
		n, c := int64(i)/p.channels, int64(i)%p.channels
		var x, places []int64
		walkIndex(p.out, func(at []int64) {
			x, places = x[:0], places[:0]
			counted := 0
			walkIndex(size, func(r []int64) {
				from, place, inside, padded := n*inStrides[0]+c*inStrides[channel], int64(0), true, true
				for d, w := range p.declared {
					q := at[d]*w.stride + r[d]*w.dilation - w.before
					inside = inside && q >= 0 && q < p.in[d]
					padded = padded && q < p.in[d]+w.after
					from += q * spatial(p.order, inStrides)[d]
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
				to += o * spatial(p.order, outStrides)[d]
			}
			do(int(to), x, places, counted)
		})
	})
}

// poolEval is the reference of a pool of floats.
func poolEval(of func(n *graph.Node) (*pool, error), f func(n *graph.Node, x []float64,
	counted int) float64) graph.EvalFunc {
	return func(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		p, err := of(n)
		if err != nil {
			return nil, err
		}
		y := graph.NewTensor(in[0].Type, p.shape()...)
		err = p.each(call, func(at int, x, _ []int64, counted int) {
			values := make([]float64, len(x))
			for i, k := range x {
				values[i] = in[0].At(int(k))
			}
			if v := f(n, values, counted); y.F != nil {
				y.F[at] = v
			} else {
				y.I[at] = int64(v)
			}
		})
		return []*graph.Tensor{y}, err
	}
}

func sliding(o order) func(n *graph.Node) (*pool, error) {
	return func(n *graph.Node) (*pool, error) { return poolOf(n, o) }
}

func global(o order) func(n *graph.Node) (*pool, error) {
	return func(n *graph.Node) (*pool, error) { return globalOf(n, o) }
}

func evalMaxPool(o order) graph.EvalFunc {
	return func(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		p, err := poolOf(n, o)
		if err != nil {
			return nil, err
		}
		y, index := graph.NewTensor(in[0].Type, p.shape()...), graph.NewTensor(tir.I64, p.shape()...)
		channel := o.channel(len(y.Shape))
		outStrides := strides(y.Shape)
		plane := graph.Elems(p.in)
		err = p.each(call, func(at int, x, places []int64, _ int) {
			best := 0
			for i, k := range x {
				if larger(in[0], k, x[best]) {
					best = i
				}
			}
			if len(x) == 0 {
				if y.F != nil {
					y.F[at] = math.Inf(-1)
				} else {
					y.I[at] = int64(lowest(y.Type))
				}
				return
			}
			if y.F != nil {
				y.F[at] = in[0].F[x[best]]
			} else {
				y.I[at] = in[0].I[x[best]]
			}
			place := places[best]
			if n.Int("storage_order", 0) != 0 {
				place = columnMajor(p.in, place)
			}
			c := int64(at) / outStrides[channel] % p.channels
			index.I[at] = (int64(at)/outStrides[0]*p.channels+c)*plane + place
		})
		return []*graph.Tensor{y, index}, err
	}
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
	for d, s := range strides(shape) {
		r += place / s % shape[d] * step
		step *= shape[d]
	}
	return r
}

func sumOf(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum
}

func evalAveragePool(o order) graph.EvalFunc {
	return poolEval(sliding(o), func(n *graph.Node, x []float64, counted int) float64 {
		if n.Int("count_include_pad", 0) == 0 {
			counted = len(x)
		}
		return sumOf(x) / float64(counted)
	})
}

func lpNorm(n *graph.Node, x []float64, _ int) float64 {
	p, sum := float64(n.Int("p", 2)), 0.0
	for _, v := range x {
		sum += math.Pow(math.Abs(v), p)
	}
	return math.Pow(sum, 1/p)
}

var (
	evalLpPool       = poolEval(sliding(channelsFirst), lpNorm)
	evalGlobalLpPool = poolEval(global(channelsFirst), lpNorm)
)

func evalGlobalAveragePool(o order) graph.EvalFunc {
	return poolEval(global(o), func(_ *graph.Node, x []float64, _ int) float64 { return sumOf(x) / float64(len(x)) })
}

func evalGlobalMaxPool(o order) graph.EvalFunc {
	return poolEval(global(o), func(_ *graph.Node, x []float64, _ int) float64 {
		most := math.Inf(-1)
		for _, v := range x {
			most = max(most, v)
		}
		return most
	})
}
