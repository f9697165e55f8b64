package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// An edge is what the versions of a tile are made of that make fewer of its rows: all others lie beyond an extent.
type edge struct {
	rows  int64    // of the whole tile
	base  tir.Expr // the place of its first row
	upper int64    // of the digit that rows count in, 0 if it is the outermost
	limit tir.Expr // rows from there on are not needed
	loops map[*tir.Var]bool
}

// leastRows is how many rows a tile has that gets versions of fewer rows.
const leastRows = 4

// tails returns the body of a loop, which makes a tile, with a choice of its versions: of the edge of what is needed,
// those of a half or a quarter of the rows do, if no more are.
//
//	unroll i in 8:                 if r*8 + 2 >= extents[0]:
//	  C[r*8 + i, ...] = ...          unroll i in 2:
//	                                   C[r*8 + i, ...] = ...
//	                        =>     else: if r*8 + 4 >= extents[0]:
//	                                 unroll i in 4:
//	                                   C[r*8 + i, ...] = ...
//	                               else:
//	                                 ... as before
func (w *within) tails(body tir.Stmt) tir.Stmt {
	t := &tileReader{w: w, own: map[*tir.Buffer]bool{}, loops: map[*tir.Var]*tir.For{}}
	t.visit(body, nil, 1)
	if t.strange {
		return body
	}
	var best *edge
	for d := range mostDims {
		if k := t.along(d); k != nil && (best == nil || k.rows > best.rows) {
			best = k
		}
	}
	if best == nil {
		return body
	}
	w.changed = true
	result := body
	for _, rows := range []int64{(best.rows + 1) / 2, (best.rows + 3) / 4} {
		result = &tir.If{Cond: best.within(rows), Then: best.version(body, rows), Else: result}
	}
	return result
}

// mostDims is how many dimensions of outputs are looked at.
const mostDims = 8

// within returns the condition under which so many rows are enough.
func (t *edge) within(rows int64) tir.Expr {
	at := t.base
	if t.upper > 0 {
		at = tir.Bin(tir.FloorMod, at, tir.Int(t.upper))
	}
	enough := tir.Bin(tir.GE, tir.Bin(tir.Add, at, tir.Int(rows)), t.limit)
	if t.upper > 0 { // all rows lie in one place of the digits before
		last := tir.Bin(tir.Add, t.base, tir.Int(t.rows-1))
		return tir.Bin(tir.And, tir.Bin(tir.EQ, quotient(t.base, t.upper), quotient(last, t.upper)), enough)
	}
	return enough
}

// version returns the tile of so many rows.
func (t *edge) version(body tir.Stmt, rows int64) tir.Stmt {
	var cut func(s tir.Stmt) tir.Stmt
	cut = func(s tir.Stmt) tir.Stmt {
		s = tir.MapChildren(s, cut)
		if l, ok := s.(*tir.For); ok && t.loops[l.Var] {
			k := *l
			k.Extent = tir.Int(rows)
			return &k
		}
		return s
	}
	return tir.FreshLoops(cut(body))
}

// A tileReader knows what a tile writes and reads.
type tileReader struct {
	w       *within
	own     map[*tir.Buffer]bool
	loops   map[*tir.Var]*tir.For
	stores  []tileStore
	loads   []*tir.Load
	strange bool
}

type tileStore struct {
	*tir.Store
	loops []*tir.Var // around it
	times int64
}

func (t *tileReader) visit(s tir.Stmt, loops []*tir.Var, times int64) {
	read := func(e tir.Expr) {
		tir.VisitExpr(e, func(e tir.Expr) bool {
			if l, ok := e.(*tir.Load); ok {
				t.loads = append(t.loads, l)
			}
			return true
		})
	}
	switch s := s.(type) {
	case *tir.For:
		n, known := s.Extent.(*tir.IntImm)
		if !known || n.Value < 1 || s.Kind == tir.Tensorized {
			t.strange = true
			return
		}
		t.loops[s.Var], loops, times = s, append(slices.Clone(loops), s.Var), times*n.Value
	case *tir.Store:
		t.stores = append(t.stores, tileStore{s, loops, times})
		read(s.Value)
		for _, e := range s.Index {
			read(e)
		}
	case *tir.Alloc:
		t.own[s.Buffer] = true
	case *tir.If:
		read(s.Cond)
	case *tir.Seq, *tir.Block, *tir.Pragma:
	default:
		t.strange = true
		return
	}
	tir.MapChildren(s, func(c tir.Stmt) tir.Stmt { t.visit(c, loops, times); return c })
}

