package schedule

import (
	"fmt"
	"slices"
	"strings"
)

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
		if it.Kind != f.Kind {
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
