package cuda

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/tir"
)

// vectorized writes a loop over n lanes as loads and stores of vectors, as far as
// the lanes are neighbours in memory that start at a multiple of the vector:
//
//	vectorize j in 4:                   *reinterpret_cast<float4*>(&S[t * 4]) =
//	  S[t*4 + j] = A[i*64 + t*4 + j]        *reinterpret_cast<const float4*>(&A[i * 64 + t * 4]);
//
// It returns false, and writes nothing, if no access is one, or if the body is
// more than one store; conditions around it must be those of all lanes.
func (w *writer) vectorized(s *tir.For, n int64) bool {
	for _, width := range []int64{copyOnly, 4, 2} {
		if n%width != 0 {
			continue
		}
		base := tir.NewVar(s.Var.Name)
		at := tir.Expr(tir.Int(0))
		if n > width {
			w.known.Bind(base, 0, n/width-1)
			at = tir.Bin(tir.Mul, base, tir.Int(width))
		}
		v := &vector{w: w, lane: s.Var, width: width, at: at}
		body, ok := v.split(s.Body)
		if !ok {
			return false
		}
		if !v.any(body) || width == copyOnly && !v.copies(body) {
			continue
		}
		if n == width {
			v.stmt(body)
			return true
		}
		w.line("#pragma unroll")
		w.serial(base, tir.Int(n/width), 1, func() { v.stmt(body) })
		return true
	}
	return false
}

// A vector is a stretch of lanes that are written at once: those of which the
// variable is at, at+1, ... at+width-1.
type vector struct {
	w     *writer
	lane  *tir.Var
	width int64
	at    tir.Expr
}

// split returns the body of a vectorized loop with selections of all lanes as
// conditional statements, and whether it is one store in each branch.
func (v *vector) split(s tir.Stmt) (tir.Stmt, bool) {
	switch s := s.(type) {
	case *tir.Block:
		return v.split(s.Body)
	case *tir.If:
		if tir.Uses(s.Cond, v.lane) {
			return nil, false
		}
		then, ok := v.split(s.Then)
		if !ok || s.Else == nil {
			return &tir.If{Cond: s.Cond, Then: then}, ok
		}
		els, ok := v.split(s.Else)
		return &tir.If{Cond: s.Cond, Then: then, Else: els}, ok
	case *tir.Store:
		sel, ok := s.Value.(*tir.Select)
		if !ok || tir.Uses(sel.Cond, v.lane) {
			return s, true
		}
		return v.split(&tir.If{
			Cond: sel.Cond,
			Then: &tir.Store{Buffer: s.Buffer, Index: s.Index, Value: sel.Then, Async: s.Async},
			Else: &tir.Store{Buffer: s.Buffer, Index: s.Index, Value: sel.Else, Async: s.Async},
		})
	}
	return nil, false
}

// any reports whether some access in s is one of vectors.
func (v *vector) any(s tir.Stmt) bool {
	for st := range tir.StmtsIn[*tir.Store](s) {
		if v.adjacent(st.Buffer, st.Index) || len(v.loads(st.Value)) > 0 {
			return true
		}
	}
	return false
}

// copies reports whether s does nothing but move vectors, or store zeros.
func (v *vector) copies(s tir.Stmt) bool {
	for st := range tir.StmtsIn[*tir.Store](s) {
		l, isLoad := st.Value.(*tir.Load)
		if !v.adjacent(st.Buffer, st.Index) || !isZero(st.Value) &&
			!(isLoad && l.Buffer.Type == st.Buffer.Type && v.adjacent(l.Buffer, l.Index)) {
			return false
		}
	}
	return true
}

// isZero reports whether all bits of a constant are zero.
func isZero(e tir.Expr) bool {
	c, ok := e.(*tir.FloatImm)
	return ok && c.Value == 0 && !math.Signbit(c.Value)
}

// loads returns the loads of vectors in e, equal ones once. Those that not all
// lanes may carry out are none.
func (v *vector) loads(e tir.Expr) []*tir.Load {
	var list []*tir.Load
	tir.VisitExpr(e, func(e tir.Expr) bool {
		switch e := e.(type) {
		case *tir.Select:
			return !e.Lazy
		case *tir.Binary:
			return e.Op != tir.And && e.Op != tir.Or
		case *tir.Load:
			if v.adjacent(e.Buffer, e.Index) && v.find(list, e) < 0 {
				list = append(list, e)
			}
		}
		return true
	})
	return list
}

func (v *vector) find(list []*tir.Load, l *tir.Load) int {
	for i, k := range list {
		if tir.EqualExpr(k, l) {
			return i
		}
	}
	return -1
}

