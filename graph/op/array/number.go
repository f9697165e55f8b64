package array

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

func Logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Log1p is ln(1+y) without cancellation where y is small: what 1+y rounds away is missing from y in the quotient as
// well.
func Log1p(y tir.Expr) tir.Expr {
	one := Num(y, 1)
	u := Add(one, y)
	exact := Or(Eq(u, one), Eq(u, Num(y, math.Inf(1))))
	return Sel(exact, y, Mul(Fn(tir.Log, u), Quo(y, Sub(u, one))))
}

// Argument returns an input, or nil.
func Argument(in []*graph.Tensor, i int) *graph.Tensor {
	if i < len(in) {
		return in[i]
	}
	return nil
}

func Dot(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// Convert returns the numbers of x as another type.
func Convert(x *graph.Tensor, to tir.DType) *graph.Tensor {
	if x.Type == to {
		return x
	}
	r := graph.NewTensor(to, x.Shape...)
	for i := range r.Len() {
		switch {
		case to.IsFloat():
			r.F[i] = tir.Rounded(to, x.At(i))
		case x.F == nil:
			r.I[i] = Wrap(to, x.I[i])
		case to == tir.Bool && x.F[i] != 0:
			r.I[i] = 1
		case to != tir.Bool:
			r.I[i] = Truncate(to, x.F[i])
		}
	}
	return r
}

// Narrowed returns numbers, integers or float64, as those of a narrow type: the low bits of integers, the nearest of
// floats. What is beyond the greatest of floats becomes that, as long as it saturates.
func Narrowed(x *graph.Tensor, to *graph.Element, saturate bool) *graph.Tensor {
	y := graph.NewTensor(to.Type, x.Shape...)
	y.Narrow = to
	for i := range y.F {
		y.F[i] = to.Round(x.F[i], saturate)
	}
	for i := range y.I {
		y.I[i] = int64(to.Number(x.I[i] & (1<<to.Bits - 1)))
	}
	return y
}

// Truncate returns the number of integer type t nearest to v truncated, and 0 for NaN.
func Truncate(t tir.DType, v float64) int64 {
	lo, hi, most := Limits(t)
	switch {
	case v != v:
		return 0
	case v <= lo:
		return int64(lo)
	case v >= hi:
		return most
	case t == tir.U64 && v >= 0x1p63:
		return int64(uint64(v))
	}
	return int64(v)
}

// ExactFloats returns whole numbers as floats if sums of so many of their products are exact in float64, as those of
// 8 bits always are; else nil. The caller may give them back to GiveBack.
func ExactFloats(x, y []int64, terms int64) (fx, fy []float64) {
	largest := func(list []int64) float64 {
		low, high := int64(0), int64(0)
		for _, v := range list {
			low, high = min(low, v), max(high, v)
		}
		return max(-float64(low), float64(high))
	}
	if largest(x)*largest(y)*float64(terms) > 1<<53 {
		return nil, nil
	}
	floats := func(list []int64) []float64 {
		f := borrow(len(list))
		for i, v := range list {
			f[i] = float64(v)
		}
		return f
	}
	return floats(x), floats(y)
}

func AllFinite(list []float64) bool {
	for _, v := range list {
		if v-v != 0 { // NaN of infinities and of NaN
			return false
		}
	}
	return true
}

// WalkIndex calls do for each point of shape, in row-major order. The point is do's only during the call.
func WalkIndex(shape []int64, do func(at []int64)) {
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

// Unsigned reports whether the bits of a number of type t, held as an int64, are those of a number without sign.
func Unsigned(t tir.DType) bool { return t == tir.U64 }

// InRange returns an index into n elements, which counts from the end if it is negative, as one from the beginning.
func InRange(i, n int64) (int64, error) {
	if i < -n || i >= n {
		return 0, fmt.Errorf("index %d is outside of a dimension of %d elements", i, n)
	}
	if i < 0 {
		i += n
	}
	return i, nil
}

// WrapAll takes integers to the range of their type.
func WrapAll(t *graph.Tensor) {
	for i, v := range t.I {
		t.I[i] = Wrap(t.Type, v)
	}
}

// Numpy is f, but NaN if an operand is: math.Max of NaN and an infinity is the infinity.
func Numpy(f func(x, y float64) float64) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		if x != x || y != y {
			return math.NaN()
		}
		return f(x, y)
	}
}

// List returns the elements of an argument that is a list of integers, or nil for one that is left out.
func List(in []*graph.Tensor, i int) []int64 {
	if i >= len(in) || in[i] == nil {
		return nil
	}
	return in[i].I
}

// SumBy adds up f of each number.
func SumBy[T float64 | int64](list []T, f func(x T) T) T {
	sum := T(0)
	for _, x := range list {
		sum += f(x)
	}
	return sum
}

// FoldBy folds numbers, beginning with r.
func FoldBy[T float64 | int64](r T, list []T, f func(r, x T) T) T {
	for _, x := range list {
		r = f(r, x)
	}
	return r
}

func Plain[T float64 | int64](x T) T { return x }
func SumOf(x []float64) float64      { return SumBy(x, Plain) }
func LargestOf(x []float64) float64  { return FoldBy(math.Inf(-1), x, Numpy(math.Max)) }
func SmallestOf(x []float64) float64 { return FoldBy(math.Inf(1), x, Numpy(math.Min)) }

// Wrap returns the low bits of v as a number of integer type t, and 0 or 1 for a bool.
func Wrap(t tir.DType, v int64) int64 {
	if t == tir.Bool && v != 0 {
		return 1
	}
	return t.Wrap(v)
}
