package feature

import (
	"slices"

	"github.com/wmtune/wmtune/ranker/nest"
)

// access is the features of what a statement does to one buffer.
type access[N Number[N]] struct {
	mode                                   nest.Mode
	bytes, uniqueBytes, lines, uniqueLines N
	reuse                                  reuse[N]
	stride                                 N
}

// buffers sets the features of all accesses of a statement, those with the most
// cache lines first. Ties are in the order in which TVM finds them: its map
// lists what came last first.
func (x *extractor[N]) buffers(s *nest.Nest[N], r *row[N]) {
	r.access = make([]access[N], 0, len(s.Accesses))
	for k := len(s.Accesses) - 1; k >= 0; k-- {
		r.access = append(r.access, x.access(s, k))
	}
	slices.SortStableFunc(r.access, func(a, b access[N]) int {
		if c := descending(a.lines.Value(), b.lines.Value()); c != 0 {
			return c
		}
		return descending(a.bytes.Value(), b.bytes.Value())
	})
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
		a.reuse.kind = noReuse
		return a
	}
	a.uniqueBytes = x.firstTouch(s.Loops[0], at.Buffer).Times(bytes)
	a.lines, a.stride = x.lines(s, k, bytes)
	a.uniqueLines = a.uniqueBytes.Over(least(x.contiguous(at.Buffer), one.Const(x.line)))
	a.uniqueLines = most(a.uniqueLines, one)
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
// stride along the innermost loop.
//
// Loops that do not move the access reduce the lines; TVM takes the extent of
// the innermost loop for each of them, and so do we.
func (x *extractor[N]) lines(s *nest.Nest[N], k int, bytes N) (lines, stride N) {
	innermost := len(s.Loops) - 1
	i, lines := innermost, x.outer
	for ; i >= 0; i-- {
		if stride = x.stride(&s.Accesses[k], &x.regions[k], s.Loops[i], i); stride.Value() != 0 {
			break
		}
		lines = lines.Over(x.stack[innermost].Extent)
	}
	one := bytes.Const(1)
	lines = lines.Times(least(one, stride.Times(bytes).Over(one.Const(x.line))))
	if i < innermost {
		stride = one.Const(0)
	}
	return most(lines, one), stride
}

// contiguous returns the bytes that are next to each other in the innermost
// dimension of a buffer that is covered whole. TVM looks at the region of
// another buffer for that, the one that is written, and so do we.
func (x *extractor[N]) contiguous(buffer int) N {
	b, written := x.p.Buffers[buffer], &x.regions[0]
	n := x.outer.Const(x.bytes(buffer))
	for d := min(written.dims, len(b.Shape)) - 1; d >= 0; d-- {
		if e := written.extent(d); e.Value() == float64(b.Shape[d]) {
			return n.Times(e)
		}
	}
	return n
}

func (a *access[N]) write(w *writer[N]) {
	w.oneHot(int(a.mode), 3)
	amounts := [4]N{a.bytes, a.uniqueBytes, a.lines, a.uniqueLines}
	for _, v := range amounts {
		w.scaled(v)
	}
	a.reuse.write(w)
	for _, v := range amounts {
		if a.reuse.count.Value() > 0.5 {
			w.scaled(v.Over(a.reuse.count))
		} else {
			w.scaled(v.Plus(v))
		}
	}
	w.scaled(a.stride)
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
		lo, hi = least(lo, g.lo[k]), most(hi, g.hi[k])
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
			if g.masks[p*g.dims+d]>>position&1 != 0 {
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
	kind                     reuseKind
	iterations, bytes, count N
}

// reuse looks for the innermost loop in which the data of access k is used
// again.
func (x *extractor[N]) reuse(s *nest.Nest[N], k int) reuse[N] {
	buffer := s.Accesses[k].Buffer
	distance := x.outer.Const(1)
	for i := len(s.Loops) - 1; i >= 0; i-- {
		t := x.touchedIn(s.Loops[i])
		extent := x.stack[i].Extent
		if x.regions[k].mask>>i&1 == 0 {
			bytes := distance.Const(t.elements)
			if i < len(s.Loops)-1 {
				bytes = x.touchedIn(s.Loops[i+1]).bytes
			}
			return reuse[N]{loopReuse, distance, bytes, extent}
		}
		distance = distance.Times(extent)
		if n, smallest := t.of(buffer); n > 1 {
			return reuse[N]{serialReuse, smallest.Over(extent), t.bytes.Over(extent), extent.Const(float64(n - 1))}
		}
	}
	return reuse[N]{kind: noReuse}
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
		n, smallest = n+1, least(smallest, u.size)
	}
	return n, smallest
}

func (r *reuse[N]) write(w *writer[N]) {
	w.oneHot(int(r.kind), 3)
	w.scaled(r.iterations)
	w.scaled(r.bytes)
	w.scaled(r.count)
}
