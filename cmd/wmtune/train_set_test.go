package main

import (
	"github.com/wmtune/wmtune/dataset/workload"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/target"
)

// TestCandidatesOfTraining: of a task with made-up times, the candidates that were not
// timed are not learned from, not even as failures.
func TestCandidatesOfTraining(t *testing.T) {
	w, err := workload.Find(smallSpec)
	if err != nil {
		t.Fatal(err)
	}
	gpu, err := target.GPU("sm_86")
	if err != nil {
		t.Fatal(err)
	}
	sketches, err := sketch.Generate(sketch.CUDA, w.DAG, gpu)
	if err != nil {
		t.Fatal(err)
	}
	states, err := annotate.New(annotate.GPU, gpu).Population(sketches, minTimed+8, 1, 1, 0)
	if err != nil || len(states) < minTimed+2 {
		t.Fatalf("%d states, %v", len(states), err)
	}
	dir := t.TempDir()
	log, err := dataset.OpenWriter(filepath.Join(dir, "log.arrow"), dataset.WriterOptions{
		Task: &dataset.Task{WorkloadKey: w.Key, Workload: w.Text, Target: gpu},
	})
	if err != nil {
		t.Fatal(err)
	}
	var records []dataset.Record
	for i, s := range states[:minTimed+2] {
		r := dataset.Record{WorkloadKey: w.Key, Workload: w.Text, Target: gpu, Steps: s.Steps, Status: measure.OK, Costs: []float64{float64(i + 1)}, Trial: i}
		switch i {
		case minTimed:
			r.Status, r.Costs = measure.WrongAnswer, nil
		case minTimed + 1:
			r.Status, r.Costs = measure.Unmeasured, nil
		}
		records = append(records, r)
	}
	if err := log.Append(records); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := wmtune(t, "dataset", "build", "--out", filepath.Join(dir, "set"), filepath.Join(dir, "log.arrow")); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	set, err := openTrainSet([]string{filepath.Join(dir, "set")}, target.CUDA, "task", true)
	if err != nil {
		t.Fatal(err)
	}
	defer set.close()
	list, quality, err := set.tasks[0].candidates()
	if err != nil || len(list) != minTimed+1 || quality[0] != 1 || quality[minTimed] != 0 {
		t.Errorf("%d candidates of quality %v, %v, want %d", len(list), quality, err, minTimed+1)
	}
}
