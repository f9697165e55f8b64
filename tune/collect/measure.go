package collect

import (
	"context"
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
		r.err = s.machine.SetTask(ctx, w.DAG, s.Seed, measure.Repeated)
	}()
	return r, func() { <-r.ready }
}

// A taskRunner is a runner whose task is still being set.
type taskRunner struct {
	search.Runner
	ready chan struct{} // closed when it is
	err   error         // why it could not be
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
	return waiting(r, r.Runner.Run)(ctx, inputs, built)
}

// Modes are those of the runner. It streams the few candidates of a round together: in pieces they would mostly wait
// for the rounds of their piece to be spaced.
func (r *taskRunner) Modes() measure.Modes {
	own := r.Runner.Modes()
	return measure.Modes{Stream: waiting(r, own.Stream), InTurns: waiting(r, own.InTurns)}
}

// waiting returns a function of the runner that waits for the task; nil for nil.
func waiting[B any, F ~func(context.Context, []measure.Input, B) ([]measure.Result, error)](r *taskRunner, f F) F {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, inputs []measure.Input, built B) ([]measure.Result, error) {
		if err := r.wait(); err != nil {
			return nil, err
		}
		return f(ctx, inputs, built)
	}
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

// Traits are those of the trees, which are trained now if they are stale.
func (l *learner) Traits() search.Traits {
	if l.stale && l.err == nil {
		l.err = l.Train()
		l.stale = false
	}
	return l.GBT.Traits()
}

// Score implements search.Scorer.
func (l *learner) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	if l.Traits(); l.err != nil {
		return nil, l.err
	}
	return l.GBT.Score(ctx, task, states)
}

// Update implements search.Scorer.
func (l *learner) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	l.stale = true
	return l.Add(ctx, task, records)
}
