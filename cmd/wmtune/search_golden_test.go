package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/nn/kernel"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

var updateSearches = flag.Bool("update-searches", false, "rewrite the golden candidates of TestSearchGolden")

// A formula is a builder and a runner: the time of a candidate is a hash of its steps.
type formula struct{}

func (formula) Build(_ context.Context, in []measure.Input) ([]measure.BuildResult, error) {
	out := make([]measure.BuildResult, len(in))
	for i := range out {
		out[i].Status = measure.OK
	}
	return out, nil
}

func (formula) Modes() measure.Modes { return measure.Modes{} }

func (formula) Run(_ context.Context, in []measure.Input, _ []measure.BuildResult) ([]measure.Result, error) {
	out := make([]measure.Result, len(in))
	for i, c := range in {
		hash := sha256.Sum256([]byte(c.Steps))
		out[i] = measure.Result{Status: measure.OK, Costs: []float64{1e-3 * (1 + float64(hash[0])/256)}}
	}
	return out, nil
}

// chain returns the text of a workload of n stages, each of which reads the one before it.
func chain(n, size int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "input t0: float32[%d, %d]\n", size, size)
	for i := range n {
		fmt.Fprintf(&b, "t%d(i: %d, j: %d) = exp(t%d[i, j]*0.001)\n", i+1, size, size, i)
	}
	fmt.Fprintf(&b, "output t%d\n", n)
	return b.String()
}

// searchLine searches with a formula in place of measurements. It returns hashes of the
// steps and the scores of all candidates, in order.
func searchLine(t *testing.T, text, scorer string) string {
	t.Helper()
	w, err := workload.Find(text)
	if err != nil {
		t.Fatal(err)
	}
	sp, err := space.Find(target.LLVM, "", space.Config{Layout: target.Rewrite})
	if err != nil {
		t.Fatal(err)
	}
	ranks, err := costmodel.Open(t.Context(), scorer, scorerOptions(7, target.LLVM, nil))
	if err != nil {
		t.Skip(err)
	}
	trials, evolution := 64, evolve.Options{}
	switch scorer {
	case "gbt":
		trials = 128 // the model has no scores before record 65
	case "world":
		evolution.Population = 512 // instead of 2048: the test takes 10 s
	}
	steps, scores := sha256.New(), sha256.New()
	tuner := &search.Tuner{
		Task:   &search.Task{Name: w.Text, Key: w.Key, DAG: w.DAG, Target: target.Generic(32, 2), Space: sp},
		Scorer: ranks, Builder: formula{}, Runner: formula{},
		Options: search.Options{
			Trials: trials, PerRound: 16, Seed: 7, ScorerName: scorer, Finalists: -1, Propose: search.Evolve{Evolution: evolution},
			OnRound: func(r search.Round) error {
				for _, rec := range r.Records {
					fmt.Fprintf(steps, "%s\n", schedule.FormatSteps(rec.Steps))
					binary.Write(scores, binary.LittleEndian, math.Float64bits(rec.Score))
				}
				return nil
			},
		},
	}
	out, err := tuner.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d trials, steps %x, scores %x", out.Trials, steps.Sum(nil)[:8], scores.Sum(nil)[:8])
}

// TestSearchGolden: searches with the same seed and the same measurements have the same
// candidates in the same order, with the same scores to the last bit, as at the commit
// that the golden file is of. Sums of networks are rounded differently on each path of
// nn/kernel, so scorer world has a line for each.
func TestSearchGolden(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the golden candidates are those of amd64: others round differently")
	}
	file := filepath.Join("testdata", "searches.golden")
	data, err := os.ReadFile(file)
	if err != nil && !*updateSearches {
		t.Fatal(err)
	}
	golden := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		golden[name] = value
	}
	for _, w := range [][2]string{
		{"matmul", "matmul:m=128,n=96,k=64,epilogue=relu"}, {"conv2d", "paper22/r50-t5"}, {"softmax", "paper22/opt-t3"},
		{"norm", "paper22/gpt2-t0"}, {"chain", chain(12, 64)},
	} {
		for _, scorer := range []string{"random", "gbt", "world"} {
			name := w[0] + " " + scorer
			if scorer == "world" {
				name += " " + kernel.Path()
			}
			t.Run(name, func(t *testing.T) {
				want, ok := golden[name]
				if !ok && !*updateSearches {
					t.Skipf("%s has no line %q", file, name)
				}
				got := searchLine(t, w[1], scorer)
				if golden[name] = got; got != want && !*updateSearches {
					t.Errorf("%s\nwant %s", got, want)
				}
			})
		}
	}
	if *updateSearches {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(golden)) {
			fmt.Fprintf(&b, "%s: %s\n", name, golden[name])
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
