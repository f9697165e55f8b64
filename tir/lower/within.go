package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// A Digit is a factor of a dimension of a buffer, of which the places below an entry of a vector of extents are needed;
// Entry is -1 if all are.
type Digit struct {
	Upper int64
	Entry int
}

// A Mask says that elements of an output beyond some digits, as in bounds, are a number.
type Mask struct {
	Digits [][]Digit
	Value  tir.Expr
}

// Within leaves out iterations of loops of f all of whose results nobody needs. Bounds says of outputs what is needed:
// of each dimension its digits, outermost first. Of masks, iterations all of whose results are the number only write
// it. The extents are those of a parameter, which Within adds before the outputs if f has no parameter that is it. It
// returns f if there is nothing to leave out. What is left is often at the beginning of a parallel loop, so threads
// then take its iterations in turns. Tiles at the edge of what is needed have versions of fewer rows (tails.go).
//
//	parallel i in 64:              parallel t in 2:
//	  C[i*16 + j, ...] = ...  =>     for r in 32:
//	                                   if (r*2 + (t + r)%2)*16 < extents[0]:
//	                                     C[(r*2 + (t + r)%2)*16 + j, ...] = ...
func Within(f *tir.Func, bounds map[*tir.Buffer][][]Digit, masks map[*tir.Buffer]Mask, extents *tir.Buffer, threads int,
) *tir.Func {
	w := &within{bounds: bounds, masks: masks, hidden: map[*tir.Buffer][][]Digit{}, extents: extents,
		threads: int64(threads), uppers: map[int64]int64{}, inner: map[*tir.Var]int64{}}
	for b, m := range masks {
		w.hidden[b] = m.Digits
	}
	for _, list := range []map[*tir.Buffer][][]Digit{bounds, w.hidden} {
		for _, dims := range list {
			for _, g := range slices.Concat(dims...) {
				w.uppers[int64(g.Entry)] = max(w.uppers[int64(g.Entry)], g.Upper)
			}
		}
	}
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
	masks   map[*tir.Buffer]Mask
	hidden  map[*tir.Buffer][][]Digit // of masks
	extents *tir.Buffer
	threads int64
	uppers  map[int64]int64    // of entries
	inner   map[*tir.Var]int64 // variables of the loops inside of the one at hand, and their last iterations
	changed bool
}

// mostGuarded is how deep loops with a condition stand in each other, and leastGuarded how often statements of one run:
// shorter ones do not wait for a condition.
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
	beyond, hidden := w.beyond(l, w.bounds), w.beyond(l, w.hidden)
	var number tir.Stmt
	if hidden != nil && !readsInConditions(l.Body) {
		number = w.number(l.Body)
	}
	if beyond == nil && number == nil {
		if depth < mostGuarded {
			next.Body = w.stmt(l.Body, depth)
		}
		return &next
	}
	w.changed = false
	if depth+1 < mostGuarded {
		next.Body = w.stmt(l.Body, depth+1)
	}
	if !w.changed && beyond != nil {
		next.Body = w.tails(l.Body)
	}
	w.changed = true
	if number != nil {
		next.Body = &tir.If{Cond: hidden, Then: number, Else: next.Body}
	}
	if beyond != nil {
		next.Body = &tir.If{Cond: &tir.Not{X: beyond}, Then: next.Body}
	}
	return w.inTurns(&next, l.Var, beyond, hidden)
}

// readsInConditions reports whether a condition in s reads memory.
func readsInConditions(s tir.Stmt) bool {
	found := false
	var visit func(s tir.Stmt) tir.Stmt
	visit = func(s tir.Stmt) tir.Stmt {
		if i, ok := s.(*tir.If); ok {
			found = found || tir.HasExpr(i.Cond, func(e tir.Expr) bool { _, load := e.(*tir.Load); return load })
		}
		return tir.MapChildren(s, visit)
	}
	visit(s)
	return found
}

