package schedule

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

func (s Split) apply(b *builder) error {
	return b.split(s.At, s.Iter, s.Lengths, s.InnerToOuter)
}

// split does the work of the three splitting steps.
func (b *builder) split(stage, iter int, lengths []int64, innerToOuter bool) error {
	_, it, err := b.iterator(stage, iter)
	if err != nil {
		return err
	}
	for _, l := range lengths {
		if l < 0 || l > math.MaxInt32 {
			return fmt.Errorf("length %d of iterator %s is out of range", l, it.Name)
		}
	}
	st := b.stage(stage)
	st.Iters = slices.Concat(st.Iters[:iter], splitPieces(it, lengths, innerToOuter), st.Iters[iter+1:])
	st.loops = st.loops.split(iter, lengths, innerToOuter)
	if len(lengths) > 0 && b.s.Attach.hasInside(stage) {
		b.attach().mapIters(stage, func(k int) int {
			if k >= iter {
				return k + len(lengths)
			}
			return k
		})
	}
	return nil
}

// splitPieces returns the iterators that it becomes, outermost first. The
// lengths are taken away one after the other, from inside with innerToOuter,
// and the first of them keeps the minimum; once one is open, extents are
// unknown.
func splitPieces(it *Iterator, lengths []int64, innerToOuter bool) []*Iterator {
	n := len(lengths)
	list := make([]Iterator, n+1)
	rest, lo := it.Extent, it.Min
	for k := range n {
		pos := k
		if innerToOuter {
			pos = n - k
		}
		l := lengths[k]
		if innerToOuter {
			l = lengths[n-1-k]
		}
		p := Iterator{Extent: Unknown}
		if l != OpenLength && rest != Unknown {
			p.Min, p.Extent = lo, l
			lo, rest = tir.Expr(nil), (rest+l-1)/l
		} else {
			lo, rest = nil, Unknown
		}
		list[pos] = p
	}
	pos := n
	if innerToOuter {
		pos = 0
	}
	list[pos] = Iterator{Min: lo, Extent: rest}
	out := make([]*Iterator, n+1)
	for k := range list {
		list[k].Name = it.Name + "." + strconv.Itoa(k)
		list[k].Kind = it.Kind
		out[k] = &list[k]
	}
	return out
}

func (s Fuse) apply(b *builder) error {
	st, err := b.computed(s.At)
	if err != nil {
		return err
	}
	if len(s.Iters) == 0 {
		b.unit(s.At)
		return nil
	}
	first, last := s.Iters[0], s.Iters[len(s.Iters)-1]
	for k, i := range s.Iters {
		if i < 0 || i >= len(st.Iters) {
			return fmt.Errorf("no iterator %d: stage %s has %d", i, st.Op.Name, len(st.Iters))
		}
		if i != first+k {
			return fmt.Errorf("iterators %v are not consecutive", s.Iters)
		}
		if inside := b.s.Attach.Inside(s.At, i); i != last && len(inside) > 0 {
			return fmt.Errorf("stage %s is attached at iterator %s, which is not the innermost to be fused",
				b.s.Stages[inside[0]].Op.Name, st.Iters[i].Name)
		}
	}
	fused := fusedIterator(st.Iters[first : last+1])
	if fused.Extent > maxExtent {
		return fmt.Errorf("the extent of %s is out of range", fused.Name)
	}
	st = b.stage(s.At)
	st.Iters = slices.Concat(st.Iters[:first], []*Iterator{fused}, st.Iters[last+1:])
	st.loops = st.loops.fuse(first, last)
	if last > first && b.s.Attach.hasInside(s.At) {
		b.attach().mapIters(s.At, func(k int) int {
			switch {
			case k > last:
				return k - last + first
			case k > first:
				return first
			}
			return k
		})
	}
	return nil
}

// maxExtent bounds the extents of loops and the iterations of a nest: no sum of
// two leaves int64.
const maxExtent = 1 << 61

// times multiplies extents; more than maxExtent is maxExtent+1.
func times(a, b int64) int64 {
	if a > maxExtent || b > maxExtent/max(a, 1) {
		return maxExtent + 1
	}
	return a * b
}

// fusedIterator fuses iterators. A unit loop changes nothing of what the others range over. (Ansor calls it and an axis
// mixed, as it does an axis and a reduction; but their iterations share nothing, and may run at once.)
func fusedIterator(iters []*Iterator) *Iterator {
	var name strings.Builder
	f := &Iterator{Extent: 1, Kind: iters[0].Kind}
	for _, it := range iters {
		name.WriteString(it.Name)
		name.WriteByte('@')
		if it.Extent == Unknown || f.Extent == Unknown {
			f.Extent = Unknown
		} else {
			f.Extent = times(f.Extent, it.Extent)
		}
		switch {
		case f.Kind == Special:
			f.Kind = it.Kind
		case it.Kind != f.Kind && it.Kind != Special:
			f.Kind = Mixed
		}
	}
	f.Name = name.String()
	return f
}

// unit puts a loop of one iteration in front of a stage's.
func (b *builder) unit(stage int) {
	st := b.stage(stage)
	st.Iters = slices.Concat([]*Iterator{{Extent: 1, Kind: Special}}, st.Iters)
	st.loops = st.loops.unit()
	if b.s.Attach.hasInside(stage) {
		b.attach().mapIters(stage, func(k int) int { return k + 1 })
	}
}

func (s Reorder) apply(b *builder) error {
	st, err := b.computed(s.At)
	if err != nil {
		return err
	}
	if len(s.Order) != len(st.Iters) {
		return fmt.Errorf("the order names %d iterators: stage %s has %d", len(s.Order), st.Op.Name, len(st.Iters))
	}
	iters := make([]*Iterator, len(s.Order))
	seen := make([]bool, len(s.Order))
	for k, old := range s.Order {
		if old < 0 || old >= len(seen) || seen[old] {
			return fmt.Errorf("the order %v is not a permutation", s.Order)
		}
		seen[old] = true
		iters[k] = st.Iters[old]
	}
	st = b.stage(s.At)
	st.Iters = iters
	st.loops = st.loops.reorder(s.Order)
	return nil
}
