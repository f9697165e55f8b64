package reduce

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/pointwise"
	"github.com/wmtune/wmtune/tir"
)

// evalReduce is Eval of a reduction whose axes are an input, or an attribute.
func evalReduce(r *reducer, input bool) graph.EvalFunc {
	return func(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		axes := n.Ints("axes")
		if input {
			axes = array.List(in, 1)
		}
		s, err := reducedAlong(n, in[0].Shape, axes)
		if err != nil {
			return nil, err
		}
		x := in[0]
		out := graph.NewTensor(x.Type, s.Result()...)
		var floats []float64
		var ints []int64
		each(s, func(i int, places []int) {
			switch {
			case x.F != nil:
				floats = gather(floats, x.F, places)
				out.F[i] = r.eval(floats)
			case r.evalInt != nil:
				ints = gather(ints, x.I, places)
				out.I[i] = array.Wrap(x.Type, r.evalInt(x.Type, ints))
			default:
				list := make([]float64, len(places))
				for k, p := range places {
					list[k] = x.At(p)
				}
				out.I[i] = array.Truncate(x.Type, r.eval(list))
			}
		})
		return []*graph.Tensor{out}, nil
	}
}

// gather returns elements of x, in the memory of list if that is large enough.
func gather[T any](list, x []T, places []int) []T {
	list = slices.Grow(list[:0], len(places))[:len(places)]
	for i, p := range places {
		list[i] = x[p]
	}
	return list
}

func squared[T float64 | int64](x T) T    { return x * x }
func product[T float64 | int64](r, x T) T { return r * x }
func meanOf(x []float64) float64          { return array.SumOf(x) / float64(len(x)) }
func absSumOf(x []float64) float64        { return array.SumBy(x, math.Abs) }
func squaresOf(x []float64) float64       { return array.SumBy(x, squared) }
func normOf(x []float64) float64          { return math.Sqrt(squaresOf(x)) }
func logSumOf(x []float64) float64        { return math.Log(array.SumOf(x)) }
func productOf(x []float64) float64       { return array.FoldBy(1, x, product) }

func logSumExpOf(x []float64) float64 {
	m := array.LargestOf(x)
	if math.IsInf(m, 0) {
		m = 0
	}
	return m + math.Log(array.SumBy(x, func(v float64) float64 { return math.Exp(v - m) }))
}

func sumInts(_ tir.DType, x []int64) int64     { return array.SumBy(x, array.Plain) }
func squareInts(_ tir.DType, x []int64) int64  { return array.SumBy(x, squared) }
func productInts(_ tir.DType, x []int64) int64 { return array.FoldBy(1, x, product) }

// meanInts truncates; the mean of nothing is 0, which ONNX leaves open.
func meanInts(t tir.DType, list []int64) int64 {
	return pointwise.Divide(t, sumInts(t, list), int64(len(list)))
}

func absSumInts(t tir.DType, list []int64) int64 {
	return array.SumBy(list, func(x int64) int64 {
		if x < 0 && !array.Unsigned(t) {
			return -x
		}
		return x
	})
}

func largestInts(t tir.DType, list []int64) int64 {
	least, _, _ := Limits(t)
	return array.FoldBy(int64(least), list, func(r, x int64) int64 { return pointwise.LargerInt(t, r, x) })
}

func smallestInts(t tir.DType, list []int64) int64 {
	_, _, most := Limits(t)
	return array.FoldBy(most, list, func(r, x int64) int64 { return pointwise.SmallerInt(t, r, x) })
}
