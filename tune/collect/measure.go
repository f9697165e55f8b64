package collect

import (
	"context"
	"fmt"
	"time"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// PerRound is the number of candidates of a round, pieces what it is built in where the
// runner does not stream: compiling takes most of the time, so it should not stand still.
const (
	PerRound = 50
	pieces   = 4
)

// evolution is a quarter of a search's: a scorer that has learned from some
// tens of records is not worth more.
var evolution = evolve.Options{Population: 512}

// How candidates are timed when records are wanted rather than a winner: in shorter
// rounds, and for a second at most if none is known to be fast.
const (
	roundTime  = 10 * time.Millisecond
	timeout    = 5 * time.Second
	minTimeout = time.Second
)

// timing are the times of a machine that measures for a collection.
var timing = run.Config{RoundTime: roundTime, Timeout: timeout, MinTimeout: minTimeout}

// prepare sets the task while the first candidates are being sought and built. The
// runner waits for it; so does the function, and it must be called at the end.
func (s *session) prepare(ctx context.Context, w workload.Workload) (runner search.Runner, wait func()) {
	r := &taskRunner{Runner: s.machine.Runner(), ready: make(chan struct{})}
	go func() {
		defer close(r.ready)
		r.err = s.machine.SetTask(ctx, w.DAG, s.Seed)
	}()
	return r.streaming(), func() { <-r.ready }
}

// A taskRunner is a runner whose task is still being set.
type taskRunner struct {
	search.Runner
	ready chan struct{} // closed when it is
	err   error         // why it could not be
}

// streaming returns a runner that streams as r's own does, or r if that does not.
func (r *taskRunner) streaming() search.Runner {
	if streamer, ok := r.Runner.(search.Streamer); ok {
		return taskStreamer{r, streamer}
	}
	return r
}

// wait returns when the task is set, or why it could not be.
func (r *taskRunner) wait() error {
	<-r.ready
	return r.err
}

// Run implements search.Runner.
func (r *taskRunner) Run(
	ctx context.Context, inputs []measure.Input, built []measure.BuildResult,
) ([]measure.Result, error) {
	if err := r.wait(); err != nil {
		return nil, err
	}
	return r.Runner.Run(ctx, inputs, built)
}

// Remeasure implements search.Remeasurer.
func (r *taskRunner) Remeasure(
	ctx context.Context, inputs []measure.Input, built []measure.BuildResult,
) ([]measure.Result, error) {
	if err := r.wait(); err != nil {
		return nil, err
	}
	again, ok := r.Runner.(search.Remeasurer)
	if !ok {
		panic(fmt.Sprintf("BUG: collect: %T does not time in turns", r.Runner))
	}
	return again.Remeasure(ctx, inputs, built)
}

// A taskStreamer is a taskRunner that times the few candidates of a round together. In pieces they would mostly wait
// for the rounds of their piece to be spaced.
type taskStreamer struct {
	*taskRunner
	streamer search.Streamer
}

// RunStream implements search.Streamer.
func (r taskStreamer) RunStream(
	ctx context.Context, inputs []measure.Input, built <-chan []measure.BuildResult,
) ([]measure.Result, error) {
	if err := r.wait(); err != nil {
		return nil, err
	}
	return r.streamer.RunStream(ctx, inputs, built)
}

// learnerName stands in the records of what evolved under a learner.
const learnerName = "gbt"

// A learner is AutoScheduler's cost model that learns within one task, and is
// trusted from its first record on. It is trained when it is asked.
type learner struct {
	*costmodel.GBT
	stale bool // there are records that it was not trained on
	err   error
}

func (s *session) newLearner() (*learner, error) {
	g, err := costmodel.OpenGBT(costmodel.Options{Seed: s.Seed, Kind: s.kind, XGBoost: s.XGBoost})
	return &learner{GBT: g}, err
}

// Untrained reports whether nothing was learned.
func (l *learner) Untrained() bool {
	if l.stale && l.err == nil {
		l.err = l.Train()
		l.stale = false
	}
	return l.GBT.Untrained()
}

// Score implements search.Scorer.
func (l *learner) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	if l.Untrained(); l.err != nil {
		return nil, l.err
	}
	return l.GBT.Score(ctx, task, states)
}

// Update implements search.Scorer.
func (l *learner) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	l.stale = true
	return l.Add(ctx, task, records)
}
