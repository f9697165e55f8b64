package compile

import (
	"cmp"
	"slices"
)

// alignment is that of every value in the arena and of every constant in the weights file, in bytes.
const alignment = 64

// A Span is memory of the arena that a value holds for some time.
type Span struct {
	Name     string
	Bytes    int64
	From, To int   // first and last step at which it is needed
	Offset   int64 // where it lies; plan sets it
}

// plan gives spans their places, so that those needed at the same time do not overlap, and returns the size of the
// arena. Larger spans are placed first, each as low as it fits (Pisarchyk and Lee, 2020: greedy by size).
func plan(spans []*Span) int64 {
	order := slices.Clone(spans)
	slices.SortStableFunc(order, func(a, b *Span) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.From, b.From))
	})
	var placed []*Span // by offset
	size := int64(0)
	for _, s := range order {
		at := int64(0)
		best, gap := int64(-1), int64(0)
		for _, p := range placed {
			if p.From > s.To || p.To < s.From {
				continue
			}
			if free := p.Offset - at; free >= s.Bytes && (best < 0 || free < gap) {
				best, gap = at, free
			}
			at = max(at, align(p.Offset+p.Bytes))
		}
		if best < 0 {
			best = at
		}
		s.Offset = best
		size = max(size, align(best+s.Bytes))
		i, _ := slices.BinarySearchFunc(placed, s, func(a, b *Span) int { return cmp.Compare(a.Offset, b.Offset) })
		placed = slices.Insert(placed, i, s)
	}
	return size
}

func align(n int64) int64 { return (n + alignment - 1) / alignment * alignment }

// peak returns the most bytes that are needed at one time.
func peak(spans []*Span) int64 {
	change := map[int]int64{}
	for _, s := range spans {
		change[s.From] += align(s.Bytes)
		change[s.To+1] -= align(s.Bytes)
	}
	var at []int
	for t := range change {
		at = append(at, t)
	}
	slices.Sort(at)
	now, most := int64(0), int64(0)
	for _, t := range at {
		now += change[t]
		most = max(most, now)
	}
	return most
}
