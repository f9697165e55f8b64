package feature

import (
	"cmp"
	"slices"

	"github.com/wmtune/wmtune/ranker/nest"
)

// access is the features of what a statement does to one buffer.
type access[N Number[N]] struct {
	mode                                   nest.Mode
	bytes, uniqueBytes, lines, uniqueLines N
	reuse                                  reuse[N]
	stride                                 N // scaled
}

// buffers sets the features of all accesses of a statement, those with the most
// cache lines first. Ties are in the order in which TVM finds them: its map
// lists what came last first.
func (x *extractor[N]) buffers(s *nest.Nest[N], r *row[N]) {
	list, order := make([]access[N], len(s.Accesses)), make([]int, len(s.Accesses))
	for k := range s.Accesses {
		list[k], order[k] = x.access(s, k), len(list)-1-k
	}
	if x.order != nil {
		order, x.order = x.order[0], x.order[1:]
	} else {
		slices.SortStableFunc(order, func(i, j int) int {
			a, b := &list[i], &list[j]
			return cmp.Or(descending(a.lines.Value(), b.lines.Value()), descending(a.bytes.Value(), b.bytes.Value()))
		})
	}
	x.ordered = append(x.ordered, order)
	r.access = make([]access[N], len(list))
	for k, i := range order {
		r.access[k] = list[i]
	}
}

// descending compares in the precision that TVM computes in.
func descending(a, b float64) int {
	switch x, y := float32(a), float32(b); {
	case x > y:
		return -1
	case x < y:
		return 1
	}
	return 0
}

func (x *extractor[N]) access(s *nest.Nest[N], k int) access[N] {
	at := &s.Accesses[k]
	size := x.bytes(at.Buffer)
	one, bytes := x.outer.Const(1), x.outer.Const(size)
	a := access[N]{mode: at.Mode, bytes: x.outer.Times(bytes)}
	if len(s.Loops) == 0 {
		a.uniqueBytes, a.lines, a.uniqueLines = bytes, one, one
		a.reuse.kinds[noReuse] = one
		return a
	}
	a.uniqueBytes = x.firstTouch(s.Loops[0], at.Buffer).Times(bytes)
	a.lines, a.stride = x.lines(s, k, bytes)
	a.uniqueLines = a.uniqueBytes.Over(x.contiguous(at.Buffer, one.Const(x.line)))
	a.uniqueLines = a.uniqueLines.Most(one)
	a.reuse = x.reuse(s, k)
	return a
}

// firstTouch returns what the first statement in a loop that touches a buffer
// touches of it.
func (x *extractor[N]) firstTouch(loop, buffer int) N {
	for _, t := range x.touchedIn(loop).list {
		if t.buffer == buffer {
			return t.size
		}
	}
	panic("BUG: feature: a loop has no touch of a buffer that is accessed in it")
}

// lines returns the number of cache lines that access k runs through, and its
// stride along the innermost loop, scaled.
//
// Loops that do not move the access reduce the lines; TVM takes the extent of
// the innermost loop for each of them, and so do we.
func (x *extractor[N]) lines(s *nest.Nest[N], k int, bytes N) (lines, stride N) {
	one := bytes.Const(1)
	all, left, innermost := x.outer, one, one // the last two are 1 as long as no loop was found that moves it, that is one
	length := one.Const(0)
	for i := range x.stack {
		length = length.Times(one.Minus(x.loops[i])).Plus(x.loops[i].Times(x.stack[i].Extent))
	}
	for i := len(s.Loops) - 1; i >= 0; i-- {
		moves := x.moves(s, k, i)
		if len(x.p.Buffers[s.Accesses[k].Buffer].Shape) == 0 {
			moves = x.loops[i]
		}
		if moves.Value() != 0 {
			step := x.stride(&s.Accesses[k], &x.regions[k], s.Loops[i], i)
			part := all.Times(step.Times(bytes).Over(one.Const(x.line)).Least(one))
			lines = lines.Plus(left.Times(moves).Times(part))
			stride = stride.Plus(innermost.Times(moves).Times(scaled(step)))
			if left = left.Times(one.Minus(moves)); left.Value() == 0 {
				break
			}
		}
		innermost = innermost.Times(one.Minus(x.loops[i]))
		all = all.Over(one.Plus(x.loops[i].Minus(moves).Times(length.Minus(one))))
	}
	return lines.Most(one), stride
}