// number returns the loops of s that write to masks, which write the number.
func (w *within) number(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Store:
		m, ok := w.masks[s.Buffer]
		if !ok {
			return nil
		}
		return &tir.Store{Buffer: s.Buffer, Index: s.Index, Value: m.Value}
	case *tir.For:
		if body := w.number(s.Body); body != nil {
			k := *s
			k.Var = tir.NewVar(s.Var.Name)
			k.Body = tir.SubstituteStmt(body, map[*tir.Var]tir.Expr{s.Var: k.Var})
			return &k
		}
	case *tir.Seq:
		var list []tir.Stmt
		for _, c := range s.Stmts {
			if c = w.number(c); c != nil {
				list = append(list, c)
			}
		}
		if len(list) > 0 {
			return &tir.Seq{Stmts: list}
		}
	case *tir.If:
		then, els := w.number(s.Then), tir.Stmt(nil)
		if s.Else != nil {
			els = w.number(s.Else)
		}
		if then == nil && els == nil {
			return nil
		}
		if then == nil {
			then = &tir.Seq{}
		}
		return &tir.If{Cond: s.Cond, Then: then, Else: els}
	case *tir.Alloc:
		return w.number(s.Body)
	case *tir.Block:
		return w.number(s.Body)
	case *tir.Pragma:
		return w.number(s.Body)
	}
	return nil
}

// inTurns returns a parallel loop that each thread has as much to do of at any extents; other loops stay. Conditions
// out say which iterations are left out, by the variable of the loop.
func (w *within) inTurns(l *tir.For, v *tir.Var, out ...tir.Expr) tir.Stmt {
	n, ok := l.Extent.(*tir.IntImm)
	if !ok || l.Kind != tir.Parallel || w.threads < 2 || n.Value <= w.threads {
		return l
	}
	by := w.divide(v, n.Value, out)
	if by.block == n.Value {
		return l
	}
	thread, turn := tir.NewVar(l.Var.Name+"_t"), tir.NewVar(l.Var.Name+"_r")
	body := tir.SubstituteStmt(l.Body, map[*tir.Var]tir.Expr{l.Var: by.iteration(thread, turn)})
	if n.Value%w.threads != 0 {
		body = &tir.If{Cond: tir.Bin(tir.LT, by.iteration(thread, turn), n), Then: body}
	}
	turns := &tir.For{Var: turn, Extent: tir.Int((n.Value + w.threads - 1) / w.threads), Kind: tir.Serial, Body: body}
	return &tir.For{Var: thread, Extent: tir.Int(w.threads), Kind: tir.Parallel, Body: turns}
}

// A division says which iterations of a parallel loop are those of a thread: of each block of iterations in a row as
// many as of other threads, which are in a row, too. Blocks of as many iterations as there are threads shift: of two,
// each thread takes the first one half of the time, and once more in so many turns.
type division struct {
	threads, block, shift int64
}

func (d division) iteration(thread, turn tir.Expr) tir.Expr {
	own := d.block / d.threads
	if own > 1 {
		i := tir.Bin(tir.Add, tir.Bin(tir.Mul, thread, tir.Int(own)), tir.Bin(tir.FloorMod, turn, tir.Int(own)))
		return tir.Bin(tir.Add, tir.Bin(tir.Mul, quotient(turn, own), tir.Int(d.block)), i)
	}
	at := tir.Bin(tir.Add, thread, turn)
	if d.shift > 0 {
		at = tir.Bin(tir.Add, at, quotient(turn, d.shift))
	}
	return tir.Bin(tir.Add, tir.Bin(tir.Mul, turn, tir.Int(d.threads)), tir.Bin(tir.FloorMod, at, tir.Int(d.threads)))
}

// thread returns whose an iteration is.
func (d division) thread(i int64) int64 {
	if own := (d.block + d.threads - 1) / d.threads; own > 1 {
		return i % d.block / own
	}
	turn := i / d.threads
	at := i - turn
	if d.shift > 0 {
		at -= turn / d.shift
	}
	return (at%d.threads + d.threads) % d.threads
}

