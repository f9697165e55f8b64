package lower

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/target"
)

// Shares chooses which iterations of f's parallel loops are each thread's, so that a thread reads what it has written
// itself: what another core has written comes from that core's cache, which is as slow as memory. A fused loop counts
// in digits (see traverse), and the first one divides it among the threads. Another digit becomes the first, and the
// order of the others stays:
//
//	parallel f in 112:                                parallel g in 112:
//	  C[f % 14, (f / 56)*7 + ..., f / 14 % 4, ...] =>   C[g / 8, (g % 8 / 4)*7 + ..., g % 4, ...]
//
// A division is described by its period: the thread of an element depends on its place in memory modulo the period. Of
// a tensor that is divided by rows, that is its length; by channels, which lie together, the number of channels. Inputs
// says how inputs are divided; where no digit divides the largest of them so, or none is known, rows says whether the
// digit that moves furthest through what the loop writes becomes the first. Shares returns the periods of what f
// writes.
//
// Nothing changes where it would cost more than it spares: a product whose threads have rows reads all of its weights
// for each tile of rows, unless a cache holds them.
func Shares(
	f *tir.Func, inputs map[*tir.Buffer]int64, rows bool, t target.Target,
) (*tir.Func, map[*tir.Buffer]int64) {
	changed, periods := false, map[*tir.Buffer]int64{}
	g := *f
	g.Body = parallelLoops(f.Body, func(loop *tir.For) tir.Stmt {
		next := share(loop, inputs, rows, periods, ownBytes(t))
		changed = changed || next != tir.Stmt(loop)
		return next
	})
	if !changed {
		return f, periods
	}
	h, err := simplify(&g, Config{})
	if err != nil {
		panic("BUG: " + err.Error()) // simplify refuses nothing
	}
	return h, periods
}

// parallelLoops maps the outermost parallel loops of s.
func parallelLoops(s tir.Stmt, f func(*tir.For) tir.Stmt) tir.Stmt {
	if loop, ok := s.(*tir.For); ok && loop.Kind == tir.Parallel {
		return f(loop)
	}
	return tir.MapChildren(s, func(t tir.Stmt) tir.Stmt { return parallelLoops(t, f) })
}

// share returns a loop with the digit first that divides the inputs as they are, and notes how that divides its
// outputs.
func share(
	loop *tir.For, inputs map[*tir.Buffer]int64, rows bool, periods map[*tir.Buffer]int64, own float64,
) tir.Stmt {
	extent, ok := loop.Extent.(*tir.IntImm)
	if !ok {
		return loop
	}
	t := digitsOf(loop, own)
	if t == nil { // one digit, it seems
		t = &traversal{loop: loop, radix: []int64{1, extent.Value}, own: own}
	}
	last := len(t.radix) - 2
	reads, writes := touches(loop)
	first, spared := t.matching(reads, inputs)
	if first < 0 && rows {
		first, spared = t.furthest(writes), bytesOf(writes)
	}
	if first < 0 || t.cost(t.startingWith(first)) > t.cost(t.startingWith(last))+spared {
		first = last
	}
	for _, w := range writes {
		periods[w.buffer] = t.period(w, first)
	}
	if first == last {
		return loop
	}
	return t.inOrder(t.startingWith(first))
}

// startingWith returns the order with digit d first.
func (t *traversal) startingWith(d int) []int {
	order := []int{d}
	for k := len(t.radix) - 2; k >= 0; k-- {
		if k != d {
			order = append(order, k)
		}
	}
	return order
}

func bytesOf(list []touched) float64 {
	sum := 0.0
	for _, p := range list {
		sum += float64(p.buffer.Bytes())
	}
	return sum
}

// period returns the period of what a digit divides among the threads.
func (t *traversal) period(p touched, d int) int64 {
	return p.moves(t.loop.Var, t.radix[d]) * t.size(d)
}

// matching returns the digit that divides the largest input that it can as that is divided, or -1, and the bytes of the
// input. Periods need not be the same: windows and strides make them differ a little.
func (t *traversal) matching(reads []touched, inputs map[*tir.Buffer]int64) (best int, bytes float64) {
	best = -1
	for _, r := range reads {
		want := inputs[r.buffer]
		if want == 0 || float64(r.buffer.Bytes()) <= bytes {
			continue
		}
		for d := len(t.radix) - 2; d >= 0; d-- {
			if p := t.period(r, d); 4*p >= 3*want && 3*p <= 4*want {
				best, bytes = d, float64(r.buffer.Bytes())
				break
			}
		}
	}
	return best, bytes
}

// furthest returns the digit that moves furthest through what the loop writes, or -1.
func (t *traversal) furthest(writes []touched) int {
	best, most := -1, int64(0)
	for d := len(t.radix) - 2; d >= 0; d-- {
		for _, w := range writes {
			if m := w.moves(t.loop.Var, t.radix[d]); m > most {
				best, most = d, m
			}
		}
	}
	return best
}

// A touched is a place in memory that a loop reads or writes.
type touched struct {
	buffer *tir.Buffer
	index  []tir.Expr
}

// touches returns one place of each buffer in memory that a loop reads, and of each that it writes.
func touches(loop *tir.For) (reads, writes []touched) {
	seen := map[*tir.Buffer]bool{}
	add := func(list *[]touched, b *tir.Buffer, index []tir.Expr) {
		if !seen[b] && b.InGlobal() {
			seen[b] = true
			*list = append(*list, touched{b, index})
		}
	}
	for s := range tir.StmtsIn[*tir.Store](loop.Body) {
		add(&writes, s.Buffer, s.Index)
	}
	tir.VisitAllExprs(loop.Body, func(e tir.Expr) bool {
		if l, ok := e.(*tir.Load); ok {
			add(&reads, l.Buffer, l.Index)
		}
		return true
	})
	return reads, writes
}

// moves returns how many elements lie between the places at iteration 0 and at another one; 0 if that is not known.
func (a touched) moves(v *tir.Var, iteration int64) int64 {
	from, ok1 := a.at(v, 0)
	to, ok2 := a.at(v, iteration)
	if !ok1 || !ok2 {
		return 0
	}
	return max(to-from, 0)
}

// at returns which element is accessed at an iteration, at the start of all other loops.
func (a touched) at(v *tir.Var, iteration int64) (int64, bool) {
	s := arith.NewSimplifier()
	at := int64(0)
	for d, e := range a.index {
		e = tir.MapExpr(e, func(e tir.Expr) tir.Expr {
			if e == tir.Expr(v) {
				return tir.Int(iteration)
			}
			if _, ok := e.(*tir.Var); ok {
				return tir.Int(0)
			}
			return e
		})
		c, ok := s.Expr(e).(*tir.IntImm)
		if !ok {
			return 0, false
		}
		at += c.Value * a.buffer.ElemStrides()[d]
	}
	return at, true
}
