package evolve

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// unrollPrefix is the text of all pragmas that set an unroll limit.
var unrollPrefix = strings.TrimSuffix(schedule.UnrollPragma(0), "0")

// mutateAutoUnroll gives one stage another unroll limit.
//
//	PR 3 0 auto_unroll_max_step$16  =>  PR 3 0 auto_unroll_max_step$512
//
// It is an error if no stage has one.
func mutateAutoUnroll(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	var pragmas []int
	for i, step := range s.Steps {
		if p, ok := step.(schedule.Pragma); ok && strings.HasPrefix(p.Text, unrollPrefix) {
			pragmas = append(pragmas, i)
		}
	}
	if len(pragmas) == 0 {
		return nil, errors.New("evolve: no unroll limit to mutate")
	}
	i := pragmas[rng.IntN(len(pragmas))]
	p := s.Steps[i].(schedule.Pragma)
	var others []string
	for _, limit := range a.UnrollSteps {
		if text := schedule.UnrollPragma(limit); text != p.Text {
			others = append(others, text)
		}
	}
	p.Text = others[rng.IntN(len(others))]
	steps := slices.Clone(s.Steps)
	steps[i] = p
	return replay(s, steps)
}

// replay returns the state of other steps on the same DAG, with bounds.
func replay(s *schedule.State, steps []schedule.Step) (*schedule.State, error) {
	out, err := schedule.Replay(s.DAG, steps)
	if err != nil {
		return nil, err
	}
	if out, err = out.InferBound(); err != nil {
		return nil, err
	}
	return out, nil
}
