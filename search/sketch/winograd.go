package sketch

import (
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/winograd"
)

// whenConvolution holds for convolutions that Winograd's algorithm computes with fewer operations, by an estimate that
// counts what moves between its stages, too.
func whenConvolution(_ *Generator, s *schedule.State, stage int) Verdict {
	c, err := schedule.ConvolutionOf(s.Stages[stage].Op)
	if err != nil || c.Estimate().Tile(winograd.Gain) == 0 {
		return Skip
	}
	if _, err := s.Apply(schedule.Winograd{At: stage, Tile: 2}); err != nil {
		return Skip
	}
	return ApplyAndSkipRest
}

// convolveInTiles has a convolution computed in the tiles that the estimate likes best. The stages that this adds are
// visited next, from the last one on.
func convolveInTiles(_ *Generator, s *schedule.State, stage int) ([]Next, error) {
	c, err := schedule.ConvolutionOf(s.Stages[stage].Op)
	if err != nil {
		return nil, err
	}
	e := edit{state: s, stage: stage}
	step := schedule.Winograd{At: stage, Tile: c.Estimate().Tile(winograd.Gain)}
	e.apply(step)
	_, n := schedule.Adds(step)
	return e.next(stage + n - 1)
}

// whenTransformed holds for a stage with a constant tensor that only another one reads, whose loops are unrolled: the
// first of two multiplications of a tile by matrices.
func whenTransformed(g *Generator, s *schedule.State, stage int) Verdict {
	if whenConstTensor(g, s, stage) == Skip {
		return Skip
	}
	readers := s.Readers(stage)
	if len(readers) != 1 || whenConstTensor(g, s, readers[0]) == Skip || firstUnrolled(s, readers[0]) < 1 {
		return Skip
	}
	return ApplyAndSkipRest
}

// transformInTiles computes the stage just before the unrolled loops of its reader, and unrolls its own.
//
//	for a, nu, p, ci: for r                for p, ci
//	  rows = ...                             unroll a, nu, r
//	for p, ci                         =>       rows = ...
//	  unroll eps, nu, r                      unroll eps, nu, r
//	    tiles = ...                            tiles = ...
func transformInTiles(_ *Generator, s *schedule.State, stage int) ([]Next, error) {
	reader := s.Readers(stage)[0]
	e := edit{state: s, stage: stage}
	e.unrollNamed()
	e.apply(schedule.ComputeAt{At: stage, Target: reader, TargetIter: firstUnrolled(s, reader) - 1})
	return e.next(stage - 1)
}

// firstUnrolled returns the first loop of a stage that is unrolled, -1 if none is.
func firstUnrolled(s *schedule.State, stage int) int {
	for i, it := range s.Stages[stage].Iters {
		if it.Ann == schedule.Unroll {
			return i
		}
	}
	return -1
}
