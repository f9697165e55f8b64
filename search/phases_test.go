package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A byFirst scorer knows what the fake machine makes of a state.
type byFirst struct{ Random }

func (byFirst) Score(_ context.Context, _ *Task, states []*schedule.State) ([]float64, error) {
	scores := make([]float64, len(states))
	for i, s := range states {
		scores[i] = -float64(s.Signature()[0])
	}
	return scores, nil
}

// inPhases searches in phases, goes on from earlier records, and returns the new ones.
func inPhases(t *testing.T, o Options, before []dataset.Record) ([]dataset.Record, Outcome) {
	t.Helper()
	o.ScorerName, o.Explore, o.Finalists = "first", -1, -1
	records := collect(&o)
	tu := tuner(&machine{}, o)
	tu.Scorer = byFirst{Random{Seed: o.Seed}}
	out, err := tu.Run(context.Background(), before)
	if err != nil {
		t.Fatal(err)
	}
	return *records, out
}

var mixed = []Phase{{Sample{}, 12}, {Evolve{Evolution: evolve.Options{Population: 64}}, 6}, {Neighbours{}, 6}}

// A search in phases measures as many candidates as each phase wants, in order; its
// records say what chose them.
func TestParts(t *testing.T) {
	records, out := inPhases(t, Options{Trials: 24, PerRound: 5, Seed: 3, Phases: mixed}, nil)
	var names []string
	seen := map[string]bool{}
	for _, r := range records {
		names = append(names, r.Scorer)
		if seen[r.Trajectory] {
			t.Errorf("trial %d was measured before", r.Trial)
		}
		seen[r.Trajectory] = true
	}
	want := slices.Concat(slices.Repeat([]string{"random"}, 12), slices.Repeat([]string{"first"}, 6), slices.Repeat([]string{"neighbour"}, 6))
	if !slices.Equal(names, want) || out.Reason != TrialsSpent || out.Rounds != 3+2+2 {
		t.Errorf("chosen by %v in %d rounds, %v", names, out.Rounds, out.Reason)
	}
	if r := records[0]; r.Score < 0 || r.Score >= 1 {
		t.Errorf("a random candidate has score %g", r.Score)
	}
	if r := records[12]; r.Score > 0 {
		t.Errorf("an evolved candidate has score %g", r.Score)
	}
}

// Neighbours differ from one of the fastest before them in few numbers, and are not
// the scorer's favourites only.
func TestNeighboursOfTheFastest(t *testing.T) {
	const seeds = 12
	near, sum, other := 0, 0, 0
	for seed := range uint64(seeds) {
		n, neighbours, others := neighboursOfTheFastest(t, seed+3)
		near, sum, other = near+n, sum+neighbours, other+others
	}
	if near < 20*seeds || sum*2*(30-goodParents) > other*30 {
		t.Errorf("%d of %d neighbours differ from a fast one in 3 steps at most; on average in %.1f, others in %.1f",
			near, 30*seeds, float64(sum)/(30*seeds), float64(other)/float64(seeds*(30-goodParents)))
	}
}

// neighboursOfTheFastest returns how many of 30 neighbours differ from a fast candidate in three steps at most, in how
// many steps all of them do, and in how many the other candidates do that were sampled.
func neighboursOfTheFastest(t *testing.T, seed uint64) (near, sum, other int) {
	t.Helper()
	records, _ := inPhases(t, Options{
		Trials: 60, PerRound: 30, Seed: seed, Phases: []Phase{{Sample{}, 30}, {Neighbours{}, 30}},
	}, nil)
	sampled := slices.Clone(records[:30])
	slices.SortStableFunc(sampled, func(a, b dataset.Record) int {
		return strings.Compare(fmt.Sprintf("%.9f", a.Cost()), fmt.Sprintf("%.9f", b.Cost()))
	})
	far := func(r dataset.Record, parents []dataset.Record) int {
		best := 1 << 30
		for _, p := range parents {
			best = min(best, differing(r.Steps, p.Steps))
		}
		return best
	}
	for _, r := range records[30:] {
		d := far(r, sampled[:goodParents])
		sum += d
		if d <= 3 {
			near++
		}
	}
	for _, r := range sampled[goodParents:] {
		other += far(r, sampled[:goodParents])
	}
	return near, sum, other
}

// differing counts the steps that differ; lists of other lengths differ in all.
func differing(a, b []schedule.Step) int {
	if len(a) != len(b) {
		return max(len(a), len(b))
	}
	n := 0
	for i := range a {
		if string(schedule.FormatSteps(a[i:i+1])) != string(schedule.FormatSteps(b[i:i+1])) {
			n++
		}
	}
	return n
}

