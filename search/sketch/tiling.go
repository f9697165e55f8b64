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
	s, _, err := multiLevelTiling(s, stage, g.Tiling, openLengths(s, stage))
	if err != nil {
		return nil, err
	}
	return []Next{{s, stage - 1}}, nil
}

// openLengths leaves all lengths of the splits of a stage open, but those of the axis of parts
// of divided sums: each block has one part.
func openLengths(s *schedule.State, stage int) func(axis, n int) []int64 {
	divided := isDivided(s, stage)
	return func(axis, n int) []int64 {
		if divided && axis == 0 {
			return slices.Repeat([]int64{1}, n)
		}
		return make([]int64, n)
	}
}

// isDivided reports whether the first axis of a stage, or of the one that it is the cache of, is
// that of the parts of divided sums.
func isDivided(s *schedule.State, stage int) bool {
	return isFactored(s, stage) || isCacheWritten(s, stage) && isFactored(s, stage+1)
}

// multiLevelTiling splits every loop of a stage into as many pieces as the
// structure has levels of its kind, by the lengths for axis and number of inner
// pieces that a function gives, and orders the pieces by
// level. Axes that the op's attributes exclude stay whole: at the front of the
// innermost level, or outside, phases behind the first level and taps before theirs.
// It also returns the numbers of the spatial splits' steps, in loop order.
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
	whole, outside := s.Stages[stage].Op.Attrs.NoSplitAtInner, s.Stages[stage].Op.Attrs.WholeOutside
	e := edit{state: s, stage: stage}
	var spaceInner, reduceInner, spatialSplits, phases, taps []int
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
		if slices.Contains(outside, it.Name) {
			if it.Kind == schedule.Spatial {
				phases = append(phases, at)
			} else {
				taps = append(taps, at)
			}
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
	if len(phases) > 0 { // threads share all phases of their tiles: some take longer than others
		space[0] = append(space[0], phases...)
	}
	if len(taps) > 0 {
		reduce[0] = append(taps, reduce[0]...)
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

// whenTiledAndFused holds for stages that are worth tiling and whose only reader can hold their
// tiles, so that each tile is read while it is close. A stage made by a cache write has no other
// purpose.
func whenTiledAndFused(g *Generator, s *schedule.State, stage int) Verdict {
	if !NeedsTiling(s, stage) {
		return Skip
	}
	if _, ok := TileReader(s, stage); !ok {
		return Skip
	}
	if g.Fuse == AlwaysFuse || isCacheWritten(s, stage) {
		return ApplyAndSkipRest
	}
	return Apply
}

// tileAndFuse tiles a stage, tiles its reader alike down to a level, and
// computes the stage inside that level of the reader. It derives one state for
// each of the policy's levels. With level 1:
//
//	for i, j, k          for i'.0, j'.0
//	  C = ...              for i.0, j.0, i.1, j.1, k.0, i.2, j.2, k.1, i.3, j.3
//	for i', j'       =>      C = ...
//	  D = ...              for i'.1, j'.1
//	                         D = ...
//
// It is an error if the reader has another number of spatial loops.
func tileAndFuse(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	reader, ok := TileReader(s, stage)
	if !ok {
		panic("BUG: sketch: fusing a stage that has no reader for its tiles")
	}
	tiled, splits, err := multiLevelTiling(s, stage, g.Tiling, openLengths(s, stage))
	if err != nil {
		return nil, err
	}
	return fuseTiles(g, tiled, stage, reader, splits)
}

// fuseTiles computes a tiled stage inside its reader, tiled alike, at each of the policy's levels.
func fuseTiles(g *Generator, tiled *schedule.State, stage, reader int, splits []int) ([]Next, error) {
	var derived []Next
	whole := 0 // loops that are not split, outside
	for _, a := range tiled.Stages[stage].Op.Axes {
		if staysOutside(tiled.Stages[stage].Op, a) {
			whole++
		}
	}
	for _, level := range g.FollowLevels {
		if g.Tiling[level-1] != 'S' {
			continue
		}
		followed, err := followTiling(tiled, reader, stage, splits, level)
		if err != nil {
			return nil, err
		}
		e := edit{state: followed, stage: stage}
		e.apply(schedule.ComputeAt{At: stage, Target: reader, TargetIter: whole + level*len(splits) - 1})
		list, err := e.next(stage - 1)
		if err != nil {
			return nil, err
		}
		derived = append(derived, list...)
	}
	return derived, nil
}

// followTiling splits the loops of a stage, the reader of a tiled one, by the lengths of
// given splits, one for each loop, into levels+1 pieces, and orders the pieces by level. Unroll
// and vectorize move to the innermost piece, parallel to the outermost.
//
//	for i, j       =>    for i.0, j.0
//	  D = ...              for i.1, j.1
//	                         D = ...
//
// Loops along axes that are whole in the tiled stage stay whole.
func followTiling(s *schedule.State, stage, tiled int, splits []int, levels int) (*schedule.State, error) {
	of := s.Stages[tiled].Op
	e := edit{state: s, stage: stage}
	pieces := make([][]int, levels+1)
	var phases []int
	at, follows := 0, 0
	for axis, it := range s.Stages[stage].Iters {
		if it.Kind != schedule.Spatial {
			return nil, fmt.Errorf("loop %s of the reader is a reduction", it.Name)
		}
		if axis < len(of.Axes) && slices.Contains(of.Attrs.NoSplitAtInner, of.Axes[axis].Var.Name) {
			pieces[levels] = append(pieces[levels], at)
			at++
			continue
		}
		if axis < len(of.Axes) && staysOutside(of, of.Axes[axis]) {
			phases = append(phases, at)
			at++
			continue
		}
		if follows == len(splits) {
			return nil, fmt.Errorf("the reader has more than %d loops to split", len(splits))
		}
		e.apply(schedule.FollowSplit{At: stage, Iter: at, Src: splits[follows], Parts: levels})
		follows++
		switch it.Ann {
		case schedule.None:
		case schedule.Unroll, schedule.Vectorize:
			e.apply(schedule.Annotate{At: stage, Iter: at + levels, Ann: it.Ann})
		case schedule.Parallel:
			e.apply(schedule.Annotate{At: stage, Iter: at, Ann: it.Ann})
		default:
			return nil, fmt.Errorf("loop %s of the reader is bound to threads", it.Name)
		}
		for l := range pieces {
			pieces[l] = append(pieces[l], at)
			at++
		}
	}
	if follows != len(splits) {
		return nil, fmt.Errorf("the reader has %d loops to split, not %d", follows, len(splits))
	}
	pieces[0] = append(pieces[0], phases...)
	e.reorder(slices.Concat(pieces...))
	return e.state, e.err
}
