package cuda

import (
	"fmt"
	"math"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// maxRegisterCopies bounds the statements that unrolling for the sake of
// registers makes of one loop.
const maxRegisterCopies = 1024

func (w *writer) loop(s *tir.For) {
	if s.Kind == tir.ThreadBound {
		w.threads(s)
		return
	}
	n, constant := s.Extent.(*tir.IntImm)
	switch {
	case constant && n.Value <= 0:
		return
	case constant && n.Value == 1:
		w.bind(s.Var, number(0), 0, 0)
		w.stmt(s.Body)
		return
	case constant && s.Kind == tir.Vectorized:
		if w.vectorized(s, n.Value) {
			return
		}
		w.line("#pragma unroll")
	case s.Kind == tir.Unrolled || registers(s) && copies(s) <= maxRegisterCopies:
		w.line("#pragma unroll")
	case w.m.rolled:
		w.line("#pragma unroll 1")
	}
	w.serial(s.Var, s.Extent, 1, func() { w.stmt(s.Body) })
}

// serial returns f without loops that are to be unrolled.
func serial(f *tir.Func) *tir.Func {
	plain := *f
	plain.Body = tir.MapStmt(f.Body, func(s tir.Stmt) tir.Stmt {
		if l, ok := s.(*tir.For); ok && l.Kind == tir.Unrolled {
			loop := *l
			loop.Kind = tir.Serial
			return &loop
		}
		return s
	}, nil)
	return &plain
}

// threads writes the body of a loop for the thread or block at hand.
func (w *writer) threads(s *tir.For) {
	if isThread(s.Thread) && !w.inThreads {
		w.meet()
		w.inThreads = true
		defer func() { w.inThreads = false }()
	}
	n, size := s.Extent.(*tir.IntImm).Value, *w.kernel.size(s.Thread)
	if size == 1 {
		w.bind(s.Var, number(0), 0, 0)
		w.stmt(s.Body)
		return
	}
	name := w.names.fresh(s.Var.Name)
	w.line("const int %s = %s;", name, s.Thread)
	w.bind(s.Var, value{text: name, prec: atom}, 0, n-1)
	if n < size {
		w.block(fmt.Sprintf("if (%s < %d)", name, n), func() { w.stmt(s.Body) })
		return
	}
	w.stmt(s.Body)
}

// meet makes the threads of a block wait for each other where they have been
// through other thread loops, or the same ones: each is as if started anew, when
// all before have ended.
func (w *writer) meet() {
	if (w.entered || w.loops > 0) && w.kernel.Block.Count() > 1 {
		w.line("__syncthreads();")
	}
	w.entered = true
}

// serial writes a loop of v from 0 to extent by step.
func (w *writer) serial(v *tir.Var, extent tir.Expr, step int64, body func()) {
	limit := w.expr(extent)
	lo, hi, ok := w.known.Bounds(extent)
	if !ok || lo > hi {
		hi = math.MaxInt64 >> 4
	}
	narrow := ok && hi <= math.MaxInt32-step
	typ := "int"
	if !narrow {
		typ = "long long"
	}
	name := w.names.fresh(v.Name)
	next := "++" + name
	if step != 1 {
		next = fmt.Sprintf("%s += %d", name, step)
	}
	w.bind(v, value{text: name, prec: atom, wide: !narrow}, 0, max(0, hi-1))
	w.block(fmt.Sprintf("for (%s %s = 0; %s < %s; %s)", typ, name, name, limit.within(comparison), next), func() {
		w.loops++
		body()
		w.loops--
	})
}

// registers reports whether a loop has to be unrolled so that what is in a
// thread's own array can be in registers: these have no addresses. Arrays that do
// not fit there are in local memory, which does.
func registers(s *tir.For) bool {
	if _, constant := s.Extent.(*tir.IntImm); !constant || s.Kind != tir.Serial {
		return false
	}
	found := false
	access := func(b *tir.Buffer, index []tir.Expr) {
		if b.Scope != tir.Local || b.Bytes() > 4*target.RegistersPerThread {
			return
		}
		for _, e := range index {
			found = found || tir.Uses(e, s.Var)
		}
	}
	tir.Visit(s.Body, func(t tir.Stmt) bool {
		switch t := t.(type) {
		case *tir.Store:
			access(t.Buffer, t.Index)
		case *tir.MMA:
			access(t.Buffer, t.Index)
		}
		return true
	})
	tir.VisitAllExprs(s.Body, func(e tir.Expr) bool {
		if l, ok := e.(*tir.Load); ok {
			access(l.Buffer, l.Index)
		}
		return true
	})
	return found
}

// copies returns the number of stores that s becomes when the loops that are
// marked so, and those that registers ask for, are unrolled.
func copies(s tir.Stmt) int64 {
	n := int64(0)
	tir.Visit(s, func(t tir.Stmt) bool {
		switch t := t.(type) {
		case *tir.For:
			inside := copies(t.Body)
			if c, ok := t.Extent.(*tir.IntImm); ok && (t.Kind == tir.Unrolled || registers(t)) {
				inside = min(inside, maxRegisterCopies+1) * min(c.Value, maxRegisterCopies+1)
			}
			n += inside
			return false
		case *tir.Store, *tir.MMA:
			n++
		}
		return true
	})
	return n
}

// isThread reports whether a name is of a thread within its block.
func isThread(name string) bool { return strings.HasPrefix(name, "threadIdx.") }
