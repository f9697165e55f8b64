package reduce

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Cumulations has the operators that give each element the sum or the product of those up to it along an axis.
var Cumulations = []op.Row{
	{Op: "CumSum", Since: 11, In: "T:N T2:I", Infer: inferCumulate, Eval: evalCumulate,
		Opaque: &op.Function{Make: opaqueCumulate}},
	{Op: "CumProd", Since: 26, In: "T:N T2:I", Infer: inferCumulate, Eval: evalCumulate,
		Opaque: &op.Function{Make: opaqueCumulate}},
}

func inferCumulate(n *graph.Node) ([]op.Type, error) {
	x, a := n.Inputs[0], n.Inputs[1]
	if x.Type == tir.Bool {
		return nil, op.Unsupported("%s of bool", n.Op)
	}
	if a.Type != tir.I32 && a.Type != tir.I64 || a.Elems() != 1 {
		return nil, op.Unsupported("an axis that is %s", a)
	}
	if a.Const != nil {
		if _, err := array.Axis(a.Const.Tensor().I[0], len(x.Shape)); err != nil {
			return nil, err
		}
	}
	return []op.Type{{DType: x.Type, Shape: x.Shape}}, nil
}

func evalCumulate(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	d, err := array.Axis(in[1].I[0], len(x.Shape))
	if err != nil {
		return nil, err
	}
	exclusive, reverse := n.Int("exclusive", 0) != 0, n.Int("reverse", 0) != 0
	product := n.Op == "CumProd"
	r := graph.NewTensor(x.Type, x.Shape...)
	s := tirop.Split{Shape: x.Shape, Axes: []int{d}}
	each(s, func(_ int, places []int) {
		sum, isum := 0.0, int64(0)
		if product {
			sum, isum = 1, 1
		}
		take := func(p int) {
			switch {
			case x.F != nil && product:
				sum *= x.F[p]
			case x.F != nil:
				sum += x.F[p]
			case product:
				isum = array.Wrap(x.Type, isum*x.I[p])
			default:
				isum = array.Wrap(x.Type, isum+x.I[p])
			}
		}
		for k := range places {
			p := places[k]
			if reverse {
				p = places[len(places)-1-k]
			}
			if !exclusive {
				take(p)
			}
			if x.F != nil {
				r.F[p] = sum
			} else {
				r.I[p] = isum
			}
			if exclusive {
				take(p)
			}
		}
	})
	return []*graph.Tensor{r}, nil
}

// opaqueCumulate runs along the axis, for every position of the other dimensions. An axis that is known at run time
// only chooses among the nests of all axes.
func opaqueCumulate(n *graph.Node) (*tir.Func, error) {
	x, a, out := Parameter("x", n.Inputs[0]), Flat("axis", n.Inputs[1]), Parameter("out", n.Outputs[0])
	rank := len(x.Shape)
	if c := n.Inputs[1].Const; c != nil {
		d, err := array.Axis(c.Tensor().I[0], rank)
		if err != nil {
			return nil, err
		}
		return NewFunc(n.Op, 1, cumulateAlong(n, x, out, d, tir.Parallel), x, a, out), nil
	}
	fault := ErrorFlag()
	which := Cast(Load(a, tir.Int(0)), tir.I64)
	which = Sel(Lt(which, tir.Int(0)), Add(which, tir.Int(int64(rank))), which)
	s := SetFault(fault)
	for d := range rank {
		s = &tir.If{Cond: Eq(which, tir.Int(int64(d))), Then: cumulateAlong(n, x, out, d, tir.Serial), Else: s}
	}
	return NewFunc(n.Op, 2, Seq(ClearFault(fault), s), x, a, out, fault), nil
}

func cumulateAlong(n *graph.Node, x, out *tir.Buffer, axis int, kind tir.ForKind) tir.Stmt {
	exclusive, reverse := n.Int("exclusive", 0) != 0, n.Int("reverse", 0) != 0
	t := Register(x.Type)
	if t == tir.F32 { // an element adds to all that follow, and so does its error
		t = tir.F64
	}
	acc := &tir.Buffer{Name: fmt.Sprintf("acc%d", axis), Type: t, Shape: []int64{1}, Scope: tir.Local}
	start, fold := tir.Const(t, 0), Add
	if n.Op == "CumProd" {
		start, fold = tir.Const(t, 1), Mul
	}
	outer := append([]int64(nil), x.Shape...)
	outer[axis] = 1
	return Nest(outer, kind, func(at []tir.Expr) tir.Stmt {
		along := Loop(fmt.Sprintf("k%d", axis), x.Shape[axis], func(k tir.Expr) tir.Stmt {
			if reverse {
				k = Sub(tir.Int(x.Shape[axis]-1), k)
			}
			p := append([]tir.Expr(nil), at...)
			p[axis] = k
			take := Store(acc, fold(Load(acc, tir.Int(0)), Cast(Load(x, p...), t)), tir.Int(0))
			give := Store(out, CastTo(Load(acc, tir.Int(0)), out.Type), p...)
			if exclusive {
				return Seq(give, take)
			}
			return Seq(take, give)
		})
		return Alloc(acc, Seq(Store(acc, start, tir.Int(0)), along))
	})
}
