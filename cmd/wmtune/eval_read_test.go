package main

import (
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/dataset/workload"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
)

// TestEvalReads: candidates that were not timed are no failures, and one that failed after it was
// timed has no time; in logs, and in a dataset of them.
func TestEvalReads(t *testing.T) {
	list, _, err := dataset.ReadLog(evalLog(t, "matmul:m=64,n=64,k=64", 40))
	if err != nil {
		t.Fatal(err)
	}
	var timed []dataset.Record
	seen := map[string]bool{}
	for _, r := range list {
		if r.Timed() && !seen[r.Trajectory] {
			seen[r.Trajectory] = true
			timed = append(timed, r)
		}
	}
	failed, unmeasured := timed[0], timed[1]
	failed.Status, failed.Costs = measure.WrongAnswer, nil
	unmeasured.Status, unmeasured.Costs = measure.Unmeasured, nil
	records := append(timed, failed, unmeasured)

	dir := t.TempDir()
	path := filepath.Join(dir, "tuning.arrow")
	log, err := dataset.OpenWriter(path, dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Append(records); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := wmtune(t, "dataset", "build", path, "--out", filepath.Join(dir, "data")); code != 0 {
		t.Fatal(stderr)
	}
	for _, from := range []string{"log", "dataset"} {
		r := &evalReader{programs: newPrograms(workload.Find), rules: split.V1(), say: t.Logf}
		if from == "log" {
			r.records(records)
		} else if err := r.set(filepath.Join(dir, "data")); err != nil {
			t.Fatal(err)
		}
		if len(r.tasks) != 1 || len(r.tasks[0].Samples) != len(timed) || r.tasks[0].Timed() != len(timed)-1 {
			t.Errorf("%s: %d tasks; %d records, %d of them timed, of %d programs", from, len(r.tasks), len(r.tasks[0].Samples), r.tasks[0].Timed(), len(timed))
		}
	}
	set, err := trajectory.Open(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if task := set.Tasks()[0]; task.Records != len(timed)+1 || task.Timed != len(timed)-1 {
		t.Errorf("the dataset has %d records, %d of them timed, of %d programs", task.Records, task.Timed, len(timed))
	}
}
