package sketch

import "github.com/wmtune/wmtune/tir/schedule"

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
