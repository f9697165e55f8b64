package feature

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
func (x *extractor[N]) touch(s *Store[N]) {
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
			size, bytes := g.size(), x.p.Buffers[a.Buffer].Bytes
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

func (x *extractor[N]) newRegion(a Access[N], loops []int) region[N] {
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
func maskOf[N Number[N]](e *Index[N], loops []int) uint64 {
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
func (x *extractor[N]) widen(g *region[N], a Access[N], loops []int, i int) {
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
func (x *extractor[N]) span(e *Index[N], running []int) (lo, hi N) {
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

func (x *extractor[N]) termSpan(t *Term[N], running []int) (lo, hi N) {
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
