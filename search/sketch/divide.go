package sketch

import (
	"github.com/wmtune/wmtune/tir/schedule"
)

// A sum is divided into so many parts at most, of so many steps at least, and no further than to
// so many tiles of the usual size for each multiprocessor.
const (
	maxParts     = 16
	maxCounts    = 3 // of parts, the greatest ones
	minPart      = 64
	usualTile    = 32 * 32
	tilesPerCore = 16
)

// whenDivided holds for products of which there are too few tiles for all multiprocessors, and
// whose sums are long.
func whenDivided(g *Generator, s *schedule.State, stage int) Verdict {
	op := s.Stages[stage].Op
	if op.IsPlaceholder() || op.Combine == nil || !op.Combine.Neutral() || isCacheWritten(s, stage) ||
		isFactored(s, stage) || IsTiled(s.Stages[stage]) || !HasReduceIter(s.Stages[stage]) || !NeedsTiling(s, stage) {
		return Skip
	}
	if len(partCounts(g, s, stage, longestSum(s.Stages[stage]))) == 0 {
		return Skip
	}
	return Apply
}

// divide has blocks compute a part of each sum, as a product with one more axis that is tiled
// like others, and then the sums of the parts, inside of their reader if they have one. It
// derives a state for each number of parts. How many there are is not changed later: what comes
// behind has other extents by it.
//
//	for i, j              for k.0, i, j
//	  for k           =>    for k.1
//	    C = ...               C.rf = ...
//	                      for i, j
//	                        for k.0
//	                          C = ... C.rf
func divide(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	at := longestSum(s.Stages[stage])
	var list []Next
	for _, parts := range partCounts(g, s, stage, at) {
		e := edit{state: s, stage: stage}
		e.apply(schedule.Split{At: stage, Iter: at, Extent: s.Stages[stage].Iters[at].Extent, Lengths: []int64{parts}})
		e.apply(schedule.Rfactor{At: stage, Iter: at, FactorIter: 0})
		if reader, ok := wholeReader(s, stage); ok {
			// The partial sums are a stage of their own now, before the sums of them.
			e.apply(schedule.ComputeAt{At: stage + 1, Target: reader + 1, TargetIter: len(s.Stages[reader].Iters) - 1})
		}
		next, err := e.next(stage)
		if err != nil {
			return nil, err
		}
		list = append(list, next...)
	}
	return list, nil
}

// longestSum returns the longest loop of a reduction.
func longestSum(st *schedule.Stage) int {
	best := -1
	for i, it := range st.Iters {
		if it.Kind == schedule.Reduction && (best < 0 || it.Extent > st.Iters[best].Extent) {
			best = i
		}
	}
	return best
}

// partCounts returns into how many parts the sums of a stage may be divided.
func partCounts(g *Generator, s *schedule.State, stage, at int) []int64 {
	space, reduce := extents(s.Stages[stage])
	var list []int64
	extent, room := s.Stages[stage].Iters[at].Extent, int64(g.Target.Multiprocessors())*usualTile*tilesPerCore
	for parts := int64(2); parts <= maxParts && extent%parts == 0 && reduce/parts >= minPart; parts *= 2 {
		if space*parts <= room {
			list = append(list, parts)
		}
	}
	return list[max(0, len(list)-maxCounts):]
}
