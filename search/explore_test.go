package search

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A stubborn scorer prefers programs with a cache stage, whatever is measured.
type stubborn struct {
	Random
	frozen bool
}

func (s stubborn) Traits() Traits { return Traits{Frozen: s.frozen} }

func (s stubborn) Score(ctx context.Context, task *Task, states []*schedule.State) ([]float64, error) {
	scores, err := s.Random.Score(ctx, task, states)
	for i := range scores {
		if cached(states[i].Steps) {
			scores[i]++
		}
	}
	return scores, err
}

func cached(steps []schedule.Step) bool {
	return slices.ContainsFunc(steps, func(s schedule.Step) bool { return s.Kind() == schedule.CHW })
}

// A contrary machine has those without a cache stage fast.
type contrary struct {
	machine
	untimed bool // it times nothing
}

func (m *contrary) Run(ctx context.Context, inputs []measure.Input, builds []measure.BuildResult) ([]measure.Result, error) {
	out, err := m.machine.Run(ctx, inputs, builds)
	for i := range out {
		if m.untimed {
			out[i] = measure.Result{Status: measure.Unmeasured}
		} else if cached(stateOf(inputs[i]).Steps) {
			out[i].Costs = []float64{1}
		}
	}
	return out, err
}

// stubbornRounds searches with a stubborn scorer, and returns the records of its rounds.
func stubbornRounds(t *testing.T, m *contrary, frozen bool, workers int) [][]dataset.Record {
	t.Helper()
	var rounds [][]dataset.Record
	tu := tuner(&m.machine, Options{
		Trials: 48, PerRound: 16, Seed: 3, Finalists: -1, Explore: -1, Workers: workers,
		Propose: Evolve{Evolution: evolve.Options{Population: 96, Generations: 2}},
		OnRound: func(r Round) error { rounds = append(rounds, r.Records); return nil },
	})
	tu.Scorer, tu.Builder, tu.Runner = stubborn{frozen: frozen}, m, m
	if _, err := tu.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if len(rounds) != 3 {
		t.Fatalf("%d rounds", len(rounds))
	}
	return rounds
}

// A counting scorer counts the states of a round that it is asked about.
type counting struct {
	stubborn
	states *int
}

func (s counting) Score(ctx context.Context, task *Task, states []*schedule.State) ([]float64, error) {
	*s.states += len(states)
	return s.stubborn.Score(ctx, task, states)
}

// A round under a frozen scorer evolves briskly unless the options say how, and not on a GPU.
func TestBriskRounds(t *testing.T) {
	for _, c := range []struct {
		frozen bool
		evolve.Options
		least, most int
	}{
		{true, evolve.Options{}, 1000, 2600},
		{false, evolve.Options{}, 4000, 11000},
		{true, evolve.Options{Population: 2048}, 4000, 11000},
	} {
		states := 0
		m := &machine{}
		tu := tuner(m, Options{Trials: 4, PerRound: 4, Seed: 3, Finalists: -1, Explore: -1, Propose: Evolve{Evolution: c.Options}})
		tu.Scorer = counting{stubborn{frozen: c.frozen}, &states}
		if _, err := tu.Run(context.Background(), nil); err != nil || states < c.least || states > c.most {
			t.Errorf("frozen %v, %+v: %d states in a round, want %d to %d; %v", c.frozen, c.Options, states, c.least, c.most,
				err)
		}
	}
	for _, c := range []struct {
		on          target.Kind
		given, want evolve.Options
	}{
		{target.LLVM, evolve.Options{}, brisk},
		{target.LLVM, evolve.Options{Generations: 3}, evolve.Options{Population: 2048, Generations: 3}},
		{target.LLVM, evolve.Options{Children: 7, Parents: 5},
			evolve.Options{Population: brisk.Population, Generations: brisk.Generations, Children: 7, Parents: 5}},
		{target.CUDA, evolve.Options{}, evolve.Options{Population: 2048}},
	} {
		r := &run{Tuner: &Tuner{Task: &Task{Target: target.Target{Kind: c.on}}, Scorer: stubborn{frozen: true}}}
		if got := (&evolution{r, Evolve{Evolution: c.given}}).options(16); got != c.want {
			t.Errorf("%v, %+v: %+v, want %+v", c.on, c.given, got, c.want)
		}
	}
}

