package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// LayoutOf describes in which order a function packs its operand: two functions with one description make the same
// bytes of the same operand, though they may count in other digits:
//
//	W_packed[p0, p1, p2, p3] = W[(p0*32) + (p1*16) + p3, p2], 4 x 2 x 64 x 16   =>   8*[16 0] 64*[0 1] 16*[1 0]
//
// It is "" if the function computes more than an order, as that of a Winograd convolution does.
func LayoutOf(pack *tir.Func) string {
	if pack.Element == nil || pack.Note != "" {
		return ""
	}
	value := pack.Element.Value
	if s, ok := value.(*tir.Select); ok {
		value = s.Then
	}
	load, ok := value.(*tir.Load)
	if !ok || load.Buffer != pack.Params[0] || load.Buffer.Type != pack.Params[1].Type {
		return ""
	}
	type digit struct {
		n     int64
		scale []int64
	}
	origin, ok := elementAt(load.Index, nil)
	if !ok {
		return ""
	}
	var digits []digit
	for i, e := range pack.Element.Index {
		v, ok := e.(*tir.Var)
		if !ok {
			return ""
		}
		n := pack.Element.Buffer.Shape[i]
		first, ok1 := elementAt(load.Index, map[*tir.Var]int64{v: 1})
		last, ok2 := elementAt(load.Index, map[*tir.Var]int64{v: n - 1})
		if !ok1 || !ok2 {
			return ""
		}
		x := digit{n, make([]int64, len(origin))}
		for d := range origin {
			x.scale[d] = first[d] - origin[d]
			if last[d]-origin[d] != (n-1)*x.scale[d] {
				return ""
			}
		}
		if n == 1 {
			continue
		}
		if k := len(digits) - 1; k >= 0 { // the digit before goes on where this one ends
			joined := slices.Clone(x.scale)
			for d := range joined {
				joined[d] *= n
			}
			if slices.Equal(joined, digits[k].scale) {
				digits[k] = digit{digits[k].n * n, x.scale}
				continue
			}
		}
		digits = append(digits, x)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%v from %v:", load.Buffer.Type, load.Buffer.Shape, origin)
	for _, x := range digits {
		fmt.Fprintf(&b, " %d*%v", x.n, x.scale)
	}
	return b.String()
}

// elementAt evaluates an index where variables have values; the others are 0.
func elementAt(index []tir.Expr, values map[*tir.Var]int64) ([]int64, bool) {
	a := arith.NewSimplifier()
	list := make([]int64, len(index))
	for d, e := range index {
		e = tir.MapExpr(e, func(e tir.Expr) tir.Expr {
			if v, ok := e.(*tir.Var); ok {
				return tir.Int(values[v])
			}
			return e
		})
		c, ok := a.Expr(e).(*tir.IntImm)
		if !ok {
			return nil, false
		}
		list[d] = c.Value
	}
	return list, true
}
