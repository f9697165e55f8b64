package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// tiles keeps what instructions of tiles add to in their registers, and writes loops over a few tiles out:
//
//	for i in 2: for m in 16: vectorize n in 16:          alloc C.tile: int32[2, 16, 16] tile
//	  C[16*i + m, n] = 0                                 tensorize m in 16 by tdpbusd: vectorize n in 16 by tdpbusd:
//	for k in 8:                                            C.tile[0, m, n] = 0
//	  for i in 2:                                        ...
//	    tensorize kk in 16 by tdpbusd: ...        =>     for k in 8:
//	      C[16*i + m, n] = C[16*i + m, n] + ...            tensorize kk in 16 by tdpbusd: ...
//	                                                         C.tile[0, m, n] = C.tile[0, m, n] + ...
//	                                                       ...
//	                                                     tensorize m in 16 by tdpbusd: vectorize n in 16 by tdpbusd:
//	                                                       C[m, n] = C.tile[0, m, n]
//	                                                     ...
//
// A tile that nothing has set to 0 just before is loaded. Conditions on whether there is a tile, or on how large it is,
// move outside of all that.
//
// Where that cannot be, because something else writes the elements, there are more tiles than registers, or a condition
// differs from one step of the sum to another, the loops are carried out by another instruction.
func tiles(f *tir.Func, cfg Config) (*tir.Func, error) {
	if !hasTiles(f.Body) {
		return f, nil
	}
	others := cfg.instructions(func(i *tir.Instruction) bool { return !i.IsTile() })
	t := tiler{simplifier{Simplifier: arith.NewSimplifier()}, others}
	g := *f
	g.Body = t.rewritten(f.Body)
	return &g, nil
}

type tiler struct {
	simplifier
	others []*tir.Instruction // of the target, for loops that are none of tiles
}

func isTile(l *tir.For) bool { return l.Instruction != nil && l.Instruction.IsTile() }

// hasTiles reports whether s has loops of tiles that are not in registers yet.
func hasTiles(s tir.Stmt) bool {
	return tir.Has(s, func(s tir.Stmt) bool {
		l, ok := s.(*tir.For)
		return ok && isTile(l) && !tir.Has(l.Body, func(s tir.Stmt) bool {
			st, ok := s.(*tir.Store)
			in := l.Instruction.Scopes[2]
			return ok && (st.Buffer.Scope == in || tir.HasExpr(st.Value, func(e tir.Expr) bool {
				l, ok := e.(*tir.Load)
				return ok && l.Buffer.Scope == in
			}))
		})
	})
}

// rewritten returns s with all products of tiles in registers, or carried out by other instructions.
func (t tiler) rewritten(s tir.Stmt) tir.Stmt {
	if !hasTiles(s) {
		return s
	}
	if u := t.accumulated(nil, s); u != nil {
		return u
	}
	switch s := s.(type) {
	case *tir.Seq:
		return t.inRow(s.Stmts)
	case *tir.For:
		if isTile(s) {
			return selected(t.others, untiled(s), nil)
		}
		if _, hi, ok := t.Bounds(s.Extent); ok {
			t.Bind(s.Var, 0, hi-1)
		}
	case *tir.If:
		c := *s
		m := t.Assume(s.Cond)
		c.Then = t.rewritten(s.Then)
		t.Release(m)
		if s.Else != nil {
			m = t.Assume(&tir.Not{X: s.Cond})
			c.Else = t.rewritten(s.Else)
			t.Release(m)
		}
		return &c
	}
	return tir.MapChildren(s, t.rewritten)
}

// inRow rewrites statements. As many in a row that add to tiles as can go together do, with one before that sets them.
func (t tiler) inRow(stmts []tir.Stmt) tir.Stmt {
	var list []tir.Stmt
	for i := 0; i < len(stmts); {
		n := i
		for n < len(stmts) && hasTiles(stmts[n]) {
			n++
		}
		var both tir.Stmt
		for ; n > i && both == nil; n-- {
			if i > 0 && !hasTiles(stmts[i-1]) {
				if both = t.accumulated(stmts[i-1], tir.Sequence(stmts[i:n]...)); both != nil {
					list = list[:len(list)-1]
				}
			} else {
				both = t.accumulated(nil, tir.Sequence(stmts[i:n]...))
			}
		}
		if both == nil {
			both, n = t.rewritten(stmts[i]), i
		}
		list, i = append(list, both), n+1
	}
	return tir.Sequence(list...)
}

// untiled returns loops without the instruction of tiles.
func untiled(s tir.Stmt) tir.Stmt {
	return tir.MapStmt(s, func(s tir.Stmt) tir.Stmt {
		l, ok := s.(*tir.For)
		if !ok || !isTile(l) {
			return s
		}
		c := *l
		if c.Instruction = nil; hasLoops(c.Body) && c.Kind == tir.Tensorized {
			c.Kind = tir.Serial
		}
		return &c
	}, nil)
}

func hasLoops(s tir.Stmt) bool {
	return tir.Has(s, func(s tir.Stmt) bool {
		_, ok := s.(*tir.For)
		return ok
	})
}

