package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
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
func searched(t *testing.T, args ...string) (tune.Result, string) {
	t.Helper()
	code, stdout, stderr := wmtune(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	var r tune.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r, stderr
}

// TestScorerSurroundings: a scorer gets none of the files that the caller has open. It gets the environment, as the
// page on its protocol says.
func TestScorerSurroundings(t *testing.T) {
	dir := t.TempDir()
	secret, err := os.Create(filepath.Join(dir, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "list")
	cmd := exec.CommandContext(t.Context(), self, searchArgsFor(filepath.Join(dir, "out"), 1, "--scorer",
		"exec:ls -l /proc/self/fd >"+list+"; env >>"+list)...)
	cmd.Env, cmd.ExtraFiles = append(os.Environ(), "WMTUNE_TEST_TOKEN=t"), []*os.File{secret, secret}
	out, err := cmd.CombinedOutput()
	text, none := os.ReadFile(list)
	if err == nil || none != nil || strings.Contains(string(text), "secret") || !strings.Contains(string(text), "pipe:") ||
		!strings.Contains(string(text), "WMTUNE_TEST_TOKEN=t\n") || strings.Contains(string(text), "WMTUNE_WORKER") {
		t.Errorf("%v, %v: the scorer has\n%s\n%s", err, none, text, out)
	}
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
	ranks, err := costmodel.OpenGBT(costmodel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := ranks.Pretrain(t.Context(), []string{log}, func(string) {}); err != nil {
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

// TestWithoutXGBoost: without the library the search does not start, and says what to
// install.
func TestWithoutXGBoost(t *testing.T) {
	t.Setenv("WMTUNE_XGBOOST", "/nonexistent.so")
	dir := filepath.Join(t.TempDir(), "out")
	code, _, said := wmtune(t, searchArgsFor(dir, 4, "--scorer", "gbt")...)
	if code != exitFailed || !strings.Contains(said, "apt-get install libxgboost0") || !strings.Contains(said, "--scorer random") {
		t.Errorf("exit code %d; said\n%s", code, said)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the search started: its folder is there")
	}
}
