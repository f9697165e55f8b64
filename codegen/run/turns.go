package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wmtune/wmtune/dataset/measure"
)

// Turns are those of one program beside contenders that are not ours: it is
// checked once, and then timed a round at a time, whenever it is its turn. Close
// to a minute may pass between turns; its threads sleep meanwhile.
type Turns struct {
	b *batch
}

// A RoundPlan says how a round of Turns is timed.
type RoundPlan struct {
	Samples   int
	MinSample time.Duration // shorter calls are repeated within a sample, whose time is their mean
	MaxTotal  time.Duration // no further sample is begun after it
}

// Turns checks a program in a fresh worker. It is an error if the program is not
// correct. Other methods of the runner end the turns.
func (r *Runner) Turns(ctx context.Context, built measure.BuildResult) (*Turns, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sig == nil {
		return nil, errors.New("run: no task is set")
	}
	r.stop()
	r.anchor = nil
	t := &Turns{newBatch(r, []measure.BuildResult{built})}
	t.b.all = true
	if built.Status != measure.OK {
		return nil, fmt.Errorf("run: the program was not built: %s: %s", built.Status, built.Message)
	}
	if _, err := t.b.check(ctx, 0); err != nil {
		return nil, err
	}
	return t, t.failure()
}

// Round takes one round of samples and returns seconds per call. The first sample of
// a round, which finds cold caches and sleeping threads, is not among them.
func (t *Turns) Round(ctx context.Context, p RoundPlan) ([]float64, error) {
	t.b.r.mu.Lock()
	defer t.b.r.mu.Unlock()
	order := &timeOrder{ID: t.b.first, sampling: sampling{
		Calls: p.Samples + 1, MinSample: p.MinSample.Seconds(), MaxTotal: p.MaxTotal.Seconds(), Repeat: t.b.repeat[0],
	}}
	ans, err := t.b.attempt(ctx, 0, func(w *workerProcess) (*answer, error) {
		return t.b.askLoaded(ctx, w, 0, &request{Kind: "time", Time: order}, order.Calls)
	})
	if err != nil {
		return nil, err
	}
	if err := t.failure(); err != nil {
		return nil, err
	}
	t.b.repeat[0] = ans.Repeat
	t.b.r.clocks.note(ans.Clock)
	return ans.Samples[min(1, len(ans.Samples)-1):], nil
}

// Verify compares the program's results once more, after it was timed.
func (t *Turns) Verify(ctx context.Context) error {
	t.b.r.mu.Lock()
	defer t.b.r.mu.Unlock()
	if err := t.b.verify(ctx, 0); err != nil {
		return err
	}
	return t.failure()
}

// failure says what is wrong with the program, if anything.
func (t *Turns) failure() error {
	if res := t.b.results[0]; res.Status != measure.NoStatus {
		return fmt.Errorf("run: the program failed: %s: %s", res.Status, res.Message)
	}
	return nil
}