// moves returns 1 if access k depends on loop i around its statement, else 0.
func (x *extractor[N]) moves(s *nest.Nest[N], k, i int) N {
	var zero N
	one := zero.Const(1)
	switch {
	case x.regions[k].mask>>i&1 == 0:
		return zero
	case !x.relaxed:
		return one
	}
	still := one
	for _, at := range s.Accesses[k].At {
		for d := range at {
			for j := range at[d].Terms {
				if t := &at[d].Terms[j]; t.Of == nil && t.Loop == s.Loops[i] || t.Of != nil && maskOf(t.Of, s.Loops[i:i+1]) != 0 {
					lo, hi := x.termSpan(t, s.Loops[i:i+1])
					still = still.Times(one.Minus(hi.Minus(lo).Plus(one).Above(one.Const(several))))
				}
			}
		}
	}
	return one.Minus(still)
}

// contiguous returns the bytes that are next to each other in the innermost
// dimension of a buffer that is covered whole, at most most. TVM looks at the region of
// another buffer for that, the one that is written, and so do we.
func (x *extractor[N]) contiguous(buffer int, most N) N {
	b, written := x.p.Buffers[buffer], &x.regions[0]
	n := x.outer.Const(x.bytes(buffer))
	sum, left := n.Const(0), n.Const(1)
	for d := min(written.dims, len(b.Shape)) - 1; d >= 0 && left.Value() != 0; d-- {
		e := written.extent(d)
		if whole := e.Equal(e.Const(float64(b.Shape[d]))); whole.Value() != 0 {
			sum = sum.Plus(left.Times(whole).Times(n.Times(e).Least(most)))
			left = left.Times(left.Const(1).Minus(whole))
		}
	}
	if left.Value() != 0 {
		sum = sum.Plus(left.Times(n.Least(most)))
	}
	return sum
}

func (a *access[N]) write(w *writer[N]) {
	w.oneHot(int(a.mode), 3)
	amounts := [4]N{a.bytes, a.uniqueBytes, a.lines, a.uniqueLines}
	for _, v := range amounts {
		w.scaled(v)
	}
	a.reuse.write(w)
	for _, v := range amounts {
		w.out = append(w.out, a.reuse.share(v))
	}
	w.out = append(w.out, a.stride)
}

// touches is what statements touch inside one iteration of the loops around a
// loop, while it runs through.
type touches[N Number[N]] struct {
	list     []touch[N]
	bytes    N       // in all
	elements float64 // the sum of the sizes of one element of each
}

// A touch is what one statement touches of one buffer.
type touch[N Number[N]] struct {
	buffer int
	size   N // elements
}

// A region is the part of a buffer that an access touches, by dimension, inside
// a loop.
type region[N Number[N]] struct {
	mask   uint64   // positions of the loops that an index depends on
	masks  []uint64 // by place and dimension
	lo, hi []N      // by place and dimension
	dims   int
}

// touch computes the regions that a statement touches inside each loop, from
// the innermost to the outermost, the loops outside of it standing still, and
// notes their sizes for it and later statements.
func (x *extractor[N]) touch(s *nest.Nest[N]) {
	x.regions = x.regions[:0]
	for _, a := range s.Accesses {
		x.regions = append(x.regions, x.newRegion(a, s.Loops))
	}
	x.sizes = x.sizes[:0]
	for i := len(s.Loops) - 1; i >= 0; i-- {
		t := x.touchedIn(s.Loops[i])
		for k, a := range s.Accesses {
			g := &x.regions[k]
			if i == len(s.Loops)-1 || g.mask>>i&1 != 0 {
				x.widen(g, a, s.Loops, i)
			}
			size, bytes := g.size(), x.bytes(a.Buffer)
			t.list = append(t.list, touch[N]{a.Buffer, size})
			t.bytes = t.bytes.Plus(size.Times(size.Const(bytes)))
			t.elements += bytes
			x.sizes = append(x.sizes, size)
		}
	}
}

// touchedIn returns what statements touch in a loop.
func (x *extractor[N]) touchedIn(loop int) *touches[N] { return &x.touched[x.p.Loops[loop].Place] }

// sizeInside returns the elements that access k touches inside loop i.
func (x *extractor[N]) sizeInside(i, k int) N {
	n := len(x.regions)
	return x.sizes[(len(x.stack)-1-i)*n+k]
}

func (x *extractor[N]) newRegion(a nest.Access[N], loops []int) region[N] {
	dims := len(a.At[0])
	n := dims * len(a.At)
	g := region[N]{dims: dims, masks: make([]uint64, n), lo: make([]N, n), hi: make([]N, n)}
	for p, at := range a.At {
		for d := range at {
			m := maskOf(&at[d], loops)
			g.masks[p*dims+d] = m
			g.mask |= m
			g.lo[p*dims+d], g.hi[p*dims+d] = at[d].Const, at[d].Const
		}
	}
	return g
}

