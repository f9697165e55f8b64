package run

import (
	"context"
	"errors"
	"time"

	"github.com/wmtune/wmtune/dataset/measure"
)

// The plan of a final measurement: many short rounds, so that all candidates see
// the same phases of a noisy machine (10 rounds of 3 to 6 calls find the true
// minimum within 2 % in nine cases of ten; one go of 60 calls does in seven).
const (
	finalRounds  = 10
	finalCalls   = 6
	finalSpacing = 200 * time.Millisecond
)

// Remeasure checks candidates again and times them in turns, in a fresh worker:
// ten rounds of six samples each, slow ones included. Results align with built;
// their samples are in the order in which they were taken, so that those of two
// candidates can be compared part by part.
func (r *Runner) Remeasure(ctx context.Context, inputs []measure.Input, built []measure.BuildResult) ([]measure.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sig == nil {
		return nil, errors.New("run: no task is set")
	}
	r.stop()
	r.anchor = nil // the comparison is with each other
	b := newBatch(r, built)
	p := plan{rounds: max(finalRounds, r.cfg.Rounds), calls: finalCalls, spacing: min(finalSpacing, r.cfg.Spacing), all: true}
	if err := b.run(ctx, p); err != nil {
		return nil, err
	}
	b.finish()
	return b.results, nil
}
