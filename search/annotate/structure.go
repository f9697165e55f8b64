package annotate

import (
	"fmt"
	"math/rand/v2"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

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
