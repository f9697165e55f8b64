package compile

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// alignment is that of every value in the arena and of every constant in the weights file, in bytes.
const alignment = 64

// A Span is memory of the arena that a value holds for some time.
type Span struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	From   int    `json:"from"`   // first step at which it is needed
	To     int    `json:"to"`     // last step at which it is needed
	Offset int64  `json:"offset"` // where it lies; plan sets it
}

// orders are the orders in which spans are placed: whichever gives the smallest arena is taken.
var orders = []func(a, b *Span) int{
	func(a, b *Span) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.From, b.From)) },
	func(a, b *Span) int { return cmp.Compare(b.Bytes*b.duration(), a.Bytes*a.duration()) },
	func(a, b *Span) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.Bytes, a.Bytes)) },
	func(a, b *Span) int {
		return cmp.Or(cmp.Compare(b.duration(), a.duration()), cmp.Compare(b.Bytes, a.Bytes))
	},
}

func (s *Span) duration() int64 { return int64(s.To - s.From + 1) }

// Bounds of the search for a better order: spans up to which it is tried, orders that it tries at most, and comparisons
// of two spans that it may take beyond the first orders of leastTries: a second or less.
const (
	fewSpans    = 1000
	leastTries  = 200
	mostTries   = 20_000
	comparisons = 100_000_000
)

// plan gives the spans of a layout their places behind the states, and returns the size of the arena.
func (l *layout) plan() int64 {
	size := plan(l.spans)
	for _, s := range l.spans {
		s.Offset += l.state
	}
	return l.state + size
}

// plan gives spans their places, so that those needed at the same time do not overlap, and returns the size of the
// arena. Each is placed as low as it fits best, in several orders (Pisarchyk and Lee, 2020: greedy by size); while the
// arena is larger than the peak, other orders are tried, always the same ones.
func plan(spans []*Span) int64 {
	least := peak(spans)
	var best []*Span
	size := int64(-1)
	try := func(order []*Span) {
		if n := place(order); size < 0 || n <= size { // an equal one may lead on
			size, best = n, order
		}
	}
	for _, o := range orders {
		order := slices.Clone(spans)
		slices.SortStableFunc(order, o)
		if try(order); size <= least {
			break
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	tries := 0
	if n := len(spans); n > 1 && n <= fewSpans {
		tries = min(max(comparisons/(n*n), leastTries), mostTries)
	}
	for i := 0; i < tries && size > least; i++ {
		order := slices.Clone(best)
		switch from := r.IntN(len(order)); i % 3 {
		case 0:
			byKind(order, r)
		case 1:
			order = earlier(order, from, r)
		default:
			place(best) // sets the offsets
			order = earlier(order, slices.IndexFunc(best, func(s *Span) bool { return align(s.Offset+s.Bytes) == size }), r)
		}
		try(order)
	}
	place(best)
	return max(size, 0)
}

// earlier moves a span to a random place before it: what is placed first lies best.
func earlier(order []*Span, from int, r *rand.Rand) []*Span {
	s := order[from]
	return slices.Insert(slices.Delete(order, from, from+1), r.IntN(from+1), s)
}

// byKind orders spans by what they have in common with those of other layers of a model, at random: layers are alike,
// and one that is placed well is of no use unless the others are.
func byKind(order []*Span, r *rand.Rand) {
	type kind struct{ bytes, duration int64 }
	priority := map[kind]float64{}
	for _, s := range order {
		k := kind{s.Bytes, s.duration()}
		if priority[k] == 0 {
			priority[k] = r.Float64() + float64(s.Bytes)/float64(order[0].Bytes+s.Bytes)
		}
	}
	slices.SortStableFunc(order, func(a, b *Span) int {
		return cmp.Compare(priority[kind{b.Bytes, b.duration()}], priority[kind{a.Bytes, a.duration()}])
	})
}

// place places spans in the given order, and returns the size of the arena.
func place(order []*Span) int64 {
	var placed []*Span // by offset
	size := int64(0)
	for _, s := range order {
		at, best, gap := int64(0), int64(-1), int64(0)
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
