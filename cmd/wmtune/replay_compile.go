package main

import (
	"context"
	"errors"
	"slices"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/target"
)

// replayBatch is how many records are built and run together.
const replayBatch = 32

// compileAll builds and runs those records of a group of one task that have a
// program, on this machine's target.
func (r *replaying) compileAll(ctx context.Context, group []*pending) error {
	var list []*pending
	for _, p := range group {
		if p.state != nil {
			list = append(list, p)
		}
	}
	for batch := range slices.Chunk(list, replayBatch) {
		if err := r.flush(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// open makes the machine one for a kind of target.
func (r *replaying) open(ctx context.Context, kind target.Kind) error {
	if r.machine != nil && r.kind == kind {
		return nil
	}
	if r.machine != nil {
		r.machine.Close()
		r.machine, r.task = nil, ""
	}
	m, err := machine.Open(ctx, string(kind), machineOptions(r.jobs))
	if err != nil {
		return err
	}
	if why := m.CannotTime(); why != "" {
		m.Close()
		return errors.New(why)
	}
	r.machine, r.kind = m, kind
	return nil
}

// flush builds, checks and times a batch of records of one workload.
func (r *replaying) flush(ctx context.Context, batch []*pending) error {
	first := &batch[0].record
	kind := first.Target.Kind
	if kind == target.CUDA && !r.measure {
		kind = target.LLVM // where it is checked
	}
	if err := r.open(ctx, kind); err != nil {
		return err
	}
	if task := taskText(first); r.task != task {
		if err := r.machine.SetTask(ctx, batch[0].dag, first.Seed); err != nil {
			return err
		}
		r.task = task
	}
	results, err := r.compile(ctx, batch)
	if err != nil {
		return err
	}
	for i, p := range batch {
		if ctx.Err() != nil && results[i].Status == measure.Unmeasured {
			continue // interrupted: it has not ended
		}
		p.result, p.target = results[i], r.machine.Target()
		r.done(p)
	}
	return r.out.flush()
}

// compile builds and runs a batch.
func (r *replaying) compile(ctx context.Context, batch []*pending) ([]measure.Result, error) {
	inputs := make([]measure.Input, len(batch))
	for i, p := range batch {
		t := r.machine.Target()
		if p.record.Target.Kind != t.Kind {
			t = p.record.Target // a GPU's, checked on this processor
		}
		inputs[i] = measure.NewInput(p.state, t, p.record.Layout)
	}
	built, results, err := r.results(ctx, inputs)
	for i := range built {
		batch[i].built = built[i].Seconds
	}
	return results, err
}

// results builds and runs inputs, and times them if asked for.
func (r *replaying) results(ctx context.Context, inputs []measure.Input) ([]measure.BuildResult, []measure.Result, error) {
	if !r.measure {
		return r.machine.Check(ctx, inputs)
	}
	built, err := r.machine.Builder().Build(ctx, inputs)
	if err != nil {
		return nil, nil, err
	}
	results, err := r.machine.Runner().Run(ctx, inputs, built)
	return built, results, err
}

// taskText tells the tasks of records apart: a key alone does not know types.
func taskText(r *dataset.Record) string {
	return string(r.Target.Kind) + "\n" + r.WorkloadKey + "\n" + r.Workload
}
