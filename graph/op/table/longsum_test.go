package table

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// TestLongSums: sums of many float32 numbers are as exact as a float32 number can be, also of equal numbers, whose
// rounding errors do not cancel.
func TestLongSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 60))
	equal := func(v float64, shape ...int64) *graph.Tensor {
		x := graph.NewTensor(tir.F32, shape...)
		for i := range x.F {
			x.F[i] = float64(float32(v))
		}
		return x
	}
	one, zero := equal(1, 2), equal(0, 2)
	axis := func(name string, v int64) graph.Attr { return graph.IntAttr(name, v) }
	for _, c := range []nodeCase{
		{op: "ReduceSum", in: []*graph.Tensor{equal(0.1, 2, 7919), graph.Ints(1)}, fixed: []int{1}},
		{op: "ReduceSum", in: []*graph.Tensor{equal(0.1, 7919, 3), graph.Ints(0)}, fixed: []int{1}},
		{op: "ReduceMean", in: []*graph.Tensor{equal(0.7, 3, 90, 90), graph.Ints(1, 2)}, fixed: []int{1}},
		{op: "ReduceL1", in: []*graph.Tensor{equal(-0.3, 2, 5000), graph.Ints(1)}, fixed: []int{1}},
		{op: "ReduceL2", in: []*graph.Tensor{equal(0.3, 2, 5000), graph.Ints(1)}, fixed: []int{1}},
		{op: "ReduceSumSquare", in: []*graph.Tensor{random(rng, tir.F32, 0, 1, 2, 5000), graph.Ints(1)}, fixed: []int{1}},
		{op: "ReduceLogSumExp", in: []*graph.Tensor{equal(0.1, 2, 5000), graph.Ints(1)}, fixed: []int{1}},
		{op: "GlobalAveragePool", in: []*graph.Tensor{equal(0.7, 1, 2, 60, 60)}},
		{op: "wmtune.GlobalAveragePool", in: []*graph.Tensor{equal(0.7, 1, 60, 60, 2)}},
		{op: "AveragePool", in: []*graph.Tensor{equal(0.7, 1, 2, 60, 60)},
			attrs: []graph.Attr{graph.IntsAttr("kernel_shape", 60, 60)}},
		{op: "Softmax", in: []*graph.Tensor{equal(0.7, 2, 5000)}},
		{op: "LogSoftmax", in: []*graph.Tensor{equal(0.7, 2, 5000)}},
		{op: "LayerNormalization", in: []*graph.Tensor{equal(0.7, 2, 5000), equal(1, 5000)}},
		{op: "InstanceNormalization", in: []*graph.Tensor{equal(0.7, 1, 2, 60, 60), one, zero}},
		{op: "InstanceNormalization", in: []*graph.Tensor{equal(0.7, 1, 2, 3600), one, zero}},
		{op: "CumSum", in: []*graph.Tensor{equal(0.1, 20000), graph.Ints(0)}, fixed: []int{1}},
		{op: "CumSum", in: []*graph.Tensor{equal(0.1, 20000), graph.Ints(0)}, attrs: []graph.Attr{axis("reverse", 1)}},
		{op: "CumProd", version: 26, in: []*graph.Tensor{equal(1.0001, 20000), graph.Ints(0)}, fixed: []int{1}},
	} {
		if c.version == 0 {
			c.version = 18
		}
		n := c.node()
		if err := inferOnly(n); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		want, err := reference(n, c.in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := compiled(n, c.in)
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		for i, w := range want[0].F {
			// What is 0 may be one rounding of the operand, through a norm of 0.003, off.
			if g := got[0].F[i]; !(math.Abs(g-w) <= 2.5*0x1p-24*math.Abs(w)+1e-40) && !(w == 0 && math.Abs(g) < 1e-3) {
				t.Errorf("%s: element %d is %v, want %v", c, i, g, w)
				break
			}
		}
	}
}

// TestNormsOutOfRange: a norm whose square, or whose reciprocal, is no normal float32 number divides like any other.
func TestNormsOutOfRange(t *testing.T) {
	for _, x := range [][]float64{{1e-40, 1e-40, 0}, {3e38, 1e38, -1e37}, {1e-30, -2e-30, 3e-30}, {1e30, 2e30, -3e25}} {
		for i := range x {
			x[i] = float64(float32(x[i]))
		}
		for p := int64(1); p < 3; p++ {
			for _, shape := range [][]int64{{1, 3}, {3, 1}} {
				in := floatsOf(shape, x...)
				n := nodeCase{op: "LpNormalization", version: 22, in: []*graph.Tensor{in},
					attrs: []graph.Attr{graph.IntAttr("p", p), graph.IntAttr("axis", shape[0]/3*-1+1)}}.node()
				if err := inferOnly(n); err != nil {
					t.Fatal(err)
				}
				got, err := compiled(n, []*graph.Tensor{in})
				if err != nil {
					t.Fatal(err)
				}
				norm := math.Abs(x[0]) + math.Abs(x[1]) + math.Abs(x[2])
				if p == 2 {
					norm = math.Hypot(math.Hypot(x[0], x[1]), x[2])
				}
				for i, g := range got[0].F {
					if w := x[i] / norm; math.Abs(g-w) > 1e-7 {
						t.Errorf("norm %d of %v: element %d is %v, want %v", p, x, i, g, w)
					}
				}
			}
		}
	}
}
