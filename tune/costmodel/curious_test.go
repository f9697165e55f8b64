package costmodel

import (
	"testing"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestCurious: its scores are those of the world and how far the parts of the model are apart.
func TestCurious(t *testing.T) {
	world, err := OpenWorld(Options{Kind: target.LLVM})
	if err != nil {
		t.Fatal(err)
	}
	w, err := op.Parse("matmul:m=256,n=256,k=64")
	if err != nil {
		t.Fatal(err)
	}
	task := &search.Task{Name: "matmul", DAG: w.DAG, Target: target.Generic(32, 2)}
	var states []*schedule.State
	for _, length := range []int64{2, 8, 64} {
		s, err := schedule.Replay(w.DAG, []schedule.Step{
			schedule.Split{At: 2, Iter: 0, Extent: 256, Lengths: []int64{length}, InnerToOuter: true}})
		if err == nil {
			s, err = s.InferBound()
		}
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, s)
	}
	scores, err := world.Score(t.Context(), task, states)
	if err != nil {
		t.Fatal(err)
	}
	spread, err := world.model.Spread(t.Context(), task.Workload(), states)
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&Curious{world}).Score(t.Context(), task, states)
	if err != nil {
		t.Fatal(err)
	}
	for i := range states {
		if spread[i] <= 0 || got[i] != scores[i]+spread[i] {
			t.Errorf("state %d: %g, want %g and %g", i, got[i], scores[i], spread[i])
		}
	}
}
