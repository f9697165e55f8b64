package table

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/reduce"
	"github.com/wmtune/wmtune/tir"
)

var reduceOps = []string{
	"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare",
	"ReduceLogSum", "ReduceLogSumExp",
}

// positive returns small numbers above 0, of which logarithms may be taken.
func positive(r *rand.Rand, t tir.DType, shape ...int64) *graph.Tensor {
	if t == tir.Bool {
		return random(r, t, 0, 1, shape...)
	}
	return random(r, t, 1, 3, shape...)
}

// TestReduce: every reduction, with axes as an attribute, as a constant and as an operand, some left out.
func TestReduce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, op := range reduceOps {
		for _, dt := range allTypes {
			if dt == tir.Bool && op != "ReduceMax" && op != "ReduceMin" {
				continue
			}
			for _, axes := range [][]int64{{1}, {0, 2}, {-1}, {2, 0, 1}, nil} {
				x := positive(rng, dt, 2, 3, 2)
				for keep := range int64(2) {
					attrs := []graph.Attr{graph.IntAttr("keepdims", keep)}
					old := append([]graph.Attr{graph.IntsAttr("axes", axes...)}, attrs...)
					if axes == nil {
						old = attrs
					}
					checkNode(t, op, 11, 1, []*graph.Tensor{x}, nil, old...)
					in := []*graph.Tensor{x, graph.Ints(axes...)}
					checkNode(t, op, 20, 1, in, []int{1}, attrs...)
					if axes == nil {
						checkNode(t, op, 20, 1, []*graph.Tensor{x}, nil, append(attrs, graph.IntAttr("noop_with_empty_axes", 1))...)
						continue
					}
					want, err := evalOf(op, 20)(nil, &graph.Node{Op: op, Version: 20, Attrs: attrs}, in)
					if err != nil {
						t.Fatal(err)
					}
					nodeCase{op: op, version: 20, attrs: attrs, in: in, declared: [][]int64{want[0].Shape}}.check(t)
				}
			}
		}
	}
}

// TestReduceNothing: the fold of no elements.
func TestReduceNothing(t *testing.T) {
	inf := math.Inf(1)
	want := []float64{0, math.NaN(), -inf, inf, 1, 0, 0, 0, -inf, -inf}
	for i, op := range reduceOps {
		x := graph.NewTensor(tir.F32, 2, 0)
		checkNode(t, op, 20, 1, []*graph.Tensor{x, graph.Ints(1)}, []int{1})
		n, err := newNode(op, 20, 1, []*graph.Tensor{x, graph.Ints(1)}, func(i int) bool { return i == 1 })
		if err != nil {
			t.Fatal(err)
		}
		got, err := reference(n, []*graph.Tensor{x, graph.Ints(1)})
		if err != nil {
			t.Fatal(err)
		}
		if g := got[0].F[0]; g != want[i] && (g == g || want[i] == want[i]) {
			t.Errorf("%s of nothing is %v, want %v", op, g, want[i])
		}
	}
}

// TestReduceSpecial: infinities and large numbers do not spoil what is finite, and NaN is not lost.
func TestReduceSpecial(t *testing.T) {
	inf := math.Inf(1)
	for _, row := range [][]float64{
		{-inf, 1, 2}, {-inf, -inf, -inf}, {inf, 1, 2}, {300, 301, 299}, {math.NaN(), 1, 2}, {1, math.NaN(), 2}, {-3, -2, -1},
	} {
		x := &graph.Tensor{Type: tir.F32, Shape: []int64{1, 3}, F: row}
		for _, op := range reduceOps {
			checkNode(t, op, 11, 1, []*graph.Tensor{x}, nil, graph.IntsAttr("axes", 1))
		}
		for _, op := range []string{"Softmax", "LogSoftmax"} {
			checkNode(t, op, 13, 1, []*graph.Tensor{x}, nil)
		}
		for _, op := range []string{"ArgMax", "ArgMin"} {
			checkNode(t, op, 13, 1, []*graph.Tensor{x}, nil, graph.IntAttr("axis", 1))
		}
	}
}

