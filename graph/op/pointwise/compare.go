package pointwise

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Comparisons has comparisons, logic, and choices by a condition.
var Comparisons = []op.Row{
	{Op: "Equal", Since: 7, In: "T:A T:A", Infer: op.ToBool(op.InferBroadcast), Body: binary(Eq), Eval: evalCompare(
		func(x, y float64) bool { return x == y }, func(c int) bool { return c == 0 })},
	{Op: "Less", Since: 7, In: "T:N T:N", Infer: op.ToBool(op.InferBroadcast), Body: binary(Lt), Eval: evalCompare(
		func(x, y float64) bool { return x < y }, func(c int) bool { return c < 0 })},
	{Op: "LessOrEqual", Since: 12, In: "T:N T:N", Infer: op.ToBool(op.InferBroadcast), Body: binary(Le), Eval: evalCompare(
		func(x, y float64) bool { return x <= y }, func(c int) bool { return c <= 0 })},
	{Op: "Greater", Since: 7, In: "T:N T:N", Infer: op.ToBool(op.InferBroadcast), Body: binary(Gt), Eval: evalCompare(
		func(x, y float64) bool { return x > y }, func(c int) bool { return c > 0 })},
	{Op: "GreaterOrEqual", Since: 12, In: "T:N T:N", Infer: op.ToBool(op.InferBroadcast), Body: binary(Ge),
		Eval: evalCompare(
			func(x, y float64) bool { return x >= y }, func(c int) bool { return c >= 0 })},

	{Op: "And", Since: 7, In: "T:B T:B", Infer: op.InferBroadcast, Body: binary(And),
		Eval: evalBinary(nil, func(_ tir.DType, x, y int64) int64 { return x & y })},
	{Op: "Or", Since: 7, In: "T:B T:B", Infer: op.InferBroadcast, Body: binary(Or),
		Eval: evalBinary(nil, func(_ tir.DType, x, y int64) int64 { return x | y })},
	{Op: "Xor", Since: 7, In: "T:B T:B", Infer: op.InferBroadcast, Body: binary(Ne),
		Eval: evalBinary(nil, func(_ tir.DType, x, y int64) int64 { return x ^ y })},
	{Op: "Not", Since: 1, In: "T:B", Infer: op.InferSame, Body: unary(Not),
		Eval: evalNumber(nil, func(x int64) int64 { return 1 - x })},

	{Op: "IsNaN", Since: 9, In: "T1:F", Infer: op.ToBool(op.InferSame),
		Body: unary(func(x tir.Expr) tir.Expr { return Ne(x, x) }),
		Eval: evalTest(func(*graph.Node) func(float64) bool { return math.IsNaN })},
	{Op: "IsInf", Since: 10, In: "T1:F", Infer: op.ToBool(op.InferSame), Body: UnaryOf(bodyIsInf),
		Eval: evalTest(func(n *graph.Node) func(float64) bool {
			below, above := n.Int("detect_negative", 1) != 0, n.Int("detect_positive", 1) != 0
			return func(x float64) bool { return below && math.IsInf(x, -1) || above && math.IsInf(x, 1) }
		})},
	{Op: "Where", Since: 9, In: "B:B T:A T:A", Infer: inferWhere, Eval: evalWhere, Body: bodyWhere},
}

// evalCompare is Eval of a comparison of floats, or of integers from how they compare (as cmp.Compare says it).
func evalCompare(f func(x, y float64) bool, fi func(c int) bool) graph.EvalFunc {
	return func(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		x, y := in[0], in[1]
		shape, err := array.Broadcast(x.Shape, y.Shape)
		if err != nil {
			return nil, err
		}
		r := graph.NewTensor(tir.Bool, shape...)
		array.Walk(shape, func(i int, at []int64) {
			holds := false
			if x.F != nil {
				holds = f(x.F[at[0]], y.F[at[1]])
			} else {
				holds = fi(CompareInts(x.Type, x.I[at[0]], y.I[at[1]]))
			}
			if holds {
				r.I[i] = 1
			}
		}, array.BroadcastStrides(x.Shape, shape), array.BroadcastStrides(y.Shape, shape))
		return []*graph.Tensor{r}, nil
	}
}

// CompareInts compares numbers of an integer type, as cmp.Compare does.
func CompareInts(t tir.DType, x, y int64) int {
	if array.Unsigned(t) { // the sign bit is the highest of the number
		x, y = x^math.MinInt64, y^math.MinInt64
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func bodyIsInf(n *graph.Node, x tir.Expr) tir.Expr {
	inf := Num(x, math.Inf(1))
	below, above := Eq(x, Num(x, math.Inf(-1))), Eq(x, inf)
	switch neg, pos := n.Int("detect_negative", 1) != 0, n.Int("detect_positive", 1) != 0; {
	case neg && pos:
		return Eq(Fn(tir.Abs, x), inf)
	case neg:
		return below
	case pos:
		return above
	}
	return Lt(x, x)
}

func inferWhere(n *graph.Node) ([]op.Type, error) {
	if n.Inputs[0].Type != tir.Bool {
		return nil, op.Unsupported("a condition of type %s", n.Inputs[0].Type)
	}
	if n.Inputs[1].Type != n.Inputs[2].Type {
		return nil, op.Unsupported("a choice of %s or %s", n.Inputs[1].Type, n.Inputs[2].Type)
	}
	s, err := array.Broadcast(n.Inputs[0].Shape, n.Inputs[1].Shape, n.Inputs[2].Shape)
	return []op.Type{{DType: n.Inputs[1].Type, Shape: s}}, err
}

func evalWhere(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	c, x, y := in[0], in[1], in[2]
	shape, err := array.Broadcast(c.Shape, x.Shape, y.Shape)
	if err != nil {
		return nil, err
	}
	r := graph.NewTensor(x.Type, shape...)
	array.Walk(shape, func(i int, at []int64) {
		from, j := y, at[2]
		if c.I[at[0]] != 0 {
			from, j = x, at[1]
		}
		if r.F != nil {
			r.F[i] = from.F[j]
		} else {
			r.I[i] = from.I[j]
		}
	}, array.BroadcastStrides(c.Shape, shape), array.BroadcastStrides(x.Shape, shape),
		array.BroadcastStrides(y.Shape, shape))
	return []*graph.Tensor{r}, nil
}

func bodyWhere(b *op.Body) error {
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		return Sel(b.ReadBroadcast(0, at...), b.ReadBroadcast(1, at...), b.ReadBroadcast(2, at...))
	})
	return nil
}
