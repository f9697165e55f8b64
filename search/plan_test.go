package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A planner promises by the last length of the first split, and remembers what it
// was asked.
type planner struct {
	Random
	asked *[]*schedule.State
	wrong bool
	blank bool // it cannot tell anything
}

func (p planner) Traits() Traits { return Traits{Untrained: true, Promise: p.promise} }

func (p planner) promise(_ context.Context, _ *Task, partial []*schedule.State) ([]float64, error) {
	*p.asked = append(*p.asked, partial...)
	list := make([]float64, len(partial))
	for i, s := range partial {
		if list[i] = lastLength(s); p.blank {
			list[i] = math.Inf(-1)
		}
	}
	if p.wrong {
		return list[1:], nil
	}
	return list, nil
}

// lastLength is the columns of a tile: those of the second split.
func lastLength(s *schedule.State) float64 {
	splits := 0
	for _, step := range s.Steps {
		if sp, ok := step.(schedule.Split); ok {
			if splits++; splits == 2 {
				return float64(sp.Lengths[len(sp.Lengths)-1])
			}
		}
	}
	return 0
}

func planned(t *testing.T, scorer Scorer, share float64, workers int) ([]*schedule.State, error) {
	t.Helper()
	tu := tuner(&machine{}, Options{Seed: 5})
	tu.Scorer = scorer
	r, err := tu.start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	e := evolution{r, Evolve{Planned: share}}
	return e.population(context.Background(), evolve.Options{Population: 80, Seed: 5, Stream: 3, Workers: workers})
}

// A planner chooses a share of the population among many partial states; the rest is
// drawn as ever, and worker counts change nothing.
func TestPlannedPopulation(t *testing.T) {
	var asked []*schedule.State
	states, err := planned(t, planner{asked: &asked}, 0.5, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(asked) < 100 || len(asked) > planWidth*40 {
		t.Errorf("%d partial states were looked at", len(asked))
	}
	for _, s := range asked {
		if len(schedule.Structure(s.Steps)) != len(s.Steps) {
			t.Errorf("loops of a partial state are decided:\n%v", s)
		}
	}
	mean := func(list []*schedule.State) float64 {
		sum := 0.0
		for _, s := range list {
			sum += math.Log2(lastLength(s))
		}
		return sum / float64(len(list))
	}
	first := states[:35]
	if mean(first) < mean(asked)+1 {
		t.Errorf("planned states have lengths of 2^%.1f on average, those looked at 2^%.1f", mean(first), mean(asked))
	}
	again, err := planned(t, planner{asked: &asked}, 0.5, 1)
	if err != nil || fmt.Sprint(texts(again)) != fmt.Sprint(texts(states)) {
		t.Errorf("one worker makes another population, %v", err)
	}
	random, err := planned(t, Random{}, 0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	without, err := planned(t, planner{asked: &asked}, -1, 1)
	if err != nil || fmt.Sprint(texts(random)) != fmt.Sprint(texts(without)) {
		t.Errorf("a population without planning depends on the scorer, %v", err)
	}
	blank, err := planned(t, planner{asked: &asked, blank: true}, 0.5, 1)
	if err != nil || fmt.Sprint(texts(blank)) != fmt.Sprint(texts(without)) {
		t.Errorf("a planner that knows nothing has a population of %d, without one it is %d, %v", len(blank), len(without), err)
	}
	if _, err := planned(t, planner{asked: &asked, wrong: true}, 0.5, 1); err == nil {
		t.Error("a promise is missing, and nobody minds")
	}
}

func texts(states []*schedule.State) []string {
	var list []string
	for _, s := range states {
		list = append(list, string(schedule.FormatSteps(s.Steps)))
	}
	return list
}

// Each sketch has its quota, whatever it promises; what cannot be told of is not
// chosen; of equals the first is.
func TestChoosePartials(t *testing.T) {
	list := make([]partialState, 12)
	promise := make([]float64, len(list))
	for i := range list {
		list[i] = partialState{state: &schedule.State{}, sketch: i % 2}
		promise[i] = float64(10*(1-i%2) + i/4)
	}
	promise[10] = math.Inf(-1)
	list[11].sketch = 1
	var got []int
	for _, p := range choosePartials(list, promise, 8, 2) {
		got = append(got, slices.IndexFunc(list, func(q partialState) bool { return q.state == p.state }))
	}
	if want := []int{8, 9, 4, 6, 0, 2, 11, 5}; !slices.Equal(got, want) {
		t.Errorf("chosen %v, want %v", got, want)
	}
}
