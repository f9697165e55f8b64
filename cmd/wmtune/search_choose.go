package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// choices is how many candidates are tried until one can be built.
const choices = 8

// choose exports what the scorer thinks fastest, which nobody has run.
func (s *searching) choose(ctx context.Context) error {
	if len(s.past) > 0 {
		return fmt.Errorf("%s holds %d trials: --trials 0 would put an unmeasured kernel in the place of theirs; choose another --out", s.searchCommand.log, len(s.past))
	}
	s.show.phase("choosing without measuring")
	t := &search.Tuner{Task: s.task(), Scorer: s.ranks, Options: search.Options{Seed: s.seed, ScorerName: s.scorer, Workers: s.jobs}}
	chosen, err := t.Choose(ctx, choices)
	if errors.Is(err, search.ErrUntrained) { // the one that was asked for is not there
		return fmt.Errorf("--trials 0: --scorer %s: %w", s.scorer, err)
	}
	if err != nil {
		return err
	}
	states := make([]*schedule.State, len(chosen))
	for i, c := range chosen {
		states[i] = c.State
	}
	refused, err := s.putFirst(ctx, states)
	if err != nil {
		return err
	}
	return s.putChoice(states[len(refused)])
}

// putChoice leaves the result beside the kernel of the choice.
func (s *searching) putChoice(state *schedule.State) error {
	s.show.close()
	s.result.Unmeasured, s.result.Reason = true, search.TrialsSpent.String()
	s.result.Steps = string(schedule.FormatSteps(state.Steps))
	s.result.Seconds = time.Since(s.started).Seconds()
	s.result.Files, s.result.NoShared, s.result.TF32 = s.output.files, s.output.missing, s.output.tf32
	return s.output.putResult(s.result)
}
