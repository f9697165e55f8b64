package cuda

import (
	"github.com/wmtune/wmtune/tir"
)

// A Tile is what a thread of a kernel has to keep at once, as its program says it, in
// registers of 32 bits. A compiler may take more, to load ahead.
type Tile struct {
	Accumulators int64 // all arrays of the thread's own
	Operands     int64 // what it multiplies with them in one step of a reduction; of several reductions the most
}

// Tile returns that of a kernel. In
//
//	for i in 4: for j in 8:
//	  acc[i*8 + j] = acc[i*8 + j] + x[i, k]*y[k, j]
//
// there are 32 accumulators and 4 + 8 operands: each of x is multiplied with all of y.
func (k Kernel) Tile() Tile {
	var t Tile
	for a := range tir.StmtsIn[*tir.Alloc](k.body) {
		if a.Buffer.Scope == tir.Local {
			t.Accumulators += (a.Buffer.Bytes() + 3) / 4
		}
	}
	t.findOperands(k.body, map[*tir.Var]int64{})
	return t
}

// findOperands looks at the updates in s, which stands in loops of a thread with these
// extents.
func (t *Tile) findOperands(s tir.Stmt, loops map[*tir.Var]int64) {
	tir.Visit(s, func(s tir.Stmt) bool {
		switch s := s.(type) {
		case *tir.For:
			if n, ok := s.Extent.(*tir.IntImm); ok && s.Kind != tir.ThreadBound {
				loops[s.Var] = n.Value
			}
		case *tir.Store:
			t.Operands = max(t.Operands, operands(s, loops))
		}
		return true
	})
}

// operands returns how many elements an update of a thread's own array reads of other
// buffers in one step of the reduction, or 0 if the store is no update.
func operands(s *tir.Store, loops map[*tir.Var]int64) int64 {
	if s.Buffer.Scope != tir.Local {
		return 0
	}
	tile := varsOf(s.Index)
	n, updates := int64(0), false
	tir.VisitExpr(s.Value, func(e tir.Expr) bool {
		l, ok := e.(*tir.Load)
		switch {
		case !ok:
		case l.Buffer == s.Buffer:
			updates = true
		case l.Buffer.Scope != tir.Local:
			elements := int64(1)
			for v := range varsOf(l.Index) {
				if tile[v] && loops[v] > 0 {
					elements *= loops[v]
				}
			}
			n += elements * int64(l.Buffer.Type.Bytes())
		}
		return true
	})
	if !updates {
		return 0
	}
	return (n + 3) / 4
}

// varsOf returns the variables in indices.
func varsOf(index []tir.Expr) map[*tir.Var]bool {
	vars := map[*tir.Var]bool{}
	for _, e := range index {
		for v := range tir.ExprsIn[*tir.Var](e) {
			vars[v] = true
		}
	}
	return vars
}
