package compile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// A pointwiseOp is an operator with operands of one type.
type pointwiseOp struct {
	name   string
	inputs int
	attrs  []graph.Attr
}

// cast is a Cast to a type of ONNX.
func cast(to int64) pointwiseOp { return pointwiseOp{"Cast", 1, []graph.Attr{graph.IntAttr("to", to)}} }

// pointwiseOps are operators on elements, and reductions.
var pointwiseOps = []pointwiseOp{
	{"Add", 2, nil}, {"Sub", 2, nil}, {"Mul", 2, nil}, {"Div", 2, nil}, {"Mod", 2, nil}, {"Pow", 2, nil}, {"Neg", 1, nil},
	{"Mod", 2, []graph.Attr{graph.IntAttr("fmod", 1)}}, {"Abs", 1, nil}, {"Sign", 1, nil}, {"Reciprocal", 1, nil},
	{"Sqrt", 1, nil}, {"Exp", 1, nil}, {"Log", 1, nil}, {"Erf", 1, nil}, {"Floor", 1, nil}, {"Ceil", 1, nil},
	{"Round", 1, nil}, {"Equal", 2, nil}, {"Less", 2, nil}, {"LessOrEqual", 2, nil}, {"Greater", 2, nil},
	{"GreaterOrEqual", 2, nil}, {"And", 2, nil}, {"Or", 2, nil}, {"Xor", 2, nil}, {"Not", 1, nil}, {"IsNaN", 1, nil},
	{"IsInf", 1, nil}, {"BitShift", 2, []graph.Attr{graph.StrAttr("direction", "LEFT")}},
	{"BitShift", 2, []graph.Attr{graph.StrAttr("direction", "RIGHT")}}, {"BitwiseAnd", 2, nil}, {"BitwiseOr", 2, nil},
	{"BitwiseXor", 2, nil}, {"BitwiseNot", 1, nil}, {"Max", 2, nil}, {"Min", 2, nil}, {"Mean", 2, nil}, {"Clip", 1, nil},
	{"Relu", 1, nil}, {"LeakyRelu", 1, nil}, {"PRelu", 2, nil}, {"Elu", 1, nil}, {"Selu", 1, nil}, {"Celu", 1, nil},
	{"Sigmoid", 1, nil}, {"HardSigmoid", 1, nil}, {"HardSwish", 1, nil}, {"Swish", 1, nil}, {"Gelu", 1, nil},
	{"Gelu", 1, []graph.Attr{graph.StrAttr("approximate", "tanh")}}, {"Mish", 1, nil}, {"Softplus", 1, nil},
	{"Softsign", 1, nil}, {"ThresholdedRelu", 1, nil}, {"Shrink", 1, nil}, {"Sin", 1, nil}, {"Cos", 1, nil},
	{"Tan", 1, nil}, {"Asin", 1, nil}, {"Acos", 1, nil}, {"Atan", 1, nil}, {"Sinh", 1, nil}, {"Cosh", 1, nil},
	{"Tanh", 1, nil}, {"Asinh", 1, nil}, {"Acosh", 1, nil}, {"Atanh", 1, nil}, {"Softmax", 1, nil},
	{"LogSoftmax", 1, nil}, {"Hardmax", 1, nil}, {"ReduceSum", 1, nil}, {"ReduceMean", 1, nil}, {"ReduceMax", 1, nil},
	{"ReduceMin", 1, nil}, {"ReduceL1", 1, nil}, {"ReduceL2", 1, nil}, {"ReduceSumSquare", 1, nil}, {"ReduceProd", 1, nil},
	{"ReduceLogSum", 1, nil}, {"ReduceLogSumExp", 1, nil}, {"ArgMax", 1, nil}, {"ArgMin", 1, nil},
	{"LpNormalization", 1,
		nil}, cast(1), cast(2), cast(3), cast(4), cast(5), cast(6), cast(7), cast(9), cast(10), cast(11),
	cast(12), cast(13), cast(16),
}

