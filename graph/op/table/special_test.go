package table

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// TestSpecialNumbers: NaN, infinities, zeros and numbers near the ends of a type are in the program what they are in
// the reference, and for some operators, what is written here.
func TestSpecialNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	list := []float64{
		nan, inf, -inf, 0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, 3.4e38, -3.4e38, 1e-40, 88, -88, 200,
	}
	x := &graph.Tensor{Type: tir.F32, Shape: []int64{int64(len(list))}, F: list}
	for _, op := range []struct {
		name    string
		version int
		want    map[int]float64 // of elements of list
	}{
		{"Relu", 14, map[int]float64{0: nan, 1: inf, 2: 0}},
		{"LeakyRelu", 16, map[int]float64{0: nan, 1: inf, 2: -inf}},
		{"Elu", 6, map[int]float64{0: nan, 1: inf, 2: -1}},
		{"Celu", 12, map[int]float64{0: nan, 1: inf, 2: -1}},
		{"Selu", 6, map[int]float64{0: nan, 1: inf}},
		{"Sigmoid", 13, map[int]float64{0: nan, 1: 1, 2: 0, 16: 1}},
		{"HardSigmoid", 6, map[int]float64{0: nan, 1: 1, 2: 0}},
		{"Softplus", 1, map[int]float64{0: nan, 1: inf, 2: 0, 11: 3.4e38, 16: 200}},
		{"Mish", 18, map[int]float64{0: nan, 1: inf, 11: 3.4e38}},
		{"Gelu", 20, map[int]float64{0: nan, 1: inf}},
		{"Sign", 13, map[int]float64{0: nan, 1: 1, 2: -1, 3: 0}},
		{"Round", 11, map[int]float64{0: nan, 7: 0, 9: 2, 10: 2}},
		{"Abs", 13, map[int]float64{0: nan, 2: inf}},
		{"Sqrt", 13, map[int]float64{0: nan, 1: inf, 2: nan}},
		{"Log", 13, map[int]float64{0: nan, 1: inf, 2: nan, 3: -inf}},
		{"Exp", 13, map[int]float64{0: nan, 1: inf, 2: 0, 16: inf}},
		{"Tanh", 13, map[int]float64{0: nan, 1: 1, 2: -1}},
		{"Sinh", 9, map[int]float64{0: nan, 1: inf, 2: -inf}},
		{"Asinh", 9, map[int]float64{0: nan, 1: inf, 2: -inf}},
		{"Acosh", 9, map[int]float64{0: nan, 1: inf, 2: nan, 3: nan, 5: 0}},
		{"Atanh", 9, map[int]float64{0: nan, 1: nan, 5: inf, 6: -inf}},
		{"Asin", 7, map[int]float64{0: nan, 1: nan, 9: nan}},
		{"Reciprocal", 13, map[int]float64{0: nan, 1: 0, 3: inf, 4: -inf}},
		{"Clip", 6, map[int]float64{0: nan, 1: math.MaxFloat32, 2: -math.MaxFloat32}},
		{"ThresholdedRelu", 10, map[int]float64{0: 0, 1: inf}},
		{"Shrink", 9, map[int]float64{0: 0, 1: inf, 7: 0, 9: 1.5}},
	} {
		n, err := newNode(op.name, op.version, 1, []*graph.Tensor{x}, func(int) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		checkInferred(t, n, []*graph.Tensor{x})
		got, err := reference(n, []*graph.Tensor{x})
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range op.want {
			if g := got[0].F[i]; g != w && (g == g || w == w) && math.Abs(g-w) > 1e-6*math.Abs(w) {
				t.Errorf("%s(%v) is %v, want %v", op.name, list[i], g, w)
			}
		}
	}
}