// What a frozen scorer overlooks is measured all the same: first some of the structures
// that it never names, and when one of them is faster, neighbours of that.
func TestFrozenScorerExplores(t *testing.T) {
	count := func(list []dataset.Record) int {
		n := 0
		for _, r := range list {
			if !cached(r.Steps) {
				n++
			}
		}
		return n
	}
	var learning, frozen []int
	for _, r := range stubbornRounds(t, &contrary{}, false, 1) {
		learning = append(learning, count(r))
	}
	rounds := stubbornRounds(t, &contrary{}, true, 1)
	for _, r := range rounds {
		frozen = append(frozen, count(r))
	}
	if !slices.Equal(learning, []int{0, 0, 0}) {
		t.Errorf("a scorer that learns has %v candidates without a cache stage measured, want none: it must find out itself", learning)
	}
	// Of 16 places 2 are for other structures and 4 for neighbours of the fastest.
	if frozen[0] < 1 || frozen[1] < 4 || frozen[2] < 4 || slices.Max(frozen) > 6 {
		t.Errorf("a frozen scorer has %v candidates without a cache stage measured", frozen)
	}
	known := map[string]bool{}
	for _, r := range rounds[0] {
		known[outline(r.Steps)] = true
	}
	others := map[string]bool{}
	for _, r := range rounds[1] {
		if o := outline(r.Steps); !known[o] {
			others[o] = true
		}
	}
	if len(others) < 2 {
		t.Errorf("%d structures in the second round were not in the first", len(others))
	}
	for i, r := range stubbornRounds(t, &contrary{untimed: true}, true, 1) {
		if i > 0 && count(r) > 0 {
			t.Errorf("round %d: where nothing is timed, %d candidates are not the scorer's choice", i, count(r))
		}
	}
	again := stubbornRounds(t, &contrary{}, true, 2)
	for i := range rounds {
		if !slices.Equal(stepsOf(rounds[i]), stepsOf(again[i])) {
			t.Errorf("round %d depends on the number of workers", i)
		}
	}
}

// Shares of small rounds add up over rounds, also in a search that is continued.
func TestPlacesOfShares(t *testing.T) {
	r := &run{known: newKnown()}
	for _, c := range []struct {
		n    int
		want []int
	}{{4, []int{0, 1, 0, 1}}, {16, []int{2, 2, 3, 2}}, {1, []int{0, 0, 0, 0, 0, 0, 1}}} {
		r.known.records = 0
		for i, want := range c.want {
			if got := r.places(0.15, c.n); got != want {
				t.Errorf("round %d of %d candidates: %d places, want %d", i, c.n, got, want)
			}
			r.known.records += c.n
		}
	}
}

// Small rounds have random candidates, too: of rounds of four, one of five rounds has one.
func TestRandomOfSmallRounds(t *testing.T) {
	var got [2][]string
	for i, explore := range []float64{0, -1} {
		o := Options{Trials: 20, PerRound: 4, Seed: 3, Finalists: -1, Explore: explore,
			Propose: Evolve{Evolution: evolve.Options{Population: 96, Generations: 2}}}
		records := collect(&o)
		tu := tuner(&machine{}, o)
		tu.Scorer = stubborn{}
		if _, err := tu.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		got[i] = stepsOf(*records)
	}
	if random, none := got[0], got[1]; !slices.Equal(random[:19], none[:19]) || random[19] == none[19] {
		t.Error("not only the last of 20 candidates is random")
	}
}

// An outline does not know lengths and amounts, and knows everything else.
func TestOutline(t *testing.T) {
	steps := func(text string) []schedule.Step {
		list, err := schedule.ParseSteps([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	base := `[["SP", 2, 0, 64, [4, 2], 1], ["FU", 2, [0, 1]], ["AN", 2, 0, 3], ["PR", 2, 0, "auto_unroll_max_step$16"]]`
	same := strings.NewReplacer("[4, 2]", "[1, 8]", "$16", "$512").Replace(base)
	if outline(steps(base)) != outline(steps(same)) {
		t.Errorf("%q and %q differ", outline(steps(base)), outline(steps(same)))
	}
	for _, change := range [][2]string{{"[4, 2]", "[4, 2, 1]"}, {"[0, 1]", "[0, 1, 2]"}, {`"AN", 2, 0, 3`, `"AN", 2, 1, 3`}, {`"AN", 2, 0, 3`, `"AN", 2, 0, 2`}, {`"SP", 2, 0`, `"SP", 2, 1`}} {
		if other := strings.Replace(base, change[0], change[1], 1); other == base || outline(steps(base)) == outline(steps(other)) {
			t.Errorf("%q for %q is not seen", change[1], change[0])
		}
	}
}

// What is novel has a structure that was not measured, and is drawn from all of the
// population.
func TestNovel(t *testing.T) {
	r, err := tuner(&machine{}, Options{Seed: 5}).start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	e := &evolve.Evolution{Options: evolve.Options{Population: 80, Seed: 5}}
	population, err := (&evolution{r, Evolve{}}).population(context.Background(), e.Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range population[:2] {
		r.known.add(s.Signature(), s, dataset.Record{Status: measure.OK, Costs: []float64{1}})
	}
	measured, unseen := map[string]bool{}, 0
	for i, s := range population {
		if i < 2 {
			measured[outline(s.Steps)] = true
		} else if !measured[outline(s.Steps)] {
			unseen++
		}
	}
	list := r.novel(e, population, 80)
	if len(list) != unseen || unseen == 0 || unseen == 78 {
		t.Errorf("%d states are novel, want %d of 78", len(list), unseen)
	}
	for _, s := range list {
		if measured[outline(s.Steps)] {
			t.Errorf("of a measured structure: %s", outline(s.Steps))
		}
	}
	if few := r.novel(e, population, 3); len(few) != 3 || slices.Equal(few, population[2:5]) {
		t.Errorf("%d of the first states", len(few))
	}
}
