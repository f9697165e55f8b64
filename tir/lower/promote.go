package lower

import (
	"cmp"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/target"
)

// promote gives the elements that a reduction loop accumulates a temporary,
// which becomes registers:
//
//	for k in K:                                alloc T: float32[4, 8] local
//	  unroll i in 4:                           unroll i' in 4: vectorize j' in 8:
//	    vectorize j in 8:                        T[i', j'] = C[io*4+i', jo*8+j']
//	      C[io*4+i, jo*8+j] =           =>     for k in K:
//	        C[io*4+i, jo*8+j] + ...              unroll i in 4: vectorize j in 8:
//	                                               T[i, j] = T[i, j] + ...
//	                                           unroll i' in 4: vectorize j' in 8:
//	                                             C[io*4+i', jo*8+j'] = T[i', j']
//
// If the statement before the loop initialises just these elements, it
// initialises the temporary instead, and nothing is copied into that; nor is it
// if the loop writes the elements before it reads them.
//
// LLVM does the same for loops with few accesses (licm), and gives up above 250
// of them; in unrolled loops it does not forward what is stored to one element
// past stores to others.
//
// A vector loop around such a loop becomes serial: its lanes would share the temporary.
//
// The loop stays as it is if the buffer's elements in it are reached by more
// than one index, unless it has instructions and all are the same but for the
// names of loops, as those of the last steps of a sum are, if the index depends
// on the loop's own variable or on that of
// a loop of unknown length inside, if it writes elements of a temporary first but may not run (nothing may be in
// them before), if it is not certain that all iterations of
// the loops of the tile are at different elements (a fused loop may run over an
// element several times), if a store may not happen (a condition around it), if something in the loop runs
// in parallel or is a tile's (see tiles), if the tile does not fit the registers, or if it is a whole
// temporary that LLVM makes values of by itself (sroa).
func promote(f *tir.Func, cfg Config) (*tir.Func, error) {
	p := promoter{cfg.Target.Hardware, map[*tir.Buffer]bool{}}
	return eachBody(f, p.stmt), nil
}

type promoter struct {
	target.Hardware
	values map[*tir.Buffer]bool // of temporaries: whether they become values by themselves; see isValues
}

func (p promoter) stmt(s tir.Stmt) tir.Stmt {
	if t, ok := p.promoted(s, nil); ok {
		return t
	}
	return p.parts(s)
}

// parts promotes in the parts of s.
func (p promoter) parts(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.For:
		c := *s
		c.Body = p.stmt(s.Body)
		if s.Kind == tir.Vectorized && allocates(c.Body) {
			c.Kind = tir.Serial
		}
		return &c
	case *tir.If:
		c := *s
		c.Then = p.stmt(s.Then)
		if s.Else != nil {
			c.Else = p.stmt(s.Else)
		}
		return &c
	case *tir.Seq:
		c := &tir.Seq{}
		for i, t := range s.Stmts {
			if i > 0 {
				if u, ok := p.promoted(t, s.Stmts[i-1]); ok {
					c.Stmts[len(c.Stmts)-1] = u
					continue
				}
			}
			c.Stmts = append(c.Stmts, p.stmt(t))
		}
		return c
	case *tir.Alloc:
		p.values[s.Buffer] = s.Buffer.Scope == tir.Local && constantPlaces(s.Body, s.Buffer)
		return &tir.Alloc{Buffer: s.Buffer, Body: p.stmt(s.Body)}
	case *tir.Block:
		c := *s
		c.Body = p.stmt(s.Body)
		return &c
	case *tir.Pragma:
		c := *s
		c.Body = p.stmt(s.Body)
		return &c
	}
	return s
}

// runs reports whether a loop is known to have iterations.
func runs(l *tir.For) bool {
	n, ok := l.Extent.(*tir.IntImm)
	return ok && n.Value > 0
}

func allocates(s tir.Stmt) bool {
	return tir.Has(s, func(t tir.Stmt) bool {
		_, ok := t.(*tir.Alloc)
		return ok
	})
}

// A registerTile is what a loop accumulates in one buffer.
type registerTile struct {
	buffer *tir.Buffer
	index  []tir.Expr // of every access, but for renamed ones
	loops  []*tir.For // inside the reduction loop, that the index depends on; a vectorized one last
	fresh  bool       // an iteration of the reduction loop writes each element before it reads it

	renamed [][]tir.Expr            // other indices that are the same but for the names of loops
	names   []map[*tir.Var]*tir.Var // of variables of the tile's loops, in each of renamed
}

