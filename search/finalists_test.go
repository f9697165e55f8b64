package search

import (
	"context"
	"errors"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
)

// A oneBadFinalist is a machine on which the first fails when it is measured again, and
// of the others the later ones are faster.
type oneBadFinalist struct{ machine }

func (m *oneBadFinalist) Remeasure(ctx context.Context, inputs []measure.Input, builds []measure.BuildResult) ([]measure.Result, error) {
	out, err := m.Run(ctx, inputs, builds)
	for i := range out {
		out[i] = measure.Result{Status: measure.OK, Costs: []float64{1 / float64(1+i)}}
	}
	out[0] = measure.Result{Status: measure.WrongAnswer}
	return out, err
}

// A remeasuring machine calls a function before it measures candidates again.
type remeasuring struct {
	machine
	before func()
}

func (m *remeasuring) Remeasure(
	ctx context.Context, inputs []measure.Input, builds []measure.BuildResult,
) ([]measure.Result, error) {
	m.before()
	return m.Run(ctx, inputs, builds)
}

// TestFinalsCancelled: a search that is cancelled while its best are built or measured again is not over, and says so.
func TestFinalsCancelled(t *testing.T) {
	for _, at := range []string{"built", "measured"} {
		ctx, cancel := context.WithCancel(t.Context())
		m := &remeasuring{before: cancel}
		tu := tuner(&m.machine, Options{Trials: 16, OnEvent: func(e Event) {
			if e.Kind == Finals && at == "built" {
				cancel()
			}
		}})
		tu.Builder, tu.Runner = m, m
		out, err := tu.Run(ctx, nil)
		if !errors.Is(err, context.Canceled) || out.Reason != Cancelled || out.Tied != 0 || !out.Found || out.Trials != 16 {
			t.Errorf("while they are %s: %v, %v, %d tied, %d trials", at, err, out.Reason, out.Tied, out.Trials)
		}
		cancel()
	}
}

// TestOneFinalistFails: the order of those that are left decides, and not that in which
// the search had them.
func TestOneFinalistFails(t *testing.T) {
	withdrawn := 0
	m := &oneBadFinalist{}
	full := errors.New("disk full") // and the others are ranked all the same
	tu := tuner(&m.machine, Options{Trials: 16, OnWithdrawn: func(dataset.Record) error {
		withdrawn++
		return full
	}})
	tu.Builder, tu.Runner = m, m
	out, err := tu.Run(context.Background(), nil)
	if !errors.Is(err, full) || len(out.Finalists) != 2 || withdrawn != 1 {
		t.Fatalf("%d finalists, %d withdrawn, %v", len(out.Finalists), withdrawn, err)
	}
	first := out.Finalists[0]
	if first.Result.Cost() != 1./3 || first.Record.Cost() < out.Finalists[1].Record.Cost() {
		t.Errorf("the first finalist takes %g s, and %g s in the search", first.Result.Cost(), first.Record.Cost())
	}
	if !out.Found || out.Best.Trajectory != first.Record.Trajectory || out.State != first.State {
		t.Error("the best is not the first finalist")
	}
}
