package op

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// evalReduce is Eval of a reduction whose axes are an input, or an attribute.
func evalReduce(r *reducer, input bool) graph.EvalFunc {
	return func(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		list := n.Ints("axes")
		if input {
			list = nil
			if len(in) > 1 && in[1] != nil {
				list = in[1].I
			}
		}
		x := in[0]
		axes, err := dimensions(list, len(x.Shape), n.Int("noop_with_empty_axes", 0) != 0)
		if err != nil {
			return nil, err
		}
		s := split{shape: x.Shape, axes: axes, keep: keepDims(n)}
		out := graph.NewTensor(x.Type, s.result()...)
		s.each(func(i int, places []int) {
			switch {
			case x.F != nil:
				out.F[i] = r.eval(gather(x.F, places))
			case r.evalInt != nil:
				out.I[i] = Wrap(x.Type, r.evalInt(x.Type, gather(x.I, places)))
			default:
				list := make([]float64, len(places))
				for k, p := range places {
					list[k] = x.At(p)
				}
				out.I[i] = truncate(x.Type, r.eval(list))
			}
		})
		return []*graph.Tensor{out}, nil
	}
}

func gather[T any](x []T, places []int) []T {
	list := make([]T, len(places))
	for i, p := range places {
		list[i] = x[p]
	}
	return list
}

// sumBy adds up f of each number.
func sumBy(list []float64, f func(x float64) float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += f(x)
	}
	return sum
}

func meanOf(x []float64) float64   { return sumOf(x) / float64(len(x)) }
func absSumOf(x []float64) float64 { return sumBy(x, math.Abs) }

func squaresOf(x []float64) float64 { return sumBy(x, func(v float64) float64 { return v * v }) }
func normOf(x []float64) float64    { return math.Sqrt(squaresOf(x)) }
func logSumOf(x []float64) float64  { return math.Log(sumOf(x)) }

func logSumExpOf(x []float64) float64 {
	m := largestOf(x)
	if math.IsInf(m, 0) {
		m = 0
	}
	return m + math.Log(sumBy(x, func(v float64) float64 { return math.Exp(v - m) }))
}

func productOf(list []float64) float64 {
	r := 1.0
	for _, x := range list {
		r *= x
	}
	return r
}

func largestOf(list []float64) float64 {
	r := math.Inf(-1)
	for _, x := range list {
		r = numpy(math.Max)(r, x)
	}
	return r
}

func smallestOf(list []float64) float64 {
	r := math.Inf(1)
	for _, x := range list {
		r = numpy(math.Min)(r, x)
	}
	return r
}

func sumInts(_ tir.DType, list []int64) int64 {
	sum := int64(0)
	for _, x := range list {
		sum += x
	}
	return sum
}

// meanInts truncates; the mean of nothing is 0, which ONNX leaves open.
func meanInts(t tir.DType, list []int64) int64 {
	return divide(t, sumInts(t, list), int64(len(list)))
}

func productInts(_ tir.DType, list []int64) int64 {
	r := int64(1)
	for _, x := range list {
		r *= x
	}
	return r
}

func absSumInts(t tir.DType, list []int64) int64 {
	sum := int64(0)
	for _, x := range list {
		if x < 0 && !unsigned(t) {
			x = -x
		}
		sum += x
	}
	return sum
}

func squareInts(_ tir.DType, list []int64) int64 {
	sum := int64(0)
	for _, x := range list {
		sum += x * x
	}
	return sum
}

func largestInts(t tir.DType, list []int64) int64 {
	lo, _, _ := limits(t)
	r := int64(lo)
	for _, x := range list {
		r = largerInt(t, r, x)
	}
	return r
}

func smallestInts(t tir.DType, list []int64) int64 {
	_, _, r := limits(t)
	for _, x := range list {
		r = smallerInt(t, r, x)
	}
	return r
}
