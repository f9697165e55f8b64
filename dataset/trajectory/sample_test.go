package trajectory_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// specs are the workloads of the sample logs.
// cpu is the target of the first log.
var cpu = target.Generic(32, 2)

var specs = []string{
	"matmul:m=48,n=64,k=32", "matmul:m=96,n=64,k=32", "matmul:m=64,n=64,k=64,epilogue=relu",
	"softmax:m=64,n=32", "batch_matmul:b=4,m=16,n=16,k=8",
}

// coder is a small one: datasets do not care what vectors mean.
var coder = trajectory.Coder{Name: "test", Size: 3, Encode: func(v []float32, before *schedule.State, step schedule.Step) string {
	v[0], v[1], v[2] = float32(len(before.Steps)), float32(step.Stage()), float32(len(step.String()))
	return step.String()
}}

func dagOf(text string) (*compute.DAG, error) {
	w, err := op.Parse(text)
	if err != nil {
		return nil, err
	}
	return w.DAG, nil
}

// sampleRecords makes n records of a workload: random splits of the last stage,
// now and then one that failed.
func sampleRecords(spec string, t target.Target, n int, seed uint64) []dataset.Record {
	d, err := dagOf(spec)
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewPCG(seed, 9))
	last := len(d.Ops) - 1
	var list []dataset.Record
	for i := range n {
		rec := dataset.Record{
			WorkloadKey: d.WorkloadKey(), Workload: spec, Target: t, Status: measure.OK,
			Scorer: "random", Trial: i, Unix: 1700000000,
			Steps: []schedule.Step{
				schedule.Split{
					At: last, Extent: d.Ops[last].Axes[0].Extent,
					Lengths: []int64{1 << r.IntN(4), 1 << r.IntN(3)}, InnerToOuter: true,
				},
				schedule.Annotate{At: last, Iter: 0, Ann: schedule.Parallel},
				schedule.Pragma{At: last, Text: schedule.UnrollPragma(16 * r.IntN(3))},
			},
		}
		cost := 1e-5 * (1 + r.Float64())
		rec.Costs = []float64{cost * 1.01, cost}
		if i%10 == 9 {
			rec.Status, rec.Message, rec.Costs = measure.BuildTimeout, "it took too long", nil
			rec.Steps[2] = schedule.Pragma{At: last, Text: schedule.UnrollPragma(512 + i)} // no other program: those would be withdrawn
		}
		list = append(list, rec)
	}
	return list
}

// writeLog writes a log of rounds of 16.
func writeLog(tb testing.TB, path string, records []dataset.Record) {
	tb.Helper()
	w, err := dataset.OpenWriter(path, dataset.WriterOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	for len(records) > 0 {
		n := min(16, len(records))
		if err := w.Append(records[:n]); err != nil {
			tb.Fatal(err)
		}
		records = records[n:]
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

// sampleLogs writes logs of all specs on two targets, a target a log, with the
// records of tasks interleaved.
func sampleLogs(tb testing.TB, dir string, perTask int) []string {
	tb.Helper()
	var paths []string
	for k, t := range []target.Target{cpu, {Kind: target.CUDA, Arch: "sm_75"}} {
		var records []dataset.Record
		for i, spec := range specs {
			records = append(records, sampleRecords(spec, t, perTask, uint64(10*k+i))...)
		}
		mixed := make([]dataset.Record, len(records))
		for i, at := range rand.New(rand.NewPCG(1, 1)).Perm(len(records)) {
			mixed[i] = records[at]
		}
		path := filepath.Join(dir, fmt.Sprintf("log%d.arrow", k))
		writeLog(tb, path, mixed)
		paths = append(paths, path)
	}
	return paths
}

func options(logs []string, dir string) trajectory.Options {
	return trajectory.Options{
		Logs: logs, Dir: dir, Workers: 1, Tool: "test", Shards: 1, Share: 1, Seed: 1,
		DAG: dagOf, Coder: coder, Rules: split.V3(),
	}
}

// bytesOf returns all files of a folder by name.
func bytesOf(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range list {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			tb.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// sameFiles reports whether two folders hold the same.
func sameFiles(t *testing.T, what, dir, want string) {
	t.Helper()
	a, b := bytesOf(t, dir), bytesOf(t, want)
	if len(a) != len(b) {
		t.Errorf("%s: %d files, want %d", what, len(a), len(b))
	}
	for name := range b {
		if a[name] != b[name] {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}
