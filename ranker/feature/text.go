package feature

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Text is a program as AutoTVM analyses it (python/tvm/autotvm/feature.py: ana_lower): loops of one iteration are
// there, initialisations of reductions are not, buffers have one dimension, and each place in the text is an access.
type Text struct {
	nest.Program[Float]
	Places [][]Place // by statement: what is stored to, and then what is read, from left to right

	shared bool // an inner loop over the threads of an outer one is that loop
}

// A Place is an access in the text, with what it multiplies each loop's variable with where that stands first: 0 if it
// is not in the index.
type Place struct {
	Buffer  int
	Strides []int64 // by loop around the statement
}

// Spell returns the text of a state. Shared says whether loops over the same threads inside each other are one loop, as
// where a schedule of TVM binds them to one variable.
func Spell(s *schedule.State, shared bool) (*Text, error) { return spell(s, shared, nil) }

// spell is Spell, which writes a relaxed twin as well if it is not nil.
func spell(s *schedule.State, shared bool, t *twin) (*Text, error) {
	nests, err := s.Nests()
	if err != nil {
		return nil, fmt.Errorf("feature: %w", err)
	}
	o := newOutliner(s, nests)
	o.text, o.twin = &Text{shared: shared}, t
	o.program()
	o.text.Program = o.Program
	return o.text, nil
}

// enterText opens a loop of a text.
func (o *outliner) enterText(l schedule.Loop) (leave func()) {
	ann := l.Iter.Ann
	if ann.IsThread() && o.text.shared {
		for _, k := range o.Around {
			if o.Loops[k].Ann == ann {
				o.loops[l.Var] = k
				return func() {}
			}
		}
	}
	k := o.Enter(nest.Loop[Float]{Extent: Float(l.Extent), Ann: ann, Place: len(o.Loops)})
	if l.Extent > 1 { // the variable of another loop is 0
		o.loops[l.Var] = k
	}
	return func() { o.Leave() }
}

// place returns the place of an access in the text: the index counts the elements of what is allocated of the buffer.
func (w *statement) place(buffer int, at []sum) Place {
	b := w.Buffers[buffer]
	stage := w.stage[b]
	n := w.nests[stage]
	part := n != nil && !w.s.IsOutput(stage)
	flat := sum{}
	for d := range at {
		index, extent := at[d], b.Shape[d]
		if part {
			start, _ := w.index(n.Region[d].Min)
			index, extent = index.plus(-1, start), n.Region[d].Extent
		}
		flat = flat.times(extent).plus(1, index).opened()
	}
	flat = w.ranges.simplified(flat)
	p := Place{buffer, make([]int64, len(w.Around))}
	next := int64(1)
	flat.sorted().strides(func(loop int, factor int64) {
		if factor > 1 {
			next = factor
		}
		if k := slices.Index(w.Around, loop); k >= 0 && p.Strides[k] == 0 {
			p.Strides[k], next = next, 1
		}
	})
	return p
}

// strides passes on the variables in the text of s from left to right, each with what it is multiplied with itself.
func (s sum) strides(yield func(loop int, factor int64)) {
	for _, p := range s.parts {
		switch {
		case p.of != nil:
			p.of.strides(yield)
		case p.lower != 1 || p.upper != 0:
			yield(p.loop, 1)
		default:
			yield(p.loop, max(p.coef, -p.coef))
		}
	}
}

// opened returns s with the sums that stand in it whole as parts of it.
func (s sum) opened() sum {
	r := constant(s.c)
	for _, p := range s.parts {
		if p.of != nil && p.lower == 1 && p.upper == 0 {
			r = r.plus(p.coef, p.of.opened())
		} else {
			r.add(p)
		}
	}
	return r
}

// lazyAxes returns the values of the axes with quotients and remainders as they are, until a flat index is known.
func (n *nester) lazyAxes(w *statement) []sum {
	for _, g := range n.n.Guards {
		if b, ok := g.(*tir.Binary); ok && b.Op == tir.LT {
			below, okX := w.index(b.X)
			limit, okY := w.index(b.Y)
			if okX && okY && limit.isConst() && !below.isConst() {
				w.ranges.assume(below, limit.c-1)
			}
		}
	}
	w.ranges.lazy = true
	var at []sum
	for k, q := range n.derive(w) {
		at = append(at, w.ranges.value(q).from(n.start(w, k)))
	}
	return at
}

// simplified returns s with its quotients and remainders simplified.
func (r ranges) simplified(s sum) sum {
	r.lazy = false
	list := constant(s.c)
	for _, p := range s.parts {
		if p.of == nil {
			list.add(p)
			continue
		}
		of := r.simplified(*p.of)
		if p.upper != 0 {
			_, of = r.divide(of, p.upper)
		}
		if p.lower != 1 {
			of, _ = r.divide(of, p.lower)
		}
		list = list.plus(p.coef, of)
	}
	return list
}
