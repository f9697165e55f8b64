package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// A Digit is a factor of a dimension of a buffer, of which the places below an entry of a vector of extents are needed;
// Entry is -1 if all are.
type Digit struct {
	Upper int64
	Entry int
}

// Within leaves out iterations of loops of f all of whose results nobody needs. Bounds says of outputs what is needed:
// of each dimension its digits, outermost first. The extents are those of a parameter, which Within adds before the
// outputs if f has no parameter that is it. It returns f if there is nothing to leave out. What is left is mostly at
// the beginning of a parallel loop, so threads take its iterations in turns.
//
//	parallel i in 64:              parallel t in 2:
//	  C[i*16 + j, ...] = ...  =>     for r in 32:
//	                                   if (r*2 + t)*16 < extents[0]:
//	                                     C[(r*2 + t)*16 + j, ...] = ...
func Within(f *tir.Func, bounds map[*tir.Buffer][][]Digit, extents *tir.Buffer, threads int) *tir.Func {
	w := &within{bounds: bounds, extents: extents, threads: int64(threads), inner: map[*tir.Var]int64{}}
	g := *f
	g.Body = w.stmt(f.Body, 0)
	if !w.changed {
		return f
	}
	if !slices.Contains(f.Params, extents) {
		g.Params = slices.Insert(slices.Clone(f.Params), len(f.Params)-f.Outputs, extents)
	}
	h, err := simplify(&g, Config{})
	if err != nil {
		panic("BUG: " + err.Error()) // simplify refuses nothing
	}
	return h
}

type within struct {
	bounds  map[*tir.Buffer][][]Digit
	extents *tir.Buffer
	threads int64
	inner   map[*tir.Var]int64 // variables of the loops inside of the one at hand, and their last iterations
	changed bool
}

// mostGuarded is how deep loops with a condition stand in each other, and leastGuarded how often the innermost
// statement of one runs: shorter ones do not wait for a condition.
const (
	mostGuarded  = 2
	leastGuarded = 512
)

func (w *within) stmt(s tir.Stmt, depth int) tir.Stmt {
	l, ok := s.(*tir.For)
	if !ok || l.Kind != tir.Parallel && l.Kind != tir.Serial {
		if ok { // unrolled loops and vectors stay whole
			return s
		}
		return tir.MapChildren(s, func(c tir.Stmt) tir.Stmt { return w.stmt(c, depth) })
	}
	next := *l
	beyond := w.beyond(l)
	if beyond != nil {
		depth++
	}
	if depth < mostGuarded {
		next.Body = w.stmt(l.Body, depth)
	}
	if beyond != nil {
		w.changed = true
		next.Body = &tir.If{Cond: &tir.Not{X: beyond}, Then: next.Body}
		return w.inTurns(&next)
	}
	return &next
}

// inTurns returns a parallel loop whose iterations the threads take in turns; other loops stay.
func (w *within) inTurns(l *tir.For) tir.Stmt {
	n, ok := l.Extent.(*tir.IntImm)
	if !ok || l.Kind != tir.Parallel || w.threads < 2 || n.Value <= w.threads {
		return l
	}
	thread, turn := tir.NewVar(l.Var.Name+"_t"), tir.NewVar(l.Var.Name+"_r")
	i := tir.Bin(tir.Add, tir.Bin(tir.Mul, turn, tir.Int(w.threads)), thread)
	body := tir.SubstituteStmt(l.Body, map[*tir.Var]tir.Expr{l.Var: i})
	if n.Value%w.threads != 0 {
		body = &tir.If{Cond: tir.Bin(tir.LT, i, n), Then: body}
	}
	turns := &tir.For{Var: turn, Extent: tir.Int((n.Value + w.threads - 1) / w.threads), Kind: tir.Serial, Body: body}
	return &tir.For{Var: thread, Extent: tir.Int(w.threads), Kind: tir.Parallel, Body: turns}
}

// A destination is where a loop writes.
type destination struct {
	buffer *tir.Buffer
	index  []tir.Expr
}

