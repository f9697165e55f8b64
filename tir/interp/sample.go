package interp

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

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
	list, drawn := []int64{0, n - 1}, map[int64]bool{0: true, n - 1: true}
	for int64(len(list)) < k {
		if i := s.rand.Int64N(n); !drawn[i] {
			list, drawn[i] = append(list, i), true
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
		for range tir.ExprsIn[*tir.Load](e) {
			n++
		}
	})
	switch t := t.(type) {
	case *tir.Store:
		return n + 1
	case *tir.MMA:
		return float64(tir.MMAElems * (2*t.Depth() + 1))
	case *tir.For:
		if list, ok := s.only[t]; ok {
			s.extent(t)
			return n + float64(len(list))*s.work(t.Body)
		}
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
			for l := range tir.ExprsIn[*tir.Load](e) {
				read[l.Buffer] = true
			}
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

// A Part is what RunPart runs of a program, in place of all of it.
type Part struct {
	// Only holds, of some loops, the iterations to run, in ascending order; see
	// Sample. Loops that it does not name run whole.
	Only map[*tir.For][]int64

	// Rests holds what stands in for the elements that are not computed then: of
	// the outputs, and of buffers that are allocated outside of all loops.
	Rests map[*tir.Buffer]*Rest

	// Holes says that values do not matter: what is left out may be missing
	// anywhere, and outputs need not be written.
	Holes bool
}

// A Rest makes the elements of a buffer that a part of a program reads and does
// not write, and notes those that it writes.
type Rest struct {
	Make func(t *Tensor, at int64) // sets the element at an offset

	// Set by RunPart: the contents, and the offsets of the elements that the
	// program wrote, in the order in which it did so first.
	Contents *Tensor
	Wrote    []int64

	mine []bool // by offset: the program wrote it
}

// attach makes m, of one page, the memory of a buffer that has a rest.
func (r *Rest) attach(m *memory) {
	m.rest = r
	r.Contents = m.tensor()
	r.Wrote, r.mine = nil, make([]bool, m.buffer.Extent())
}

// fill makes an element that was not written.
func (r *Rest) fill(e element) {
	r.Make(r.Contents, e.at)
	e.initialise()
}

// note notes a write.
func (r *Rest) note(at int64) {
	if !r.mine[at] {
		r.mine[at] = true
		r.Wrote = append(r.Wrote, at)
	}
}

// CheckBlocks looks for what threads of a GPU must not do, whatever they compute: a
// read or a write of what another one wrote, or a write of what another one read,
// with no barrier between; a barrier that some do not come to; an index outside of
// a dimension. It runs the first and the last iteration of each loop around the
// thread loops of f, and of loops with a barrier inside the first two and the last;
// other nests are left out. Where that is more than blockAccesses for a block, the longest
// of its other loops run their first two and last iterations only, too. The error is an
// *Error, or the context's. The memory that it takes follows what these blocks touch, not how large the tensors are.
//
// Values do not matter, and are not looked at: inputs are zero, and so is what is
// not written.
func CheckBlocks(ctx context.Context, f *tir.Func) error {
	part := Part{Only: map[*tir.For][]int64{}, Holes: true}
	part.blocks(f.Body)
	return execute(ctx, f, Options{Races: true}, part, func(i int) *memory { return newMemory(f.Params[i]) })
}

// blocks chooses iterations of the loops outside of thread loops.
func (p *Part) blocks(s tir.Stmt) {
	tir.Visit(s, func(t tir.Stmt) bool {
		l, ok := t.(*tir.For)
		switch {
		case !ok:
			return true
		case l.Kind == tir.ThreadBound && strings.HasPrefix(l.Thread, "threadIdx."):
			p.rounds(l)
			return false
		case !holds(l, func(t tir.Stmt) bool {
			l, ok := t.(*tir.For)
			return ok && l.Kind == tir.ThreadBound && strings.HasPrefix(l.Thread, "threadIdx.")
		}):
			p.Only[l] = []int64{}
			return false
		}
		p.only(l, 0)
		return true
	})
}

// blockAccesses is how many elements a block accesses that is checked whole, but for its loops with barriers: some
// seconds' worth. Of 201 candidates for nine rows of paper22, only some for the 3-D convolution have blocks with more.
const blockAccesses = 1 << 24

// rounds chooses iterations of the loops with barriers in a block, and of the longest others if it takes long.
func (p *Part) rounds(block *tir.For) {
	var others []*tir.For
	tir.Visit(block.Body, func(t tir.Stmt) bool {
		l, ok := t.(*tir.For)
		switch {
		case ok && l.Kind != tir.ThreadBound && holds(l, func(t tir.Stmt) bool { _, ok := t.(*tir.Barrier); return ok }):
			p.only(l, 0, 1)
		case ok && l.Kind != tir.ThreadBound:
			others = append(others, l)
		}
		return true
	})
	slices.SortStableFunc(others, func(a, b *tir.For) int { return cmp.Compare(extentOf(b), extentOf(a)) })
	s := sampler{ranges: arith.NewSimplifier(), only: p.Only}
	for _, l := range others {
		if s.work(block) <= blockAccesses {
			return
		}
		p.only(l, 0, 1)
	}
}

// extentOf returns the number of iterations of a loop if it is a constant, else 0.
func extentOf(l *tir.For) int64 {
	if n, ok := l.Extent.(*tir.IntImm); ok {
		return n.Value
	}
	return 0
}

// only keeps the given iterations of a loop, and the last one.
func (p *Part) only(l *tir.For, list ...int64) {
	if n, ok := l.Extent.(*tir.IntImm); ok && n.Value > int64(len(list)) {
		p.Only[l] = append(slices.Clone(list), n.Value-1)
	}
}

// holds reports whether one of the statements in s is as wanted.
func holds(s tir.Stmt, wanted func(tir.Stmt) bool) bool {
	return tir.Has(s, func(t tir.Stmt) bool {
		return wanted(t)
	})
}
