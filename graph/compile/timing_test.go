package compile

import (
	"testing"

	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
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
