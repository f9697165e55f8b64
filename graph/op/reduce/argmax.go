package reduce

import (
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/pointwise"
	"github.com/wmtune/wmtune/tir"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Places has the operators that find where the largest or the smallest element is. A NaN is both, as for numpy.
var Places = []op.Row{
	{Op: "ArgMax", Since: 1, In: "T:N", Class: op.Reduction, Infer: op.InferBy(argOf, inferArg),
		Eval: op.EvalBy(argOf, evalArg),
		Body: op.BodyBy(argOf, bodyArg)},
	{Op: "ArgMin", Since: 1, In: "T:N", Class: op.Reduction, Infer: op.InferBy(argOf, inferArg),
		Eval: op.EvalBy(argOf, evalArg),
		Body: op.BodyBy(argOf, bodyArg)},
}

func argOf(n *graph.Node) (tirop.Split, error) {
	x := n.Inputs[0]
	d, err := array.Axis(n.Int("axis", 0), len(x.Shape))
	return tirop.Split{Shape: x.Shape, Axes: []int{d}, Keep: keepDims(n)}, err
}

func inferArg(s tirop.Split, n *graph.Node) ([]op.Type, error) {
	if s.Count() == 0 {
		return nil, op.Unsupported("%s of nothing", n.Op)
	}
	return []op.Type{{DType: tir.I64, Shape: s.Result()}}, nil
}

func evalArg(s tirop.Split, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	last := n.Int("select_last_index", 0) != 0
	out := graph.NewTensor(tir.I64, s.Result()...)
	// before reports whether element i comes before element j in the order in which the first one is looked for.
	before := func(i, j int) bool {
		if n.Op == "ArgMin" {
			i, j = j, i
		}
		if x.F != nil {
			return x.F[i] > x.F[j]
		}
		return pointwise.CompareInts(x.Type, x.I[i], x.I[j]) > 0
	}
	isNaN := func(i int) bool { return x.F != nil && x.F[i] != x.F[i] }
	each(s, func(i int, places []int) {
		best := 0
		for k := 1; k < len(places); k++ {
			a, b := places[k], places[best]
			equal := isNaN(a) && isNaN(b) || !isNaN(a) && !isNaN(b) && !before(a, b) && !before(b, a)
			if isNaN(a) && !isNaN(b) || !isNaN(b) && before(a, b) || last && equal {
				best = k
			}
		}
		out.I[i] = int64(best)
	})
	return []*graph.Tensor{out}, nil
}

// bodyArg looks for the first largest element. The last is the first from the end, and the smallest the largest of the
// negated numbers.
func bodyArg(s tirop.Split, b *op.Body) error {
	x := b.Node.Inputs[0]
	last := b.Node.Int("select_last_index", 0) != 0
	mirror := func(place tir.Expr) tir.Expr {
		if !last {
			return place
		}
		return Sub(tir.Int(s.Count()-1), place)
	}
	pair := b.Stages(x.Type).FoldAll("argmax", s, tirop.FirstLargest(Register(x.Type)), func(at []tir.Expr) []tir.Expr {
		x := b.Read(0, at...)
		if b.Node.Op == "ArgMin" {
			x = reversed(x)
		}
		return []tir.Expr{mirror(s.Place(at)), x}
	})
	b.Elementwise(func(at []tir.Expr) tir.Expr { return mirror(pair[0].At(at...)) })
	return nil
}

// reversed puts numbers in the opposite order.
func reversed(x tir.Expr) tir.Expr {
	switch t := x.DType(); {
	case t.IsFloat():
		return Neg(x)
	case t.IsUnsigned():
		_, _, most := Limits(t)
		return Sub(&tir.IntImm{Value: most, Type: t}, x)
	}
	return Sub(Num(x, -1), x)
}
