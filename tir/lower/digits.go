package lower

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// inDigits widens a loop that was fused, so that it goes along neighbours in parts: it counts vectors.
//
//	parallel f in 8192:                          parallel f in 256:
//	  C[f/1024, f%1024] =                          vectorize l in 32:
//	    max(C[f/1024, f%1024],             =>        C[f/32, (f%32)*32 + l] =
//	        x[f/1024, k, f%1024])                      max(C[f/32, (f%32)*32 + l], x[f/32, k, (f%32)*32 + l])
//
// If the parts are no whole number of vectors, the loop over them becomes one of its own, if enough of them are left.
func (h widener) inDigits(f *tir.For) (tir.Stmt, bool) {
	extent, ok := f.Extent.(*tir.IntImm)
	if !ok || f.Kind != tir.Serial && f.Kind != tir.Unrolled && f.Kind != tir.Parallel {
		return nil, false
	}
	part := partOfDigits(f)
	if part < 2 || part >= extent.Value || extent.Value%part != 0 {
		return nil, false
	}
	width := h.Lanes(termBytes(f.Body))
	for lanes := maxVectors * width; lanes >= width && lanes > 1; lanes /= 2 {
		if part%lanes == 0 && (f.Kind != tir.Parallel || extent.Value/lanes >= int64(h.Cores)) {
			return h.divided(f, lanes)
		}
	}
	if n := extent.Value / part; f.Kind == tir.Parallel && n < wholeParts*int64(h.Cores) {
		return nil, false
	}
	return h.divided(f, part)
}

// wholeParts is how many parts each core gets at least, if a part is not divided further.
const wholeParts = 4

// partOfDigits returns the largest number that divides all by which the loop's variable is divided, or 0.
func partOfDigits(f *tir.For) int64 {
	part := int64(0)
	tir.VisitAllExprs(f.Body, func(e tir.Expr) bool {
		b, ok := e.(*tir.Binary)
		if !ok || b.Op != tir.FloorDiv && b.Op != tir.FloorMod || b.X != tir.Expr(f.Var) {
			return true
		}
		if c, ok := b.Y.(*tir.IntImm); ok {
			part = arith.GCD(part, c.Value)
		}
		return true
	})
	return part
}

// divided returns f as a loop around one of n iterations that is widened. It reports false if that cannot be.
func (h widener) divided(f *tir.For, n int64) (tir.Stmt, bool) {
	outer, inner := *f, &tir.For{Var: tir.NewVar(f.Var.Name), Extent: tir.Int(n), Kind: tir.Serial}
	outer.Var = tir.NewVar(f.Var.Name)
	outer.Extent = tir.Int(f.Extent.(*tir.IntImm).Value / n)
	at := tir.Bin(tir.Add, tir.Bin(tir.Mul, outer.Var, tir.Int(n)), inner.Var)
	inner.Body = tir.FreshLoops(tir.SubstituteStmt(f.Body, map[*tir.Var]tir.Expr{f.Var: at}))
	outer.Body = inner
	nest, ok := simplified(&outer).(*tir.For)
	if !ok {
		return nil, false
	}
	if inner, ok = nest.Body.(*tir.For); !ok {
		return nil, false
	}
	w, ok := h.wideLoop(inner)
	if !ok {
		return nil, false
	}
	nest.Body = w.stmt(h)
	return simplified(nest), true
}

// simplified returns a statement with simple indices.
func simplified(t tir.Stmt) tir.Stmt {
	s := simplifier{Simplifier: simplifiers.Get().(*arith.Simplifier)}
	defer func() {
		s.Reset()
		simplifiers.Put(s.Simplifier)
	}()
	return s.stmt(t)
}
