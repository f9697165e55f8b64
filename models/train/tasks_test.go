package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/transition"
)

// testSet builds a dataset of n records of one matmul, which change may alter, and returns its folder.
func testSet(t *testing.T, n int, change func(i int, r *dataset.Record)) string {
	t.Helper()
	return testSetOf(t, transition.VectorName, n, change)
}

// testSetOf is testSet with action vectors of another name.
func testSetOf(t *testing.T, vectors string, n int, change func(i int, r *dataset.Record)) string {
	t.Helper()
	return testSetBy(t, split.V3(), vectors, n, change)
}

// testSetBy is testSetOf with rules of the division.
func testSetBy(t *testing.T, rules *split.Rules, vectors string, n int, change func(i int, r *dataset.Record)) string {
	t.Helper()
	w, err := workload.Find("matmul:m=64,n=40,k=64")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "log.arrow")
	log, err := dataset.OpenWriter(path, dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var records []dataset.Record
	for i := range n {
		steps, err := schedule.ParseSteps(fmt.Appendf(nil,
			`[["SP", 2, 0, 64, [%d], 1], ["SP", 2, 2, 64, [%d], 1], ["RE", 2, [0, 2, 4, 1, 3]], ["AN", 2, 4, 2]]`,
			1+i%10, 1+i/10))
		if err != nil {
			t.Fatal(err)
		}
		r := dataset.Record{
			WorkloadKey: w.Key, Workload: w.Text, Target: target.Generic(32, 2), Steps: steps, Status: measure.OK,
			Costs: []float64{float64(i + 1)}, Trial: i,
		}
		change(i, &r)
		records = append(records, r)
	}
	if err := errors.Join(log.Append(records), log.Close()); err != nil {
		t.Fatal(err)
	}
	set := filepath.Join(dir, "set")
	_, err = trajectory.Build(t.Context(), trajectory.Options{
		Logs: []string{path}, Dir: set, Workers: 1, Shards: 1, Share: 1, Rules: rules,
		DAG: func(text string) (*compute.DAG, error) { w, err := workload.Find(text); return w.DAG, err },
		Coder: trajectory.Coder{Name: vectors, Size: transition.Size,
			Encode: func([]float32, *schedule.State, schedule.Step) string {
				return "step"
			}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestCandidates: the candidates of a task that were not timed are not learned from, not even as
// failures.
func TestCandidates(t *testing.T) {
	dir := testSet(t, minTimed+2, func(i int, r *dataset.Record) {
		switch i {
		case minTimed:
			r.Status, r.Costs = measure.WrongAnswer, nil
		case minTimed + 1:
			r.Status, r.Costs = measure.Unmeasured, nil
		}
	})
	set, err := openSet(&Options{Data: []string{dir}, Kind: target.LLVM, Split: "task", All: true})
	if err != nil {
		t.Fatal(err)
	}
	defer set.close()
	list, quality, err := set.tasks[0].candidates()
	if err != nil || len(list) != minTimed+1 || quality[0] != 1 || quality[minTimed] != 0 {
		t.Errorf("%d candidates of quality %v, %v, want %d", len(list), quality, err, minTimed+1)
	}
}

// TestMemory: datasets whose records may not fit together are an error before anything is learned.
func TestMemory(t *testing.T) {
	dir := testSet(t, minTimed, func(int, *dataset.Record) {})
	o := Options{Data: []string{dir, dir}, Kind: target.LLVM, Split: "task", All: true}
	const needs = minTimed * recordBytes
	for _, c := range []struct {
		memory uint64
		fits   bool
	}{{0, true}, {2 * needs, true}, {2*needs - 1, false}, {needs - 1, false}} {
		o.Memory = c.memory
		set, err := openSet(&o)
		if (err == nil) != c.fits || err != nil && !strings.Contains(err.Error(), "--memory") {
			t.Errorf("%d bytes for %d: %v", c.memory, 2*needs, err)
		}
		if err == nil {
			set.close()
		}
	}
}

// TestUsable: tasks whose records do not replay here, or all failed, are left out with a warning.
func TestUsable(t *testing.T) {
	r := &rankerTasks{}
	for i, quality := range [][]float64{nil, {1, 0.5}, {0, 0, 0}, {1}} {
		r.of = append(r.of, &task{Entry: trajectory.Entry{Task: dataset.Task{Workload: fmt.Sprint("task", i)}}})
		r.list = append(r.list, ranker.Candidates{Quality: quality})
	}
	var said bytes.Buffer
	say := func(text string) { said.WriteString(text) }
	got, err := r.usable(say, split.Train)
	if err != nil || len(got.of) != 1 || got.of[0] != r.of[1] || len(got.list) != 1 ||
		strings.Count(said.String(), "is left out") != 3 {
		t.Errorf("%+v, %v\n%s", got, err, said.String())
	}
	if _, err := (&rankerTasks{}).usable(say, split.Validation); err == nil ||
		!strings.Contains(err.Error(), "no validation task has two records") {
		t.Errorf("of none: %v", err)
	}
}

// TestLocked: a training into a folder into which another one writes fails and changes nothing.
func TestLocked(t *testing.T) {
	o := Options{
		Data: []string{testSet(t, minTimed, func(int, *dataset.Record) {})}, Out: t.TempDir(), Kind: target.LLVM,
		Split:  "task",
		Effort: 1, Stages: []string{"tokenizer"},
	}
	var second error
	o.Say = func(text string) {
		if strings.Contains(text, "tokens") { // the first one is under way
			again := o
			again.Say = nil
			_, second = Run(t.Context(), again)
			if _, err := os.Stat(filepath.Join(o.Out, "tokenizer.json")); err == nil {
				t.Error("the second training wrote a tokenizer")
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := Run(ctx, o)
	if !errors.Is(second, ErrLocked) || !strings.Contains(second.Error(), o.Out) {
		t.Errorf("the second training: %v", second)
	}
	if errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	o.Say = nil
	if _, err := Run(t.Context(), o); errors.Is(err, ErrLocked) {
		t.Errorf("after the first has ended: %v", err)
	}
}

// TestOldVectors: a dataset whose action vectors mean other things is not learned from.
func TestOldVectors(t *testing.T) {
	dir := testSetOf(t, "action-v1", minTimed, func(int, *dataset.Record) {})
	_, err := openSet(&Options{Data: []string{dir}, Kind: target.LLVM, Split: "task", All: true})
	if err == nil || !strings.Contains(err.Error(), `its action vectors are "action-v1"`) {
		t.Errorf("%v", err)
	}
}

// TestOtherRules: datasets that divide tasks by different rules are not learned from together.
func TestOtherRules(t *testing.T) {
	var dirs []string
	for _, rules := range []*split.Rules{split.V3(), {}} {
		dirs = append(dirs, testSetBy(t, rules, transition.VectorName, minTimed, func(int, *dataset.Record) {}))
	}
	_, err := openSet(&Options{Data: dirs, Kind: target.LLVM, Split: "task", All: true})
	if err == nil || !strings.Contains(err.Error(), "divides tasks by the rules") {
		t.Errorf("%v", err)
	}
}

// TestDetector: the detector knows the tasks that the ranker which ships learned from, those that chose its weights
// among them, and no others.
func TestDetector(t *testing.T) {
	s := &taskSet{}
	kinds := map[split.Part][]string{}
	for part, spec := range map[split.Part]string{
		split.Train: "matmul:m=64,n=40,k=64", split.Validation: "max:m=8,n=8", split.Test: "argmax:m=8,n=8",
	} {
		w, err := workload.Find(spec)
		if err != nil {
			t.Fatal(err)
		}
		s.tasks = append(s.tasks, task{dag: w.DAG, part: part})
		kinds[part] = models.Operators(w.DAG)
	}
	d, err := s.detector(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(slices.Values(slices.Concat(kinds[split.Train], kinds[split.Validation])))
	if !slices.Equal(d.Operators, slices.Compact(want)) {
		t.Errorf("knows %q, not %q", d.Operators, want)
	}
}
