package llvm

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/target"
)

// Bounds of what is fetched ahead.
const (
	nearWeights  = 256 << 10 // bytes of an operand that a core's own cache keeps from call to call
	maxLines     = 4         // that one iteration fetches: more at once would wait for each other
	maxFetchRuns = 4096      // iterations of a parallel loop that read the same panel
)

// panelBytes returns how large a panel may be. A core's own cache holds it, and what else its use reads. It need not
// hold the next one as well: to read a part of that again costs less than to wait for memory
// (docs/manual/packed-weights.md).
func panelBytes(t target.Target) int64 { return t.CoreCacheBytes() * 3 / 4 }

// A fetch says what a loop fetches ahead: while the iterations of a parallel loop use one panel of an operand that is
// packed ahead of time, they bring the next one from memory into the core's own cache. A product of a model reads
// weights that no cache holds, and without this each panel's first use waits for memory
// (docs/manual/packed-weights.md).
//
//	parallel f in 408:                          # 17 tiles of rows use a panel of 98304 elements, f/17
//	  for k in 384:                             # fetches one of 6528 pieces of the next panel, which has 6144
//	    prefetch W[f/17*98304 + 98304 + max((f%17)*384 + k - 384, 0)*16]
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

// fetch returns which of the loops around a load in a parallel loop of v fetches the next panel of its buffer, and
// what. It is false if a cache keeps all of the buffer, or if no panel is used again before the next one. Panels are
// what the iterations of v read; several may read the same one. If these are too large, or read once, panels are what
// the iterations of a loop inside read. After its last iteration they may come again: then what was fetched is not
// used.
//
//	parallel f in 8:
//	  for c in 64:                              # a panel is W[f, c]
//	    for i in 7:                             # is used again
//	      for k in 9:                           # fetches one of 63 pieces of W[f, c + 1]
//	        ... W[f, c, k, ...]
func (m *module) fetch(v *tir.Var, extent int64, load *tir.Load, around []*tir.For) (*tir.For, fetch, bool) {
	b := load.Buffer
	flat := tir.Expr(tir.Int(0))
	for d, stride := range b.ElemStrides() {
		flat = tir.Bin(tir.Add, flat, tir.Bin(tir.Mul, load.Index[d], tir.Int(stride)))
	}
	first, ok := evalAt(flat, nil)
	if !ok || b.Bytes() <= nearWeights {
		return nil, fetch{}, false
	}
	at := func(i int64) int64 { n, _ := evalAt(flat, map[*tir.Var]int64{v: i}); return n }
	runs := int64(1) // iterations of v that read the same panel
	for runs < min(extent, maxFetchRuns) && at(runs) == first {
		runs++
	}
	size := at(runs) - first
	if runs < extent && size > 0 && extent%runs == 0 && size*(extent/runs) == b.Elems() &&
		at(extent-1) == b.Elems()-size {
		if l, f, ok := m.pieces(panel{b, flat, size, tir.Bin(tir.FloorMod, v, tir.Int(runs)), runs}, around); ok {
			return l, f, true
		}
	}
	for k, l := range around {
		if l.Kind == tir.Vectorized {
			break // lanes have no place of their own
		}
		inside := around[k+1:]
		next, _ := evalAt(flat, map[*tir.Var]int64{l.Var: 1})
		if next <= first || next != endOf(flat, inside) {
			continue // what is read inside is not what lies before the next step
		}
		if l, f, ok := m.pieces(panel{b, flat, next - first, tir.Int(0), 1}, inside); ok {
			return l, f, true
		}
	}
	return nil, fetch{}, false
}

// endOf evaluates an index behind the last element that loops read, at the start of all others.
func endOf(flat tir.Expr, loops []*tir.For) int64 {
	last := map[*tir.Var]int64{}
	for _, l := range loops {
		if n, ok := l.Extent.(*tir.IntImm); ok {
			last[l.Var] = n.Value - 1
		}
	}
	n, _ := evalAt(flat, last)
	return n + 1
}

// A panel is a part of a buffer. Its elements are read, maybe several times, before those of the next panel are.
type panel struct {
	buffer *tir.Buffer
	flat   tir.Expr // element that is read
	size   int64    // elements
	run    tir.Expr // how many of its runs are over
	runs   int64    // iterations of the parallel loop that read it
}

// pieces divides the next panel among the iterations of the loops in which one is read. It returns the loop that
// fetches a piece in each iteration. It is false if the panel is too large, if each piece is, or if none is read again.
func (m *module) pieces(p panel, loops []*tir.For) (*tir.For, fetch, bool) {
	if p.size*int64(p.buffer.Type.Bytes()) > panelBytes(m.target) {
		return nil, fetch{}, false
	}
	line := lineElems(p.buffer)
	lines := (p.size + line - 1) / line
	piece, pieces, uses := p.run, p.runs, p.runs
	for _, l := range loops {
		n, ok := l.Extent.(*tir.IntImm)
		if !ok || n.Value < 1 || l.Kind == tir.Vectorized {
			break
		}
		piece = tir.Bin(tir.Add, tir.Bin(tir.Mul, piece, tir.Int(n.Value)), l.Var)
		if pieces *= n.Value; !tir.Uses(p.flat, l.Var) {
			uses *= n.Value
		}
		each := (lines + pieces - 1) / pieces
		if n.Value > 1 && tir.Uses(p.flat, l.Var) && each <= maxLines {
			start := tir.Bin(tir.Add, startOf(p.flat, loops), tir.Int(p.size))
			// The last pieces fetch, not the first: what is read meanwhile may be more than the cache holds.
			first := tir.Bin(tir.Sub, tir.Bin(tir.Mul, piece, tir.Int(each)), tir.Int(pieces*each-lines))
			first = tir.Bin(tir.Max, first, tir.Int(0))
			from := tir.Bin(tir.Add, start, tir.Bin(tir.Mul, first, tir.Int(line)))
			return l, fetch{p.buffer, from, each}, uses > 1
		}
	}
	return nil, fetch{}, false
}

// startOf is an index at the start of loops.
func startOf(e tir.Expr, loops []*tir.For) tir.Expr {
	return tir.MapExpr(e, func(e tir.Expr) tir.Expr {
		if x, ok := e.(*tir.Var); ok && slices.ContainsFunc(loops, func(l *tir.For) bool { return l.Var == x }) {
			return tir.Int(0)
		}
		return e
	})
}

// evalAt evaluates an index where variables have values, and others are 0; it is false where that depends on memory.
func evalAt(e tir.Expr, at map[*tir.Var]int64) (int64, bool) {
	return arith.Eval(e, func(e tir.Expr) (int64, bool) {
		v, ok := e.(*tir.Var)
		return at[v], ok
	})
}

// fetchAhead writes what a loop fetches, at the start of its body. A fetch never faults, so the last panel is no case
// of its own.
func (f *function) fetchAhead(s *tir.For) {
	for _, x := range f.m.ahead[s] {
		f.m.need("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
		from := f.index(x.from)
		for i := range x.lines {
			f.line("call void @llvm.prefetch.p0(ptr %s, i32 0, i32 2, i32 1)",
				f.address(x.buffer, from.AddConst(i*lineElems(x.buffer))))
		}
	}
}
