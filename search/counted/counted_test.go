package counted

import (
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/searchtest"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// cost is small where the lengths of tiles are near 4.
func cost(steps []schedule.Step) float64 {
	sum := 0.0
	for _, step := range steps {
		if sp, ok := step.(schedule.Split); ok {
			for _, n := range sp.Lengths {
				sum += math.Abs(math.Log2(float64(n)) - 2)
			}
		}
	}
	return math.Exp(sum / 8)
}

const small = "conv2d:h=14,w=14,ci=32,co=32,k=3,p=1"

// run searches until a log has so many trials, in rounds of 16, and returns the new records.
func run(t *testing.T, text string, trials int, p search.Proposer, workers int, before []dataset.Record) []dataset.Record {
	t.Helper()
	w, err := workload.Find(text)
	if err != nil {
		t.Fatal(err)
	}
	sp, err := space.Find(target.LLVM, "template", space.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var records []dataset.Record
	tu := &search.Tuner{
		Task:   &search.Task{Name: w.Text, Key: w.Key, DAG: w.DAG, Target: target.Generic(32, 2), Space: sp},
		Scorer: search.Random{}, Builder: searchtest.Machine(cost), Runner: searchtest.Machine(cost), Options: search.Options{
			Trials: trials - len(before), PerRound: 16, Seed: 3, ScorerName: "random", Finalists: -1, Workers: workers, Propose: p,
			OnRound: func(r search.Round) error {
				records = append(records, r.Records...)
				return nil
			},
		}}
	if _, err := tu.Run(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	return records
}

func steps(list []dataset.Record) (all []string) {
	for _, r := range list {
		all = append(all, string(schedule.FormatSteps(r.Steps)))
	}
	return all
}

// TestProposers: any number of goroutines gives the same candidates, a log is continued as if the search had not
// stopped, nothing is measured twice, all records replay, and a log of the other proposer is continued too.
func TestProposers(t *testing.T) {
	makers := map[string]func() search.Proposer{
		GeneticName: func() search.Proposer { return Genetic{} }, GridName: func() search.Proposer { return &Grid{} },
	}
	for name, p := range makers {
		want := run(t, small, 48, p(), 1, nil)
		if len(want) != 48 {
			t.Fatalf("%s: %d trials", name, len(want))
		}
		for _, workers := range []int{2, 8} {
			if got := run(t, small, 48, p(), workers, nil); !slices.Equal(steps(got), steps(want)) {
				t.Errorf("%s: %d workers give other candidates", name, workers)
			}
		}
		if rest := run(t, small, 48, p(), 2, want[:16]); !slices.Equal(steps(rest), steps(want[16:])) {
			t.Errorf("%s: a search that is continued gives other candidates", name)
		}
		for other, q := range makers {
			all := slices.Concat(want[:32], run(t, small, 48, q(), 2, want[:32]))
			texts := steps(all)
			slices.Sort(texts)
			if len(all) != 48 || len(slices.Compact(texts)) != 48 {
				t.Errorf("%s after %s: %d trials, some of them measured twice", other, name, len(all))
			}
		}
		for _, r := range want {
			if r.Scorer != name {
				t.Errorf("a record of %s is of %q", name, r.Scorer)
			}
			w, err := workload.Find(r.Workload)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := schedule.ReplayBound(w.DAG, r.Steps); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestGridEnds: a grid has all configurations once, the first ones first.
func TestGridEnds(t *testing.T) {
	all := run(t, small, 5000, &Grid{}, 0, nil)
	texts := steps(all)
	slices.Sort(texts)
	if n := len(slices.Compact(texts)); n != len(all) || n < 300 {
		t.Errorf("%d of %d candidates are distinct", n, len(all))
	}
}

// TestGeneticFinds: children of fast parents are faster than what is drawn.
func TestGeneticFinds(t *testing.T) {
	mean := func(list []dataset.Record) (m float64) {
		for _, r := range list {
			m += r.Cost() / float64(len(list))
		}
		return m
	}
	const large = "dense:m=128,n=256,k=256"
	bred, drawn := run(t, large, 400, Genetic{}, 0, nil), run(t, large, 400, search.Sample{}, 0, nil)
	if x, y := mean(bred[200:]), mean(drawn[200:]); x > 0.85*y {
		t.Errorf("children take %.3g s in the mean, what is drawn %.3g s", x, y)
	}
}
