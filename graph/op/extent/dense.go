package extent

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// wmtune.Spread has the elements of a dense array of the true extents where the bounds have them, and zeros elsewhere.
// wmtune.Cut has them side by side again. Those of its operand are side by side already if it has rows (rows.go): then
// attribute rows is the entry of how many there are.

// dense calls do for each true element, with its places within the bounds and in a dense array.
func dense(digits []Digit, entries []int64, do func(wide, dense int)) {
	count := 0
	blocks(digits, entries, func(from, to int, beyond bool) {
		for i := from; i < to && !beyond; i++ {
			do(i, count)
			count++
		}
	})
}

func inferSpread(n *graph.Node) ([]op.Type, error) {
	x, shape := n.Inputs[0], outer(Digits(n))
	if x.Elems() != graph.Elems(shape) {
		return nil, fmt.Errorf("%s has no %d elements", x, graph.Elems(shape))
	}
	return []op.Type{{DType: x.Type, Narrow: x.Narrow, Shape: shape}}, nil
}

func evalSpread(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	r := array.Like(in[0], outer(Digits(n)))
	dense(Digits(n), in[1].I, func(wide, dense int) { array.Put(r, int64(wide), in[0], int64(dense)) })
	return []*graph.Tensor{r}, nil
}

func inferCut(n *graph.Node) ([]op.Type, error) {
	x, shape := n.Inputs[0], n.Inputs[0].Shape
	if n.Has("rows") {
		shape = outer(Digits(n))
	}
	return []op.Type{{DType: x.Type, Narrow: x.Narrow, Shape: shape, Bounded: true}}, nil
}

// CutOf returns the digits of the operand of a Cut.
func CutOf(n *graph.Node) []Digit {
	if !n.Has("rows") {
		return Digits(n)
	}
	list := []Digit{{Upper: n.Inputs[0].Shape[0], Entry: int(n.Int("rows", -1))}}
	for a, size := range n.Inputs[0].Shape[1:] {
		list = append(list, Digit{Axis: a + 1, Upper: size, Entry: -1})
	}
	return list
}

func evalCut(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	shape := array.Ones(len(outer(Digits(n))))
	for _, d := range Digits(n) {
		if d.Entry < 0 {
			shape[d.Axis] *= d.Upper
		} else {
			shape[d.Axis] *= in[1].I[d.Entry]
		}
	}
	r := array.Like(in[0], shape)
	dense(CutOf(n), in[1].I, func(wide, dense int) { array.Put(r, int64(dense), in[0], int64(wide)) })
	return []*graph.Tensor{r}, nil
}

func opaqueSpread(n *graph.Node) (*tir.Func, error) {
	x, e, out := Flat("x", n.Inputs[0]), Flat("e", n.Inputs[1]), Flat("out", n.Outputs[0])
	body := runs(Digits(n), e, func(wide, dense, count, room tir.Expr) tir.Stmt {
		return Seq(
			spans("i", Zero, count, func(i tir.Expr) tir.Stmt { return Store(out, Load(x, Add(dense, i)), Add(wide, i)) }),
			spans("z", count, room, func(i tir.Expr) tir.Stmt { return Store(out, tir.Const(out.Type, 0), Add(wide, i)) }))
	})
	return NewFunc("spread", 1, body, x, e, out), nil
}

func opaqueCut(n *graph.Node) (*tir.Func, error) {
	x, e, out := Flat("x", n.Inputs[0]), Flat("e", n.Inputs[1]), Flat("out", n.Outputs[0])
	digits, extents := Digits(n), ExtentsOf(n.Outputs[0])
	var stmts []tir.Stmt
	for axis := range n.Outputs[0].Shape {
		size := tir.Expr(tir.Int(1))
		for _, d := range digits {
			if d.Axis == axis {
				size = Mul(size, extentOf(d, e))
			}
		}
		stmts = append(stmts, Store(extents, size, tir.Int(int64(axis))))
	}
	stmts = append(stmts, runs(CutOf(n), e, func(wide, dense, count, _ tir.Expr) tir.Stmt {
		return spans("i", Zero, count, func(i tir.Expr) tir.Stmt { return Store(out, Load(x, Add(wide, i)), Add(dense, i)) })
	}))
	return NewFunc("cut", 2, Seq(stmts...), x, e, out, extents), nil
}

func extentOf(d Digit, e *tir.Buffer) tir.Expr {
	if d.Entry < 0 {
		return tir.Int(d.Upper)
	}
	return Load(e, tir.Int(int64(d.Entry)))
}

// runs calls body for the elements of each place of the outer digits, which lie side by side: where they begin within
// the bounds and in the dense array, how many are true, which is 0 beyond a true extent, and how many there is room
// for.
func runs(digits []Digit, e *tir.Buffer, body func(wide, dense, count, room tir.Expr) tir.Stmt) tir.Stmt {
	last := len(digits) - 1 // from there on, elements lie side by side in both
	for last > 0 && digits[last].Entry < 0 {
		last--
	}
	count, room := tir.Expr(tir.Int(1)), int64(1)
	for _, d := range digits[max(last, 0):] {
		count, room = Mul(count, extentOf(d, e)), room*d.Upper
	}
	outer := make([]int64, max(last, 0))
	for i := range outer {
		outer[i] = digits[i].Upper
	}
	kind := tir.Parallel
	if len(outer) == 0 {
		return body(Zero, Zero, count, tir.Int(room))
	}
	return Nest(outer, kind, func(at []tir.Expr) tir.Stmt {
		wide, dense := tir.Expr(Zero), tir.Expr(Zero)
		var inside tir.Expr
		for i, d := range digits[:last] {
			wide, dense = Add(Times(wide, d.Upper), at[i]), Add(Mul(dense, extentOf(d, e)), at[i])
			if d.Entry < 0 {
				continue
			}
			if c := Lt(at[i], extentOf(d, e)); inside == nil {
				inside = c
			} else {
				inside = And(inside, c)
			}
		}
		n := count
		if inside != nil {
			n = Sel(inside, count, Zero)
		}
		return body(Times(wide, room), Mul(dense, count), n, tir.Int(room))
	})
}

// spans runs body for from..to-1, most of it in vectors.
func spans(name string, from, to tir.Expr, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	const lanes = 16
	whole := Floordiv(MaxOf(Sub(to, from), Zero), lanes)
	done := Add(from, Times(whole, lanes))
	return Seq(
		UpToExpr(name, whole, func(i tir.Expr) tir.Stmt {
			return Vector(name, lanes, func(lane tir.Expr) tir.Stmt { return body(Add(Add(from, Times(i, lanes)), lane)) })
		}),
		UpToExpr(name+"1", MaxOf(Sub(to, done), Zero), func(i tir.Expr) tir.Stmt { return body(Add(done, i)) }))
}