// maskOf returns the positions of the loops that an index depends on.
func maskOf[N Number[N]](e *nest.Index[N], loops []int) uint64 {
	m := uint64(0)
	for k := range e.Terms {
		if t := &e.Terms[k]; t.Of != nil {
			m |= maskOf(t.Of, loops)
			continue
		}
		for i, l := range loops {
			if l == e.Terms[k].Loop {
				m |= 1 << i
			}
		}
	}
	return m
}

// widen sets the ranges of the indices that depend on loop i, which runs through
// from now on.
func (x *extractor[N]) widen(g *region[N], a nest.Access[N], loops []int, i int) {
	for p, at := range a.At {
		for d := range at {
			if k := p*g.dims + d; g.masks[k]>>i&1 != 0 {
				g.lo[k], g.hi[k] = x.span(&at[d], loops[i:])
			}
		}
	}
}

// span returns the range of an index while some loops run and all others stand
// at 0. It is that of TVM (src/arith/const_int_bound.cc): terms are taken to be
// independent of each other.
func (x *extractor[N]) span(e *nest.Index[N], running []int) (lo, hi N) {
	lo, hi = e.Const, e.Const
	for k := range e.Terms {
		t := &e.Terms[k]
		a, b := x.termSpan(t, running)
		a, b = a.Times(t.Coef), b.Times(t.Coef)
		if t.Coef.Value() < 0 {
			a, b = b, a
		}
		lo, hi = lo.Plus(a), hi.Plus(b)
	}
	return lo, hi
}

func (x *extractor[N]) termSpan(t *nest.Term[N], running []int) (lo, hi N) {
	if t.Of != nil {
		lo, hi = x.span(t.Of, running)
	} else {
		for _, l := range running {
			if l == t.Loop {
				if t.Bounded {
					return lo, t.Most
				}
				hi = x.p.Loops[l].Extent.Minus(hi.Const(1))
				break
			}
		}
	}
	if t.Reduced && (lo.Value() < 0 || hi.Value() >= t.Upper.Value()) {
		lo, hi = lo.Const(0), t.Upper.Minus(lo.Const(1))
	}
	if t.Divided {
		lo, hi = lo.Over(t.Lower).Floor(), hi.Over(t.Lower).Floor()
	}
	return lo, hi
}

// extent returns the length of the region in a dimension.
func (g *region[N]) extent(d int) N {
	lo, hi := g.lo[d], g.hi[d]
	for k := d + g.dims; k < len(g.lo); k += g.dims {
		lo, hi = lo.Least(g.lo[k]), hi.Most(g.hi[k])
	}
	return hi.Minus(lo).Plus(hi.Const(1))
}

func (g *region[N]) size() N {
	var n N
	n = n.Const(1)
	for d := range g.dims {
		n = n.Times(g.extent(d))
	}
	return n
}

// stride returns by how many elements one step of a loop moves an access in the
// whole tensor, or 0 if it does not; the smallest over the places of the access.
// Position is that of the loop around the statement.
func (x *extractor[N]) stride(a *nest.Access[N], g *region[N], loop, position int) N {
	shape := x.p.Buffers[a.Buffer].Shape
	smallest, found := x.outer.Const(0), false
	if len(shape) == 0 {
		return smallest.Const(1)
	}
	for p, at := range a.At {
		inner := 1.0
		for d := len(at) - 1; d >= 0; d-- {
			if g.masks[p*g.dims+d]>>position&1 != 0 && !(x.relaxed && d > 0 && still(&at[d], loop)) {
				v := absolute(coefficient(&at[d], loop)).Times(smallest.Const(inner))
				if !found || v.Value() < smallest.Value() {
					smallest, found = v, true
				}
				break
			}
			inner *= float64(shape[d])
		}
	}
	return smallest
}

// tiny is what the largest value of a loop of one iteration is below.
const tiny = 1e-6

// still reports whether a loop moves an index by nothing: what it has of the loop has one value.
func still[N Number[N]](e *nest.Index[N], loop int) bool {
	for k := range e.Terms {
		if t := &e.Terms[k]; t.Of != nil || t.Loop == loop && !(t.Bounded && t.Most.Value() < tiny) {
			return false
		}
	}
	return true
}

// A coefficients is a walk over the text of an index, in which TVM guesses the
// coefficient of a variable (CoefficientExtractor). It is right for the last
// variable, and for a sum that begins with it; for others it finds the
// coefficient of a later one.
type coefficients[N Number[N]] struct {
	loop               int
	seen, product, sum bool
	value              N
}

