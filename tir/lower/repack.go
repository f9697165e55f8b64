package lower

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// A copy in the order of reading is made where vectors read each of its elements at least repackReads
// times, and all together repackWork times. The lanes of a tile that lie apart are transposed in
// registers, which costs about 0.04 ns an element; the copy costs 0.3 ns an element, as half of
// it comes from another core, and a microsecond or two (docs/manual/packed-weights.md). Transposing in a tile of many
// rows takes more, if its lanes are spreadBytes apart or more: where repackReads rows multiply each element, and
// repackUses times in all, the copy is made though it is read once. 16x1024 . (1024x1024)^T is 2.1 times as fast so.
// From parallelRepack elements on all threads make it, if they read it, too.
var (
	repackReads    int64 = 8
	repackWork     int64 = tir.GroupedWork
	minRepackLanes int64 = 4
	repackUses     int64 = 1 << 22
	parallelRepack int64 = 1 << 13

	regroupReads int64 = tir.GroupedReads

	// Rows of a panel that lie apart, see isSpread: measured on products of 66 to 2,048 rows.
	sharedSets  int64 = 1 << 11
	sharedReads int64 = 32
	spreadBytes int64 = 1 << 10
	spreadReads int64 = 1 << 10
)

// repack has the program copy what lanes read far apart, at run time, into the layout that
// relayout would give a constant operand:
//
//	for i in 8:                              alloc B_packed: float32[4, 64, 16]
//	  for j0 in 4:                           for p0 in 4: for p2 in 16: for p1 in 64:
//	    for k in 64:                    =>     B_packed[p0, p1, p2] = B[(p0*16)+p2, p1]
//	      vectorize j1 in 16:                for i in 8: ...
//	        C[...] += A[i, k]*B[(j0*16)+j1, k]     ... A[i, k]*B_packed[j0, k, j1]
//
// So it does, for each nest that stands outside of all loops, with inputs and with what other nests
// have computed, if it is packable and read often enough, and so with rows that lie far apart. What lies as it is read
// stays, as does all if layouts may not be chosen, and on a GPU.
func repack(f *tir.Func, cfg Config) (*tir.Func, error) {
	if !cfg.mayRelayout(f) {
		return f, nil
	}
	g := *f
	g.Body = eachOperand(f.Body, slices.Clone(f.Params), func(nest, s tir.Stmt, b *tir.Buffer) tir.Stmt {
		p, why := packable(nest, b)
		if why == "" && (p.isGathered() && (p.isReadOften(repackReads) || p.isUsedOften()) || p.isSpread()) {
			if q, ok := p.withinIterations(cfg.Target.CoreCacheBytes() / 2); ok {
				return q.repackedWithin(s)
			}
			return p.repacked(s, isParallel(nest))
		}
		return s
	})
	return &g, nil
}

// eachOperand rebuilds each nest outside of all loops in s, once for each of the buffers, if it does not
// write to that itself. Rebuild gets the nest as it was, and what has become of it so far.
func eachOperand(s tir.Stmt, buffers []*tir.Buffer, rebuild func(nest, s tir.Stmt, b *tir.Buffer) tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Alloc:
		return &tir.Alloc{Buffer: s.Buffer, Body: eachOperand(s.Body, append(slices.Clip(buffers), s.Buffer), rebuild)}
	case *tir.Seq:
		list := make([]tir.Stmt, len(s.Stmts))
		for i, t := range s.Stmts {
			list[i] = eachOperand(t, buffers, rebuild)
		}
		return &tir.Seq{Stmts: list}
	}
	nest := s
	for _, b := range buffers {
		if !writes(nest, b) {
			s = rebuild(nest, s, b)
		}
	}
	return s
}

func isParallel(s tir.Stmt) bool {
	if p, ok := s.(*tir.Pragma); ok {
		return isParallel(p.Body)
	}
	l, ok := s.(*tir.For)
	return ok && l.Kind == tir.Parallel
}

func writes(s tir.Stmt, b *tir.Buffer) bool {
	return tir.Has(s, func(t tir.Stmt) bool {
		w, ok := t.(*tir.Store)
		return ok && w.Buffer == b
	})
}

// isGathered reports whether neighbouring lanes read elements that are no neighbours, or steps of a tensorized loop
// that are not side by side.
func (p *packing) isGathered() bool {
	if len(p.digits) == 0 {
		return false
	}
	if lanes := len(p.digits) - 2; p.digits[lanes+1].group && lanes >= 0 {
		return p.digits[lanes].vector && p.digits[lanes].n >= minRepackLanes
	}
	last := p.digits[len(p.digits)-1]
	return last.vector && last.n >= minRepackLanes && p.stride(last) != 1
}