// promoted promotes the tiles of a serial or unrolled loop, if there are any.
// Init, if not nil, is the statement before the loop: it must initialise the
// only tile, and the result takes the place of both.
func (p promoter) promoted(stmt, init tir.Stmt) (tir.Stmt, bool) {
	s, ok := stmt.(*tir.For)
	if !ok || s.Kind != tir.Serial && s.Kind != tir.Unrolled {
		return nil, false
	}
	tiles := p.tiles(s)
	if len(tiles) == 0 || init != nil && len(tiles) > 1 {
		return nil, false
	}
	var before, after []tir.Stmt
	var temps []*tir.Buffer
	out := tir.Stmt(s)
	for _, t := range tiles {
		temp := &tir.Buffer{Name: t.buffer.Name + ".acc", Type: t.buffer.Type, Scope: tir.Local}
		var index []tir.Expr
		for _, l := range t.loops {
			temp.Shape = append(temp.Shape, l.Extent.(*tir.IntImm).Value)
			index = append(index, l.Var)
		}
		temps = append(temps, temp)
		first := t.copy(temp, index, true)
		if init != nil {
			if first, ok = t.initialise(init, temp); !ok {
				return nil, false
			}
		}
		if init != nil || !t.fresh {
			before = append(before, first)
		}
		after = append(after, t.copy(temp, index, false))
		out = t.replaced(out, temp, index)
	}
	out = tir.Sequence(append(append(before, out), after...)...)
	for _, b := range temps {
		out = &tir.Alloc{Buffer: b, Body: out}
	}
	return out, true
}

// copy returns loops that copy between the buffer and its temporary.
func (t registerTile) copy(temp *tir.Buffer, index []tir.Expr, in bool) tir.Stmt {
	var s tir.Stmt = &tir.Store{Buffer: t.buffer, Index: t.index, Value: &tir.Load{Buffer: temp, Index: index}}
	if in {
		s = &tir.Store{Buffer: temp, Index: index, Value: &tir.Load{Buffer: t.buffer, Index: t.index}}
	}
	for i := len(t.loops) - 1; i >= 0; i-- {
		l := t.loops[i]
		s = &tir.For{Var: l.Var, Extent: l.Extent, Kind: l.Kind, Body: s}
	}
	return tir.FreshLoops(s)
}

// initialise returns init with the tile's temporary in place of the buffer. It
// reports false unless init is loops around one store, to each element of the
// tile, of a value that reads nothing.
func (t registerTile) initialise(init tir.Stmt, temp *tir.Buffer) (tir.Stmt, bool) {
	var loops []*tir.For
	s := init
	for {
		switch inner := s.(type) {
		case *tir.For:
			loops = append(loops, inner)
			s = inner.Body
			continue
		case *tir.Block:
			s = inner.Body
			continue
		case *tir.Pragma:
			s = inner.Body
			continue
		}
		break
	}
	store, ok := s.(*tir.Store)
	if !ok || store.Buffer != t.buffer || len(loops) != len(t.loops) || tir.Reads(store.Value) {
		return nil, false
	}
	of := map[*tir.Var]*tir.Var{} // variable of the tile's loop to that of init's
	for i, e := range store.Index {
		if !t.renames(e, t.index[i], loops, of) {
			return nil, false
		}
	}
	var index []tir.Expr
	for _, l := range t.loops {
		v := of[l.Var]
		if v == nil {
			return nil, false
		}
		index = append(index, v)
	}
	return tir.MapStmt(init, func(s tir.Stmt) tir.Stmt {
		if st, ok := s.(*tir.Store); ok {
			return &tir.Store{Buffer: temp, Index: index, Value: st.Value}
		}
		return s
	}, nil), true
}

// replaced returns s with the temporary in place of the buffer.
func (t registerTile) replaced(s tir.Stmt, temp *tir.Buffer, index []tir.Expr) tir.Stmt {
	for i, other := range t.renamed {
		var by []tir.Expr
		for _, l := range t.loops {
			by = append(by, t.names[i][l.Var])
		}
		s = replaceBuffer(s, t.buffer, other, temp, by)
	}
	return replaceBuffer(s, t.buffer, t.index, temp, index)
}

// isRenamed reports whether all that is renamed is index but for the names of loops, and notes these names.
func (t *registerTile) isRenamed(loops []*tir.For) bool {
	for _, other := range t.renamed {
		of := map[*tir.Var]*tir.Var{}
		for d, e := range other {
			if !t.renames(e, t.index[d], loops, of) {
				return false
			}
		}
		if len(of) != len(t.loops) {
			return false
		}
		t.names = append(t.names, of)
	}
	return true
}

