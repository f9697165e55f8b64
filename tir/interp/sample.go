package interp

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// Sample chooses, of each loop nest of f, iterations of its outermost loops for
// a Part: as many as make about budget accesses of memory, at least one. The
// first and the last are among them where there is room; the others are drawn
// from r. What it returns for a nest that is small enough leaves none out.
//
// Chosen from are the loops around all of a nest whose iterations need nothing of
// each other: those of a kind that says so, and others in which what is
// accumulated is initialised too.
func Sample(f *tir.Func, budget int64, r *rand.Rand) map[*tir.For][]int64 {
	s := sampler{budget: budget, rand: r, ranges: arith.NewSimplifier(), only: map[*tir.For][]int64{}}
	s.nests(f.Body)
	return s.only
}

type sampler struct {
	budget int64
	rand   *rand.Rand
	ranges *arith.Simplifier
	only   map[*tir.For][]int64
}

// nests goes through the nests in what is outside of all loops.
func (s *sampler) nests(t tir.Stmt) {
	switch t := t.(type) {
	case *tir.Seq:
		for _, u := range t.Stmts {
			s.nests(u)
		}
	case *tir.Alloc:
		s.nests(t.Body)
	case *tir.Pragma:
		s.nests(t.Body)
	case *tir.For:
		s.nest(t)
	}
}

func (s *sampler) nest(t tir.Stmt) {
	var loops []*tir.For
	for {
		if p, ok := t.(*tir.Pragma); ok {
			t = p.Body
			continue
		}
		l, ok := t.(*tir.For)
		if !ok || !divisible(l) {
			break
		}
		if _, ok := l.Extent.(*tir.IntImm); !ok {
			break
		}
		s.extent(l)
		loops = append(loops, l)
		t = l.Body
	}
	points := max(1, float64(s.budget)/s.work(t))
	for i, l := range loops {
		n := l.Extent.(*tir.IntImm).Value
		k := int64(math.Round(math.Pow(points, 1/float64(len(loops)-i))))
		k = max(1, min(k, n))
		points = max(1, points/float64(k))
		if k < n {
			s.only[l] = s.draw(k, n)
		}
	}
}

// draw returns k of the numbers below n.
func (s *sampler) draw(k, n int64) []int64 {
	if k == 1 {
		return []int64{s.rand.Int64N(n)}
	}
	list := []int64{0, n - 1}
	for int64(len(list)) < k {
		if i := s.rand.Int64N(n); !slices.Contains(list, i) {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return list
}

// extent returns the greatest number of iterations of a loop, and notes the
// range of its variable.
func (s *sampler) extent(l *tir.For) float64 {
	_, hi, ok := s.ranges.Bounds(l.Extent)
	if !ok {
		return 1
	}
	s.ranges.Bind(l.Var, 0, max(0, hi-1))
	return float64(max(0, hi))
}

// work returns how many elements t accesses, at most.
func (s *sampler) work(t tir.Stmt) float64 {
	n := 0.0
	tir.Exprs(t, func(e tir.Expr) {
		tir.VisitExpr(e, func(e tir.Expr) bool {
			if _, ok := e.(*tir.Load); ok {
				n++
			}
			return true
		})
	})
	switch t := t.(type) {
	case *tir.Store:
		return n + 1
	case *tir.MMA:
		return float64(tir.MMAElems * (2*t.Depth() + 1))
	case *tir.For:
		return n + s.extent(t)*s.work(t.Body)
	case *tir.Seq:
		for _, u := range t.Stmts {
			n += s.work(u)
		}
	case *tir.If:
		n += s.work(t.Then)
		if t.Else != nil {
			n += s.work(t.Else)
		}
	case *tir.Alloc:
		n += s.work(t.Body)
	case *tir.Block:
		n += s.work(t.Body)
	case *tir.Pragma:
		n += s.work(t.Body)
	}
	return n
}

// divisible reports whether iterations of l may be left out, so that the others
// compute the same.
func divisible(l *tir.For) bool {
	if l.Kind == tir.ThreadBound {
		return concurrent(l) // threads of a block need each other
	}
	return l.Kind == tir.Parallel || selfContained(l.Body)
}

// selfContained reports whether s initialises all that it accumulates in buffers
// from outside.
func selfContained(s tir.Stmt) bool {
	inside, read := map[*tir.Buffer]bool{}, map[*tir.Buffer]bool{}
	initialised, written := map[*tir.Buffer]bool{}, map[*tir.Buffer]bool{}
	init := false
	var visit func(tir.Stmt) bool
	visit = func(t tir.Stmt) bool {
		tir.Exprs(t, func(e tir.Expr) {
			tir.VisitExpr(e, func(e tir.Expr) bool {
				if l, ok := e.(*tir.Load); ok {
					read[l.Buffer] = true
				}
				return true
			})
		})
		switch t := t.(type) {
		case *tir.Alloc:
			inside[t.Buffer] = true
		case *tir.Store:
			written[t.Buffer] = true
			initialised[t.Buffer] = initialised[t.Buffer] || init
		case *tir.Block:
			outer := init
			init = t.Init
			tir.Visit(t.Body, visit)
			init = outer
			return false
		}
		return true
	}
	tir.Visit(s, visit)
	for b := range written {
		if !inside[b] && read[b] && !initialised[b] {
			return false
		}
	}
	return true
}