// A search in phases goes on in the phase in which it stopped, and more trials of each
// may be asked for later.
func TestResumeInParts(t *testing.T) {
	whole, _ := inPhases(t, Options{Trials: 24, PerRound: 6, Seed: 3, Phases: mixed}, nil)
	for _, cut := range []int{6, 12, 18} {
		rest, _ := inPhases(t, Options{Trials: 24 - cut, PerRound: 6, Seed: 3, Phases: mixed}, whole[:cut])
		if both := append(slices.Clone(whole[:cut]), rest...); !slices.Equal(stepsOf(both), stepsOf(whole)) {
			t.Errorf("stopped after %d trials, it goes on otherwise", cut)
		}
	}
	more, _ := inPhases(t, Options{Trials: 24, PerRound: 6, Seed: 3, Phases: []Phase{{Sample{}, 24}, {Evolve{Evolution: evolve.Options{Population: 64}}, 12}, {Neighbours{}, 12}}}, whole)
	count := map[string]int{}
	for _, r := range more {
		count[r.Scorer]++
	}
	if count["random"] != 12 || count["first"] != 6 || count["neighbour"] != 6 {
		t.Errorf("asked for twice as many: %v more", count)
	}
}

// The same seed gives the same candidates in all phases for any number of workers.
func TestPartsAreDeterministic(t *testing.T) {
	one, _ := inPhases(t, Options{Trials: 24, Seed: 5, Workers: 1, Phases: mixed}, nil)
	for _, workers := range []int{2, 3} {
		if got, _ := inPhases(t, Options{Trials: 24, Seed: 5, Workers: workers, Phases: mixed}, nil); !slices.Equal(stepsOf(got), stepsOf(one)) {
			t.Errorf("%d workers give other candidates than 1", workers)
		}
	}
	if got, _ := inPhases(t, Options{Trials: 24, Seed: 6, Phases: mixed}, nil); slices.Equal(stepsOf(got), stepsOf(one)) {
		t.Error("another seed gives the same candidates")
	}
}

// A phase in which nothing new comes about does not keep the others from their
// trials, and no program is measured twice to fill it.
func TestDryParts(t *testing.T) {
	records, out := inPhases(t, Options{Trials: 12, Phases: []Phase{{Neighbours{}, 6}, {Sample{}, 6}}}, nil)
	if len(records) != 6 || out.Reason != Exhausted || records[0].Scorer != SampledName {
		t.Errorf("without fast ones to have neighbours of: %d trials, %v", len(records), out.Reason)
	}

	o := Options{Trials: 300, Phases: []Phase{{Sample{}, 200}, {Evolve{Evolution: evolve.Options{Population: 64}}, 50}, {Neighbours{}, 50}}, ScorerName: "first", Finalists: -1}
	list := collect(&o)
	tu := tuner(&machine{}, o)
	tu.Task = matmul(1, 1, 1)
	out, err := tu.Run(context.Background(), nil)
	if err != nil || out.Reason != Exhausted || out.Trials == 0 || out.Trials != len(*list) {
		t.Errorf("%d trials, %v, %v", out.Trials, out.Reason, err)
	}
	steps := stepsOf(*list)
	if slices.Sort(steps); len(slices.Compact(steps)) != out.Trials {
		t.Error("a program was measured twice")
	}
}

// Phases that the records could not tell apart are refused.
func TestPartsOfOneName(t *testing.T) {
	for _, o := range []Options{
		{ScorerName: SampledName, Phases: mixed},
		{ScorerName: "first", Phases: []Phase{{Sample{}, 1}, {Sample{}, 1}}},
		{ScorerName: "first", Phases: []Phase{{Sample{}, -1}}},
	} {
		if _, err := tuner(&machine{}, o).Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "search: phases: ") {
			t.Errorf("%v with scorer %s: %v", o.Phases, o.ScorerName, err)
		}
	}
}

// A small space has neighbours of more than the fastest few measured, once theirs all are: of those of eight alone the
// search ends after 128.
func TestNeighboursOfMore(t *testing.T) {
	tu := tuner(&machine{}, Options{Trials: 300, Phases: []Phase{{Sample{}, 20}, {Neighbours{}, 280}}, Finalists: -1})
	tu.Task = matmul(1, 2, 2)
	out, err := tu.Run(t.Context(), nil)
	if err != nil || out.Trials < 250 {
		t.Errorf("%d trials, %v, %v", out.Trials, out.Reason, err)
	}
}