// renames reports whether x becomes y, an index of the tile, when the variables
// of loops are renamed to those of the tile's loops, of equal extents. It adds
// the names to of, by the latter.
func (t registerTile) renames(x, y tir.Expr, loops []*tir.For, of map[*tir.Var]*tir.Var) bool {
	switch x := x.(type) {
	case *tir.Var:
		i := slices.IndexFunc(loops, func(l *tir.For) bool { return l.Var == x })
		j := slices.IndexFunc(t.loops, func(l *tir.For) bool { return tir.Expr(l.Var) == y })
		if i < 0 || j < 0 {
			return i < 0 && j < 0 && tir.Expr(x) == y
		}
		if !tir.EqualExpr(loops[i].Extent, t.loops[j].Extent) || of[t.loops[j].Var] != nil && of[t.loops[j].Var] != x {
			return false
		}
		for v, w := range of {
			if w == x && v != t.loops[j].Var {
				return false
			}
		}
		of[t.loops[j].Var] = x
		return true
	case *tir.Binary:
		b, ok := y.(*tir.Binary)
		return ok && x.Op == b.Op && t.renames(x.X, b.X, loops, of) && t.renames(x.Y, b.Y, loops, of)
	}
	return tir.EqualExpr(x, y)
}

// replaceBuffer returns s with elements of another buffer in place of those of b at a place, or of all of b if that is
// nil.
func replaceBuffer(s tir.Stmt, b *tir.Buffer, at []tir.Expr, by *tir.Buffer, index []tir.Expr) tir.Stmt {
	is := func(of *tir.Buffer, index []tir.Expr) bool {
		return of == b && (at == nil || slices.EqualFunc(index, at, tir.EqualExpr))
	}
	return tir.MapStmt(s, func(s tir.Stmt) tir.Stmt {
		if st, ok := s.(*tir.Store); ok && is(st.Buffer, st.Index) {
			return &tir.Store{Buffer: by, Index: index, Value: st.Value}
		}
		return s
	}, func(e tir.Expr) tir.Expr {
		return tir.MapExpr(e, func(e tir.Expr) tir.Expr {
			if l, ok := e.(*tir.Load); ok && is(l.Buffer, l.Index) {
				return &tir.Load{Buffer: by, Index: index}
			}
			return e
		})
	})
}

// tiles returns the tiles that a loop accumulates and that can be promoted.
func (p promoter) tiles(s *tir.For) []registerTile {
	a := newAccesses(tir.Has(s, func(s tir.Stmt) bool {
		l, ok := s.(*tir.For)
		return ok && l.Instruction != nil
	}))
	a.stmt(s.Body, nil)
	if a.unfit {
		return nil
	}
	var list []registerTile
	budget := int64(p.VectorRegisters)
	for _, b := range a.stored {
		if a.bad[b] || a.local[b] {
			continue
		}
		t, ok := registerTileOf(s, b, a)
		if !ok || p.isValues(t) || !t.distinct() {
			continue
		}
		if _, temporary := p.values[b]; temporary && a.fresh[b] && !t.fresh {
			continue
		}
		registers := int64(1)
		lanes := p.Lanes(b.Type.RegisterBytes())
		for _, l := range t.loops {
			n := l.Extent.(*tir.IntImm).Value
			if l.Kind == tir.Vectorized {
				n = (n + lanes - 1) / lanes
			}
			registers *= n
		}
		if budget -= registers; budget < 0 {
			return nil
		}
		list = append(list, t)
	}
	return list
}

// registerTileOf returns what the loop accumulates in b.
func registerTileOf(s *tir.For, b *tir.Buffer, a accesses) (registerTile, bool) {
	t := registerTile{buffer: b, index: a.index[b], fresh: a.fresh[b] && runs(s), renamed: a.others[b]}
	uses := func(v *tir.Var) bool {
		for _, e := range t.index {
			if tir.Uses(e, v) {
				return true
			}
		}
		return false
	}
	if uses(s.Var) {
		return registerTile{}, false
	}
	var last *tir.For
	for _, l := range a.loops {
		if !uses(l.Var) {
			t.fresh = t.fresh && runs(l)
			continue
		}
		switch {
		case !runs(l):
			return registerTile{}, false
		case l.Kind == tir.Vectorized:
			last = l
		default:
			t.loops = append(t.loops, l)
		}
	}
	if last != nil {
		t.loops = append(t.loops, last)
	}
	return t, a.reads[b] && t.isRenamed(a.loops)
}

// isValues reports whether the tile is a whole temporary that LLVM makes values
// of by itself (sroa), as all of its accesses are at constant places.
func (p promoter) isValues(t registerTile) bool {
	if !p.values[t.buffer] {
		return false
	}
	n := int64(1)
	for _, l := range t.loops {
		n *= l.Extent.(*tir.IntImm).Value
	}
	return n >= t.buffer.Elems()
}

