package search

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
)

// A streamingMachine is a machine that runs candidates as they are built.
type streamingMachine struct {
	machine
	pieces []int
	builds int
	build  error // of the second piece
	run    error
	short  int  // results too few
	late   bool // it begins when all is built
}

func (m *streamingMachine) Build(ctx context.Context, in []measure.Input) ([]measure.BuildResult, error) {
	if m.builds++; m.builds == 2 && m.build != nil {
		return nil, m.build
	}
	return m.machine.Build(ctx, in)
}

func (m *streamingMachine) Run(context.Context, []measure.Input, []measure.BuildResult) ([]measure.Result, error) {
	return nil, errors.New("Run of a runner that streams")
}

func (m *streamingMachine) Modes() measure.Modes { return measure.Modes{Stream: m.runStream} }

func (m *streamingMachine) runStream(
	ctx context.Context, in []measure.Input, pieces <-chan []measure.BuildResult,
) (out []measure.Result, err error) {
	if m.late {
		var all []measure.BuildResult
		for piece := range pieces {
			all = append(all, piece...)
		}
		built := make(chan []measure.BuildResult, 1)
		built <- all
		close(built)
		pieces = built
	}
	for piece := range pieces {
		m.pieces = append(m.pieces, len(piece))
		for _, b := range piece {
			if m.late && ctx.Err() != nil {
				return out, nil
			}
			ran := []measure.Result{{}} // of what was not built the search says how
			if b.Status == measure.OK {
				n := len(out)
				if ran, err = m.machine.Run(ctx, in[n:n+1], []measure.BuildResult{b}); err != nil {
					return nil, err
				}
			}
			out = append(out, ran...)
		}
	}
	return out[:len(out)-m.short], m.run
}

// streaming returns a tuner whose runner streams.
func streaming(m *streamingMachine, o Options) *Tuner {
	tu := tuner(&m.machine, o)
	tu.Builder, tu.Runner = m, m
	return tu
}

// TestStreamed: a runner that takes candidates as they are built gets all, in order, and their
// records are the same. With more cores pieces are larger.
func TestStreamed(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	fail := func(n int) measure.Status {
		if n%5 == 3 {
			return measure.BuildTimeout
		}
		return measure.OK
	}
	o := Options{Trials: 22, PerRound: 11, Seed: 5}
	want := collect(&o)
	if _, err := tuner(&machine{fail: fail}, o).Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for cores, pieces := range map[int][]int{1: {4, 4, 3, 4, 4, 3}, 2: {4, 4, 3, 4, 4, 3}, 4: {8, 3, 8, 3}, 16: {11, 11}} {
		runtime.GOMAXPROCS(cores)
		got := collect(&o)
		m := &streamingMachine{machine: machine{fail: fail}}
		if _, err := streaming(m, o).Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.pieces, pieces) {
			t.Errorf("%d cores: pieces of %v, want %v", cores, m.pieces, pieces)
		}
		if !slices.Equal(stepsOf(*got), stepsOf(*want)) {
			t.Errorf("%d cores: other candidates, or in another order", cores)
		}
		for i, r := range *got {
			if w := (*want)[i]; r.Status != w.Status || !slices.Equal(r.Costs, w.Costs) {
				t.Errorf("%d cores: candidate %d: %s %v, want %s %v", cores, i, r.Status, r.Costs, w.Status, w.Costs)
			}
		}
	}
}

// TestStreamedFailures: what builder and runner do wrong ends the search with a sentence, and what ran before it
// is kept; so it is when the search is cancelled.
func TestStreamedFailures(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // pieces of four
	broken := errors.New("out of order")
	for _, c := range []struct {
		name, want string
		m          streamingMachine
		trials     int
	}{
		{"a builder", "search: builder: out of order", streamingMachine{build: broken}, 4},
		{"a runner", "search: runner: out of order", streamingMachine{run: broken}, 0},
		{"too few results", "the runner returned 7 results for 8 candidates", streamingMachine{short: 1}, 0},
	} {
		out, err := streaming(&c.m, Options{Trials: 8, PerRound: 8}).Run(context.Background(), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || out.Trials != c.trials {
			t.Errorf("%s: %d trials, %v", c.name, out.Trials, err)
		}
	}
	for _, late := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		m := &streamingMachine{late: late}
		m.stop = func(n int) {
			if n == 3 {
				cancel()
			}
		}
		out, err := streaming(m, Options{Trials: 16, PerRound: 8}).Run(ctx, nil)
		if !errors.Is(err, context.Canceled) || out.Reason != Cancelled || !out.Found || out.Trials != 3 {
			t.Errorf("cancelled, all built %v: %d trials, %v, %v", late, out.Trials, out.Reason, err)
		}
	}
}
