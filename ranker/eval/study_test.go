package eval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestRead: candidates that were not timed are no failures, and one that failed after it was
// timed has no time; in logs, and in a dataset of them.
func TestRead(t *testing.T) {
	const n = 40
	w, err := workload.Find("matmul:m=64,n=64,k=64")
	if err != nil {
		t.Fatal(err)
	}
	var records []dataset.Record
	for i := range n {
		steps, err := schedule.ParseSteps(fmt.Appendf(nil, `[["SP", 2, 0, 64, [%d], 1], ["SP", 2, 2, 64, [%d], 1]]`, 1+i%10,
			1+i/10))
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, dataset.Record{
			WorkloadKey: w.Key, Workload: w.Text, Target: target.Generic(32, 2), Steps: steps, Trial: i,
			Status: measure.OK, Costs: []float64{1e-6 * float64(i+1)},
		})
	}
	failed, unmeasured := records[0], records[1]
	failed.Status, failed.Costs = measure.WrongAnswer, nil
	unmeasured.Status, unmeasured.Costs = measure.Unmeasured, nil
	records = append(records, failed, unmeasured)

	dir := t.TempDir()
	path := filepath.Join(dir, "tuning.arrow")
	log, err := dataset.OpenWriter(path, dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.Append(records), log.Close()); err != nil {
		t.Fatal(err)
	}
	if records, _, err = dataset.ReadLog(path); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	build(t, data, path)
	for _, from := range []string{"log", "dataset"} {
		r := &reader{rules: split.V3(), say: t.Logf}
		if from == "log" {
			r.records(records)
		} else if err := r.set(data); err != nil {
			t.Fatal(err)
		}
		if len(r.tasks) != 1 || len(r.tasks[0].Samples) != n || r.tasks[0].Timed() != n-1 {
			t.Errorf("%s: %d tasks; %d records, %d of them timed, of %d programs", from, len(r.tasks), len(r.tasks[0].Samples),
				r.tasks[0].Timed(), n)
		}
	}
	kept, deployed := records[2], records[2]
	kept.Layout, deployed.Timing = target.Rewrite, measure.Deployed
	r := &reader{rules: split.V3(), say: t.Logf}
	if r.records(append(slices.Clone(records), kept, deployed)); len(r.tasks) != 3 || r.tasks[0].Key == r.tasks[1].Key {
		t.Errorf("%d tasks with records of another layout and of other times", len(r.tasks))
	}
	for i := range records {
		records[i].Timing = measure.Deployed
	}
	after := filepath.Join(dir, "deployed.arrow")
	if log, err = dataset.OpenWriter(after, dataset.WriterOptions{}); err == nil {
		err = errors.Join(log.Append(records), log.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	both := filepath.Join(dir, "both")
	build(t, both, path, after)
	r = &reader{rules: split.V3(), say: t.Logf}
	if err := r.set(both); err != nil || len(r.tasks) != 2 || r.tasks[0].Key == r.tasks[1].Key {
		t.Errorf("%d tasks of a dataset of two kinds of times, %v", len(r.tasks), err)
	}
	set, err := trajectory.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if task := set.Tasks()[0]; task.Records != n+1 || task.Timed != n-1 {
		t.Errorf("the dataset has %d records, %d of them timed, of %d programs", task.Records, task.Timed, n)
	}
}

// build makes a dataset of logs.
func build(t *testing.T, dir string, logs ...string) {
	t.Helper()
	_, err := trajectory.Build(t.Context(), trajectory.Options{
		Logs: logs, Dir: dir, Workers: 1, Shards: 1, Share: 1, Rules: split.V3(),
		DAG: func(text string) (*compute.DAG, error) { w, err := workload.Find(text); return w.DAG, err },
		Coder: trajectory.Coder{Name: "none", Size: 1,
			Encode: func([]float32, *schedule.State, schedule.Step) string { return "step" }},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Tasks of a kind of target of which none has enough records to be asked about are left out, with a word; those of
// another kind are judged.
func TestJudgeAllKinds(t *testing.T) {
	tasks := tasksOf(t, 20)
	for _, task := range tasks[:2] {
		task.Target.Kind, task.Samples = target.CUDA, task.Samples[:10]
	}
	by, err := FindSplit("task")
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	s := &Study{MinTimed: 16, Learn: 5, Split: by, Seeds: []uint64{1}, Rows: rowsNamed(t, "random"),
		Say: func(text string) { said = append(said, text) }}
	list, err := s.judgeAll(context.Background(), s.enough(tasks))
	if err != nil || len(list) != 1 || list[0].Kind != target.LLVM || list[0].Tasks != 4 || list[0].Learned != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if want := "of the 2 tasks of cuda none has 16 timed records: they are left out"; !slices.Contains(said, want) {
		t.Errorf("said %q", said)
	}
}
