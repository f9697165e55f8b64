package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/workload"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// needXGBoost skips the test without libxgboost, or fails it where CI is set.
func needXGBoost(t *testing.T) {
	t.Helper()
	_, err := xgboost.Load("")
	switch {
	case err == nil:
	case os.Getenv("CI") == "" && errors.Is(err, xgboost.ErrMissing):
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}

// searched runs a search with --json and returns its result and what it said.
func searched(t *testing.T, args ...string) (result, string) {
	t.Helper()
	code, stdout, stderr := wmtune(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	var r result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r, stderr
}

// TestWarm: a search with gbt learns from the log of another one beforehand.
func TestWarm(t *testing.T) {
	needXGBoost(t)
	dir := t.TempDir()
	first, _ := searched(t, searchArgsFor(filepath.Join(dir, "first"), 32, "--per-round", "16")...)
	second, said := searched(t, searchArgsFor(filepath.Join(dir, "second"), 4, "--scorer", "gbt", "--warm", first.Log)...)
	if !strings.Contains(said, "the scorer has learned from 32 records") {
		t.Errorf("said\n%s", said)
	}
	records, _, err := dataset.ReadLog(second.Log)
	if err != nil || len(records) != 4 || second.Scorer != "gbt" {
		t.Fatalf("scorer %s, %d records, %v", second.Scorer, len(records), err)
	}
	for _, r := range records {
		if r.Scorer != "gbt" {
			t.Errorf("trial %d was chosen by %s", r.Trial, r.Scorer)
		}
	}
	// Its favourites may all have one score; what it learned from tells more.
	if best, worst := warmScores(t, first.Log); best <= worst {
		t.Errorf("the fastest program that it learned from scores %g, the slowest %g", best, worst)
	}
	third := searchArgsFor(filepath.Join(dir, "third"), 4, "--scorer", "gbt", "--warm", "/nonexistent.arrow")
	if code, _, stderr := wmtune(t, third...); code != exitFailed || !strings.Contains(stderr, "/nonexistent.arrow") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// warmScores returns the scores that a scorer gives the fastest and the slowest
// program of the log that it has learned from.
func warmScores(t *testing.T, log string) (best, worst float64) {
	t.Helper()
	ranks, err := openScorer("gbt", scorerWants{})
	if err != nil {
		t.Fatal(err)
	}
	s := &searching{searchCommand: searchCommand{warm: logList{log}}, progress: newProgress(io.Discard)}
	if err := s.warmUp(t.Context(), ranks.(*gbtScorer)); err != nil {
		t.Fatal(err)
	}
	records, _, err := dataset.ReadLog(log)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.Find(records[0].Workload)
	if err != nil {
		t.Fatal(err)
	}
	var states []*schedule.State
	for _, r := range records {
		state, err := schedule.Replay(w.DAG, r.Steps)
		if err == nil {
			state, err = state.InferBound()
		}
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, state)
	}
	list, err := ranks.Score(t.Context(), &search.Task{DAG: w.DAG, Target: records[0].Target}, states)
	if err != nil {
		t.Fatal(err)
	}
	byCost := func(a, b dataset.Record) int { return cmp.Compare(a.Cost(), b.Cost()) }
	fastest, slowest := slices.MinFunc(records, byCost), slices.MaxFunc(records, byCost)
	for i, r := range records {
		switch r.Trial {
		case fastest.Trial:
			best = list[i]
		case slowest.Trial:
			worst = list[i]
		}
	}
	return best, worst
}

// TestWithoutXGBoost: without the library the search says what to install, and
// is random.
func TestWithoutXGBoost(t *testing.T) {
	t.Setenv("WMTUNE_XGBOOST", "/nonexistent.so")
	r, said := searched(t, searchArgsFor(t.TempDir(), 4, "--scorer", "gbt")...)
	if r.Scorer != "random" || !strings.Contains(said, "apt-get install libxgboost0") || !strings.Contains(said, "--scorer random") {
		t.Errorf("scorer %s; said\n%s", r.Scorer, said)
	}
}

// TestByWorkload: records that were withdrawn do not count as good, and those that were
// not timed not as failures.
func TestByWorkload(t *testing.T) {
	record := func(workload, trajectory string, s measure.Status) dataset.Record {
		r := dataset.Record{Workload: workload, Trajectory: trajectory, Status: s}
		r.Target.Kind = "llvm"
		if s == measure.OK {
			r.Costs = []float64{1}
		}
		return r
	}
	got := byWorkload([]dataset.Record{
		record("a", "1", measure.OK), record("b", "2", measure.OK), record("a", "3", measure.OK), record("b", "2", measure.WrongAnswer),
		record("a", "4", measure.Unmeasured),
	})
	var text []string
	for _, task := range got {
		for _, r := range task {
			text = append(text, r.Workload+r.Trajectory+" "+r.Status.String())
		}
	}
	if want := []string{"a1 ok", "a3 ok", "b2 wrong answer"}; !slices.Equal(text, want) {
		t.Errorf("got %q, want %q", text, want)
	}
}