// beyond returns the condition under which an iteration of l makes nothing that is needed, or nil if there is none that
// depends on the iteration.
func (w *within) beyond(l *tir.For) tir.Expr {
	clear(w.inner)
	stores, own, ok := []destination{}, map[*tir.Buffer]bool{}, true
	longest := int64(1)
	var visit func(s tir.Stmt, times int64) tir.Stmt
	visit = func(s tir.Stmt, times int64) tir.Stmt {
		switch s := s.(type) {
		case *tir.For:
			n, known := s.Extent.(*tir.IntImm)
			if ok = ok && known && n.Value > 0 && s.Kind != tir.Tensorized; !ok {
				return s
			}
			w.inner[s.Var] = n.Value - 1
			times *= n.Value
		case *tir.Store:
			stores, longest = append(stores, destination{s.Buffer, s.Index}), max(longest, times)
		case *tir.Alloc:
			own[s.Buffer] = true
		case *tir.Seq, *tir.If, *tir.Block, *tir.Pragma:
		default:
			ok = false
		}
		return tir.MapChildren(s, func(c tir.Stmt) tir.Stmt { return visit(c, times) })
	}
	visit(l.Body, 1)
	if !ok || longest < leastGuarded {
		return nil
	}
	var all tir.Expr
	seen := map[string]bool{}
	for _, s := range stores {
		if own[s.buffer] {
			continue
		}
		one := w.storeBeyond(s)
		if one == nil {
			return nil
		}
		if text := one.String(); all == nil {
			all, seen[text] = one, true
		} else if !seen[text] {
			all, seen[text] = tir.Bin(tir.And, all, one), true
		}
	}
	if all == nil || !tir.Uses(all, l.Var) {
		return nil
	}
	return all
}

// storeBeyond returns the condition under which nothing that a statement writes in an iteration is needed, or nil.
func (w *within) storeBeyond(s destination) tir.Expr {
	var any tir.Expr
	for d, digits := range w.bounds[s.buffer] {
		inner := int64(1)
		for _, g := range digits {
			inner *= g.Upper
		}
		for k, g := range digits {
			inner /= g.Upper
			if g.Entry < 0 {
				continue
			}
			lo, hi, ok := w.ends(s.index[d])
			if !ok {
				return nil
			}
			lo, hi = quotient(lo, inner), quotient(hi, inner)
			limit := &tir.Load{Buffer: w.extents, Index: []tir.Expr{tir.Int(int64(g.Entry))}}
			c := tir.Bin(tir.GE, lo, limit)
			if k > 0 { // all of it lies in one place of the digits before
				c = tir.Bin(tir.And, tir.Bin(tir.EQ, quotient(lo, g.Upper), quotient(hi, g.Upper)),
					tir.Bin(tir.GE, tir.Bin(tir.FloorMod, lo, tir.Int(g.Upper)), limit))
			}
			if any == nil {
				any = c
			} else {
				any = tir.Bin(tir.Or, any, c)
			}
		}
	}
	return any
}

func quotient(x tir.Expr, by int64) tir.Expr {
	if by == 1 {
		return x
	}
	return tir.Bin(tir.FloorDiv, x, tir.Int(by))
}

// ends returns the least and the greatest value of an index while the loops inside run.
func (w *within) ends(e tir.Expr) (lo, hi tir.Expr, ok bool) {
	if !tir.HasExpr(e, func(x tir.Expr) bool { v, is := x.(*tir.Var); _, in := w.inner[v]; return is && in }) {
		return e, e, true
	}
	switch e := e.(type) {
	case *tir.Var:
		return tir.Int(0), tir.Int(w.inner[e]), true
	case *tir.Binary:
		a, b, ok := w.ends(e.X)
		c, d, too := w.ends(e.Y)
		n, constant := e.Y.(*tir.IntImm)
		switch {
		case !ok || !too:
		case e.Op == tir.Add || e.Op == tir.Min || e.Op == tir.Max:
			return tir.Bin(e.Op, a, c), tir.Bin(e.Op, b, d), true
		case e.Op == tir.Sub:
			return tir.Bin(tir.Sub, a, d), tir.Bin(tir.Sub, b, c), true
		case constant && n.Value > 0 && (e.Op == tir.Mul || e.Op == tir.FloorDiv):
			return tir.Bin(e.Op, a, n), tir.Bin(e.Op, b, n), true
		case constant && n.Value > 0 && e.Op == tir.FloorMod:
			return tir.Int(0), tir.Int(n.Value - 1), true
		}
	}
	return nil, nil, false
}