// coefficient returns TVM's guess of the coefficient of a loop in an index that
// depends on it.
func coefficient[N Number[N]](e *nest.Index[N], loop int) N {
	c := coefficients[N]{loop: loop}
	c.index(e)
	if c.seen && !c.product && !c.sum {
		return e.Const.Const(1)
	}
	return c.value
}

func (c *coefficients[N]) index(e *nest.Index[N]) {
	for k := range e.Terms {
		t := &e.Terms[k]
		if t.Bounded && t.Loop != c.loop && t.Most.Value() < tiny {
			continue // a loop of one iteration
		}
		c.term(t)
		if k > 0 && t.Coef.Value() > 0 { // what is subtracted does not count
			c.added()
		}
	}
	if e.Const.Value() > 0 && len(e.Terms) > 0 {
		c.added()
	}
}

func (c *coefficients[N]) added() {
	if c.seen && !c.product {
		c.sum, c.value = true, c.value.Const(1)
	}
}

func (c *coefficients[N]) term(t *nest.Term[N]) {
	switch {
	case t.Of != nil:
		c.index(t.Of)
	case t.Loop == c.loop:
		c.seen, c.value = true, c.value.Const(2)
	}
	if v := absolute(t.Coef); v.Value() != 1 && c.seen && !c.sum {
		c.product, c.value = true, v
	}
}

// A reuseKind says how data is used again.
type reuseKind uint8

const (
	loopReuse   reuseKind = iota // by the next iterations of a loop
	serialReuse                  // by another statement
	noReuse
)

// A reuse is how the data of an access is used again: after how many iterations
// and bytes, and how often.
type reuse[N Number[N]] struct {
	kinds                    [3]N   // 1 for the kind that it is, else 0
	iterations, bytes, count N      // scaled: what may be the case adds up in logarithms
	cases                    [][2]N // how far each is the case, and how often the data is used again in it
}

// share returns what there is of v for each use, scaled: twice as much if there is none.
func (r *reuse[N]) share(v N) N {
	var sum N
	for _, c := range r.cases {
		sum = sum.Plus(c[0].Times(scaled(v.Over(c[1]))))
	}
	if none := r.kinds[noReuse]; none.Value() != 0 {
		sum = sum.Plus(none.Times(scaled(v.Plus(v))))
	}
	return sum
}

// add adds a case.
func (r *reuse[N]) add(kind reuseKind, is, iterations, bytes, count N) {
	r.kinds[kind] = r.kinds[kind].Plus(is)
	r.iterations = r.iterations.Plus(is.Times(scaled(iterations)))
	r.bytes = r.bytes.Plus(is.Times(scaled(bytes)))
	r.count = r.count.Plus(is.Times(scaled(count)))
	r.cases = append(r.cases, [2]N{is, count})
}

// reuse looks for the innermost loop in which the data of access k is used
// again.
func (x *extractor[N]) reuse(s *nest.Nest[N], k int) (r reuse[N]) {
	buffer := s.Accesses[k].Buffer
	one := x.outer.Const(1)
	distance, left := one, one
	inside, innermost := one.Const(0), one // the bytes touched in the next loop inside, 1 if there is none
	for i := len(s.Loops) - 1; i >= 0; i-- {
		t, loop, extent := x.touchedIn(s.Loops[i]), x.loops[i], x.stack[i].Extent
		if still := loop.Minus(x.moves(s, k, i)); still.Value() != 0 {
			bytes := inside.Plus(innermost.Times(one.Const(t.elements)))
			r.add(loopReuse, left.Times(still), distance, bytes, extent)
			if left = left.Times(one.Minus(still)); left.Value() == 0 {
				return r
			}
		}
		distance = distance.Times(extent)
		if n, smallest := t.of(buffer); n > 1 && loop.Value() != 0 {
			r.add(serialReuse, left.Times(loop), smallest.Over(extent), t.bytes.Over(extent), one.Const(float64(n-1)))
			if left = left.Times(one.Minus(loop)); left.Value() == 0 {
				return r
			}
		}
		inside, innermost = inside.Times(one.Minus(loop)).Plus(loop.Times(t.bytes)), innermost.Times(one.Minus(loop))
	}
	r.kinds[noReuse] = left
	return r
}

// of returns how many statements touch a buffer, and the smallest size.
func (t *touches[N]) of(buffer int) (n int, smallest N) {
	for _, u := range t.list {
		if u.buffer != buffer {
			continue
		}
		if n == 0 {
			smallest = u.size
		}
		n, smallest = n+1, smallest.Least(u.size)
	}
	return n, smallest
}

func (r *reuse[N]) write(w *writer[N]) {
	w.out = append(w.out, r.kinds[:]...)
	w.out = append(w.out, r.iterations, r.bytes, r.count)
}
