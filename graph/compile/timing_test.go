package compile

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestTiming: only kernels with weights, of models whose weights no cache holds, are timed as deployed, and their
// records have logs of their own.
func TestTiming(t *testing.T) {
	dag := func(spec string) *compute.DAG {
		w, err := op.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		return w.DAG
	}
	dense, softmax := &Task{DAG: dag("dense:m=4,n=8,k=8")}, &Task{DAG: dag("softmax:m=4,n=8")}
	for _, c := range []struct {
		evicts bool
		task   *Task
		want   measure.Timing
	}{
		{true, dense, measure.Deployed}, {true, softmax, measure.Repeated}, {true, &Task{}, measure.Repeated},
		{false, dense, measure.Repeated},
	} {
		if got := (&scheduler{evicts: c.evicts}).timing(c.task); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	db, err := database.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := func(db *database.Database) string { return db.Log("w", target.Generic(32, 2), target.Rewrite) }
	if log(db) == log(db.Timed(measure.Deployed)) || log(db) != log(db.Timed(measure.Repeated)) {
		t.Error("kinds of times share a log, or the database's is not of repeated ones")
	}
	if (*database.Database)(nil).Timed(measure.Deployed) != nil {
		t.Error("the nil database has logs")
	}
}

// TestTilesFromCaches: where weights are read from memory, a convolution in tiles that was timed with its weights in a
// cache is no reason to take it: they are more than those of the direct sum.
func TestTilesFromCaches(t *testing.T) {
	g := graphtest.MustParse("input x: float32[1, 64, 8, 8]\nconst w: float32[64, 64, 3, 3]\n"+
		"y = Conv(x, w) pads=[1, 1, 1, 1]\noutput y", 18)
	m, err := New(t.Context(), g, pass.Options{Skip: []string{"winograd"}})
	if err != nil {
		t.Fatal(err)
	}
	var task *Task
	for _, k := range m.Tasks {
		if k.searches() {
			task = k
		}
	}
	db, on := openTestDatabase(t), (&timer{}).Target()
	tiles, direct := dataset.Record{}, dataset.Record{}
	for i, stage := range schedule.New(task.DAG).Stages {
		if _, err := schedule.ConvolutionOf(stage.Op); err == nil {
			tiles.Steps = []schedule.Step{schedule.Winograd{At: i, Tile: 4}}
		}
	}
	if tiles.Steps == nil {
		t.Fatalf("no convolution in %s", task.Text)
	}
	tiles.Costs, direct.Costs = []float64{1e-4}, []float64{2e-4}
	records := []dataset.Record{tiles, direct}
	for i := range records {
		r := &records[i]
		r.WorkloadKey, r.Workload, r.Target = task.DAG.WorkloadKey(), task.Text, on
		r.Layout, r.Status = target.Rewrite, measure.OK
	}
	log, err := dataset.OpenWriter(db.Log(task.Text, on, target.Rewrite), dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Append(records); err != nil {
		t.Fatal(err)
	}
	for _, evicts := range []bool{false, true} {
		s := &scheduler{machine: &timer{}, db: db, tell: silent{}, evicts: evicts}
		if !s.recorded(task) || strings.Contains(task.Steps, "WG") == evicts {
			t.Errorf("weights in memory %t: %s, steps %s", evicts, task.Choice, task.Steps)
		}
	}
}