// TestReduceOtherShape: axes at run time that lead to another shape than the declared one end the run.
func TestReduceOtherShape(t *testing.T) {
	x := positive(rand.New(rand.NewPCG(1, 1)), tir.F32, 2, 3)
	for _, axes := range [][]int64{{1}, {-1}, {0, 1}, {2}, {-3}} {
		n := nodeCase{op: "ReduceSum", version: 13, in: []*graph.Tensor{x, graph.Ints(axes...)}, attrs: []graph.Attr{
			graph.IntAttr("keepdims", 0),
		}}.node()
		n.Outputs[0].Type, n.Outputs[0].Shape, n.Outputs[0].Ranked = tir.F32, []int64{3}, true
		if !faults(t, n, x, graph.Ints(axes...)) {
			t.Errorf("axes %v lead to no error", axes)
		}
	}
}

// TestSoftmax: along one axis from opset 13 on, and along all that follow before.
func TestSoftmax(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, op := range []string{"Softmax", "LogSoftmax", "Hardmax"} {
		for _, dt := range []tir.DType{tir.F32, tir.F64, tir.F16} {
			x := random(rng, dt, -4, 4, 2, 3, 4)
			for axis := int64(-3); axis < 3; axis++ {
				checkNode(t, op, 13, 1, []*graph.Tensor{x}, nil, graph.IntAttr("axis", axis))
				checkNode(t, op, 11, 1, []*graph.Tensor{x}, nil, graph.IntAttr("axis", axis))
			}
			checkNode(t, op, 13, 1, []*graph.Tensor{x}, nil)
			checkNode(t, op, 11, 1, []*graph.Tensor{x}, nil)
			checkNode(t, op, 7, 1, []*graph.Tensor{x}, nil, graph.IntAttr("axis", 3))
		}
	}
	ties := &graph.Tensor{Type: tir.F32, Shape: []int64{5}, F: []float64{1, 3, 2, 3, 3}}
	got, err := reduce.EvalSoftmax(nil, &graph.Node{Op: "Hardmax", Version: 13}, []*graph.Tensor{ties})
	if err != nil || !slices.Equal(got[0].F, []float64{0, 1, 0, 0, 0}) {
		t.Errorf("Hardmax with ties: %v, %v", got, err)
	}
	checkNode(t, "Hardmax", 13, 1, []*graph.Tensor{ties}, nil)
	// Before opset 13 the whole of the last two dimensions adds up to 1.
	sum := array.SumOf(mustEval(t, "Softmax", 12, random(rng, tir.F32, -4, 4, 1, 3, 4)).F)
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("a softmax of opset 12 adds up to %v", sum)
	}
}