// TestOperatorsOfAllTypes: operators on elements and reductions, compiled, compute in every type what the reference
// does, of operands with numbers near the ends of the type.
func TestOperatorsOfAllTypes(t *testing.T) {
	b := needBundles(t)
	for _, dt := range tir.DTypes() {
		t.Run(dt.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(dt)))
			in := []*graph.Tensor{operand(rng, dt, 5, 37), operand(rng, dt, 37)}
			g, names := operatorGraph(t, in)
			want, err := op.Evaluator().Run(t.Context(), g, in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := b.run(t.Context(), g, in)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				for k := range w.Len() {
					if x, y := got[i].At(k), w.At(k); !near(w.Type, x, y, dt) {
						t.Errorf("%s: element %d is %v, want %v (of %v and %v)", names[i], k, x, y, at(in[0], k), at(in[1], k%37))
						break
					}
				}
			}
		})
	}
}

// operatorGraph returns a graph that applies each operator that takes the type of the operands to them, and a name for
// each of its outputs.
func operatorGraph(t *testing.T, in []*graph.Tensor) (*graph.Graph, []string) {
	t.Helper()
	g := &graph.Graph{Name: "operators"}
	for i, x := range in {
		v := &graph.Value{Name: fmt.Sprintf("x%d", i), Type: x.Type, Shape: x.Shape, Ranked: true}
		g.Inputs = append(g.Inputs, v)
	}
	var names []string
	for i, o := range pointwiseOps {
		v := &graph.Value{Name: fmt.Sprintf("y%d", i)}
		n := &graph.Node{Op: o.name, Version: 28, Inputs: g.Inputs[:o.inputs], Outputs: []*graph.Value{v}}
		n.SetAttr(o.attrs...)
		r, err := op.Find(n)
		if err == nil {
			_, err = r.Types(n)
		}
		if err != nil {
			continue // not of this type
		}
		g.Nodes, g.Outputs = append(g.Nodes, n), append(g.Outputs, v)
		names = append(names, fmt.Sprint(o.name, o.attrs))
	}
	return g, names
}

func at(x *graph.Tensor, i int) any {
	if i < x.Len() {
		return x.At(i)
	}
	return nil
}

// near reports whether x, of type t, is y but for rounding in type t or in the type that it was computed from.
func near(t tir.DType, x, y float64, from tir.DType) bool {
	tolerance := func(t tir.DType) float64 {
		return map[tir.DType]float64{tir.F64: 1e-12, tir.F32: 1e-5, tir.F16: 4e-3, tir.BF16: 3e-2}[t]
	}
	if t.IsFloat() {
		y = (&graph.Tensor{Type: t, F: []float64{y}}).Const().Tensor().F[0]
	}
	if x == y || x != x && y != y {
		return true
	}
	return t.IsFloat() && math.Abs(x-y) <= max(tolerance(t), tolerance(from))*max(1, math.Abs(y))
}

// operand returns numbers of a type, small ones mostly.
func operand(rng *rand.Rand, t tir.DType, shape ...int64) *graph.Tensor {
	x := graph.NewTensor(t, shape...)
	special := []float64{0, 1, -1, 2.5, -2.5, math.Inf(1), math.Inf(-1), math.NaN(), 88, -88}
	for i := range x.F {
		x.F[i] = rng.Float64()*6 - 3
		if i%37 < len(special) && len(shape) == 1 || i < len(special) {
			x.F[i] = special[rng.IntN(len(special))]
		}
	}
	lo, hi, ok := t.IntRange()
	for i := range x.I {
		switch x.I[i] = rng.Int64N(7) - 3; {
		case t == tir.Bool:
			x.I[i] &= 1
		case t.IsUnsigned():
			x.I[i] += 3
		}
		if ok && t != tir.Bool && rng.IntN(8) == 0 {
			x.I[i] = []int64{lo, hi}[rng.IntN(2)]
		}
	}
	return x.Const().Tensor()
}
