package run

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A maximum of thousands of elements that have 64 values is the largest value in any case, so a program may leave half
// of them out and get the same. So the first set of inputs has peaks where a maximum, a minimum or the place of the
// largest is taken of them: of each run of as many elements as are folded, one is larger than all others, one smaller,
// and of floats one nearer to 0. A program that leaves out that which it folds to has another result.
//
//	m(i: 64) = max(k: 4096) x[i, k]    x: in each run of 4,096 elements one is 2.25 to 3, one -3 to -2.25, one
//	                                      within 1/64, the others are between -1.97 and 1.97 and beyond 1/32
//
// Peaks are near the other values, so that an exponential or a sum of all loses nothing of its check. They stand first
// or last in their run half of the time, where programs have edges. Elements that are folded together are a run if
// they lie one behind the other; else runs have as many peaks as there are folds, and a third of the folds has one.
//
// An input of booleans is false but for one element of each run where a program asks whether any is true, and true but
// for one where it asks whether all are.

// peakSet is the set of inputs with peaks.
const peakSet = 0

// fewestFolded is how many elements a fold has, at least, for which there are peaks: of fewer the values differ.
const fewestFolded = 8

// peaks says where an input has them.
type peaks struct {
	Runs     []int64 // lengths of runs, in order; peaks of a longer one are higher
	Any, All bool    // what is asked of booleans
}

// peaksOf returns the peaks of the inputs of a DAG.
func peaksOf(d *compute.DAG) map[*tir.Buffer]peaks {
	s := search{d: d, found: map[*tir.Buffer]peaks{}, seen: map[step]bool{}}
	for _, op := range d.Ops {
		if highest, lowest := extremesOf(op); highest || lowest {
			s.reads(op, step{run: 1, highest: highest, lowest: lowest})
		}
	}
	return s.found
}

// extremesOf reports whether an op folds elements to the highest or the lowest of them, or to either.
func extremesOf(op *compute.Op) (highest, lowest bool) {
	if op.Combine == nil {
		return false, false
	}
	switch op.Combine.Kind {
	case compute.Sum:
		return false, false
	case compute.MaxOf, compute.FirstLargest:
		return true, false
	case compute.MinOf:
		return false, true
	}
	for _, e := range op.Combine.Result {
		tir.VisitExpr(e, func(e tir.Expr) bool {
			if b, ok := e.(*tir.Binary); ok {
				highest = highest || b.Op == tir.Max || b.Op == tir.Or
				lowest = lowest || b.Op == tir.Min || b.Op == tir.And
			}
			if _, ok := e.(*tir.Select); ok {
				highest, lowest = true, true
			}
			return true
		})
	}
	return highest, lowest
}

// A search follows values back from folds to inputs.
type search struct {
	d     *compute.DAG
	found map[*tir.Buffer]peaks
	seen  map[step]bool
}

// A step is a tensor of which so many elements are folded together.
type step struct {
	buffer          *tir.Buffer
	run             int64
	highest, lowest bool
}

// reads goes on with all tensors whose elements are values in the body of an op.
func (s *search) reads(op *compute.Op, from step) {
	for _, body := range op.Body {
		eachValue(body, false, func(l *tir.Load, negated bool) {
			next := step{l.Buffer, from.run, from.highest, from.lowest}
			if negated {
				next.highest, next.lowest = from.lowest, from.highest
			}
			for _, a := range op.ReduceAxes {
				if slices.ContainsFunc(l.Index, func(e tir.Expr) bool { return tir.Uses(e, a.Var) }) {
					next.run = min(next.run*a.Extent, l.Buffer.Elems()*from.run)
				}
			}
			s.visit(next)
		})
	}
}

// visit notes a tensor that is an input, and goes on from one that is not: sums have more values than an input.
func (s *search) visit(at step) {
	op := s.d.Producer(at.buffer)
	if s.seen[at] || op.Combine != nil && op.Combine.Kind == compute.Sum {
		return
	}
	s.seen[at] = true
	if !op.IsPlaceholder() {
		s.reads(op, at)
		return
	}
	p, run := s.found[at.buffer], min(at.run, at.buffer.Elems())
	if run < fewestFolded {
		return
	}
	if i, ok := slices.BinarySearch(p.Runs, run); !ok {
		p.Runs = slices.Insert(p.Runs, i, run)
	}
	p.Any, p.All = p.Any || at.highest, p.All || at.lowest
	s.found[at.buffer] = p
}

