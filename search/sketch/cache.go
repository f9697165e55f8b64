package sketch

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// whenCacheRead holds for stages that a tile would gain from having in shared memory.
func whenCacheRead(_ *Generator, s *schedule.State, stage int) Verdict {
	if len(sharingReaders(s, stage)) == 0 {
		return Skip
	}
	return ApplyAndSkipRest
}

// sharingReaders returns the readers of a stage that read it directly and whose tiles read its
// elements again and again along a reduction, which is not across threads. AutoScheduler asks
// this of the first reader only, and ends where another one is not like that.
func sharingReaders(s *schedule.State, stage int) []int {
	var list []int
	for _, reader := range slices.Sorted(slices.Values(s.Readers(stage))) {
		if !NeedsTiling(s, reader) || ReducesAcrossThreads(s, reader) || !directlyReads(s, reader, stage) {
			continue
		}
		if _, err := outerReduction(s.Stages[reader]); err == nil {
			list = append(list, reader)
		}
	}
	return list
}

// cacheRead copies what a tile of each sharing reader reads into shared memory, once
// per iteration of the outermost tile of the reduction. The same stage is looked
// at again, now that these read the copies.
//
//	for i.0, ..., k.0               for i.0, ..., k.0
//	  for k.1, ...          =>        for ax0, ax1
//	    C = A ...                       A.shared = ...
//	                                  for k.1, ...
//	                                    C = A.shared ...
func cacheRead(_ *Generator, s *schedule.State, stage int) ([]Next, error) {
	return cacheReadInto(s, stage, func(int) tir.Scope { return tir.Shared })
}

// cacheReadInto is cacheRead into a scope for each reader, as s numbers it.
func cacheReadInto(s *schedule.State, stage int, scope func(reader int) tir.Scope) ([]Next, error) {
	e := edit{state: s, stage: stage}
	for added, reader := range sharingReaders(s, stage) {
		into := string(scope(reader))
		reader += added
		e.apply(schedule.CacheRead{At: stage, Scope: into, Readers: []int{reader}})
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

// whenCached holds for stages that are worth tiling and have no reader that
// could hold their tiles. On a CPU the sketch without a cache lives on.
func whenCached(g *Generator, s *schedule.State, stage int) Verdict {
	if !NeedsTiling(s, stage) {
		return Skip
	}
	if _, ok := TileReader(s, stage); ok {
		return Skip
	}
	if g.Fuse == AlwaysFuse {
		return ApplyAndSkipRest
	}
	return Apply
}

// cacheWrite computes a stage into a local buffer; the stage becomes a copy of
// it, which can hold its tiles. The same stage number, now the cache, is looked
// at again.
//
//	for i, j, k            for i_c, j_c, k
//	  C = ...        =>      C.local = ...
//	                       for i, j
//	                         C = ...
func cacheWrite(_ *Generator, s *schedule.State, stage int) ([]Next, error) {
	e := edit{state: s, stage: stage}
	e.apply(schedule.CacheWrite{At: stage, Scope: "local"})
	return e.next(stage)
}
