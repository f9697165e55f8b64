package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/bench"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// A scorersReport is what --json prints.
type scorersReport struct {
	Comparisons []bench.Versus
	Qualities   []bench.Quality
	Searches    []bench.Found
}

// benchScorers runs bench scorers on one small workload.
func benchScorers(t *testing.T, dir string, args ...string) (r scorersReport, stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := wmtune(t, append([]string{"bench", "scorers", "--only", "gpt2-t8", "--json", "--out", dir}, args...)...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v\n%s", err, stdout)
	}
	return r, stdout, stderr
}

// TestBenchScorers: two scorers are compared by what they found from the same seeds,
// timed in turns; what was searched and timed is kept, and a program that both found
// has one time.
func TestBenchScorers(t *testing.T) {
	needXGBoost(t)
	dir, page, picture := t.TempDir(), filepath.Join(t.TempDir(), "page.html"), filepath.Join(t.TempDir(), "curves.svg")
	args := []string{"--scorers", "random,gbt", "--seeds", "3,4", "--trials", "0,6", "--html", page, "--svg", picture}
	r, first, stderr := benchScorers(t, dir, args...)
	if len(r.Searches) != 8 || len(r.Comparisons) != 2 || len(r.Qualities) != 4 || strings.Count(stderr, "us; ") != 2 {
		t.Fatalf("%+v\n%s", r, stderr)
	}
	for _, f := range r.Searches {
		if want := max(f.Budget, 1); len(f.Curve) != want || f.Seconds <= 0 || f.Wall <= 0 || f.Thinking <= 0 || f.Thinking > f.Wall || f.Scored < 64 {
			t.Errorf("%+v", f)
		}
	}
	// gbt is random for so few trials: its first choice is the same program, timed once.
	if v := r.Comparisons[0]; v.Scorer != "random" || v.Budget != 0 || v.Geomean != 1 || v.Ties != 1 || len(v.Cells[0].Seeds) != 2 {
		t.Errorf("%+v", v)
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "gpt2-t8, 6 trials") || strings.Contains(string(text), "http") {
		t.Errorf("%v\n%s", err, text)
	}
	if text, err := os.ReadFile(picture); err != nil || xml.Unmarshal(text, new(struct{})) != nil || !strings.Contains(string(text), ">gbt</text>") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, again, stderr := benchScorers(t, dir, args...); again != first || strings.Contains(stderr, "in turns") {
		t.Errorf("again\n%s\nwas\n%s%s", again, first, stderr)
	}
	// Fewer of them need nothing that is not there, and other budgets leave it alone.
	if r, _, _ := benchScorers(t, dir, "--scorers", "random", "--baseline", "gbt@6", "--seeds", "3,4", "--trials", "0", "--report"); len(r.Searches) != 4 || len(r.Comparisons) != 1 {
		t.Errorf("%+v", r)
	}
	if r, _, _ := benchScorers(t, dir, "--scorers", "random", "--seeds", "3,5", "--trials", "6", "--report"); len(r.Searches) != 2 {
		t.Errorf("a report of what is there: %+v", r)
	}
}

// TestBenchScorersGoesOn: after kill -9 the same command goes on, and nothing is done
// twice or lost.
func TestBenchScorersGoesOn(t *testing.T) {
	dir := t.TempDir()
	args := []string{"--scorers", "random", "--baseline", "random", "--seeds", "1", "--trials", "40"}
	p := startProcess(t, append([]string{"bench", "scorers", "--only", "gpt2-t8", "--out", dir}, args...)...)
	var log string
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		logs, _ := filepath.Glob(filepath.Join(dir, "*", "scorers", "gpt2-t8", "random-seed1-40", "tuning.arrow"))
		if len(logs) == 1 {
			if records, _, err := dataset.ReadLog(logs[0]); err == nil && len(records) >= 10 {
				log = logs[0]
				break
			}
		}
		if time.Since(begin) > 2*time.Minute {
			t.Fatalf("no round\n%s", &p.stderr)
		}
	}
	p.cmd.Process.Signal(syscall.SIGKILL)
	p.wait(t)
	before, _, err := dataset.ReadLog(log)
	if err != nil || len(before) >= 40 {
		t.Fatalf("%d records, %v", len(before), err)
	}
	r, _, _ := benchScorers(t, dir, args...)
	after, _, err := dataset.ReadLog(log)
	if err != nil || len(after) != 40 || len(r.Searches) != 1 || len(r.Searches[0].Curve) != 40 {
		t.Fatalf("%d records, %v, %+v", len(after), err, r)
	}
	seen := map[string]bool{}
	for i, rec := range after {
		steps := string(schedule.FormatSteps(rec.Steps))
		if seen[steps] || i < len(before) && steps != string(schedule.FormatSteps(before[i].Steps)) {
			t.Errorf("record %d: doubled, or not what was there", i)
		}
		seen[steps] = true
	}
}

