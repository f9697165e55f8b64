package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/tir/schedule"
)

// TestUsable: tasks whose records do not replay here, or all failed, are left out, and that is said.
func TestUsable(t *testing.T) {
	r := &rankerTasks{states: make([][]*schedule.State, 4)}
	for i, quality := range [][]float64{nil, {1, 0.5}, {0, 0, 0}, {1}} {
		r.of = append(r.of, &trainTask{Task: trajectory.Task{Task: dataset.Task{Workload: "task" + string(rune('0'+i))}}})
		r.list = append(r.list, ranker.Task{Quality: quality})
	}
	var said bytes.Buffer
	got, err := r.usable(newProgress(&said), split.Train)
	if err != nil || len(got.of) != 1 || got.of[0] != r.of[1] || len(got.list) != 1 || len(got.states) != 1 || strings.Count(said.String(), "is left out") != 3 {
		t.Errorf("%+v, %v\n%s", got, err, said.String())
	}
	if _, err := (&rankerTasks{}).usable(newProgress(&said), split.Validation); err == nil || !strings.Contains(err.Error(), "no validation task has two records") {
		t.Errorf("of none: %v", err)
	}
}
