package llvm

import (
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// vectorizable reports whether the body of a loop can run for several values
// of the variable at once: it must allocate nothing, contain no loop that is
// itself vectorised or parallel or whose extent differs between lanes, and
// each of its stores must depend on the variable.
func vectorizable(s *tir.For) bool {
	ok := true
	tir.Visit(s.Body, func(t tir.Stmt) bool {
		switch t := t.(type) {
		case *tir.Alloc:
			ok = false
		case *tir.For:
			ok = ok && t.Kind != tir.Vectorized && t.Kind != tir.Parallel && !tir.Uses(t.Extent, s.Var)
		case *tir.Store:
			ok = ok && slices.ContainsFunc(t.Index, func(e tir.Expr) bool { return tir.Uses(e, s.Var) })
		}
		return ok
	})
	return ok
}

// A chunk is a run of lanes that one vector holds: n of them, of which the
// first valid ones count.
type chunk struct{ base, n, valid int64 }

// chunks divides count lanes into full vectors of width lanes, and a tail: with
// masks, one vector whose last lanes do not count; without, vectors of powers
// of two.
func (m *module) chunks(count, width int64) []chunk {
	var list []chunk
	for base := int64(0); base < count; {
		rest := count - base
		for width > rest {
			if m.hasMasks() && width/2 < rest {
				return append(list, chunk{base, width, rest})
			}
			width /= 2
		}
		list = append(list, chunk{base, width, width})
		base += width
	}
	return list
}

// countChunks returns how many chunks there are.
func (m *module) countChunks(count, width int64) int64 {
	n := count / width
	for count %= width; count > 0; count -= width {
		for width > count {
			if m.hasMasks() {
				return n + 1
			}
			width /= 2
		}
		n++
	}
	return n
}

// hasMasks reports whether loads and stores of some lanes cost what those of
// all do.
func (m *module) hasMasks() bool { return m.target.Has("avx512vl") && m.target.Has("avx512bw") }

// maxChunks is the number of vectors above which a vectorised loop becomes a
// loop over vectors.
const maxChunks = 8

// A vectors says how a vectorised loop is written.
type vectors struct {
	width, abreast int64 // lanes of a vector, and vectors that are computed as one long one
	full           int64 // long vectors, beside which there is a tail
	loop           bool  // over the long vectors; else they are written one after the other
}

func (v vectors) step() int64 { return v.width * v.abreast }

// vectorsOf returns how a loop is written. Guarded says that it is in a condition.
func (m *module) vectorsOf(s *tir.For, extent int64, guarded bool) vectors {
	v := vectors{width: m.target.Hardware.Lanes(tir.ElementBytes(s.Body)), abreast: 1}
	if !guarded {
		v.abreast = abreast(s, extent/v.width)
	}
	v.full = extent / v.step()
	v.loop = v.full > 1 && (v.abreast > 1 || v.full > maxChunks)
	return v
}

// vectorCopies returns how many copies of its body vectorized writes of a loop, of a long vector as many as it has
// vectors.
func (m *module) vectorCopies(s *tir.For, extent int64) int64 {
	v := m.vectorsOf(s, extent, false)
	tail := m.countChunks(extent-v.full*v.step(), v.width)
	if v.loop {
		return v.abreast + tail
	}
	return v.full*v.abreast + tail
}

// vectorized runs the body for the lanes of one vector, or of several abreast,
// after another; of several in a loop, as together they would not fit the
// registers.
func (f *function) vectorized(s *tir.For, extent int64) {
	v := f.m.vectorsOf(s, extent, len(f.guards) > 0)
	step := v.step()
	if v.loop {
		at := tir.NewVar(s.Var.Name)
		f.serial(at, arith.Constant(v.full), func() { f.lanes(s, f.vars[at].Times(step), chunk{n: step, valid: step}) })
	} else {
		for i := range v.full {
			f.lanes(s, arith.Constant(i*step), chunk{n: step, valid: step})
		}
	}
	for _, c := range f.m.chunks(extent-v.full*step, v.width) {
		f.lanes(s, arith.Constant(v.full*step+c.base), c)
	}
}

// lanes writes the body for the lanes of a chunk, from base on.
func (f *function) lanes(s *tir.For, base arith.Linear, c chunk) {
	if c.n == 1 {
		f.vars[s.Var] = base
		f.stmt(s.Body)
		return
	}
	a := f.atomOfLanes(c)
	f.lane = &lanes{v: s.Var, base: base, n: c.n, valid: c.valid, atom: a}
	f.vars[s.Var] = base.Plus(1, arith.Single(a))
	f.stmt(s.Body)
	f.lane = nil
}

// partial reports whether some lanes do not count.
func (l *lanes) partial() bool { return l.valid < l.n }

// counting returns the mask of the lanes that count.
func (l *lanes) counting() value {
	parts := make([]string, l.n)
	for i := range parts {
		parts[i] = "i1 false"
		if int64(i) < l.valid {
			parts[i] = "i1 true"
		}
	}
	return value{typ: tir.Bool, ref: "<" + strings.Join(parts, ", ") + ">", n: l.n}
}
