package search

import (
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/target"
)

// A Task is what is tuned: one compute DAG on one target. It is a workload.Task with what
// only the search needs: how candidates are made, and what their records say.
type Task struct {
	Name   string // the workload as canonical text, such as "matmul:m=64,n=64,k=64"
	Key    string // the workload key in the records; "" means DAG.WorkloadKey()
	DAG    *compute.DAG
	Target target.Target
	Layout target.Layout // of constant operands; part of what is measured, not of the states
	Space  Space
}

// Workload returns what a cost model asks of the task.
func (t *Task) Workload() workload.Task { return workload.Task{DAG: t.DAG, Target: t.Target} }

// A Space is how candidates are made for a kind of target.
type Space struct {
	Sketch   sketch.Policy
	Annotate annotate.Policy
	Mutators []evolve.Mutator
}
