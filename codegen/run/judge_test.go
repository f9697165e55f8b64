package run_test

import (
	"context"
	"testing"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A judge runs programs as the tuner does: compared with a reference built in float64.
type judge struct {
	*differential
	runner *run.Runner
	layout target.Layout
}

func newJudge(t testing.TB) *judge {
	d := newDifferential(t)
	cfg := quick
	cfg.Command, cfg.Rounds = command(), 1
	r, err := run.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return &judge{differential: d, runner: r}
}

// setTask has programs of dag judged from now on. The error is of the task.
func (j *judge) setTask(dag *compute.DAG, seed uint64) error {
	j.Helper()
	reference, err := j.builder.Reference(context.Background(), dag, j.host)
	if err != nil {
		j.Fatalf("%v\n%s", err, dag.Text())
	}
	return j.runner.SetTask(context.Background(), run.Reference{DAG: dag, Program: reference, Runtime: j.runtime, Seed: seed})
}

// judge returns what becomes of programs of the task's DAG.
func (j *judge) judge(states ...*schedule.State) []measure.Result {
	j.Helper()
	var built []measure.BuildResult
	for _, s := range states {
		f, err := lower.Lower(s, lower.Config{Target: j.host, Layout: j.layout})
		if err != nil {
			j.Fatal(err)
		}
		b, err := j.builder.BuildFunc(context.Background(), f, j.host)
		if err != nil {
			j.Fatal(err)
		}
		built = append(built, b)
	}
	results, err := j.runner.Run(context.Background(), make([]measure.Input, len(built)), built)
	if err != nil {
		j.Fatal(err)
	}
	return results
}

// passes fails the test if the definition has no reference, or its program as it is written down is
// found wrong.
func (j *judge) passes(text string) {
	j.Helper()
	dag, err := compute.Parse(text)
	if err != nil {
		j.Fatal(err)
	}
	if err := j.setTask(dag, 1); err != nil {
		j.Errorf("%v\n%s", err, text)
		return
	}
	if res := j.judge(schedule.New(dag)); res[0].Status != measure.OK {
		j.Errorf("%s: %s\n%s", res[0].Status, res[0].Message, text)
	}
}