// isSpread reports whether runs that are read one after the other, such as the rows of a panel, lie apart, and are read
// so often that a copy side by side is worth making. Rows whose distance is a multiple of half a page share the sets of
// a core's first cache, in which few of them stay: these pay sooner.
func (p *packing) isSpread() bool {
	n := len(p.digits)
	if n < 2 || p.digits[n-1].group || p.digits[n-1].n < minRepackLanes || p.stride(p.digits[n-1]) != 1 {
		return false
	}
	apart := p.stride(p.digits[n-2]) * int64(p.plain.Type.Bytes())
	if apart&-apart >= sharedSets {
		return p.isReadOften(sharedReads)
	}
	return apart >= spreadBytes && p.isReadOften(spreadReads)
}

// isReadOften reports whether a copy is worth making. What is read again in loops inside of those
// that it depends on stays in a register. Groups of steps are what instructions are for, wherever they are read.
func (p *packing) isReadOften(times int64) bool {
	if len(p.digits) > 0 && p.digits[len(p.digits)-1].group {
		reads, elems := int64(1), int64(1)
		for _, l := range p.loops {
			reads *= l.Extent.(*tir.IntImm).Value
		}
		for _, x := range p.digits {
			elems *= x.n
		}
		return WorthGrouping(reads, elems)
	}
	inner := 0 // loops from here on read nothing new, but in lanes
	for i, l := range p.loops {
		if slices.ContainsFunc(p.digits, func(x digit) bool { return tir.Uses(x.expr, l.Var) }) && l.Kind != tir.Vectorized {
			inner = i + 1
		}
	}
	reads, elems := int64(1), int64(1)
	for i, l := range p.loops {
		if i < inner || l.Kind == tir.Vectorized {
			reads *= l.Extent.(*tir.IntImm).Value // packable has seen to that
		}
	}
	for _, x := range p.digits {
		elems *= x.n
	}
	return reads >= max(times*elems, repackWork)
}

// isUsedOften reports whether a copy of what lanes gather from afar is worth making for how often its elements are
// multiplied, also if they are read once for many rows.
func (p *packing) isUsedOften() bool {
	last := p.digits[len(p.digits)-1]
	if last.group || p.stride(last)*int64(p.plain.Type.Bytes()) < spreadBytes {
		return false
	}
	uses, elems := int64(1), int64(1)
	for _, l := range p.loops {
		uses *= l.Extent.(*tir.IntImm).Value
	}
	for _, x := range p.digits {
		elems *= x.n
	}
	return uses >= max(repackReads*elems, repackUses)
}

// WorthGrouping reports whether an operand of so many elements that are read so often in all is worth a copy in which
// the steps of an instruction lie side by side.
func WorthGrouping(reads, elems int64) bool { return reads >= max(regroupReads*elems, repackWork) }

// withinIterations returns the layout of the part of the operand that an iteration of the outermost loop reads, which
// is parallel, if each iteration reads a part of its own, of at most so many bytes. A copy made there stays in the
// core's cache, and no thread waits for it.
func (p *packing) withinIterations(most int64) (packing, bool) {
	l := p.loops[0]
	if l.Kind != tir.Parallel {
		return packing{}, false
	}
	q, parts, bytes := *p, int64(1), int64(p.plain.Type.Bytes())
	q.digits = nil
	for _, x := range p.digits {
		if !tir.Uses(x.expr, l.Var) {
			q.digits, bytes = append(q.digits, x), bytes*x.n
		} else if x.loop == 0 {
			q.fixed, parts = append(q.fixed, x), parts*x.n
		} else {
			return packing{}, false
		}
	}
	return q, parts > 1 && parts == l.Extent.(*tir.IntImm).Value && bytes <= most
}

// repackedWithin has each iteration of the parallel loop of s read a copy of its part, which it makes first.
func (p *packing) repackedWithin(s tir.Stmt) tir.Stmt {
	pack := p.packing(math.MaxInt64, true)
	packed := pack.Params[1]
	packed.Scope = tir.Local
	return tir.MapStmt(p.readPacked(s, packed), func(t tir.Stmt) tir.Stmt {
		l, ok := t.(*tir.For)
		if !ok || l.Var != p.loops[0].Var {
			return t
		}
		within := *l
		within.Body = &tir.Alloc{Buffer: packed, Body: tir.Sequence(pack.Body, l.Body)}
		return &within
	}, nil)
}

// repacked has s read the copy, which it makes first.
func (p *packing) repacked(s tir.Stmt, parallel bool) tir.Stmt {
	least := int64(math.MaxInt64)
	if parallel {
		least = parallelRepack
	}
	pack := p.packing(least, true)
	packed := pack.Params[1]
	return &tir.Alloc{Buffer: packed, Body: tir.Sequence(pack.Body, p.readPacked(s, packed))}
}
