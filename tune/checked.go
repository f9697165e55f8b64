package tune

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A checkedCandidate is one that is correct, where none is timed.
type checkedCandidate struct {
	record   dataset.Record
	rejected error // why it cannot be exported; nil if it was not tried, or can be
}

// noteChecked notes a candidate that is correct, where none is timed.
func (s *Session) noteChecked(r dataset.Record) {
	if r.Status == measure.Unmeasured && s.machine != nil && s.machine.CannotTime() != "" {
		s.checked = append(s.checked, checkedCandidate{record: r})
	}
}

// keepChecked exports the candidate that the scorer thinks fastest of those that are
// correct: of all in one call, since scores of several do not compare. One that is rejected
// is passed over, for good: it may have been checked where there was no compiler. Where
// no candidate is correct, or all are rejected, the error says so.
func (s *Session) keepChecked(ctx context.Context) error {
	if len(s.checked) == 0 {
		if err := s.dropWrong(); err != nil {
			return err
		}
		return search.ErrNothingCorrect
	}
	rivals, states, err := s.rivals()
	if err != nil {
		return err
	}
	if len(rivals) == 0 {
		return fmt.Errorf("none of %d checked candidates can be built: %w", len(s.checked), s.checked[0].rejected)
	}
	scores, err := s.scorer.Score(ctx, s.Task(), states)
	if err != nil {
		return fmt.Errorf("score the checked candidates: %w", err)
	}
	order := byGuess(states, scores)
	guesses := make([]*schedule.State, len(order))
	for i, n := range order {
		guesses[i] = states[n]
	}
	rejected, err := s.putFirst(ctx, guesses, nil)
	for i, why := range rejected {
		rivals[order[i]].rejected = why
	}
	if err != nil {
		return err
	}
	best := order[len(rejected)]
	s.setChoice(scores[best])
	s.result.Rivals = len(states) - len(rejected)
	s.result.NewTrials = s.result.Trials - len(s.past)
	return s.putResult(states[best])
}

// setChoice says that the kernel is the scorer's choice, which was not timed.
func (s *Session) setChoice(score float64) {
	r := &s.result
	r.Unmeasured, r.ResourceUsage, r.Confidence = true, s.kernel.usage, s.confidence()
	if r.Score = nil; evolve.Possible(score) {
		r.Score = &score
	}
}

// rivals returns the checked candidates that were not rejected, and their states.
func (s *Session) rivals() (list []*checkedCandidate, states []*schedule.State, err error) {
	for i := range s.checked {
		c := &s.checked[i]
		if c.rejected != nil {
			continue
		}
		state, err := schedule.ReplayBound(s.task.DAG, c.record.Steps)
		if err != nil {
			return nil, nil, fmt.Errorf("replay candidate %d: %w", c.record.Trial, err)
		}
		list, states = append(list, c), append(states, state)
	}
	return list, states, nil
}

// byGuess returns the numbers of the states, the highest score first: those that tensor
// cores compute before all others; of several the plainest one, of these the first.
func byGuess(states []*schedule.State, scores []float64) []int {
	order := make([]int, len(states))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(evolve.ByTensorCores(states[i], states[j]), cmp.Compare(scores[j], scores[i]),
			evolve.Plainer(states[i], states[j]))
	})
	return order
}

// confidence is what the scorer can say of a choice.
func (s *Session) confidence() string {
	if s.scorer.Traits().Untrained {
		return "none: the scorer knows nothing, so any of the candidates may be the fastest"
	}
	if s.told != "" {
		return "low: " + s.told
	}
	if s.opt.ScorerName == "world" {
		return "usual: the model was trained on tasks like this one; docs/manual/world-model.md says how its choices fare"
	}
	return ""
}