// TestIntegerDivision: quotients and remainders are truncated, or have the sign of the divisor; nothing traps.
func TestIntegerDivision(t *testing.T) {
	for _, dt := range []tir.DType{tir.I8, tir.I16, tir.I32, tir.I64} {
		lo, _, most := Limits(dt)
		x := &graph.Tensor{Type: dt, Shape: []int64{7}, I: []int64{-7, 7, -7, 7, int64(lo), most, 5}}
		y := &graph.Tensor{Type: dt, Shape: []int64{7}, I: []int64{2, -2, -2, 2, -1, -1, 0}}
		for _, op := range []struct {
			name string
			fmod int64
			want []int64
		}{
			{"Div", 0, []int64{-3, -3, 3, 3, int64(lo), -most, 0}},
			{"Mod", 0, []int64{1, -1, -1, 1, 0, 0, 0}},
			{"Mod", 1, []int64{-1, 1, -1, 1, 0, 0, 0}},
		} {
			in := []*graph.Tensor{x, y}
			n, err := newNode(op.name, 14, 1, in, func(int) bool { return false }, graph.IntAttr("fmod", op.fmod))
			if err != nil {
				t.Fatal(err)
			}
			checkInferred(t, n, in)
			got, err := reference(n, in)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range op.want {
				if got[0].I[i] != w {
					t.Errorf("%s %s of %d and %d is %d, want %d", dt, op.name, x.I[i], y.I[i], got[0].I[i], w)
				}
			}
		}
	}
}

// TestCast: every type to every other, with numbers that the result's type does not hold.
func TestCast(t *testing.T) {
	for _, from := range allTypes {
		x := graph.NewTensor(from, 12)
		if x.F != nil {
			list := []float64{0, 1.9, -1.9, 127.5, 300, -300, 70000, -5e9, 1e19, 3e38, math.NaN(), math.Inf(-1)}
			for i, v := range list {
				x.F[i] = tir.Rounded(from, v)
			}
		} else {
			for i, v := range []int64{0, 1, -1, 127, 128, 255, -200, 65535, 1 << 31, 1<<53 + 1, math.MaxInt64, math.MinInt64} {
				x.I[i] = array.Wrap(from, v)
			}
		}
		for number, e := range graph.Elements {
			if e.Type != tir.Invalid {
				checkNode(t, "Cast", 13, 1, []*graph.Tensor{x}, nil, graph.IntAttr("to", int64(number)))
			}
		}
	}
	x := &graph.Tensor{Type: tir.F32, Shape: []int64{5}, F: []float64{math.NaN(), -300, 300, 127.9, -0.5}}
	want := []int64{0, -128, 127, 127, 0}
	for i, g := range array.Convert(x, tir.I8).I {
		if g != want[i] {
			t.Errorf("%v becomes %d, want %d", x.F[i], g, want[i])
		}
	}
	like := graph.NewTensor(tir.U8, 1)
	checkNode(t, "CastLike", 15, 1, []*graph.Tensor{x, like}, nil)
}

// TestPow: powers of mixed types, and exact ones of integers.
func TestPow(t *testing.T) {
	ints := func(dt tir.DType, v ...int64) *graph.Tensor {
		return &graph.Tensor{Type: dt, Shape: []int64{int64(len(v))}, I: v}
	}
	x := ints(tir.I64, 3, -3, 2, 0, 1, -1, -1, 7)
	y := ints(tir.I64, 39, 39, 62, 0, -5, -5, -4, 1)
	checkNode(t, "Pow", 15, 1, []*graph.Tensor{x, y}, nil)
	got, _ := evalOf("Pow", 15)(nil, nil, []*graph.Tensor{x, y})
	want := []int64{4052555153018976267, -4052555153018976267, 1 << 62, 1, 1, -1, 1, 7}
	for i, w := range want {
		if got[0].I[i] != w {
			t.Errorf("%d to the power of %d is %d, want %d", x.I[i], y.I[i], got[0].I[i], w)
		}
	}
	five := &graph.Tensor{Type: tir.F32, Shape: []int64{3}, F: []float64{3, 0.5, 2}}
	checkNode(t, "Pow", 15, 1, []*graph.Tensor{ints(tir.I32, 5, 9, 11), five}, nil)
	for _, e := range []int64{0, 1, 2, 3, 4} {
		checkNode(t, "Pow", 15, 1, []*graph.Tensor{ints(tir.I32, 5, -9, 11), ints(tir.I32, e)}, []int{1})
		checkNode(t, "Pow", 15, 1, []*graph.Tensor{five, ints(tir.I32, e)}, []int{1})
	}
}