// accumulated returns sums, which add to tiles, with these in registers, and with init before, which may set them to 0;
// nil if they cannot be.
func (t tiler) accumulated(init, sums tir.Stmt) tir.Stmt {
	var of *product
	for l := range tir.StmtsIn[*tir.For](sums) {
		if n, ok := tir.TileLoopsOf(l); ok && n.Groups != nil {
			of = &product{n.Store.Buffer, 2 * n.By.MostTiles()}
			break
		}
	}
	if of == nil {
		return nil
	}
	c := of.sum
	sums, n := t.writtenOut(sums, *of)
	if sums == nil || n > of.most { // some are in either branch of a condition
		return nil
	}
	if s, ok := t.versions(init, sums, c); ok {
		return s
	}
	return nil
}

// A product is what tiles are added to, and how many times it may stand in a program.
type product struct {
	sum  *tir.Buffer
	most int64
}

// writtenOut returns s with loops from tile to tile of a product written out, and how many products of tiles it has;
// nil if something is in it that must not be.
func (t tiler) writtenOut(s tir.Stmt, p product) (tir.Stmt, int64) {
	if !hasTiles(s) {
		if writes(s, p.sum) || readsIn(s, p.sum) {
			return nil, 0
		}
		return s, 0
	}
	switch s := s.(type) {
	case *tir.For:
		if isTile(s) {
			return s, 1
		}
		body, n := t.writtenOut(s.Body, p)
		if body == nil || s.Kind != tir.Serial && s.Kind != tir.Unrolled || !runs(s) {
			return nil, 0
		}
		if !storesBy(body, s.Var) {
			l := *s
			l.Body = body
			return &l, n
		}
		extent := s.Extent.(*tir.IntImm).Value
		if extent*n > p.most {
			return nil, 0
		}
		var list []tir.Stmt
		for i := range extent {
			list = append(list, tir.FreshLoops(tir.SubstituteStmt(body, map[*tir.Var]tir.Expr{s.Var: tir.Int(i)})))
		}
		return tir.Sequence(list...), extent * n
	case *tir.Seq:
		var list []tir.Stmt
		all := int64(0)
		for _, u := range s.Stmts {
			u, n := t.writtenOut(u, p)
			if u == nil {
				return nil, 0
			}
			list, all = append(list, u), all+n
		}
		return tir.Sequence(list...), all
	case *tir.If:
		l := *s
		var n, m int64
		if l.Then, n = t.writtenOut(s.Then, p); l.Then == nil {
			return nil, 0
		}
		if s.Else != nil {
			if l.Else, m = t.writtenOut(s.Else, p); l.Else == nil {
				return nil, 0
			}
		}
		return &l, max(n, m)
	case *tir.Block:
		return t.writtenOut(s.Body, p)
	case *tir.Pragma:
		return t.writtenOut(s.Body, p)
	}
	return nil, 0
}

// storesBy reports whether v decides which tile a product in s is added to.
func storesBy(s tir.Stmt, v *tir.Var) bool {
	return tir.Has(s, func(s tir.Stmt) bool {
		l, ok := s.(*tir.For)
		if !ok || !isTile(l) {
			return false
		}
		n, ok := tir.TileLoopsOf(l)
		return ok && slices.ContainsFunc(n.Store.Index, func(e tir.Expr) bool { return tir.Uses(e, v) })
	})
}

// versions returns sums in registers under each of the conditions that decide which tiles there are. It returns false
// if they cannot be.
func (t tiler) versions(init, sums tir.Stmt, c *tir.Buffer) (tir.Stmt, bool) {
	if init != nil {
		init = t.stmt(init)
	}
	if sums = t.stmt(sums); sums == nil || !hasTiles(sums) {
		return joinedWith(init, sums), true
	}
	var cond tir.Expr
	inner := map[*tir.Var]bool{}
	tir.Visit(sums, func(s tir.Stmt) bool {
		switch s := s.(type) {
		case *tir.For:
			inner[s.Var] = true
		case *tir.If:
			if cond == nil && hasTiles(s) {
				cond = s.Cond
			}
		}
		return true
	})
	if cond == nil {
		s := t.inRegisters(init, sums, c)
		return s, s != nil
	}
	if tir.Reads(cond) || tir.HasExpr(cond, func(e tir.Expr) bool {
		v, ok := e.(*tir.Var)
		return ok && inner[v]
	}) {
		return nil, false
	}
	m := t.Assume(cond)
	then, ok := t.versions(init, sums, c)
	t.Release(m)
	if !ok {
		return nil, false
	}
	m = t.Assume(&tir.Not{X: cond})
	els, ok := t.versions(init, sums, c)
	t.Release(m)
	return either(cond, then, els), ok
}

// joinedWith returns two statements in a row, either of which may be nil.
func joinedWith(s, t tir.Stmt) tir.Stmt {
	switch {
	case s == nil:
		return t
	case t == nil:
		return s
	}
	return tir.Sequence(s, t)
}
