package annotate

import (
	"slices"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/schedule"
)

// rowCounts are how many rows may be computed at a time: several, so that what
// one row waits for, as the sum of its lanes, happens while others are computed,
// and few, so that they stay in the first-level cache.
var rowCounts = []int64{1, 2, 4, 8, 16}

// rowJobs is how many groups of rows there are at least, by core.
const rowJobs = 4

// computeInRows computes all stages on the way to an output together, some rows at
// a time, half of the time that several of them reduce rows:
//
//	for i: maxelem = ...              for i.0
//	for i: for j: exp = ...             for i: maxelem = ...
//	for i: expsum = ...          =>     for i: for j: exp = ...
//	for i: for j: norm = ...            for i: expsum = ...
//	                                    for i.1: for j: norm = ...
//
// To choose a place for each stage by itself finds this too, but for softmax only
// once in a hundred samples.
func computeInRows(c *choice, s *schedule.State) (*schedule.State, error) {
	s = s.Draft()
	for stage := range s.Stages {
		group, depth := rowGroup(s, stage)
		if group == nil || c.rng.IntN(2) == 0 {
			continue
		}
		extent, rows := int64(1), int64(1) // of the loop over rows, and with those around it
		for _, a := range s.Stages[stage].Op.Axes[:depth] {
			extent, rows = a.Extent, rows*a.Extent
		}
		counts := slices.DeleteFunc(slices.Clone(rowCounts), func(n int64) bool {
			return n > 1 && (extent%n != 0 || rows/n < int64(rowJobs*c.Target.Hardware.Cores))
		})
		steps := []schedule.Step{}
		if n := counts[c.rng.IntN(len(counts))]; n > 1 {
			steps = append(steps, schedule.Split{At: stage, Iter: depth - 1, Extent: extent, Lengths: []int64{n},
				InnerToOuter: true})
		}
		for _, p := range slices.Backward(group) {
			steps = append(steps, schedule.ComputeAt{At: p, Target: stage, TargetIter: depth - 1})
		}
		for _, step := range steps {
			next, err := s.Apply(step)
			if err != nil {
				return nil, err
			}
			s = next
		}
	}
	return s, nil
}

// rowGroup returns the stages that can be computed with an output, in order, and
// how many outer loops all of them share with it; or nil if no two of them reduce
// what a stage that does not reduce reads.
func rowGroup(s *schedule.State, stage int) (group []int, depth int) {
	st := s.Stages[stage]
	if !s.IsOutput(stage) || st.At != schedule.AtRoot || st.Op.IsPlaceholder() ||
		sketch.HasReduceIter(st) || sketch.IsTiled(st) || sketch.NeedsTiling(s, stage) {
		return nil, 0
	}
	depth = len(st.Op.Axes)
	reductions := 0
	for p := stage - 1; p >= 0; p-- {
		producer := s.Stages[p]
		readers := s.Readers(p)
		outside := func(r int) bool { return r != stage && !slices.Contains(group, r) }
		if producer.Op.IsPlaceholder() || producer.At != schedule.AtRoot || s.IsOutput(p) || sketch.NeedsTiling(s, p) ||
			len(readers) == 0 || slices.ContainsFunc(readers, outside) {
			continue
		}
		shared := s.Current.Access().CommonOuterIterators(producer.Op, st.Op)
		if shared == 0 {
			continue
		}
		group = append(group, p)
		depth = min(depth, shared)
		if sketch.HasReduceIter(producer) &&
			slices.ContainsFunc(readers, func(r int) bool { return !sketch.HasReduceIter(s.Stages[r]) }) {
			reductions++
		}
	}
	if reductions < 2 {
		return nil, 0
	}
	slices.Sort(group)
	return group, depth
}
