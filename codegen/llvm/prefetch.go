package llvm

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// Bounds of what is fetched ahead.
const (
	nearWeights  = 256 << 10 // bytes of an operand that a core's own cache keeps from call to call
	maxLines     = 4         // that one iteration fetches: more at once would wait for each other
	maxFetchRuns = 4096      // iterations of a parallel loop that read the same panel
)

// panelBytes returns how large a panel may be. What a larger one leaves in a core's own cache is too little. That it and
// the next one do not quite fit costs less than to wait for memory (docs/packed-weights.md).
func panelBytes(t target.Target) int64 { return t.CoreCacheBytes() * 3 / 4 }

// A fetch says what a loop fetches ahead: while the iterations of a parallel loop use one panel of an operand that is
// packed ahead of time, they bring the next one from memory into the core's own cache. A product of a model reads
// weights that no cache holds, and without this each panel's first use waits for memory (docs/packed-weights.md).
//
//	parallel f in 408:                          # 17 tiles of rows use a panel of 98304 elements, f/17
//	  for k in 384:                             # fetches one of 6528 pieces of the next panel, which has 6144
//	    prefetch W[f/17*98304 + 98304 + min((f%17)*384 + k, 6143)*16]
//	    ...
type fetch struct {
	buffer *tir.Buffer
	from   tir.Expr // element where the piece begins
	lines  int64    // of the cache in a piece
}

// lineElems returns how many elements of b a cache line has.
func lineElems(b *tir.Buffer) int64 { return alignment / int64(b.Type.Bytes()) }

// fetches returns what the loops inside of a parallel one fetch ahead, of each operand.
func (m *module) fetches(parallel *tir.For) map[*tir.For][]fetch {
	list := map[*tir.For][]fetch{}
	extent, ok := parallel.Extent.(*tir.IntImm)
	if !ok || len(m.packed) == 0 {
		return list
	}
	var visit func(s tir.Stmt, around []*tir.For)
	visit = func(s tir.Stmt, around []*tir.For) {
		if l, ok := s.(*tir.For); ok {
			around = append(around[:len(around):len(around)], l)
		}
		if st, ok := s.(*tir.Store); ok {
			tir.VisitExpr(st.Value, func(e tir.Expr) bool {
				if l, ok := e.(*tir.Load); ok && m.packed[l.Buffer] {
					at, f, ok := m.fetch(parallel.Var, extent.Value, l, around)
					if ok && !slices.ContainsFunc(list[at], func(o fetch) bool { return o.buffer == f.buffer }) {
						list[at] = append(list[at], f)
					}
				}
				return true
			})
		}
		tir.MapChildren(s, func(c tir.Stmt) tir.Stmt { visit(c, around); return c })
	}
	visit(parallel.Body, nil)
	return list
}

// fetch returns which of the loops around a load fetches the next panel of its buffer, and what. It is false if the
// iterations of v do not go through the buffer panel by panel, if none uses a panel again, or if a cache keeps all.
func (m *module) fetch(v *tir.Var, extent int64, load *tir.Load, around []*tir.For) (*tir.For, fetch, bool) {
	b := load.Buffer
	flat := tir.Expr(tir.Int(0))
	for d, stride := range b.ElemStrides() {
		flat = tir.Bin(tir.Add, flat, tir.Bin(tir.Mul, load.Index[d], tir.Int(stride)))
	}
	at := func(i int64) int64 { n, _ := evalAt(flat, v, i); return n }
	if _, ok := evalAt(flat, v, 0); !ok || b.Bytes() <= nearWeights {
		return nil, fetch{}, false
	}
	runs := int64(1) // iterations of v that read the same panel
	for runs < min(extent, maxFetchRuns) && at(runs) == at(0) {
		runs++
	}
	panel := at(runs) - at(0)
	if runs == extent || panel <= 0 || extent%runs != 0 || panel*(extent/runs) != b.Elems() ||
		at(extent-1) != b.Elems()-panel || panel*int64(b.Type.Bytes()) > panelBytes(m.target) {
		return nil, fetch{}, false
	}
	lines := (panel + lineElems(b) - 1) / lineElems(b)
	piece := tir.Expr(tir.Bin(tir.FloorMod, v, tir.Int(runs)))
	pieces, uses := runs, runs
	for _, l := range around {
		n, ok := l.Extent.(*tir.IntImm)
		if !ok || n.Value < 1 || l.Kind == tir.Vectorized {
			break
		}
		piece = tir.Bin(tir.Add, tir.Bin(tir.Mul, piece, tir.Int(n.Value)), l.Var)
		if pieces *= n.Value; !tir.Uses(flat, l.Var) {
			uses *= n.Value
		}
		each := (lines + pieces - 1) / pieces
		if l.Kind == tir.Serial && n.Value > 1 && tir.Uses(flat, l.Var) && each <= maxLines {
			start := tir.Bin(tir.Add, startOf(flat, v), tir.Int(panel))
			line := tir.Bin(tir.Min, tir.Bin(tir.Mul, piece, tir.Int(each)), tir.Int(lines-each))
			from := tir.Bin(tir.Add, start, tir.Bin(tir.Mul, line, tir.Int(lineElems(b))))
			return l, fetch{b, from, each}, uses > 1
		}
	}
	return nil, fetch{}, false
}

// startOf is an index at the start of all loops but that of v.
func startOf(e tir.Expr, v *tir.Var) tir.Expr {
	return tir.MapExpr(e, func(e tir.Expr) tir.Expr {
		if x, ok := e.(*tir.Var); ok && x != v {
			return tir.Int(0)
		}
		return e
	})
}

// evalAt evaluates an index at iteration i of v, at the start of all other loops; it is false where the index is not
// made of the usual operations on constants.
func evalAt(e tir.Expr, v *tir.Var, i int64) (int64, bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Value, true
	case *tir.Var:
		if e == v {
			return i, true
		}
		return 0, true
	case *tir.Binary:
		x, ok1 := evalAt(e.X, v, i)
		y, ok2 := evalAt(e.Y, v, i)
		if !ok1 || !ok2 {
			return 0, false
		}
		switch {
		case e.Op == tir.Add:
			return x + y, true
		case e.Op == tir.Sub:
			return x - y, true
		case e.Op == tir.Mul:
			return x * y, true
		case e.Op == tir.FloorDiv && x >= 0 && y > 0:
			return x / y, true
		case e.Op == tir.FloorMod && x >= 0 && y > 0:
			return x % y, true
		}
	}
	return 0, false
}

// fetchAhead writes what a loop fetches, at the start of its body. A fetch never faults, so the last panel is no case
// of its own.
func (f *function) fetchAhead(s *tir.For) {
	for _, x := range f.m.ahead[s] {
		f.m.need("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
		from := f.index(x.from)
		for i := range x.lines {
			f.line("call void @llvm.prefetch.p0(ptr %s, i32 0, i32 2, i32 1)",
				f.address(x.buffer, from.add(constant(i*lineElems(x.buffer)), 1)))
		}
	}
}
