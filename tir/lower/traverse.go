package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// Bounds of traverse.
const (
	maxDigits = 5    // of a loop; all orders are tried
	gain      = 0.75 // of the cost of the bytes read, below which the order is changed
)

// ownCost is what it costs to read a byte again that is in a core's own cache, beside one that is not.
const ownCost = 1.0 / 8

// These are variables for tests, whose tensors are small: the size up to which a
// tensor is read again at no cost, that up to which at ownCost, and what chooses the
// order.
var (
	nearBytes = 256.0 * 1024
	ownBytes  = func(t target.Target) float64 { return float64(t.CoreCacheBytes()) }
	orderOf   = (*traversal).best
)

// traverse chooses the order in which a fused parallel loop goes through what it
// was fused from, which is free, since its iterations are independent. Loops are
// fused rows first, so a product with large weights would read all of them once
// for each tile of rows:
//
//	parallel f in 512:                           parallel f in 512:
//	  C[(f/128)*32 + i, (f%128)*16 + j] += =>      C[(f%4)*32 + i, (f/4)*16 + j] +=
//	    A[(f/128)*32 + i, k]*W[k, (f%128)*16 + j]    A[(f%4)*32 + i, k]*W[k, (f/4)*16 + j]
//
// Each quotient and remainder of the variable is a digit. A tensor is read once
// for each combination of the digits that its indices do not depend on and that are
// not inside of all those that they do depend on: for the latter, what was read
// last is still in a cache. Tensors of nearBytes are in a cache in any case, and those that
// a core's own cache holds are read again at ownCost: it is better to read the rows of a
// product again than its weights, from memory. (Each tensor is judged alone, and several may
// be more than the cache holds.) The order that costs the least is taken, if it is worth it.
//
// A loop stays as it is if its variable is used in another way, if its parts do not
// divide each other, or if there are too many.
func traverse(f *tir.Func, cfg Config) (*tir.Func, error) {
	g := *f
	g.Body = traversed(f.Body, ownBytes(cfg.Target))
	return &g, nil
}

// traversed maps the outermost parallel loops of s, for a core whose own cache has so many bytes.
func traversed(s tir.Stmt, own float64) tir.Stmt {
	l, ok := s.(*tir.For)
	if !ok || l.Kind != tir.Parallel {
		return tir.MapChildren(s, func(c tir.Stmt) tir.Stmt { return traversed(c, own) })
	}
	t := digitsOf(l, own)
	if t == nil {
		return l
	}
	order := orderOf(t)
	if order == nil {
		return l
	}
	return t.inOrder(order)
}

// A traversal is a parallel loop whose variable is only used by its digits.
type traversal struct {
	loop  *tir.For
	parts map[tir.Expr][2]int64 // expressions of the variable: (f mod second) / first
	radix []int64               // 1, and what the digits before each are counted by; the last is the extent
	reads []reading             // of tensors from outside of the loop
	own   float64               // bytes of a core's own cache
}

// A reading is all that a loop reads of one tensor.
type reading struct {
	bytes float64
	uses  []bool // by digit
}

// digitsOf takes the variable of a loop apart, or returns nil if it cannot.
func digitsOf(l *tir.For, own float64) *traversal {
	extent, ok := l.Extent.(*tir.IntImm)
	if !ok {
		return nil
	}
	t := &traversal{loop: l, parts: map[tir.Expr][2]int64{}, radix: []int64{1, extent.Value}, own: own}
	whole := true
	look := func(e tir.Expr) bool {
		if part, ok := partOf(e, l.Var, extent.Value); ok {
			whole = whole && e != tir.Expr(l.Var)
			t.parts[e] = part
			t.radix = append(t.radix, part[0], part[1])
			return false
		}
		return true
	}
	tir.VisitAllExprs(l.Body, look)
	slices.Sort(t.radix)
	t.radix = slices.Compact(t.radix)
	digits := len(t.radix) - 1
	if !whole || digits < 2 || digits > maxDigits {
		return nil
	}
	for d := range digits {
		if t.radix[d+1]%t.radix[d] != 0 {
			return nil
		}
	}
	t.read()
	return t
}

