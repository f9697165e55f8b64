package descend

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/searchtest"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A machine is a fake builder and runner: all is well.
type machine struct{}

func (machine) Build(_ context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	return slices.Repeat([]measure.BuildResult{{Status: measure.OK, Object: []byte{1}}}, len(inputs)), nil
}

func (machine) Modes() measure.Modes { return measure.Modes{} }

func (machine) Run(_ context.Context, inputs []measure.Input, _ []measure.BuildResult) ([]measure.Result, error) {
	out := make([]measure.Result, len(inputs))
	for i, in := range inputs {
		out[i] = measure.Result{Status: measure.OK, Costs: []float64{1e-3 * float64(1+len(in.Steps))}}
	}
	return out, nil
}

// A scorer is smooth in the lengths of tiles: the nearer their logarithms are to those of 4, the higher.
type scorer struct {
	search.Random
	slopes bool
}

func off(y float64) float64 { return y - math.Log(4) }

func (scorer) Score(_ context.Context, _ *search.Task, states []*schedule.State) ([]float64, error) {
	scores := make([]float64, len(states))
	for i, s := range states {
		for _, step := range schedule.Structure(s.Steps) {
			if sp, ok := step.(schedule.Split); ok {
				for _, l := range sp.Lengths {
					scores[i] -= off(math.Log(float64(l))) * off(math.Log(float64(l)))
				}
			}
		}
	}
	return scores, nil
}

func (s scorer) Traits() search.Traits {
	if !s.slopes {
		return search.Traits{}
	}
	return search.Traits{Relax: func(_ *search.Task, s *schedule.State, free func(int) bool) (search.Relaxed, error) {
		var list relaxed
		for i, step := range s.Steps {
			if sp, ok := step.(schedule.Split); ok && free(i) {
				for k, l := range sp.Lengths {
					list = append(list, schedule.Length{Step: i, Part: k, Extent: sp.Extent, Value: l})
				}
			}
		}
		return list, nil
	}}
}

type relaxed []schedule.Length

func (r relaxed) Vars() []schedule.Length { return r }

func (r relaxed) Value(y, slope []float64) (v float64) {
	for k := range y {
		v -= off(y[k]) * off(y[k])
		slope[k] = -2 * off(y[k])
	}
	return v
}

func find(t *testing.T, kind target.Kind, s search.Scorer, workers int) ([]string, error) {
	t.Helper()
	task, _ := searchtest.Source(t, "matmul:m=64,n=256,k=128", kind)
	tu := &search.Tuner{Task: task, Scorer: s, Builder: machine{}, Runner: machine{}, Options: search.Options{
		Trials: 16, PerRound: 8, Seed: 3, ScorerName: "smooth", Finalists: -1, Workers: workers,
		Propose: &Descender{Seeds: 4, Steps: 40},
	}}
	var steps []string
	tu.Options.OnRound = func(r search.Round) error {
		for _, rec := range r.Records {
			steps = append(steps, string(schedule.FormatSteps(rec.Steps)))
		}
		return nil
	}
	_, err := tu.Run(t.Context(), []dataset.Record(nil))
	return steps, err
}

// TestWorkers: any number of goroutines gives the same candidates, none twice.
func TestWorkers(t *testing.T) {
	for _, kind := range []target.Kind{target.LLVM, target.CUDA} {
		want, err := find(t, kind, scorer{slopes: true}, 1)
		if err != nil || len(want) != 16 {
			t.Fatalf("%v: %d candidates, %v", kind, len(want), err)
		}
		if got := slices.Compact(slices.Sorted(slices.Values(want))); len(got) != len(want) {
			t.Errorf("%v: %d of %d candidates differ", kind, len(got), len(want))
		}
		for _, workers := range []int{2, 8} {
			if got, err := find(t, kind, scorer{slopes: true}, workers); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v: %d workers give other candidates, %v", kind, workers, err)
			}
		}
	}
}

// TestDescend: the descent finds what the scorer likes most, which few draws would: lengths of 4.
func TestDescend(t *testing.T) {
	steps, err := find(t, target.LLVM, scorer{slopes: true}, 0)
	if err != nil {
		t.Fatal(err)
	}
	best := math.Inf(-1)
	task, source := searchtest.Source(t, "matmul:m=64,n=256,k=128", target.LLVM)
	score := func(text string) float64 {
		list, err := schedule.ParseSteps([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Replay(task.DAG, list)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := scorer{}.Score(t.Context(), task, []*schedule.State{s})
		return v[0]
	}
	for _, text := range steps {
		best = max(best, score(text))
	}
	drawn := math.Inf(-1)
	for i := range 400 {
		if s, err := source.Sample(randOf(i)); err == nil {
			drawn = max(drawn, score(string(schedule.FormatSteps(s.Steps))))
		}
	}
	if best < drawn {
		t.Errorf("16 candidates of a descent are worth %v at best, 400 random ones %v", best, drawn)
	}
}

// TestNoSlopes: a scorer without slopes is an error.
func TestNoSlopes(t *testing.T) {
	if _, err := find(t, target.LLVM, scorer{}, 1); !errors.Is(err, ErrNoSlopes) {
		t.Errorf("got %v", err)
	}
}
