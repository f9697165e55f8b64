package encoder

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

func dagOf(text string) (*compute.DAG, error) {
	w, err := op.Parse(text)
	if err != nil {
		return nil, err
	}
	return w.DAG, nil
}

// tiny returns a small dataset: random splits of matrix products of several shapes.
func tiny(t *testing.T) Data {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "log.arrow")
	w, err := dataset.OpenWriter(path, dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, spec := range []string{
		// to learn from
		"matmul:m=24,n=56,k=80", "matmul:m=40,n=40,k=80", "matmul:m=88,n=40,k=128", "matmul:m=104,n=16,k=120",
		"matmul:m=8,n=16,k=64", "matmul:m=24,n=40,k=96", "matmul:m=40,n=56,k=96", // for validation
	} {
		if err := w.Append(randomRecords(t, spec, uint64(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	coder := trajectory.Coder{Name: "test", Size: 1,
		Encode: func(_ []float32, _ *schedule.State, step schedule.Step) string { return step.String() }}
	if _, err := trajectory.Build(context.Background(), trajectory.Options{
		Logs: []string{path}, Dir: filepath.Join(dir, "data"), Workers: 1, Tool: "test", Shards: 1, Share: 1, Seed: 1,
		DAG: dagOf, Coder: coder, Rules: split.V3(),
	}); err != nil {
		t.Fatal(err)
	}
	return Data{Dirs: []string{filepath.Join(dir, "data")}, Kind: target.LLVM, Split: "task", Seed: 5}
}

func randomRecords(t *testing.T, spec string, seed uint64) []dataset.Record {
	t.Helper()
	d, err := dagOf(spec)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 9))
	last := len(d.Ops) - 1
	var list []dataset.Record
	for i := range 12 {
		list = append(list, dataset.Record{
			WorkloadKey: d.WorkloadKey(), Workload: spec, Target: target.Generic(32, 2), Status: measure.OK,
			Scorer: "random", Trial: i, Unix: 1700000000, Costs: []float64{1e-5 * (1 + r.Float64())},
			Steps: []schedule.Step{
				schedule.Split{
					At: last, Extent: d.Ops[last].Axes[0].Extent,
					Lengths: []int64{1 << r.IntN(4), 1 << r.IntN(3)}, InnerToOuter: true,
				},
				schedule.Annotate{At: last, Iter: 0, Ann: schedule.Parallel},
				schedule.Pragma{At: last, Text: schedule.UnrollPragma(16 * r.IntN(3))},
			},
		})
	}
	return list
}

// Validation looks at programs at all places of their tasks. It takes all tasks if they are few, and else some that are
// spread over all.
func TestSpread(t *testing.T) {
	tasks := func(n int) *sample {
		s := &sample{}
		for i := range n {
			task := make([]program, 5)
			for k := range task {
				task[k].label = float64(100*i + k)
			}
			s.tasks = append(s.tasks, task)
		}
		return s
	}
	for _, c := range []struct {
		tasks, most int
		want        []float64
	}{
		{2, 5, []float64{0, 101, 1, 102, 2}},
		{2, 20, []float64{0, 101, 1, 102, 2, 103, 3, 104, 4, 100}},
		{6, 6, []float64{0, 101, 202, 303, 404, 500}},
		{60, 6, []float64{0, 1001, 2002, 3003, 4004, 5000}},
	} {
		var got []float64
		for _, p := range tasks(c.tasks).spread(c.most) {
			got = append(got, p.label)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d of %d tasks: %v, want %v", c.most, c.tasks, got, c.want)
		}
	}
	some := tasks(9)
	some.tasks[3] = nil
	if got := some.spread(3); len(got) != 3 {
		t.Errorf("with a task without programs: %d", len(got))
	}
	if got := tasks(0).spread(3); len(got) != 0 {
		t.Errorf("without tasks: %d", len(got))
	}
}