// eachValue visits the loads that the value of an expression is computed from: no index, and no condition, which says
// what is taken. Negated says that the larger element makes the smaller value.
func eachValue(e tir.Expr, negated bool, f func(l *tir.Load, negated bool)) {
	switch e := e.(type) {
	case *tir.Load:
		f(e, negated)
	case *tir.Not:
		eachValue(e.X, !negated, f)
	case *tir.Cast:
		eachValue(e.X, negated, f)
	case *tir.Select:
		eachValue(e.Then, negated, f)
		eachValue(e.Else, negated, f)
	case *tir.Call:
		for _, x := range e.Args {
			eachValue(x, negated, f)
		}
	case *tir.Binary:
		eachValue(e.X, negated, f)
		eachValue(e.Y, negated != (e.Op == tir.Sub), f)
	}
}

// heights is how many different peaks runs of one length have: results that were all alike would not show which
// run they come from.
const heights = 4

// An extremum is what a peak is to the other elements of its run.
type extremum int

const (
	highest extremum = iota
	lowest
	nearest // to 0
	extremums
)

// plant writes the peaks of a tensor that holds elements of a level.
func (p peaks) plant(data []byte, t tensor, key uint64, level int) {
	if len(p.Runs) == 0 {
		return
	}
	write, ok := t.peakWriter(data, level, int64(heights*len(p.Runs)))
	if !ok {
		return
	}
	n := t.elems()
	for rank, run := range p.Runs {
		for first := int64(0); first < n; first += run {
			size := min(run, n-first)
			if size < int64(extremums) {
				break
			}
			r := mix(key + uint64(first)*uint64(rank+1))
			at := int64(mix(r) % uint64(size))
			switch r % 4 {
			case 0:
				at = 0
			case 1:
				at = size - 1
			}
			if t.Type == tir.Bool {
				p.plantBool(data[first:first+size], at, first/run)
				continue
			}
			step := 1 + int64(mix(r+1)%uint64((size-1)/2)) // twice that is another place than at
			for k := range extremums {
				write(first+(at+int64(k)*step)%size, int64(rank*heights)+int64(r>>8%heights), k)
			}
		}
	}
}

// plantBool fills a run of booleans, of which one differs. If both is asked whether any is true and whether all are,
// runs serve the one and the other in turn.
func (p peaks) plantBool(data []byte, at, run int64) {
	odd := byte(1)
	if !p.Any || p.All && run%2 == 1 {
		odd = 0
	}
	for i := range data {
		data[i] = 1 - odd
	}
	data[at] = odd
}

// peakWriter returns a function that writes a peak, of the height of a slot among so many. It makes room for them
// among the other elements. It is false if there is no room.
func (t tensor) peakWriter(data []byte, level int, slots int64) (write func(at, slot int64, x extremum), ok bool) {
	size := int64(t.Type.Bytes())
	if t.Type.IsFloat() {
		return func(at, slot int64, x extremum) {
			if v, ok := floatPeak(slot, x, level); ok {
				putFloat(data[at*size:], t.Type, v)
			}
		}, true
	}
	if t.Type == tir.Bool {
		return nil, level == 0 // the other levels are for operators that get too few that are true
	}
	all := intsOf(t, level)
	gap := max((all.Hi-all.Lo)/8, 1)
	// There may be more than an int64 holds, and an unsigned type has others than it was given.
	if all.Hi-all.Lo < 2 || all.Lo < 0 && t.Type.IsUnsigned() {
		return nil, false
	}
	for i := range t.elems() {
		switch v := getInt(data[i*size:], t.Type); {
		case v > all.Hi-gap:
			putInt(data[i*size:], t.Type, v-gap)
		case v < all.Lo+gap:
			putInt(data[i*size:], t.Type, v+gap)
		}
	}
	return func(at, slot int64, x extremum) {
		below := (gap - 1) / (slots - 1) * (slots - 1 - slot)
		switch x {
		case highest:
			putInt(data[at*size:], t.Type, all.Hi-below)
		case lowest:
			putInt(data[at*size:], t.Type, all.Lo+below)
		}
	}, true
}

// floatPeak returns a number above all that floatInput makes of a level, or below, or nearer to 0: as few bits hold it.
// It is false for the nearest if that is the lowest.
func floatPeak(slot int64, x extremum, level int) (v float64, ok bool) {
	l := levels[level]
	far, near := float64(72+8*slot)*l.scale, l.scale/float64(int64(2)<<slot)
	switch plain := l.signed && l.middle == 0; {
	case x == highest:
		return l.middle + far, true
	case x == lowest && l.signed:
		return l.middle - far, true
	case x == lowest || plain:
		return near, true
	}
	return 0, false
}
