package reduce

import (
	"fmt"
	"slices"

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
	x, a, out := Flat("x", n.Inputs[0]), Flat("axis", n.Inputs[1]), Flat("out", n.Outputs[0])
	rank := len(n.Inputs[0].Shape)
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

// abreast is how many positions behind the axis a core goes along side by side, where there are as many: an element
// waits for the one before it, those beside it do not. Far apart as rows are, each should fill several lines of a
// cache.
var abreast = []int64{64, 16}

// cumulateAlong runs along an axis. The dimensions before it, and those behind it, are one.
func cumulateAlong(n *graph.Node, x, out *tir.Buffer, axis int, kind tir.ForKind) tir.Stmt {
	c := cumulation{n: n, x: x, out: out, axis: axis, t: Register(x.Type)}
	if c.t == tir.F32 { // an element adds to all that follow, and so does its error
		c.t = tir.F64
	}
	outer, inner := graph.Elems(n.Inputs[0].Shape[:axis]), graph.Elems(n.Inputs[0].Shape[axis+1:])
	list := []tir.Stmt{}
	part := func(parts, width int64, body func(i tir.Expr) tir.Stmt) {
		if parts > 0 && width > 0 {
			list = append(list, Nest([]int64{parts}, kind, func(at []tir.Expr) tir.Stmt { return body(at[0]) }))
		}
	}
	if at := slices.IndexFunc(abreast, func(lanes int64) bool { return inner >= lanes }); at >= 0 {
		lanes := abreast[at]
		whole, rest := inner/lanes, inner%lanes
		part(outer*whole, lanes, func(i tir.Expr) tir.Stmt {
			return c.along(Floordiv(i, whole), Times(Floormod(i, whole), lanes), lanes, tir.Vectorized)
		})
		part(outer, rest, func(i tir.Expr) tir.Stmt {
			return c.along(i, tir.Int(whole*lanes), rest, tir.Vectorized)
		})
		return Seq(list...)
	}
	part(outer*inner, 1, func(i tir.Expr) tir.Stmt {
		return c.along(Floordiv(i, inner), Floormod(i, inner), 1, tir.Serial)
	})
	return Seq(list...)
}

// A cumulation is a CumSum or a CumProd along an axis in the making.
type cumulation struct {
	n      *graph.Node
	x, out *tir.Buffer
	axis   int
	t      tir.DType // in which it adds up
}

// along runs along the axis for so many positions behind it, from first on.
func (c *cumulation) along(outer, first tir.Expr, width int64, kind tir.ForKind) tir.Stmt {
	exclusive, reverse := c.n.Int("exclusive", 0) != 0, c.n.Int("reverse", 0) != 0
	start, fold := tir.Const(c.t, 0), Add
	if c.n.Op == "CumProd" {
		start, fold = tir.Const(c.t, 1), Mul
	}
	length := c.n.Inputs[0].Shape[c.axis]
	acc := Scratch(fmt.Sprintf("acc%d", c.axis), c.t, width)
	side := func(body func(lane tir.Expr) tir.Stmt) tir.Stmt {
		if width == 1 {
			return body(tir.Int(0)) // a register, not an element of memory
		}
		v := tir.NewVar("side")
		return &tir.For{Var: v, Extent: tir.Int(width), Kind: kind, Body: body(v)}
	}
	run := Loop(fmt.Sprintf("k%d", c.axis), length, func(k tir.Expr) tir.Stmt {
		if reverse {
			k = Sub(tir.Int(length-1), k)
		}
		return side(func(lane tir.Expr) tir.Stmt {
			p := c.place(outer, k, Add(first, lane))
			take := Store(acc, fold(Load(acc, lane), Cast(Load(c.x, p), c.t)), lane)
			give := Store(c.out, CastTo(Load(acc, lane), c.out.Type), p)
			if exclusive {
				return Seq(give, take)
			}
			return Seq(take, give)
		})
	})
	return Alloc(acc, Seq(side(func(lane tir.Expr) tir.Stmt { return Store(acc, start, lane) }), run))
}

// place returns where an element of the axis is, by positions before and behind it.
func (c *cumulation) place(before, k, behind tir.Expr) tir.Expr {
	shape := c.n.Inputs[0].Shape
	return Add(Times(Add(Times(before, shape[c.axis]), k), graph.Elems(shape[c.axis+1:])), behind)
}
