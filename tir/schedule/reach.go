package schedule

import (
	"fmt"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/tir"
)

// Bounds is a state after bound inference, and what its loops run through. It
// costs what InferBound does: there are no expressions in it.
type Bounds struct {
	// State is the state with the ranges of all iterators set.
	State   *State
	axes    []int     // by stage: the number of its axes; 0 for a placeholder and an inlined stage
	extents [][]int64 // by stage and node of the loop tree; nil for a placeholder and an inlined stage

	signed    sync.Once
	signature [16]byte // of State, set by signed
}

// Bounds infers bounds. It is an error if s is not concrete, or if a nest has more
// iterations than can be counted. A state that has its bounds already, of
// InferBound or of Bounds, knows them.
func (s *State) Bounds() (*Bounds, error) {
	if s.bounds != nil {
		return s.bounds, nil
	}
	if s.draft != nil { // others are shared: nothing is written to them
		s.draft = nil
	}
	in, err := infer(s, threadName)
	if err != nil {
		return nil, err
	}
	b := &Bounds{State: in.bound(), axes: make([]int, len(in.nests)), extents: make([][]int64, len(in.nests))}
	for i, n := range in.nests {
		if n != nil {
			b.axes[i], b.extents[i] = len(n.region), n.extents
		}
	}
	b.State.bounds = b
	return b, nil
}

// Region returns over how many values of each axis of a stage, spatial ones first,
// its loops run in one execution; nil for a placeholder and an inlined stage.
func (b *Bounds) Region(stage int) []int64 {
	n := b.axes[stage]
	return b.extents[stage][:n:n]
}

// Reach writes to counts over how many values of each axis of a stage its loops
// run from iterator from on, while those before it stand still. Work is room for
// intermediate results, which is returned for the next call.
func (b *Bounds) Reach(stage, from int, counts []int64, work []int64) []int64 {
	extents, st := b.extents[stage], b.State.Stages[stage]
	if extents == nil {
		panic(fmt.Sprintf("BUG: schedule: reach of stage %d, which has no loops", stage))
	}
	at := slices.Grow(work[:0], st.loops.nodes)[:st.loops.nodes]
	for k, leaf := range st.loops.leaves {
		at[leaf] = 1
		if k >= from {
			at[leaf] = extents[leaf]
		}
	}
	for _, r := range slices.Backward(st.loops.rels) {
		switch r.kind {
		case splitRel:
			at[r.parent] = min(at[r.outer]*at[r.inner], extents[r.parent])
		case fuseRel:
			inner := extents[r.inner]
			at[r.inner], at[r.outer] = min(at[r.parent], inner), (at[r.parent]+inner-1)/inner
		}
	}
	copy(counts, at[:b.axes[stage]])
	return at
}

// EachLoad calls f for each load of a stage, bodies of inlined stages in place of
// their results: of which stage's result, and at which index, over the axes of the
// stage.
func (s *State) EachLoad(stage int, f func(from int, index []tir.Expr)) {
	for _, l := range s.dataflow().loads[stage] {
		f(l.stage, l.index)
	}
}