// mostTurns is how many iterations of a parallel loop are looked at to divide them, and uneven what part more the
// thread with most to do may have, for blocks to be large: what threads read then lies in the cache of one alone.
const (
	mostTurns = 1 << 13
	uneven    = 0.03
)

// divide chooses the division of a loop: that into the largest blocks which is even at some extents, or else the one
// that is most even.
func (w *within) divide(v *tir.Var, count int64, out []tir.Expr) division {
	best := division{w.threads, w.threads, 0}
	left := w.left(v, count, out)
	if left == nil {
		return best
	}
	var list []division
	for block := count; block > w.threads; block-- {
		if count%block == 0 && (block%w.threads == 0 || block == count) {
			list = append(list, division{w.threads, block, 0})
		}
	}
	rounds := (count + w.threads - 1) / w.threads
	for _, every := range slices.Concat([]int64{0}, divisors(rounds)) {
		list = append(list, division{w.threads, w.threads, every})
	}
	least := int64(-1)
	for _, d := range list {
		worst, even := int64(0), int64(0)
		for _, at := range left {
			busy, all := make([]int64, w.threads), int64(0)
			for i, beyond := range at {
				if !beyond {
					busy[d.thread(int64(i))]++
					all++
				}
			}
			worst, even = worst+slices.Max(busy), even+(all+w.threads-1)/w.threads
		}
		if float64(worst) <= (1+uneven)*float64(even) {
			return d
		}
		if least < 0 || worst < least {
			best, least = d, worst
		}
	}
	return best
}

// left returns which iterations are left out, at some extents; nil if that is not known.
func (w *within) left(v *tir.Var, count int64, out []tir.Expr) [][]bool {
	if count > mostTurns {
		return nil
	}
	var left [][]bool
	for _, part := range []int64{0, 1, 3, 5, 9, 15} {
		list := make([]bool, count)
		for i := range count {
			for _, cond := range out {
				if cond == nil || list[i] {
					continue
				}
				beyond, ok := arith.Eval(cond, func(e tir.Expr) (int64, bool) {
					if l, is := e.(*tir.Load); is && l.Buffer == w.extents {
						at := l.Index[0].(*tir.IntImm).Value
						return max(w.uppers[at]*part/16, 1), true
					}
					return i, e == tir.Expr(v)
				})
				if !ok {
					return nil
				}
				list[i] = beyond != 0
			}
		}
		left = append(left, list)
	}
	return left
}

// divisors returns the divisors of n between 1 and n.
func divisors(n int64) []int64 {
	var list []int64
	for d := int64(2); d < n; d++ {
		if n%d == 0 {
			list = append(list, d)
		}
	}
	return list
}

// A destination is where a loop writes.
type destination struct {
	buffer *tir.Buffer
	index  []tir.Expr
}

// beyond returns the condition under which an iteration of l makes nothing within bounds, or nil if there is none that
// depends on the iteration.
func (w *within) beyond(l *tir.For, bounds map[*tir.Buffer][][]Digit) tir.Expr {
	clear(w.inner)
	stores, own, ok := []destination{}, map[*tir.Buffer]bool{}, true
	steps := int64(0)
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
			stores, steps = append(stores, destination{s.Buffer, s.Index}), steps+times
		case *tir.Alloc:
			own[s.Buffer] = true
		case *tir.Seq, *tir.If, *tir.Block, *tir.Pragma:
		default:
			ok = false
		}
		return tir.MapChildren(s, func(c tir.Stmt) tir.Stmt { return visit(c, times) })
	}
	visit(l.Body, 1)
	if !ok || steps < leastGuarded {
		return nil
	}
	var all tir.Expr
	seen := map[string]bool{}
	for _, s := range stores {
		if own[s.buffer] {
			continue
		}
		one := w.storeBeyond(s, bounds[s.buffer])
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

// storeBeyond returns the condition under which nothing that a statement writes in an iteration is within bounds.
func (w *within) storeBeyond(s destination, bounds [][]Digit) tir.Expr {
	var any tir.Expr
	for d, digits := range bounds {
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
