package lower

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// leastFilled is the length from which on a line of a padded image is filled first.
const leastFilled = 32

// filled returns a loop along a line of an image of 8 or 16 bits, which chooses between an element and what pads the
// line, as two: one fills the line, the other one copies elements. Both become vectors; a choice for each element does
// not. It returns nil for other loops.
//
//	for j in 687:                              for j in 687:
//	  P[j] = if_then_else(                       P[j] = 0
//	    j >= 9 && j < 681, x[j - 9], 0)   =>   for j in 687:
//	                                             if j >= 9 && j < 681:
//	                                               P[j] = x[j - 9]
func filled(l *tir.For) tir.Stmt {
	b, ok := l.Body.(*tir.Block)
	n, fixed := l.Extent.(*tir.IntImm)
	if !ok || !fixed || l.Kind != tir.Serial || n.Value < leastFilled {
		return nil
	}
	st, ok := b.Body.(*tir.Store)
	if !ok || st.Buffer.Type.Bytes() > 2 {
		return nil
	}
	c, ok := st.Value.(*tir.Select)
	if !ok || !c.Lazy || tir.Reads(c.Else) || tir.Uses(c.Else, l.Var) || !tir.Uses(c.Cond, l.Var) {
		return nil
	}
	if step, ok := arith.Stride(st.Buffer, st.Index, l.Var); !ok || step != 1 {
		return nil
	}
	piece := func(value, cond tir.Expr) tir.Stmt {
		s := *b
		s.Body = &tir.Store{Buffer: st.Buffer, Index: st.Index, Value: value}
		loop := *l
		loop.Body = &s
		if cond != nil {
			loop.Body = &tir.If{Cond: cond, Then: &s}
		}
		return &loop
	}
	return &tir.Seq{Stmts: []tir.Stmt{piece(c.Else, nil), tir.FreshLoops(piece(c.Then, c.Cond))}}
}