// constantPlaces reports whether no index of b in s depends on the variable of a
// loop in s that is not expanded.
func constantPlaces(s tir.Stmt, b *tir.Buffer) bool {
	runs := map[*tir.Var]bool{}
	for l := range tir.StmtsIn[*tir.For](s) {
		if l.Kind != tir.Unrolled && l.Kind != tir.Vectorized {
			runs[l.Var] = true
		}
	}
	constant := true
	access := func(at *tir.Buffer, index []tir.Expr) {
		if at != b {
			return
		}
		for _, e := range index {
			tir.VisitExpr(e, func(x tir.Expr) bool {
				v, ok := x.(*tir.Var)
				constant = constant && !(ok && runs[v])
				return true
			})
		}
	}
	for st := range tir.StmtsIn[*tir.Store](s) {
		access(st.Buffer, st.Index)
	}
	tir.VisitAllExprs(s, func(e tir.Expr) bool {
		if l, ok := e.(*tir.Load); ok {
			access(l.Buffer, l.Index)
		}
		return true
	})
	return constant
}

// distinct reports whether each iteration of the tile's loops is at an element
// of its own: the place must be a sum of multiples of their variables, each
// factor larger than what the smaller ones reach.
func (t registerTile) distinct() bool {
	factors := make([]int64, len(t.loops))
	for d, stride := range t.buffer.ElemStrides() {
		for i, l := range t.loops {
			k, ok := arith.Coefficient(t.index[d], l.Var)
			if !ok {
				return false
			}
			factors[i] += k * stride
		}
	}
	order := make([]int, len(factors))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(max(factors[a], -factors[a]), max(factors[b], -factors[b]))
	})
	reach := int64(0) // of the loops so far
	for _, i := range order {
		k := max(factors[i], -factors[i])
		n := t.loops[i].Extent.(*tir.IntImm).Value
		if n > 1 && k <= reach {
			return false
		}
		reach += k * (n - 1)
	}
	return true
}

// accesses collects how a statement reaches each buffer that it stores to.
type accesses struct {
	stored []*tir.Buffer // in order
	index  map[*tir.Buffer][]tir.Expr
	others map[*tir.Buffer][][]tir.Expr // other indices, in loops with instructions
	reads  map[*tir.Buffer]bool         // is read as well
	bad    map[*tir.Buffer]bool         // reached by two indices, or stored under a condition
	local  map[*tir.Buffer]bool         // allocated inside
	fresh  map[*tir.Buffer]bool         // is written before it is read
	loops  []*tir.For
	unfit  bool // holds something that rules out any change
}

func newAccesses(dots bool) accesses {
	none := func() map[*tir.Buffer]bool { return map[*tir.Buffer]bool{} }
	var others map[*tir.Buffer][][]tir.Expr
	if dots {
		others = map[*tir.Buffer][][]tir.Expr{}
	}
	return accesses{index: map[*tir.Buffer][]tir.Expr{}, others: others, reads: none(), bad: none(), local: none(),
		fresh: none()}
}

func (a *accesses) stmt(s tir.Stmt, cond tir.Expr) {
	switch s := s.(type) {
	case *tir.For:
		if s.Kind == tir.Parallel || isTile(s) {
			a.unfit = true
		}
		a.loops = append(a.loops, s)
		a.expr(s.Extent)
		a.stmt(s.Body, cond)
	case *tir.Store:
		if _, ok := a.index[s.Buffer]; !ok {
			a.stored = append(a.stored, s.Buffer)
			a.fresh[s.Buffer] = !tir.ReadsBuffer(s.Value, s.Buffer)
		}
		a.access(s.Buffer, s.Index)
		a.bad[s.Buffer] = a.bad[s.Buffer] || cond != nil
		a.expr(s.Value)
	case *tir.If:
		a.expr(s.Cond)
		a.stmt(s.Then, s.Cond)
		if s.Else != nil {
			a.stmt(s.Else, s.Cond)
		}
	case *tir.Seq:
		for _, t := range s.Stmts {
			a.stmt(t, cond)
		}
	case *tir.Alloc:
		a.local[s.Buffer] = true
		a.stmt(s.Body, cond)
	case *tir.Block:
		a.stmt(s.Body, cond)
	case *tir.Pragma:
		a.stmt(s.Body, cond)
	default:
		a.unfit = true
	}
}

func (a *accesses) expr(e tir.Expr) {
	for l := range tir.ExprsIn[*tir.Load](e) {
		a.reads[l.Buffer] = true
		a.access(l.Buffer, l.Index)
	}
}

// access notes an access; indices that look up other buffers do not count as
// equal.
func (a *accesses) access(b *tir.Buffer, index []tir.Expr) {
	first, ok := a.index[b]
	if !ok {
		a.index[b] = index
	} else if same := func(e []tir.Expr) bool { return slices.EqualFunc(e, index, tir.EqualExpr) }; !same(first) {
		if a.others == nil {
			a.bad[b] = true
		} else if !slices.ContainsFunc(a.others[b], same) {
			a.others[b] = append(a.others[b], index)
		}
	}
	a.bad[b] = a.bad[b] || slices.ContainsFunc(index, tir.Reads)
}
