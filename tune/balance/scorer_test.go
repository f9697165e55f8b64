package balance

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// rows is a product of 40 rows of which so many at a time are one iteration of a parallel loop.
func rows(t *testing.T, each int64) *schedule.State {
	t.Helper()
	w, err := workload.Find("matmul:m=40,n=64,k=32")
	if err != nil {
		t.Fatal(err)
	}
	s := schedule.New(w.DAG)
	for _, step := range []schedule.Step{
		schedule.Split{At: 2, Iter: 0, Extent: 40, Lengths: []int64{each}, InnerToOuter: true},
		schedule.Annotate{At: 2, Iter: 0, Ann: schedule.Parallel},
	} {
		next, err := s.Apply(step)
		if err != nil {
			t.Fatal(err)
		}
		s = next
	}
	if s, err = s.InferBound(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBusy: what a state says of idle threads is what its program says.
func TestBusy(t *testing.T) {
	for _, c := range []struct {
		each    int64
		threads int
		want    float64
	}{
		{1, 16, 40.0 / 48}, {1, 4, 1}, {2, 16, 20.0 / 32}, {10, 16, 4.0 / 16}, {1, 1, 1},
		{7, 6, 40.0 / 42}, // six pieces, the last one of 5
		{7, 2, 40.0 / 42},
	} {
		s := rows(t, c.each)
		if got := Busy(s, c.threads); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d rows at a time, %d threads: busy %v, want %v", c.each, c.threads, got, c.want)
		}
		f, err := lower.Lower(s, lower.Config{Target: target.Generic(32, c.threads)})
		if err != nil {
			t.Fatal(err)
		}
		if idle, _ := Idle(Of(f, target.Generic(32, c.threads)), c.threads); math.Abs(1-idle-c.want) > 0.02 {
			t.Errorf("%d rows at a time, %d threads: its program is idle for %v, want %v", c.each, c.threads, idle, 1-c.want)
		}
	}
}

// equal scores all states alike, also when it looks closer.
type equal struct{ err error }

func (e equal) Score(_ context.Context, _ *search.Task, states []*schedule.State) ([]float64, error) {
	if e.err != nil {
		return nil, e.err
	}
	return make([]float64, len(states)), nil
}

func (equal) Update(context.Context, *search.Task, []dataset.Record) error { return nil }

func (e equal) Traits() search.Traits { return search.Traits{Frozen: true, Refine: e.Score} }

// TestScorer: of equal programs the one wins that keeps more threads busy, by as much as it is faster.
func TestScorer(t *testing.T) {
	states := []*schedule.State{rows(t, 10), rows(t, 1)}
	for threads, want := range map[int]float64{1: 0, 2: 0, 4: 0, 8: 1, 40: math.Log2(10)} {
		s := Scorer(equal{}, threads)
		for name, score := range map[string]search.Scoring{"score": s.Score, "refine": s.Traits().Refine} {
			got, err := score(t.Context(), nil, states)
			if err != nil || math.Abs(got[1]-got[0]-want) > 1e-9 {
				t.Errorf("%s, %d threads: %v, %v, want a difference of %v", name, threads, got, err, want)
			}
		}
		if !s.Traits().Frozen {
			t.Errorf("%d threads: traits are lost", threads)
		}
	}
	failed := errors.New("failed")
	if _, err := Scorer(equal{failed}, 8).Score(t.Context(), nil, states); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}
