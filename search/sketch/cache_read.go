package sketch

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir/schedule"
)

// whenCacheRead holds for stages that a tiled stage reads directly, unless that
// one reduces across threads.
func whenCacheRead(_ *Generator, s *schedule.State, stage int) Verdict {
	readers := s.Readers(stage)
	if len(readers) == 0 {
		return Skip
	}
	first := slices.Min(readers)
	if !NeedsTiling(s, first) || ReducesAcrossThreads(s, first) || !directlyReads(s, first, stage) {
		return Skip
	}
	return ApplyAndSkipRest
}

// cacheRead copies what a tile of each reader reads into shared memory, once
// per iteration of the outermost tile of the reduction. The same stage is looked
// at again, now that only the copies read it.
//
//	for i.0, ..., k.0               for i.0, ..., k.0
//	  for k.1, ...          =>        for ax0, ax1
//	    C = A ...                       A.shared = ...
//	                                  for k.1, ...
//	                                    C = A.shared ...
//
// It is an error if a reader has no reduction.
func cacheRead(_ *Generator, s *schedule.State, stage int) ([]Next, error) {
	e := edit{state: s, stage: stage}
	for added, reader := range slices.Sorted(slices.Values(s.Readers(stage))) {
		reader += added
		e.apply(schedule.CacheRead{At: stage, Scope: "shared", Readers: []int{reader}})
		if e.err != nil {
			return nil, e.err
		}
		reader++
		at, err := outerReduction(e.state.Stages[reader])
		if err != nil {
			return nil, err
		}
		e.apply(schedule.ComputeAt{At: stage + 1, Target: reader, TargetIter: at})
	}
	return e.next(stage)
}

// outerReduction returns the last loop of the outermost tile of a stage's
// reduction: the first at which all axes that are split have been seen.
func outerReduction(st *schedule.Stage) (int, error) {
	split := 0
	for _, a := range st.Op.ReduceAxes {
		if !slices.Contains(st.Op.Attrs.NoSplitAtInner, a.Var.Name) {
			split++
		}
	}
	seen := map[string]bool{}
	for i, it := range st.Iters {
		if it.Kind != schedule.Reduction {
			continue
		}
		for _, name := range OriginalAxes(it.Name) {
			seen[name] = true
		}
		if len(seen) == split {
			return i, nil
		}
	}
	return 0, fmt.Errorf("stage %s has no loop of a split reduction", st.Op.Name)
}
