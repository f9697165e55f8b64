package sketch

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir/schedule"
)

// whenTiled holds for stages that read some element more than once, so that
// keeping tiles close pays.
func whenTiled(_ *Generator, s *schedule.State, stage int) Verdict {
	if !NeedsTiling(s, stage) {
		return Skip
	}
	return ApplyAndSkipRest
}

// tile splits the loops of a stage into the levels of the policy's structure.
//
//	for i, j, k          for i.0, j.0, i.1, j.1
//	  C = ...      =>      for k.0
//	                         for i.2, j.2
//	                           for k.1
//	                             for i.3, j.3
//	                               C = ...
//
// It is an error if a loop is neither spatial nor a reduction.
func tile(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	s, _, err := multiLevelTiling(s, stage, g.Tiling, allOpen)
	if err != nil {
		return nil, err
	}
	return []Next{{s, stage - 1}}, nil
}

// allOpen leaves all lengths of a split open.
func allOpen(_, n int) []int64 { return make([]int64, n) }

// multiLevelTiling splits every loop of a stage into as many pieces as the
// structure has levels of its kind, by the lengths for axis and number of inner
// pieces that a function gives, and orders the pieces by
// level. Axes that the op's attributes exclude stay whole, at the front of the
// innermost level. It also returns the numbers of the spatial splits' steps, in
// loop order.
func multiLevelTiling(s *schedule.State, stage int, structure string, lengths func(axis, n int) []int64) (
	*schedule.State, []int, error,
) {
	var space, reduce [][]int // per level, the positions after the splits
	for _, c := range structure {
		if c == 'S' {
			space = append(space, nil)
		} else {
			reduce = append(reduce, nil)
		}
	}
	whole := s.Stages[stage].Op.Attrs.NoSplitAtInner
	e := edit{state: s, stage: stage}
	var spaceInner, reduceInner, spatialSplits []int
	at := 0
	for axis, it := range s.Stages[stage].Iters {
		levels, inner := space, &spaceInner
		switch it.Kind {
		case schedule.Spatial:
		case schedule.Reduction:
			levels, inner = reduce, &reduceInner
		default:
			return nil, nil, fmt.Errorf("loop %s is neither spatial nor a reduction", it.Name)
		}
		if slices.Contains(whole, it.Name) {
			*inner = append(*inner, at)
			at++
			continue
		}
		if len(levels) > 1 {
			step := e.split(at, lengths(axis, len(levels)-1))
			if it.Kind == schedule.Spatial {
				spatialSplits = append(spatialSplits, step)
			}
		}
		for l := range levels {
			levels[l] = append(levels[l], at)
			at++
		}
	}
	if n := len(space); n > 0 {
		space[n-1] = append(spaceInner, space[n-1]...)
	}
	if n := len(reduce); n > 0 {
		reduce[n-1] = append(reduceInner, reduce[n-1]...)
	}
	var order []int
	for _, c := range structure {
		if c == 'S' {
			order, space = append(order, space[0]...), space[1:]
		} else {
			order, reduce = append(order, reduce[0]...), reduce[1:]
		}
	}
	e.reorder(order)
	return e.state, spatialSplits, e.err
}
