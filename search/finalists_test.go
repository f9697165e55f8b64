package search

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A oneBadFinalist is a machine on which the first fails when it is measured again, and
// of the others the later ones are faster.
type oneBadFinalist struct{ machine }

func (m *oneBadFinalist) Modes() measure.Modes { return measure.Modes{InTurns: m.Remeasure} }

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

func (m *remeasuring) Modes() measure.Modes { return measure.Modes{InTurns: m.Remeasure} }

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
	if out.Status[measure.OK] != 15 || out.Status[measure.WrongAnswer] != 1 {
		t.Errorf("16 trials, of which one was withdrawn: %v", out.Status)
	}
	first := out.Finalists[0]
	if first.Result.Cost() != 1./3 || first.Record.Cost() < out.Finalists[1].Record.Cost() {
		t.Errorf("the first finalist takes %g s, and %g s in the search", first.Result.Cost(), first.Record.Cost())
	}
	if !out.Found || out.Best.Trajectory != first.Record.Trajectory || out.State != first.State {
		t.Error("the best is not the first finalist")
	}
}

// TestOlderFinalistFails: a candidate that was taken over and fails was no trial of this run.
func TestOlderFinalistFails(t *testing.T) {
	o := Options{Trials: 8}
	records := collect(&o)
	m := &oneBadFinalist{}
	if _, err := tuner(&m.machine, o).Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for i := range *records {
		(*records)[i].Trial += 100 // as in a log of several searches
		(*records)[i].Costs = []float64{1e-9}
	}
	tu := tuner(&m.machine, Options{Trials: 2})
	tu.Builder, tu.Runner = m, m
	out, err := tu.Run(t.Context(), *records)
	if err != nil || len(out.Finalists) != 2 || out.Status[measure.OK] != 2 || out.Status[measure.WrongAnswer] != 0 {
		t.Errorf("%d finalists, 2 trials: %v, %v", len(out.Finalists), out.Status, err)
	}
}

// TestDefend: candidates that are defended are finalists although others were faster, each once.
func TestDefend(t *testing.T) {
	m := &remeasuring{before: func() {}}
	tu := tuner(&m.machine, Options{Trials: 16})
	tu.Builder, tu.Runner = m, m
	s, err := tu.Start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		if more, err = s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	all := s.run.known.fastest
	last, first := all[len(all)-1], all[0]
	s.Defend(string(schedule.FormatSteps(last.state.Steps)), string(schedule.FormatSteps(first.state.Steps)), "[]")
	out, err := s.End(t.Context(), nil)
	if err != nil || len(all) < 5 || len(out.Finalists) != DefaultFinalists+1 {
		t.Fatalf("%d finalists of %d candidates, %v", len(out.Finalists), len(all), err)
	}
	if !slices.ContainsFunc(out.Finalists, func(f Finalist) bool { return f.State == last.state }) {
		t.Error("the slowest candidate was defended, and is no finalist")
	}
}
