package annotate

import (
	"slices"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/schedule"
)

// unroll unrolls the innermost loops over axes that the op's attributes name,
// and gives every stage with a reduction a random limit up to which the code
// generator unrolls.
//
//	for i, for k       =>    #pragma auto_unroll_max_step 64
//	  C = ...                for i, for k
//	                           C = ...
//
// A limit of 0 is a step too, so that it can be mutated.
func unroll(c *choice, s *schedule.State) (*schedule.State, error) {
	s = s.Draft()
	for stage, st := range s.Stages {
		if st.Op.IsPlaceholder() || st.At == schedule.Inlined {
			continue
		}
		next, err := unrollInner(s, stage)
		if err != nil {
			return nil, err
		}
		s = next
		if !sketch.HasReduceIter(st) {
			continue
		}
		limit := c.UnrollSteps[c.rng.IntN(len(c.UnrollSteps))]
		if kept, ok := c.unrolled[stage]; ok {
			limit = kept
		}
		s, err = s.Apply(schedule.Pragma{At: stage, Iter: 0, Text: schedule.UnrollPragma(limit)})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// unrollInner unrolls the loops of the innermost tile that go over one named
// axis only. The tile ends, going outwards, where all axes of a loop have been
// seen.
func unrollInner(s *schedule.State, stage int) (*schedule.State, error) {
	names := s.Stages[stage].Op.Attrs.AlwaysUnrollInner
	if len(names) == 0 {
		return s, nil
	}
	seen := map[string]bool{}
	for i, it := range slices.Backward(s.Stages[stage].Iters) {
		axes := sketch.OriginalAxes(it.Name)
		before := len(seen)
		for _, a := range axes {
			seen[a] = true
		}
		if len(seen) == before {
			break
		}
		if len(axes) != 1 || !slices.Contains(names, axes[0]) || it.Ann != schedule.None {
			continue
		}
		next, err := s.Apply(schedule.Annotate{At: stage, Iter: i, Ann: schedule.Unroll})
		if err != nil {
			return nil, err
		}
		s = next
	}
	return s, nil
}
