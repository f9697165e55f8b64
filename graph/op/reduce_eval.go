package op

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// evalReduce is Eval of a reduction whose axes are an input, or an attribute.
func evalReduce(r *reducer, input bool) graph.EvalFunc {
	return func(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		axes := n.Ints("axes")
		if input {
			axes = list(in, 1)
		}
		s, err := reducedAlong(n, in[0].Shape, axes)
		if err != nil {
			return nil, err
		}
		x := in[0]
		out := graph.NewTensor(x.Type, s.Result()...)
		each(s, func(i int, places []int) {
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
func sumBy[T float64 | int64](list []T, f func(x T) T) T {
	sum := T(0)
	for _, x := range list {
		sum += f(x)
	}
	return sum
}

// foldBy folds numbers, beginning with r.
func foldBy[T float64 | int64](r T, list []T, f func(r, x T) T) T {
	for _, x := range list {
		r = f(r, x)
	}
	return r
}

func plain[T float64 | int64](x T) T      { return x }
func squared[T float64 | int64](x T) T    { return x * x }
func product[T float64 | int64](r, x T) T { return r * x }

func sumOf(x []float64) float64      { return sumBy(x, plain) }
func meanOf(x []float64) float64     { return sumOf(x) / float64(len(x)) }
func absSumOf(x []float64) float64   { return sumBy(x, math.Abs) }
func squaresOf(x []float64) float64  { return sumBy(x, squared) }
func normOf(x []float64) float64     { return math.Sqrt(squaresOf(x)) }
func logSumOf(x []float64) float64   { return math.Log(sumOf(x)) }
func productOf(x []float64) float64  { return foldBy(1, x, product) }
func largestOf(x []float64) float64  { return foldBy(math.Inf(-1), x, numpy(math.Max)) }
func smallestOf(x []float64) float64 { return foldBy(math.Inf(1), x, numpy(math.Min)) }

func logSumExpOf(x []float64) float64 {
	m := largestOf(x)
	if math.IsInf(m, 0) {
		m = 0
	}
	return m + math.Log(sumBy(x, func(v float64) float64 { return math.Exp(v - m) }))
}

func sumInts(_ tir.DType, x []int64) int64     { return sumBy(x, plain) }
func squareInts(_ tir.DType, x []int64) int64  { return sumBy(x, squared) }
func productInts(_ tir.DType, x []int64) int64 { return foldBy(1, x, product) }

// meanInts truncates; the mean of nothing is 0, which ONNX leaves open.
func meanInts(t tir.DType, list []int64) int64 {
	return divide(t, sumInts(t, list), int64(len(list)))
}

func absSumInts(t tir.DType, list []int64) int64 {
	return sumBy(list, func(x int64) int64 {
		if x < 0 && !unsigned(t) {
			return -x
		}
		return x
	})
}

func largestInts(t tir.DType, list []int64) int64 {
	least, _, _ := limits(t)
	return foldBy(int64(least), list, func(r, x int64) int64 { return largerInt(t, r, x) })
}

func smallestInts(t tir.DType, list []int64) int64 {
	_, _, most := limits(t)
	return foldBy(most, list, func(r, x int64) int64 { return smallerInt(t, r, x) })
}
