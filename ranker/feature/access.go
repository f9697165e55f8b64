package feature

import "slices"

// access is the features of what a statement does to one buffer.
type access[N Number[N]] struct {
	mode                                   Mode
	bytes, uniqueBytes, lines, uniqueLines N
	reuse                                  reuse[N]
	stride                                 N
}

// buffers sets the features of all accesses of a statement, those with the most
// cache lines first. Ties are in the order in which TVM finds them: its map
// lists what came last first.
func (x *extractor[N]) buffers(s *Store[N], r *row[N]) {
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

func (x *extractor[N]) access(s *Store[N], k int) access[N] {
	at := &s.Accesses[k]
	size := x.p.Buffers[at.Buffer].Bytes
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
func (x *extractor[N]) lines(s *Store[N], k int, bytes N) (lines, stride N) {
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
	b, written := &x.p.Buffers[buffer], &x.regions[0]
	n := x.outer.Const(b.Bytes)
	for d := min(written.dims, len(b.Shape)) - 1; d >= 0; d-- {
		if e := written.extent(d); e.Value() == b.Shape[d] {
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