// adjacent reports whether the lanes access neighbours, the first of which is at
// a multiple of the vector's width. A thread's own arrays are registers, and
// have no neighbours.
func (v *vector) adjacent(b *tir.Buffer, index []tir.Expr) bool {
	if b.Scope == tir.Local || vectorName(b.Type, v.width) == "" {
		return false
	}
	off := offset(b, index)
	first := v.inLane(off, 0)
	if lo, hi, ok := v.w.known.Bounds(tir.Bin(tir.FloorMod, first, tir.Int(v.width))); !ok || lo != 0 || hi != 0 {
		return false
	}
	for l := int64(1); l < v.width; l++ {
		if lo, hi, ok := v.w.known.Bounds(tir.Bin(tir.Sub, v.inLane(off, l), first)); !ok || lo != l || hi != l {
			return false
		}
	}
	return true
}

// inLane returns e in a lane.
func (v *vector) inLane(e tir.Expr, lane int64) tir.Expr {
	at := v.at
	if c, ok := at.(*tir.IntImm); ok {
		at = tir.Int(c.Value + lane)
	} else if lane > 0 {
		at = tir.Bin(tir.Add, at, tir.Int(lane))
	}
	return tir.Substitute(e, map[*tir.Var]tir.Expr{v.lane: at})
}

func (v *vector) indexInLane(index []tir.Expr, lane int64) []tir.Expr {
	out := make([]tir.Expr, len(index))
	for i, e := range index {
		out[i] = v.inLane(e, lane)
	}
	return out
}

// text returns the text of the vector that begins at an element.
func (v *vector) text(b *tir.Buffer, index []tir.Expr, constant string) string {
	return fmt.Sprintf("*reinterpret_cast<%s%s*>(&%s)", constant, vectorName(b.Type, v.width),
		v.w.element(b, v.indexInLane(index, 0)))
}

func (v *vector) stmt(s tir.Stmt) {
	w := v.w
	switch s := s.(type) {
	case *tir.If:
		w.block("if ("+w.expr(s.Cond).text+")", func() { v.stmt(s.Then) })
		if s.Else != nil {
			w.block("else", func() { v.stmt(s.Else) })
		}
	case *tir.Store:
		v.store(s)
	default:
		panic(fmt.Sprintf("BUG: cuda: statement %T in a vector", s))
	}
}

// fields are the names of a vector's elements.
var fields = []string{".x", ".y", ".z", ".w"}

// store writes a store of all lanes: the loads of vectors first, then each lane's
// value.
func (v *vector) store(s *tir.Store) {
	w := v.w
	loads := v.loads(s.Value)
	whole := v.adjacent(s.Buffer, s.Index)
	source := func(l *tir.Load) string {
		if w.kernel.written[l.Buffer] || l.Buffer.Scope == tir.Shared {
			return v.text(l.Buffer, l.Index, "")
		}
		return v.text(l.Buffer, l.Index, "const ")
	}
	first := func(index []tir.Expr) []tir.Expr { return v.indexInLane(index, 0) }
	// Of A[idx[j]], idx may be loaded as a vector though what is stored is none.
	l, moves := s.Value.(*tir.Load)
	moves = moves && whole && v.adjacent(l.Buffer, l.Index)
	if moves && w.asyncCopy(s, first(s.Index), v.width, first) {
		return
	}
	if moves && l.Buffer.Type == s.Buffer.Type {
		w.line("%s = %s;", v.text(s.Buffer, s.Index, ""), source(l))
		return
	}
	if v.width == copyOnly {
		w.line("%s = %s();", v.text(s.Buffer, s.Index, ""), vectorName(s.Buffer.Type, v.width))
		return
	}
	names := make([]string, len(loads))
	elems := make([]*tir.Var, len(loads)) // stand for an element of what was loaded
	for i, l := range loads {
		names[i] = w.names.fresh(w.buffers[l.Buffer] + "_lanes")
		elems[i] = &tir.Var{Name: names[i], Type: l.Buffer.Type}
		w.line("const %s %s = %s;", vectorName(l.Buffer.Type, v.width), names[i], source(l))
	}
	val := tir.SubstituteLoads(s.Value, func(l *tir.Load) tir.Expr {
		if i := v.find(loads, l); i >= 0 {
			return elems[i]
		}
		return l
	})
	result := ""
	if whole {
		result = w.names.fresh(w.buffers[s.Buffer] + "_lanes")
		w.line("%s %s;", vectorName(s.Buffer.Type, v.width), result)
	}
	for l := range v.width {
		for i, e := range elems {
			w.vars[e] = value{text: names[i] + fields[l], prec: atom, wide: e.Type == tir.I64}
		}
		text := w.expr(v.inLane(val, l)).text
		place := result + fields[l]
		if !whole {
			place = w.element(s.Buffer, v.indexInLane(s.Index, l))
		}
		w.line("%s = %s;", place, text)
	}
	if whole {
		w.line("%s = %s;", v.text(s.Buffer, s.Index, ""), result)
	}
}
