package op

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// cumulations has the operators that give each element the sum or the product of those up to it along an axis.
var cumulations = []Row{
	{Op: "CumSum", Since: 11, In: "T:N T2:I", Infer: inferCumulate, Eval: evalCumulate,
		Opaque: &Function{Make: opaqueCumulate}},
	{Op: "CumProd", Since: 26, In: "T:N T2:I", Infer: inferCumulate, Eval: evalCumulate,
		Opaque: &Function{Make: opaqueCumulate}},
}

func inferCumulate(n *graph.Node) ([]Type, error) {
	x, a := n.Inputs[0], n.Inputs[1]
	if x.Type == tir.Bool {
		return nil, Unsupported("%s of bool", n.Op)
	}
	if a.Type != tir.I32 && a.Type != tir.I64 || a.Elems() != 1 {
		return nil, Unsupported("an axis that is %s", a)
	}
	if a.Const != nil {
		if _, err := axis(a.Const.Tensor().I[0], len(x.Shape)); err != nil {
			return nil, err
		}
	}
	return []Type{{DType: x.Type, Shape: x.Shape}}, nil
}

func evalCumulate(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	d, err := axis(in[1].I[0], len(x.Shape))
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
				isum = Wrap(x.Type, isum*x.I[p])
			default:
				isum = Wrap(x.Type, isum+x.I[p])
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
	x, a, out := parameter("x", n.Inputs[0]), flat("axis", n.Inputs[1]), parameter("out", n.Outputs[0])
	rank := len(x.Shape)
	if c := n.Inputs[1].Const; c != nil {
		d, err := axis(c.Tensor().I[0], rank)
		if err != nil {
			return nil, err
		}
		return function(n.Op, 1, cumulateAlong(n, x, out, d, tir.Parallel), x, a, out), nil
	}
	fault := errorFlag()
	which := Cast(load(a, tir.Int(0)), tir.I64)
	which = sel(lt(which, tir.Int(0)), add(which, tir.Int(int64(rank))), which)
	s := setFault(fault)
	for d := range rank {
		s = &tir.If{Cond: eq(which, tir.Int(int64(d))), Then: cumulateAlong(n, x, out, d, tir.Serial), Else: s}
	}
	return function(n.Op, 2, seq(clearFault(fault), s), x, a, out, fault), nil
}

func cumulateAlong(n *graph.Node, x, out *tir.Buffer, axis int, kind tir.ForKind) tir.Stmt {
	exclusive, reverse := n.Int("exclusive", 0) != 0, n.Int("reverse", 0) != 0
	t := Register(x.Type)
	acc := &tir.Buffer{Name: fmt.Sprintf("acc%d", axis), Type: t, Shape: []int64{1}, Scope: tir.Local}
	start, fold := tir.Const(t, 0), add
	if n.Op == "CumProd" {
		start, fold = tir.Const(t, 1), mul
	}
	outer := append([]int64(nil), x.Shape...)
	outer[axis] = 1
	return nest(outer, kind, func(at []tir.Expr) tir.Stmt {
		along := loop(fmt.Sprintf("k%d", axis), x.Shape[axis], func(k tir.Expr) tir.Stmt {
			if reverse {
				k = sub(tir.Int(x.Shape[axis]-1), k)
			}
			p := append([]tir.Expr(nil), at...)
			p[axis] = k
			take := store(acc, fold(load(acc, tir.Int(0)), Cast(load(x, p...), t)), tir.Int(0))
			give := store(out, Cast(load(acc, tir.Int(0)), out.Type), p...)
			if exclusive {
				return seq(give, take)
			}
			return seq(take, give)
		})
		return alloc(acc, seq(store(acc, start, tir.Int(0)), along))
	})
}
