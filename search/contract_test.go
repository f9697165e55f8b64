package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// The events of a search say what it does, in order.
func TestEvents(t *testing.T) {
	var list []string
	o := Options{Trials: 8, PerRound: 4, OnEvent: func(e Event) { list = append(list, fmt.Sprintf("%d %s %d", e.Round, e.Kind, e.Count)) }}
	m := &finalistMachine{}
	tu := tuner(&m.machine, o)
	tu.Builder, tu.Runner = m, m
	if _, err := tu.Run(context.Background(), []dataset.Record{{Status: measure.BuildError}}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"0 sketched 3", "0 resumed 1",
		"0 proposing 4", "0 building 4", "0 running 4", "1 learning 4",
		"1 proposing 4", "1 building 4", "1 running 4", "2 learning 4",
		"2 finals 3",
	}
	if !slices.Equal(list, want) {
		t.Errorf("events\n%s\nwant\n%s", strings.Join(list, "\n"), strings.Join(want, "\n"))
	}
}

// A record says all that is known of a trial.
func TestRecord(t *testing.T) {
	o := Options{Trials: 4, Seed: 9, ScorerName: "random"}
	records := collect(&o)
	tu := tuner(&machine{}, o)
	if _, err := tu.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for i, r := range *records {
		if r.WorkloadKey != tu.Task.DAG.WorkloadKey() || r.Workload != tu.Task.Name || r.Target.String() != tu.Task.Target.String() {
			t.Errorf("record %d is of another task: %q, %q", i, r.WorkloadKey, r.Workload)
		}
		if r.Trial != i || r.Seed != 9 || r.Scorer != "random" || r.Unix != 7 || r.Score <= 0 || r.Score >= 1 {
			t.Errorf("record %d: %+v", i, r)
		}
		if _, err := schedule.Replay(tu.Task.DAG, r.Steps); err != nil {
			t.Errorf("record %d does not replay: %v", i, err)
		}
	}
}

// The random scorer depends on its seed and the state alone.
func TestRandom(t *testing.T) {
	tu := tuner(&machine{}, Options{})
	r, err := tu.start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	states, err := annotate.Draw(t.Context(), 40, 1, 1, 0, r.source.Sample)
	if err != nil {
		t.Fatal(err)
	}
	score := func(seed uint64, list []*schedule.State) []float64 {
		scores, err := Random{Seed: seed}.Score(context.Background(), tu.Task, list)
		if err != nil {
			t.Fatal(err)
		}
		return scores
	}
	all := score(1, states)
	if half := score(1, states[20:]); !slices.Equal(half, all[20:]) {
		t.Error("a score depends on the other states")
	}
	if slices.Equal(score(2, states), all) {
		t.Error("a score does not depend on the seed")
	}
	slices.Sort(all)
	if all[0] < 0 || all[len(all)-1] >= 1 || len(slices.Compact(all)) != len(states) {
		t.Errorf("scores are not distinct numbers in [0, 1): %v", all)
	}
}

// A broken machine breaks one part of its contract.
type brokenMachine struct {
	finalistMachine
	build, run, again func() (missing int, err error)
}

func (m *brokenMachine) Build(ctx context.Context, in []measure.Input) ([]measure.BuildResult, error) {
	out, err := m.finalistMachine.Build(ctx, in)
	if m.build != nil {
		missing, e := m.build()
		return out[missing:], e
	}
	return out, err
}

func (m *brokenMachine) Run(ctx context.Context, in []measure.Input, b []measure.BuildResult) ([]measure.Result, error) {
	out, err := m.machine.Run(ctx, in, b)
	if m.run != nil {
		missing, e := m.run()
		return out[missing:], e
	}
	return out, err
}

func (m *brokenMachine) Modes() measure.Modes { return measure.Modes{InTurns: m.Remeasure} }

func (m *brokenMachine) Remeasure(ctx context.Context, in []measure.Input, b []measure.BuildResult) ([]measure.Result, error) {
	out, err := m.finalistMachine.Remeasure(ctx, in, b)
	if m.again != nil {
		missing, e := m.again()
		return out[missing:], e
	}
	return out, err
}

// What builders and runners do wrong ends the search with a sentence, and what
// was found before it is kept.
func TestBrokenMachines(t *testing.T) {
	broken := errors.New("out of order")
	later := func(missing int, err error) func() (int, error) {
		calls := 0
		return func() (int, error) {
			if calls++; calls < 2 {
				return 0, nil
			}
			return missing, err
		}
	}
	once := func(missing int, err error) func() (int, error) { return func() (int, error) { return missing, err } }
	for _, c := range []struct {
		name   string
		m      brokenMachine
		want   string
		trials int
	}{
		{"a builder", brokenMachine{build: later(0, broken)}, "search: builder: out of order", 1},
		{"too few builds", brokenMachine{build: later(1, nil)}, "the builder returned 2 results for 3 candidates", 1},
		{"a runner", brokenMachine{run: later(0, broken)}, "search: runner: out of order", 1},
		{"too few results", brokenMachine{run: later(1, nil)}, "the runner returned 2 results for 3 candidates", 1},
		{"a second measurement", brokenMachine{again: once(0, broken)}, "search: runner: out of order", 8},
		{"too few second measurements", brokenMachine{again: once(1, nil)},
			"the runner returned 2 results for 3 candidates", 8},
	} {
		m := &c.m
		tu := tuner(&m.machine, Options{Trials: 8, PerRound: 4})
		tu.Builder, tu.Runner = m, m
		out, err := tu.Run(context.Background(), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || out.Trials != c.trials || !out.Found {
			t.Errorf("%s: %d trials, found %v, %v", c.name, out.Trials, out.Found, err)
		}
	}
}

// Finalists that do not build again are not compared.
func TestFinalistsThatDoNotBuild(t *testing.T) {
	m := &finalistMachine{machine{fail: func(n int) measure.Status {
		if n >= 8 {
			return measure.BuildCrash
		}
		return measure.OK
	}}}
	tu := tuner(&m.machine, Options{Trials: 8})
	tu.Builder, tu.Runner = m, m
	out, err := tu.Run(context.Background(), nil)
	if err != nil || m.again || len(out.Finalists) != 0 || !out.Found {
		t.Errorf("%d finalists, %v", len(out.Finalists), err)
	}
}

// Candidates that fail in between neither stop the search nor count as fast.
func TestSomeFail(t *testing.T) {
	m := &machine{fail: func(n int) measure.Status {
		if n%3 == 0 {
			return measure.BuildTimeout
		}
		return measure.OK
	}}
	out, err := tuner(m, Options{Trials: 30}).Run(context.Background(), nil)
	if err != nil || out.Status[measure.BuildTimeout] != 10 || out.Status[measure.OK] != 20 || !out.Best.Timed() {
		t.Errorf("%v, best %v, %v", out.Status, out.Best.Status, err)
	}
}

func TestTaskWithoutRules(t *testing.T) {
	tu := tuner(&machine{}, Options{})
	for want, space := range map[string]Space{"has no space": {}, "no sketch rules": {Open: Sketches{}.Open}} {
		tu.Task.Space = space
		if _, err := tu.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestNames(t *testing.T) {
	for k, want := range map[fmt.Stringer]string{
		Sketched: "sketched", Finals: "finals", TrialsSpent: "trials spent", Cancelled: "cancelled",
	} {
		if k.String() != want {
			t.Errorf("%s, want %s", k, want)
		}
	}
}
