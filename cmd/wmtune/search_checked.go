package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// noteChecked notes a candidate that is correct, where none is timed.
func (s *searching) noteChecked(r dataset.Record) {
	if r.Status == measure.Unmeasured && s.machine.cannotTime() != "" {
		s.checked = append(s.checked, r)
	}
}

// keepChecked exports the candidate that the scorer thinks fastest of those that are
// correct: of all in one call, since scores of several do not compare. Where none is,
// the error says so.
func (s *searching) keepChecked(ctx context.Context) error {
	if len(s.checked) == 0 {
		return search.ErrNothingCorrect
	}
	var states []*schedule.State
	var records []dataset.Record
	for _, r := range s.checked {
		state, err := schedule.Replay(s.w.dag, r.Steps)
		if err == nil {
			state, err = state.InferBound()
		}
		if err != nil {
			return fmt.Errorf("replay candidate %d: %w", r.Trial, err)
		}
		states, records = append(states, state), append(records, r)
	}
	scores, err := s.ranks.Score(ctx, s.task(), states)
	if err != nil {
		return fmt.Errorf("score the checked candidates: %w", err)
	}
	best := bestGuess(states, scores)
	if err := s.output.putKernel(ctx, s.machine, s.w, states[best], s.layout); err != nil {
		return err
	}
	s.result.Unmeasured, s.result.Rivals, s.result.Takes = true, len(states), records[best].Message
	if s.result.Score = nil; evolve.Possible(scores[best]) {
		s.result.Score = &scores[best]
	}
	s.result.Confidence = s.confidence()
	s.result.Steps = string(schedule.FormatSteps(states[best].Steps))
	s.result.Seconds = time.Since(s.started).Seconds()
	s.result.NewTrials = s.result.Trials - len(s.past)
	s.result.Files, s.result.NoShared, s.result.TF32 = s.output.files, s.output.lacks, s.output.tf32
	return s.output.putResult(s.result)
}

// bestGuess returns the number of the state with the highest score, of those that tensor
// cores compute if there are any; of several the plainest one, of these the first.
func bestGuess(states []*schedule.State, scores []float64) int {
	best := 0
	better := func(i, j int) bool {
		return cmp.Or(evolve.ByTensorCores(states[i], states[j]), cmp.Compare(scores[j], scores[i]), evolve.Plainer(states[i], states[j])) < 0
	}
	for i := range scores {
		if !evolve.Possible(scores[best]) || evolve.Possible(scores[i]) && better(i, best) {
			best = i
		}
	}
	return best
}

// confidence is what the scorer can say of a choice.
func (s *searching) confidence() string {
	if b, ok := s.ranks.(search.Blinder); ok && b.Blind() {
		return "none: the scorer knows nothing, so any of the candidates may be the fastest"
	}
	if s.told != "" {
		return "low: " + s.told
	}
	if s.scorer == "world" {
		return "usual: the model was trained on tasks like this one; docs/evaluation.md says how its choices fare"
	}
	return ""
}
