package annotate

import (
	"fmt"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Limits of states worth scoring. They are far beyond anything fast; their
// purpose is to keep programs from being built that would not end in time.
const (
	// maxRecompute bounds how many times more often than its domain has points
	// a stage may run its body, because it is computed inside its reader.
	maxRecompute = 64
	// maxUnrolled bounds the product of the extents of unrolled and vector
	// loops of one stage.
	maxUnrolled = 4096
)

// plausible returns an error if a state with bounds is not worth scoring: loops
// in parallel inside others, a stage that is recomputed very often, or more
// unrolled code than a compiler takes in reasonable time.
func plausible(s *schedule.State, _ target.Target) error {
	for stage, st := range s.Stages {
		if st.Op.IsPlaceholder() || st.At == schedule.Inlined {
			continue
		}
		name := st.Op.Name
		if st.At == schedule.AtRoot && nested(s, stage, 0) > 1 {
			return fmt.Errorf("annotate: stage %s has a parallel loop inside another", name)
		}
		runs, unrolled := surrounding(s, stage), 1.0
		for _, it := range st.Iters {
			runs *= float64(it.Extent)
			if it.Ann == schedule.Unroll || it.Ann == schedule.Vectorize {
				unrolled *= float64(it.Extent)
			}
		}
		points := 1.0
		for _, a := range st.Op.Axes {
			points *= float64(a.Extent)
		}
		for _, a := range st.Op.ReduceAxes {
			points *= float64(a.Extent)
		}
		if runs > maxRecompute*points {
			return fmt.Errorf("annotate: stage %s is computed %.0f times over", name, runs/points)
		}
		if unrolled > maxUnrolled {
			return fmt.Errorf("annotate: stage %s would be unrolled %.0f times", name, unrolled)
		}
	}
	return nil
}

// surrounding returns how often the loops run in which a stage is computed.
func surrounding(s *schedule.State, stage int) float64 {
	runs := 1.0
	for {
		at, ok := s.Attach.At(stage)
		if !ok {
			return runs
		}
		for _, it := range s.Stages[at.Stage].Iters[:at.Iter+1] {
			runs *= float64(it.Extent)
		}
		stage = at.Stage
	}
}

// nested returns the largest number of parallel loops around any loop of a
// stage or of the stages computed inside it, given those outside.
func nested(s *schedule.State, stage, outside int) int {
	most := outside
	for i, it := range s.Stages[stage].Iters {
		if it.Ann == schedule.Parallel {
			outside++
		}
		most = max(most, outside)
		for _, inside := range s.Attach.Inside(stage, i) {
			most = max(most, nested(s, inside, outside))
		}
	}
	return most
}