// along returns the edge of rows along a dimension of what the tile writes, or nil if it has none.
func (t *tileReader) along(d int) *edge {
	var k *edge
	for _, s := range t.stores {
		if t.own[s.Buffer] {
			continue
		}
		bounds := t.w.bounds[s.Buffer]
		if d >= len(bounds) || len(bounds[d]) == 0 {
			return nil
		}
		v, base := t.row(s.Index[d])
		g := bounds[d][len(bounds[d])-1]
		if v == nil || g.Entry < 0 {
			return nil
		}
		next := &edge{rows: t.extent(v), base: base, loops: map[*tir.Var]bool{},
			limit: &tir.Load{Buffer: t.w.extents, Index: []tir.Expr{tir.Int(int64(g.Entry))}}}
		if len(bounds[d]) > 1 {
			next.upper = g.Upper
		}
		if k != nil && (k.rows != next.rows || k.base.String() != base.String() || k.upper != next.upper ||
			k.limit.String() != next.limit.String()) {
			return nil
		}
		k = next
	}
	if k == nil || k.rows < leastRows {
		return nil
	}
	t.restrict(k, d)
	for _, s := range t.stores {
		if v, _ := t.row(at(s.Index, d)); !t.own[s.Buffer] && !k.loops[v] {
			return nil
		}
	}
	all, less := int64(0), int64(0)
	for _, s := range t.stores {
		all += s.times
		if slices.ContainsFunc(s.loops, func(v *tir.Var) bool { return k.loops[v] }) {
			less += s.times
		}
	}
	if 2*less < all {
		return nil
	}
	return k
}

func at(index []tir.Expr, d int) tir.Expr {
	if d < len(index) {
		return index[d]
	}
	return tir.Int(0)
}

func (t *tileReader) extent(v *tir.Var) int64 { return t.loops[v].Extent.(*tir.IntImm).Value }

// row returns the only loop of the tile that an index depends on, in steps of 1, and where it begins; nil if it is
// another index.
func (t *tileReader) row(e tir.Expr) (v *tir.Var, base tir.Expr) {
	for x := range t.loops {
		if !tir.Uses(e, x) {
			continue
		}
		if v != nil {
			return nil, nil
		}
		v = x
	}
	if v == nil {
		return nil, nil
	}
	if by, affine := arith.Coefficient(e, v); !affine || by != 1 {
		return nil, nil
	}
	return v, tir.Substitute(e, map[*tir.Var]tir.Expr{v: tir.Int(0)})
}

// restrict finds the loops of an edge that may end early: all that they write is a row, of an output or of a buffer of
// the tile, whose other rows nobody else reads.
func (t *tileReader) restrict(k *edge, d int) {
	type place struct {
		b *tir.Buffer
		d int
	}
	rows := map[place]bool{}
	for b := range t.own {
		for i, n := range b.Shape {
			rows[place{b, i}] = n == k.rows
		}
	}
	for v := range t.loops {
		k.loops[v] = t.extent(v) == k.rows
	}
	goes := func(s tileStore, v *tir.Var) bool {
		if !t.own[s.Buffer] {
			x, _ := t.row(s.Index[d])
			return x == v
		}
		for i, e := range s.Index {
			if x, ok := e.(*tir.Var); ok && x == v && rows[place{s.Buffer, i}] {
				return true
			}
		}
		return false
	}
	for changed := true; changed; {
		changed = false
		for _, s := range t.stores {
			for _, v := range s.loops {
				if k.loops[v] && !goes(s, v) {
					k.loops[v], changed = false, true
				}
			}
		}
		for _, l := range t.loads {
			for i, e := range l.Index {
				if v, ok := e.(*tir.Var); rows[place{l.Buffer, i}] && !(ok && k.loops[v]) {
					rows[place{l.Buffer, i}], changed = false, true
				}
			}
		}
	}
}
