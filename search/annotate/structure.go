package annotate

import (
	"fmt"
	"math/rand/v2"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Structure returns the steps without the decisions on how loops are carried
// out, which are the annotations, pragmas, fusions and vector splits at the end
// of the list.
func Structure(steps []schedule.Step) []schedule.Step {
	end := len(steps)
	for end > 0 && carriesOut(steps, end-1) {
		end--
	}
	return steps[:end:end]
}

// carriesOut reports whether step i is one that a loop rule makes.
func carriesOut(steps []schedule.Step, i int) bool {
	switch s := steps[i].(type) {
	case schedule.Annotate, schedule.Fuse, schedule.Pragma:
		return true
	case schedule.Split:
		// A vector split is annotated at once, on its inner piece.
		if i+1 == len(steps) {
			return false
		}
		a, ok := steps[i+1].(schedule.Annotate)
		return ok && a.Ann == schedule.Vectorize && a.At == s.At && a.Iter == s.Iter+1
	}
	return false
}

// remake replays structural steps and takes the decisions on loops.
func (c *choice) remake(d *compute.DAG, structure []schedule.Step) (*schedule.State, error) {
	s, err := schedule.Replay(d, structure)
	if err != nil {
		return nil, fmt.Errorf("annotate: %w", err)
	}
	if s, err = s.InferBound(); err != nil {
		return nil, fmt.Errorf("annotate: %w", err)
	}
	return c.finish(s)
}

// Remake returns the state of new structural steps on the DAG of s, with the
// decisions on loops taken anew; the unroll limits of s are kept. The state has
// bounds. An error says why the steps give no state worth scoring.
func (a *Sampler) Remake(s *schedule.State, structure []schedule.Step, rng *rand.Rand) (*schedule.State, error) {
	c := &choice{Sampler: a, rng: rng, unrolled: map[int]int{}}
	for i, st := range s.Stages {
		c.unrolled[i] = st.AutoUnroll
	}
	return c.remake(s.DAG, structure)
}
