package search

import (
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/target"
)

// A Task is what is tuned: one compute DAG on one target.
type Task struct {
	Name   string // the workload as canonical text, such as "matmul:m=64,n=64,k=64"
	Key    string // the workload key in the records; "" means DAG.WorkloadKey()
	DAG    *compute.DAG
	Target target.Target
	Layout target.Layout // of constant operands; part of what is measured, not of the states
	Space  Space
}

// A Space is how candidates are made for a kind of target.
type Space struct {
	Sketch   sketch.Policy
	Annotate annotate.Policy
	Mutators []evolve.Mutator
}
