package search

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A sure scorer is one that knows: its scores mean something.
type sure struct{ Scorer }

func (sure) Traits() Traits { return Traits{} }

// An impossible scorer can lower no state.
type impossible struct{ Random }

func (impossible) Score(_ context.Context, _ *Task, states []*schedule.State) ([]float64, error) {
	return slices.Repeat([]float64{math.Inf(-1)}, len(states)), nil
}

// TestFirst: what is measured is the first of Choose, or the next that can be built,
// and nothing else is.
func TestFirst(t *testing.T) {
	ctx := context.Background()
	scorer := sure{Random{Seed: 3}}
	tn := tuner(&machine{}, Options{Trials: 1, Seed: 3, Propose: Evolve{Evolution: evolve.Options{Population: 64}}})
	tn.Scorer = scorer
	chosen, err := tn.Choose(ctx, 4)
	if err != nil || len(chosen) != 4 || chosen[0].Score < chosen[1].Score {
		t.Fatalf("%d chosen, %v", len(chosen), err)
	}
	for failing := range 5 {
		m := &machine{fail: func(n int) measure.Status {
			if n < failing {
				return measure.BuildError
			}
			return measure.OK
		}}
		tn.Builder, tn.Runner = m, m
		rec, err := tn.First(ctx, 4)
		if err != nil {
			t.Fatal(err)
		}
		want := min(failing, 3)
		if m.built != want+1 || string(schedule.FormatSteps(rec.Steps)) != string(schedule.FormatSteps(chosen[want].State.Steps)) || rec.Timed() != (failing < 4) {
			t.Errorf("%d fail: %d built, %s", failing, m.built, rec.Status)
		}
	}

	// One that knows nothing cannot be asked to choose, but has a first one.
	m := &machine{}
	tn = tuner(m, Options{Trials: 1, Seed: 3, Propose: Evolve{Evolution: evolve.Options{Population: 64}}})
	if _, err := tn.Choose(ctx, 4); !errors.Is(err, ErrUntrained) {
		t.Errorf("an untrained choice: %v", err)
	}
	if rec, err := tn.First(ctx, 4); err != nil || !rec.Timed() || m.built != 1 {
		t.Errorf("%v, %s, %d built", err, rec.Status, m.built)
	}
	// The sketches are there when no candidate can be lowered.
	tn.Scorer = impossible{}
	if _, err := tn.First(ctx, 4); err == nil || !strings.Contains(err.Error(), "no candidate of the task's 3 structures") {
		t.Errorf("no candidate: %v", err)
	}
	tn.Scorer = scorer
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := tn.First(stopped, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestThinned: the best fourth, and others from there to the last.
func TestThinned(t *testing.T) {
	list := make([]evolve.Scored, 20)
	var all []float64
	for i := range list {
		list[i].Score = float64(i)
		all = append(all, float64(i))
	}
	for n, want := range map[int][]float64{
		1: {0}, 4: {0, 1, 10, 19}, 8: {0, 1, 2, 5, 8, 12, 15, 19}, 20: all, 30: all,
	} {
		var got []float64
		for _, s := range thinned(list, n) {
			got = append(got, s.Score)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d of 20: %v, want %v", n, got, want)
		}
	}
}

// TestInTurns: the records are of what Choose returns, in its order, with their times in turns; one that cannot be
// built is among them.
func TestInTurns(t *testing.T) {
	m := &remeasuring{machine: machine{fail: func(n int) measure.Status {
		if n == 1 {
			return measure.BuildError
		}
		return measure.OK
	}}}
	again := 0
	m.before = func() { again++ }
	tn := tuner(&m.machine, Options{Trials: 1, Seed: 3, Propose: Evolve{Evolution: evolve.Options{Population: 64}}})
	if _, err := tn.InTurns(t.Context(), 4); err == nil || !strings.Contains(err.Error(), "does not time in turns") {
		t.Errorf("a plain runner: %v", err)
	}
	tn.Runner = m
	if _, err := tn.InTurns(t.Context(), 4); !errors.Is(err, ErrUntrained) {
		t.Errorf("an untrained choice: %v", err)
	}
	tn.Scorer = sure{Random{Seed: 3}}
	chosen, err := tn.Choose(t.Context(), refined)
	if err != nil {
		t.Fatal(err)
	}
	chosen = thinned(chosen, 4)
	records, err := tn.InTurns(t.Context(), 4)
	if err != nil || len(records) != 4 || m.built != 4 || again != 1 {
		t.Fatalf("%d records, %v; %d built, %d times in turns", len(records), err, m.built, again)
	}
	for i, rec := range records {
		if string(schedule.FormatSteps(rec.Steps)) != string(schedule.FormatSteps(chosen[i].State.Steps)) ||
			rec.Trial != i || rec.Score != chosen[i].Score || rec.Timed() != (i != 1) {
			t.Errorf("record %d: trial %d, score %v, %s", i, rec.Trial, rec.Score, rec.Status)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	m.before = stop
	if _, err := tn.InTurns(stopped, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestFirstKind: where nothing is measured, there are candidates by an instruction only, if there are any.
func TestFirstKind(t *testing.T) {
	on := target.Generic(32, 2)
	for spec, with := range map[string]bool{"dense:m=16,n=32,k=64,dtype=i8,epilogue=requantize": true, "dense:m=16,n=32,k=64": false} {
		w, err := op.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		on.Features = []string{"avx2", "avxvnni"}
		all, err := cpuSpace.Open(t.Context(), &Task{DAG: w.DAG, Target: on})
		if err != nil {
			t.Fatal(err)
		}
		first := all.Traits().Foremost
		for _, s := range first.(*sketches).list {
			if slices.ContainsFunc(s.Stages, (*schedule.Stage).ByInstruction) != with {
				t.Errorf("%s:\n%s", spec, s)
			}
		}
		if with != (first.Structures() < all.Structures()) || first.Structures() == 0 {
			t.Errorf("%s: %d of %d sketches", spec, first.Structures(), all.Structures())
		}
	}
}
