package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// writeTable writes a log of all configurations of a small template space; those with tiles of 4 are fast.
func writeTable(t *testing.T) string {
	t.Helper()
	w, err := workload.Find("conv2d:h=12,w=12,ci=24,co=24,k=3,p=1")
	if err != nil {
		t.Fatal(err)
	}
	sp, err := space.Find(target.LLVM, "template", space.Config{})
	if err != nil {
		t.Fatal(err)
	}
	on := target.Generic(32, 2)
	source, err := sp.Open(t.Context(), &search.Task{Name: w.Text, Key: w.Key, DAG: w.DAG, Target: on, Space: sp})
	if err != nil {
		t.Fatal(err)
	}
	configs := source.Traits().Configs
	var records []dataset.Record
	for i := range configs.Len {
		s, err := configs.At(i)
		if err != nil {
			t.Fatal(err)
		}
		cost := 0.0
		for _, step := range s.Steps {
			if sp, ok := step.(schedule.Split); ok {
				cost += math.Abs(math.Log2(float64(sp.Lengths[0])) - 2)
			}
		}
		r := dataset.Record{WorkloadKey: w.Key, Workload: w.Text, Target: on, Steps: s.Steps, Trial: int(i), Unix: 1600000000,
			Status: measure.OK, Costs: []float64{1e-6 * math.Exp(cost/4)}, Layout: target.Rewrite}
		r.Trajectory = dataset.TrajectoryHash(r.WorkloadKey, r.Workload, r.Steps)
		records = append(records, r)
	}
	var packed bytes.Buffer
	if err := dataset.Pack(&packed, records); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "table.arrow.zst")
	if err := os.WriteFile(name, packed.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestTables: tuners are replayed on a table: each search is deterministic and ends at the best that it saw; a model
// finds what is near the best sooner than random choices.
func TestTables(t *testing.T) {
	name := writeTable(t)
	ask := func(sides string) (r [][][]replay) {
		code, stdout, stderr := lab(t, "tables", name, "--sides", sides, "--seeds", "3", "--trials", "64", "--near", "0.99",
			"--json", "--results", "none")
		if strings.Contains(stderr, "libxgboost") {
			t.Skip(stderr)
		}
		if code != 0 {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), &r); err != nil {
			t.Fatalf("%v\n%s", err, stdout)
		}
		return r
	}
	r := ask("random;genetic;anneal/xgb-itervar:reg;random")
	mean := make([]float64, len(r))
	for i, side := range r {
		for _, s := range side[0] {
			mean[i] += s.reached(0.99) / 3
			for k, v := range s {
				if v <= 0 || v > 1 || k > 0 && v < s[k-1] {
					t.Errorf("side %d: the best so far are %v", i, s)
				}
			}
		}
	}
	if len(r) != 4 || mean[0] != mean[3] || mean[2] >= mean[0] {
		t.Errorf("trials to the best: %v", mean)
	}
	for sides, want := range map[string]string{
		"greedy": "known are random, genetic", "anneal/xgb-other": `unknown scorer "xgb-other"`, "anneal=0/gbt": "no number from 1 on",
	} {
		if code, _, stderr := lab(t, "tables", name, "--sides", sides); code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s", sides, code, stderr)
		}
	}
}
