package bench

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// A smallPlanner plans nothing well.
type smallPlanner struct{ search.Random }

func (smallPlanner) Traits() search.Traits {
	return search.Traits{Untrained: true, Promise: search.Random{}.Score}
}

// TestAnotherSearch: the folder of a search of another workload of that name is neither read nor continued.
func TestAnotherSearch(t *testing.T) {
	c := &contest{Bench: &Bench{dir: t.TempDir()}, identities: map[string]string{}}
	w, side := workload.Workload{Name: "stem", Text: "of resnet18"}, Side{Scorer: "random", Budget: 16}
	for _, found := range []keptSearch{{Done: true, Workload: "of resnet50"}, {Workload: "of resnet50"}} {
		if err := c.Save(filepath.Join(c.place(w, side, 1), searchFile), found); err != nil {
			t.Fatal(err)
		}
		_, err := c.searched(t.Context(), w, side, 1)
		if err == nil || !strings.Contains(err.Error(), "holds the search of of resnet50") {
			t.Errorf("%+v: %v", found, err)
		}
	}
}

// TestWatch: the first population must be the seed's, a scorer that plans still does,
// and none learns from what nothing follows.
func TestWatch(t *testing.T) {
	w, err := op.Parse("matmul:m=32,n=32,k=32")
	if err != nil {
		t.Fatal(err)
	}
	task := &search.Task{DAG: w.DAG, Target: target.Generic(32, 2), Space: space.Default(target.LLVM, space.Config{Layout: target.Rewrite})}
	source, err := task.Space.Open(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	states, err := annotate.Draw(t.Context(), 2*witnesses, 7, 0, 0, source.Sample)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(states) // the order does not matter
	for seed, ok := range map[uint64]bool{7: true, 8: false} {
		s := watch(search.Random{})
		if err := s.expect(t.Context(), task, seed); err != nil {
			t.Fatal(err)
		}
		_, err := s.Score(context.Background(), task, states)
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "not the seed's") {
			t.Errorf("seed %d: %v", seed, err)
		}
		if ok && s.scored() != len(states) {
			t.Errorf("%d states scored, not %d", s.scored(), len(states))
		}
	}
	s := watch(smallPlanner{})
	if _, err := s.Score(context.Background(), task, states[:3]); err != nil {
		t.Error(err)
	}
	if is := s.Traits(); is.Promise == nil || !is.Untrained {
		t.Errorf("it does not plan any more, or is not untrained: %+v", is)
	}
	if is := watch(search.Random{}).Traits(); !is.Untrained || is.Promise != nil {
		t.Errorf("random is untrained and does not plan: %+v", is)
	}
}

// TestScorerNames: the endings of a scorer's name choose the space and what the scorer is
// opened with, and nothing else.
func TestScorerNames(t *testing.T) {
	s := Scorers{Logs: []string{"a.arrow"}, Models: map[string]string{"mine": "folder"}}
	type opened struct {
		base, space, model string
		logs               bool
	}
	for name, want := range map[string]opened{
		"random":                    {"random", "wmtune", "", false},
		"random+autoscheduler":      {"random", "autoscheduler", "", false},
		"gbt+warm+autoscheduler":    {"gbt", "autoscheduler", "", true},
		"gbt+frozen":                {"gbt", "wmtune", "", true},
		"world+first+autoscheduler": {"world", "autoscheduler", "", false},
		"mine+autoscheduler":        {"world", "autoscheduler", "folder", false},
	} {
		var got opened
		got.base, got.space = s.split(name)
		o := s.options(name)
		if got.model, got.logs = o.Model, pretrained(name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if err := s.Check("random+autoscheduler"); err != nil {
		t.Error(err)
	}
}

// TestCheckStartsNothing: a command is started for its searches only.
func TestCheckStartsNothing(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	s := Scorers{Execs: map[string]string{"mine": costmodel.Exec + "touch " + started}}
	if err := s.Check("mine"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("the check of its name starts the command")
	}
}

// TestFrozenScorers: scorers that do not learn leave places in a round to what their
// order alone would not bring, unless a benchmark asks for the order alone.
func TestFrozenScorers(t *testing.T) {
	b := &Bench{Options: Options{Say: func(string) {}}}
	for name, want := range map[string]bool{"world": true, "world+planned": true,
		"world+first": true, "world+greedy": false, "random": false} {
		s, err := b.openScorer(t.Context(), name, 1)
		if err != nil {
			t.Fatal(err)
		}
		is := watch(s).Traits()
		if is.Frozen != want {
			t.Errorf("%s: frozen %v", name, is.Frozen)
		}
		if plans := is.Promise != nil; plans != (name == "world+planned") {
			t.Errorf("%s: plans %v", name, plans)
		}
		if refines := is.Refine != nil; refines != (name != "random" && name != "world+first") {
			t.Errorf("%s: looks closer %v", name, refines)
		}
	}
	if err := b.Scorers.Check("gbt+first"); err == nil || !strings.Contains(err.Error(),
		"only world scorers look closer") {
		t.Errorf("gbt+first: %v", err)
	}
	if err := b.Scorers.Check("gbt+greedy"); err == nil || !strings.Contains(err.Error(), "gbt learns") {
		t.Errorf("gbt+greedy: %v", err)
	}
}

// TestFrozenScorer: a frozen scorer scores the same whatever was measured, and still
// knows whether it knows anything.
func TestFrozenScorer(t *testing.T) {
	s, err := costmodel.OpenGBT(costmodel.Options{Seed: 1})
	if costmodel.Unavailable(err) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	frozen := s.Freeze()
	w, err := workload.Find("mean:m=32,n=96")
	if err != nil {
		t.Fatal(err)
	}
	host := target.Generic(32, 2)
	var records []dataset.Record
	for i := range 120 { // more than the model is blind for
		records = append(records, dataset.Record{Status: measure.OK, Costs: []float64{1 + float64(i)}, Workload: w.Text, Target: host})
	}
	task := &search.Task{DAG: w.DAG, Target: host}
	if err := frozen.Update(t.Context(), task, records); err != nil || !frozen.Traits().Untrained {
		t.Errorf("a frozen scorer learned from %d records, %v", len(records), err)
	}
	if err := s.Update(t.Context(), task, records); err != nil || frozen.Traits().Untrained {
		t.Errorf("its model cannot learn either, %v", err)
	}
}

// TestRemaining: what is left grows less while a search is under way, and is not told once it takes
// longer than was thought.
func TestRemaining(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		done  float64
		ended time.Duration // ago
		want  string
	}{
		{0, 0, "1 of 3 searches done"},
		{40, 0, "1 of 3 searches done, 50s left"},
		{40, 30 * time.Second, "1 of 3 searches done, 20s left"},
		{40, time.Minute, "1 of 3 searches done"},
	} {
		ended := now.Add(-c.ended)
		r := &remaining{searches: 2, of: 3, weight: 100, done: c.done, started: ended.Add(-20 * time.Second), ended: ended}
		if got := r.String(); got != c.want {
			t.Errorf("%v ago: %q, want %q", c.ended, got, c.want)
		}
	}
}
