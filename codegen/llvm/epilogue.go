package llvm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// What is done with the tiles of a product, such as GELU, needs constants, and LLVM loads what is constant before the
// outermost loop. If that is a loop over tiles, the constants take registers from the product's accumulators, which are
// then stored and loaded in the innermost loop. So loops that compute mathematical functions beside a product become a
// function of their own, in which no product is:
//
//	for t in 7:                         for t in 7:
//	  for k in 64: T[...] += ...          for k in 64: T[...] += ...
//	  for i in 6:                  =>     call @kernel.epilogue.1(C, T, t)
//	    C[...] = erf(T[...])
//
// Calls leave nothing in vector registers; here nothing is there that would have to stay.

// isEpilogue reports whether a loop stands in one that computes a product, and computes functions and no product
// itself.
func (f *function) isEpilogue(s *tir.For) bool {
	if !f.product || f.lane != nil || len(f.guards) > 0 {
		return false
	}
	calls, plain := false, true
	tir.Visit(s, func(t tir.Stmt) bool {
		switch t := t.(type) {
		case *tir.Alloc:
			plain = false
		case *tir.For:
			plain = plain && t.Kind != tir.Parallel
		case *tir.Store:
			calls = calls || functions(t) > 0
		}
		return plain
	})
	return calls && plain && !multiplies(s)
}

// epilogue writes a loop as a function, and calls it.
func (f *function) epilogue(s *tir.For) {
	f.m.epilogues++
	f.outlined(fmt.Sprintf("kernel.epilogue.%d", f.m.epilogues), func(body *function) {
		body.rows = true
		body.loop(s)
	})
}

// outlined writes a function of what f has, and calls it.
func (f *function) outlined(name string, write func(body *function)) {
	f.settleStraight()
	body := newFunction(f.m, f, name)
	body.attributes = "noinline "
	write(body)
	body.settleStraight()
	body.finish("internal ")
	args := make([]string, len(body.params))
	for i, p := range body.params {
		args[i] = p.arg
	}
	f.line("call void @%s(%s)", body.name, strings.TrimSuffix(f.m.rt()+strings.Join(args, ", "), ", "))
}

// multiplies reports whether a statement adds products to what is stored already.
func multiplies(s tir.Stmt) bool {
	for t := range tir.StmtsIn[*tir.Store](s) {
		if addsProduct(t) {
			return true
		}
	}
	return false
}

func addsProduct(s *tir.Store) bool {
	sum, ok := s.Value.(*tir.Binary)
	if !ok || sum.Op != tir.Add {
		return false
	}
	return tir.IsStored(sum.X, s) && isProduct(sum.Y) || tir.IsStored(sum.Y, s) && isProduct(sum.X)
}

func isProduct(e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.Cast:
		return isProduct(e.X)
	case *tir.Binary:
		return e.Op == tir.Mul
	}
	return false
}

// rowsAbreast returns how many iterations of a loop in an epilogue are computed abreast: short rows of a tile are fewer
// vectors than a processor works on at once. It is 1 if that makes a difference to what is read.
func (f *function) rowsAbreast(s *tir.For, extent arith.Linear) int64 {
	row, ok := s.Body.(*tir.For)
	if !ok || !f.rows || s.Kind != tir.Serial || row.Kind != tir.Vectorized || !extent.IsConst() ||
		!callsAlongNeighbours(row) || readsBack(row) {
		return 1
	}
	n, ok := row.Extent.(*tir.IntImm)
	if !ok {
		return 1
	}
	return min(extent.Const, maxAbreast/f.m.vectorsOf(row, n.Value, len(f.guards) > 0).abreast)
}

// readsBack reports whether a loop may read what it stores.
func readsBack(s *tir.For) bool {
	var stored []*tir.Buffer
	for t := range tir.StmtsIn[*tir.Store](s) {
		stored = append(stored, t.Buffer)
	}
	back := false
	tir.VisitAllExprs(s, func(e tir.Expr) bool {
		l, ok := e.(*tir.Load)
		back = back || ok && slices.Contains(stored, l.Buffer)
		return !back
	})
	return back
}

// abreastRows writes a loop whose iterations are straight code, several of them abreast: an instruction of each in
// turn.
func (f *function) abreastRows(s *tir.For, extent, rows int64) {
	some := func(base arith.Linear, n int64) {
		before, copies, longest := f.lines, make([][]string, n), 0
		for i := range n {
			f.lines = nil
			f.vars[s.Var] = base.AddConst(i)
			f.scope(func() { f.stmt(s.Body) })
			copies[i], longest = f.lines, max(longest, len(f.lines))
		}
		f.lines = before
		for k := range longest {
			for _, c := range copies {
				if k < len(c) {
					f.lines = append(f.lines, c[k])
				}
			}
		}
	}
	full := extent / rows
	if full > 1 {
		outer := tir.NewVar(s.Var.Name)
		f.serial(outer, arith.Constant(full), func() { some(f.vars[outer].Times(rows), rows) })
	} else {
		some(arith.Constant(0), rows)
	}
	some(arith.Constant(full*rows), extent%rows)
}
