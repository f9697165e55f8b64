package lower

import (
	"slices"
	"strconv"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// parallelPack is the number of elements from which on an operand is packed by
// all threads.
const parallelPack = 1 << 16

// packing returns the function that packs the operand:
//
//	func pack_W(W: float32[64, 64], out W_packed: float32[4, 64, 16]):
//	  for p0 in 4:
//	    for p2 in 16:
//	      for p1 in 64:
//	        block pack_W:
//	          W_packed[p0, p1, p2] = W[((p0*16) + p2), p1]
//
// Elements that stand for none of the operand are 0. The innermost loop is the one
// along which the operand is contiguous, as far as it goes: it may be large, and
// a packed tile stays in a cache. From so many elements on, the outermost is parallel.
func (p *packing) packing(parallel int64, lanes bool) *tir.Func {
	packed := &tir.Buffer{Name: p.plain.Name + "_packed", Type: p.plain.Type}
	vars, at := make([]*tir.Var, len(p.digits)), make([]tir.Expr, len(p.digits))
	a := arith.NewSimplifier()
	for i, x := range p.digits {
		packed.Shape = append(packed.Shape, x.n)
		vars[i] = tir.NewVar("p" + strconv.Itoa(i))
		a.Bind(vars[i], 0, x.n-1)
		at[i] = vars[i]
	}
	index, inside := make([]tir.Expr, len(p.plain.Shape)), []tir.Expr(nil)
	for d, n := range p.plain.Shape {
		var e tir.Expr = tir.Int(p.offset[d])
		for i, x := range p.digits {
			e = tir.Bin(tir.Add, e, tir.Bin(tir.Mul, vars[i], tir.Int(x.scale[d])))
		}
		index[d] = a.Expr(e)
		lo, hi, ok := a.Bounds(index[d])
		if !ok || lo < 0 {
			inside = append(inside, tir.Bin(tir.GE, index[d], tir.Int(0)))
		}
		if !ok || hi >= n {
			inside = append(inside, tir.Bin(tir.LT, index[d], tir.Int(n)))
		}
	}
	var value tir.Expr = &tir.Load{Buffer: p.plain, Index: index}
	if len(inside) > 0 {
		value = tir.IfThenElse(a.Expr(tir.AllOf(inside...)), value, tir.Const(packed.Type, 0))
	}
	name := "pack_" + p.plain.Name
	element := &tir.Store{Buffer: packed, Index: at, Value: value}
	var s tir.Stmt = &tir.Block{Name: name, Body: element}
	order := p.order(lanes)
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		l := &tir.For{Var: vars[i], Extent: tir.Int(p.digits[i].n), Body: s}
		switch {
		case k == 0 && packed.Elems() >= parallel:
			l.Kind = tir.Parallel
		case lanes && k == len(order)-1:
			l.Kind = tir.Vectorized
		}
		s = l
	}
	return &tir.Func{Name: name, Params: []*tir.Buffer{p.plain, packed}, Outputs: 1, Body: s, Element: element}
}

// order returns the digits in the order of the loops that pack.
func (p *packing) order(lanes bool) []int {
	order, contiguous := make([]int, len(p.digits)), -1
	for i, x := range p.digits {
		order[i] = i
		if p.stride(x) == 1 {
			contiguous = i
		}
	}
	if contiguous >= 0 {
		order = append(slices.Delete(order, contiguous, contiguous+1), contiguous)
	}
	if last := len(p.digits) - 1; lanes {
		order = append(slices.DeleteFunc(order, func(i int) bool { return i == last }), last)
	}
	return order
}