// TestBenchScorersWarm: a scorer that learned from logs before is a contender of its
// own, learns once, and is searched with anew when the logs are others.
func TestBenchScorersWarm(t *testing.T) {
	needXGBoost(t)
	dir := t.TempDir()
	if code, _, stderr := wmtune(t, "search", "--workload", "mean:m=32,n=96", "--trials", "8", "--scorer", "random", "--out", dir); code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	log := filepath.Join(dir, "tuning.arrow")
	args := []string{"--scorers", "gbt+warm", "--trials", "4", "--seeds", "1,2", "--warm", log}
	r, first, stderr := benchScorers(t, dir, args...)
	if len(r.Searches) != 4 || len(r.Comparisons) != 1 || r.Comparisons[0].Scorer != "gbt+warm" || strings.Count(stderr, "the scorer has learned from 8 records") != 1 {
		t.Fatalf("%s%s", first, stderr)
	}
	if _, again, _ := benchScorers(t, dir, args...); again != first {
		t.Errorf("again\n%s\nwas\n%s", again, first)
	}
	other, _, stderr := benchScorers(t, dir, append(args, "--warm", log)...)
	if !strings.Contains(stderr, "the scorer has learned from 16 records") {
		t.Errorf("other logs: %s", stderr)
	}
	for i, f := range other.Searches {
		if same := f.Wall == r.Searches[i].Wall; same != (f.Scorer == "gbt") {
			t.Errorf("with other logs: %s, seed %d: searched again: %v", f.Scorer, f.Seed, !same)
		}
	}
}

// A smallPlanner plans nothing well.
type smallPlanner struct{ search.Random }

func (smallPlanner) Promise(_ context.Context, _ *search.Task, partial []*schedule.State) ([]float64, error) {
	return make([]float64, len(partial)), nil
}

// TestWatch: the first population must be the seed's, a scorer that plans still does,
// and none learns from what nothing follows.
func TestWatch(t *testing.T) {
	w, err := op.Parse("matmul:m=32,n=32,k=32")
	if err != nil {
		t.Fatal(err)
	}
	task := &search.Task{DAG: w.DAG, Target: target.Generic(32, 2), Space: space.Default(target.LLVM)}
	sketches, err := sketch.Generate(task.Space.Sketch, task.DAG, task.Target)
	if err != nil {
		t.Fatal(err)
	}
	states, err := annotate.New(task.Space.Annotate, task.Target).Population(t.Context(), sketches, 2*witnesses, 7, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(states) // the order does not matter
	for seed, ok := range map[uint64]bool{7: true, 8: false} {
		s, err := watch(search.Random{}, task, seed, true)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Score(context.Background(), task, states)
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "not the seed's") {
			t.Errorf("seed %d: %v", seed, err)
		}
		if ok && s.scored() != len(states) {
			t.Errorf("%d states scored, not %d", s.scored(), len(states))
		}
	}
	s, err := watch(smallPlanner{}, task, 8, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Score(context.Background(), task, states[:3]); err != nil {
		t.Error(err)
	}
	if _, ok := s.(search.Planner); !ok {
		t.Error("it does not plan any more")
	}
	if b, ok := s.(search.Untrained); !ok || !b.Untrained() {
		t.Error("it is not blind any more")
	}
	if s, _ := watch(search.Random{}, task, 8, false); s.(search.Untrained).Untrained() == false {
		t.Error("random is blind")
	} else if _, ok := s.(search.Planner); ok {
		t.Error("random does not plan")
	}
}

// TestScorerSpace: the ending of a scorer's name chooses the space, and nothing else.
func TestScorerSpace(t *testing.T) {
	c := &benchFlags{warm: logList{"a.arrow"}, models: map[string]string{"mine": "folder"}}
	for name, want := range map[string]string{
		"random":                 "--scorer random --space wmtune",
		"random+autoscheduler":   "--scorer random --space autoscheduler",
		"gbt+warm+autoscheduler": "--scorer gbt --space autoscheduler --pretrain a.arrow",
		"mine+autoscheduler":     "--scorer world --space autoscheduler --model folder",
	} {
		if got := strings.Join(c.scorerArgs(name), " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if err := c.checkScorer("random+autoscheduler"); err != nil {
		t.Error(err)
	}
	dir := t.TempDir()
	r, _, _ := benchScorers(t, dir, "--scorers", "random,random+autoscheduler", "--baseline", "random", "--seeds", "1", "--trials", "0")
	if len(r.Searches) != 2 || len(r.Comparisons) != 1 || r.Comparisons[0].Geomean == 1 {
		t.Errorf("the spaces do not differ: %+v", r)
	}
}

// TestFrozenScorers: scorers that do not learn leave places in a round to what their
// order alone would not bring, unless a benchmark asks for the order alone.
func TestFrozenScorers(t *testing.T) {
	b := &scorersBench{benching: &benching{benchFlags: benchFlags{warm: logList{"a.arrow"}}}}
	for name, want := range map[string]bool{"world": true, "world+local": true, "world+planned": true, "world+greedy": false, "random": false} {
		s, err := b.openScorer(t.Context(), name, 1)
		if err != nil {
			t.Fatal(err)
		}
		w, err := watch(s, &search.Task{}, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		if steady := w.(search.FrozenModel).Frozen(); steady != want {
			t.Errorf("%s: steady %v", name, steady)
		}
		if _, plans := w.(search.Planner); plans != (name == "world+planned") {
			t.Errorf("%s: plans %v", name, plans)
		}
	}
	if err := b.checkScorer("gbt+greedy"); err == nil || !strings.Contains(err.Error(), "gbt learns") {
		t.Errorf("gbt+greedy: %v", err)
	}
}

// TestFrozenScorer: a frozen scorer scores the same whatever was measured, and still
// knows whether it knows anything.
func TestFrozenScorer(t *testing.T) {
	needXGBoost(t)
	s, err := costmodel.OpenGBT(costmodel.Options{Seed: 1})
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
	if err := frozen.Update(t.Context(), task, records); err != nil || !frozen.Untrained() {
		t.Errorf("a frozen scorer learned from %d records, %v", len(records), err)
	}
	if err := s.Update(t.Context(), task, records); err != nil || frozen.Untrained() {
		t.Errorf("its model cannot learn either, %v", err)
	}
}