func mustEval(t *testing.T, op string, version int, x *graph.Tensor) *graph.Tensor {
	t.Helper()
	n, err := newNode(op, version, 1, []*graph.Tensor{x}, func(int) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	out, err := reference(n, []*graph.Tensor{x})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// TestArgMax: places of equals, the first or the last.
func TestArgMax(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, op := range []string{"ArgMax", "ArgMin"} {
		for _, dt := range allTypes[1:] {
			x := random(rng, dt, 0, 3, 2, 5, 3)
			for i := range x.F {
				x.F[i] = math.Floor(x.F[i]) // some are equal
			}
			for mode := range int64(4) {
				checkNode(t, op, 13, 1, []*graph.Tensor{x}, nil, graph.IntAttr("axis", 1), graph.IntAttr("keepdims", mode&1),
					graph.IntAttr("select_last_index", mode>>1))
			}
		}
	}
	x := &graph.Tensor{Type: tir.I8, Shape: []int64{4}, I: []int64{-128, 127, 127, -128}}
	for op, want := range map[string][2]int64{"ArgMax": {1, 2}, "ArgMin": {0, 3}} {
		for last, w := range want {
			n := &graph.Node{Op: op, Version: 13, Inputs: []*graph.Value{{Type: x.Type, Shape: x.Shape, Ranked: true}}}
			n.SetAttr(graph.IntAttr("select_last_index", int64(last)))
			if got, err := reference(n, []*graph.Tensor{x}); err != nil || got[0].I[0] != w {
				t.Errorf("%s of %v, last %d: %v, %v, want %d", op, x.I, last, got, err, w)
			}
			checkNode(t, op, 13, 1, []*graph.Tensor{x}, nil, n.Attrs...)
		}
	}
}

// TestCumulate: sums and products along each axis, known or not, in both directions.
func TestCumulate(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, op := range []string{"CumSum", "CumProd"} {
		for _, dt := range allTypes[1:] {
			x := positive(rng, dt, 2, 3, 4)
			for axis := int64(-1); axis < 3; axis++ {
				for mode := range int64(4) {
					in := []*graph.Tensor{x, {Type: tir.I32, I: []int64{axis}}}
					attrs := []graph.Attr{graph.IntAttr("exclusive", mode&1), graph.IntAttr("reverse", mode>>1)}
					checkNode(t, op, 26, 1, in, []int{1}, attrs...)
					checkNode(t, op, 26, 1, in, nil, attrs...)
				}
			}
		}
	}
	for _, shape := range [][]int64{{3, 5, 19}, {2, 4, 3, 16}, {19, 4}} { // lanes of vectors, and their ends
		for axis := range int64(len(shape)) {
			in := []*graph.Tensor{positive(rng, tir.F32, shape...), {Type: tir.I32, I: []int64{axis}}}
			checkNode(t, "CumSum", 26, 1, in, []int{1}, graph.IntAttr("exclusive", axis&1))
			checkNode(t, "CumSum", 26, 1, in, nil, graph.IntAttr("reverse", axis&1))
		}
	}
	n := &graph.Node{Op: "CumSum"}
	n.SetAttr(graph.IntAttr("exclusive", 1), graph.IntAttr("reverse", 1))
	got, err := evalOf("CumSum", 11)(nil, n, []*graph.Tensor{graph.Ints(1, 2, 3), {Type: tir.I64, I: []int64{0}}})
	if err != nil || !slices.Equal(got[0].I, []int64{5, 3, 0}) {
		t.Errorf("an exclusive sum from the end: %v, %v", got, err)
	}
}

// TestDet: also of a matrix that needs its rows exchanged, and of a singular one.
func TestDet(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int64{1, 2, 3, 5} {
		checkNode(t, "Det", 11, 1, []*graph.Tensor{random(rng, tir.F32, -1, 1, 2, 2, n, n)}, nil)
	}
	for _, m := range [][]float64{{0, 2, 3, 4}, {0, 0, 0, 1}, {1, 2, 2, 4}, {0, 0, 0, 0}} {
		x := &graph.Tensor{Type: tir.F64, Shape: []int64{2, 2}, F: m}
		checkNode(t, "Det", 11, 1, []*graph.Tensor{x}, nil)
		if got, want := mustEval(t, "Det", 11, x).F[0], m[0]*m[3]-m[1]*m[2]; got != want {
			t.Errorf("the determinant of %v is %v, want %v", m, got, want)
		}
	}
}

// TestNormalize: norms, also of zeros, and deviations.
func TestNormalize(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	x := random(rng, tir.F32, -2, 2, 2, 3, 4, 2)
	for i := range 8 {
		x.F[i] = 0
	}
	for p := int64(1); p < 3; p++ {
		for axis := int64(-1); axis < 3; axis++ {
			checkNode(t, "LpNormalization", 22, 1, []*graph.Tensor{x}, nil, graph.IntAttr("p", p), graph.IntAttr("axis", axis))
		}
	}
	y := random(rng, tir.F32, 2, 5, 2, 3, 4, 2)
	checkNode(t, "MeanVarianceNormalization", 13, 1, []*graph.Tensor{y}, nil)
	checkNode(t, "MeanVarianceNormalization", 13, 1, []*graph.Tensor{y}, nil, graph.IntsAttr("axes", 0, 3))
}

// TestLosses: labels that are ignored, weights, and all ways to reduce.
func TestLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for _, shape := range [][]int64{{3, 5}, {2, 4, 3}, {2, 4, 2, 3}} {
		x := random(rng, tir.F32, -3, 3, shape...)
		labels := random(rng, tir.I64, 0, float64(shape[1]-1), append([]int64{shape[0]}, shape[2:]...)...)
		weight := random(rng, tir.F32, 0.5, 2, shape[1])
		for _, reduction := range []string{"none", "sum", "mean"} {
			for _, in := range [][]*graph.Tensor{{x, labels}, {x, labels, weight}} {
				attrs := []graph.Attr{graph.StrAttr("reduction", reduction)}
				checkNode(t, "NegativeLogLikelihoodLoss", 13, 1, in, nil, attrs...)
				for _, version := range []int{12, 13} {
					checkNode(t, "SoftmaxCrossEntropyLoss", version, 2, in, nil, append(attrs, graph.IntAttr("ignore_index", 1))...)
				}
			}
		}
	}
}