// partOf returns lo and hi if e is (v mod hi) / lo, rounded down.
func partOf(e tir.Expr, v *tir.Var, extent int64) (part [2]int64, ok bool) {
	if e == tir.Expr(v) {
		return [2]int64{1, extent}, true
	}
	b, isBinary := e.(*tir.Binary)
	if !isBinary || b.Op != tir.FloorDiv && b.Op != tir.FloorMod {
		return part, false
	}
	n, isConst := b.Y.(*tir.IntImm)
	part, ok = partOf(b.X, v, extent)
	if !ok || !isConst {
		return part, false
	}
	switch whole := part[0] * n.Value; {
	case b.Op == tir.FloorDiv:
		part[0] = whole
	case whole < part[1] && part[1]%whole != 0:
		return part, false
	default:
		part[1] = min(part[1], whole)
	}
	return part, part[0] < part[1]
}

// read finds what the loop reads.
func (t *traversal) read() {
	inside := map[*tir.Buffer]bool{}
	for a := range tir.StmtsIn[*tir.Alloc](t.loop.Body) {
		inside[a.Buffer] = true
	}
	var order []*tir.Buffer
	uses := map[*tir.Buffer][]bool{}
	tir.VisitAllExprs(t.loop.Body, func(e tir.Expr) bool {
		l, ok := e.(*tir.Load)
		if !ok || inside[l.Buffer] {
			return true
		}
		if uses[l.Buffer] == nil {
			uses[l.Buffer] = make([]bool, len(t.radix)-1)
			order = append(order, l.Buffer)
		}
		for _, i := range l.Index {
			tir.VisitExpr(i, func(x tir.Expr) bool {
				part, ok := t.parts[x]
				for d := range uses[l.Buffer] {
					if ok && part[0] <= t.radix[d] && t.radix[d] < part[1] {
						uses[l.Buffer][d] = true
					}
				}
				return !ok
			})
		}
		return true
	})
	for _, b := range order {
		t.reads = append(t.reads, reading{float64(b.Bytes()), uses[b]})
	}
}

// size returns the number of values of a digit.
func (t *traversal) size(d int) int64 { return t.radix[d+1] / t.radix[d] }

// cost returns how many bytes are read if the digits are gone through in an order,
// outermost first; those from a core's own cache count ownCost.
func (t *traversal) cost(order []int) float64 {
	sum := 0.0
	for _, r := range t.reads {
		times, pending := 1.0, 1.0
		for _, d := range order {
			if r.uses[d] {
				times = pending
			} else {
				pending *= float64(t.size(d))
			}
		}
		switch {
		case r.bytes <= nearBytes:
			times = 1
		case r.bytes <= t.own:
			times = 1 + (times-1)*ownCost
		}
		sum += times * r.bytes
	}
	return sum
}

// best returns the order that costs the least, or nil if it is not worth changing.
func (t *traversal) best() []int {
	var original []int
	for d := len(t.radix) - 2; d >= 0; d-- {
		original = append(original, d)
	}
	least, best := gain*t.cost(original), []int(nil)
	var try func(prefix, rest []int)
	try = func(prefix, rest []int) {
		if len(rest) == 0 {
			if c := t.cost(prefix); c < least {
				least, best = c, slices.Clone(prefix)
			}
		}
		for i := range rest {
			try(append(prefix[:len(prefix):len(prefix)], rest[i]), slices.Delete(slices.Clone(rest), i, i+1))
		}
	}
	try(nil, original)
	return best
}

// inOrder returns the loop with the digits gone through in an order, outermost
// first.
func (t *traversal) inOrder(order []int) tir.Stmt {
	v := tir.NewVar(t.loop.Var.Name)
	digit := make([]tir.Expr, len(order))
	inner := int64(1)
	for k := len(order) - 1; k >= 0; k-- {
		d := order[k]
		var e tir.Expr = v
		if inner > 1 {
			e = tir.Bin(tir.FloorDiv, e, tir.Int(inner))
		}
		if k > 0 {
			e = tir.Bin(tir.FloorMod, e, tir.Int(t.size(d)))
		}
		digit[d] = e
		inner *= t.size(d)
	}
	part := func(e tir.Expr) tir.Expr {
		p, ok := t.parts[e]
		if !ok {
			return e
		}
		var sum tir.Expr
		for d := len(digit) - 1; d >= 0; d-- {
			if t.radix[d] < p[0] || t.radix[d] >= p[1] {
				continue
			}
			x := digit[d]
			if k := t.radix[d] / p[0]; k > 1 {
				x = tir.Bin(tir.Mul, x, tir.Int(k))
			}
			if sum == nil {
				sum = x
			} else {
				sum = tir.Bin(tir.Add, sum, x)
			}
		}
		return sum
	}
	c := *t.loop
	c.Var = v
	c.Body = tir.MapStmt(t.loop.Body, nil, func(e tir.Expr) tir.Expr { return tir.MapExpr(e, part) })
	return &c
}
