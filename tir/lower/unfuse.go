package lower

import (
	"github.com/wmtune/wmtune/tir"
)

// unfused returns a serial loop that goes over two dimensions, or more, as one loop around another, so that no
// iteration divides. It returns nil for any other loop. A loop of a schedule's rfactor over a window is such a loop:
//
//	for r in 25:                                   for r0 in 5:
//	  C = max(C, x[i + r//5, j + r%5])    =>         for r1 in 5:
//	                                                   C = max(C, x[i + r0, j + r1])
func unfused(t *tir.For) tir.Stmt {
	extent, ok := t.Extent.(*tir.IntImm)
	if !ok || t.Kind != tir.Serial {
		return nil
	}
	inner := int64(0)
	tir.VisitAllExprs(t.Body, func(e tir.Expr) bool {
		b, ok := e.(*tir.Binary)
		if !ok || b.Op != tir.FloorDiv && b.Op != tir.FloorMod || b.X != tir.Expr(t.Var) {
			return true
		}
		if c, ok := b.Y.(*tir.IntImm); ok && c.Value > 1 && c.Value < extent.Value && extent.Value%c.Value == 0 {
			inner = max(inner, c.Value)
		}
		return true
	})
	if inner == 0 {
		return nil
	}
	outside := &tir.For{Var: tir.NewVar(t.Var.Name), Extent: tir.Int(extent.Value / inner), Kind: tir.Serial}
	inside := &tir.For{Var: tir.NewVar(t.Var.Name), Extent: tir.Int(inner), Kind: tir.Serial}
	at := tir.Bin(tir.Add, tir.Bin(tir.Mul, outside.Var, tir.Int(inner)), inside.Var)
	inside.Body = tir.SubstituteStmt(t.Body, map[*tir.Var]tir.Expr{t.Var: at})
	outside.Body = inside
	return outside
}
