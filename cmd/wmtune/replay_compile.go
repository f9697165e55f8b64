package main

import (
	"context"
	"errors"
	"slices"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
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
	row, err := targetOf(kind)
	if err != nil {
		return err
	}
	if r.machine != nil {
		r.machine.close()
		r.machine, r.task = nil, ""
	}
	m, err := row.open(ctx, string(kind), r.jobs)
	if err != nil {
		return err
	}
	if why := m.cannotTime(); why != "" {
		m.close()
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
		if err := r.machine.setTask(ctx, batch[0].dag, first.Seed); err != nil {
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
		p.result, p.target = results[i], r.machine.target()
		r.done(p)
	}
	return r.out.flush()
}

// compile builds and runs a batch.
func (r *replaying) compile(ctx context.Context, batch []*pending) ([]measure.Result, error) {
	if batch[0].record.Target.Kind == target.CUDA && !r.measure {
		fns := make([]*tir.Func, len(batch))
		for i, p := range batch {
			var err error
			if fns[i], err = lowered(p.state, &p.record); err != nil {
				return nil, err
			}
		}
		return checkOnHost(ctx, r.machine.(*processor), fns)
	}
	inputs := make([]measure.Input, len(batch))
	for i, p := range batch {
		inputs[i] = measure.Input{State: p.state, Target: r.machine.target(), Layout: p.record.Layout}
	}
	built, err := r.machine.builder().Build(ctx, inputs)
	if err != nil {
		return nil, err
	}
	for i, p := range batch {
		p.built = built[i].Seconds
	}
	return r.results(ctx, inputs, built)
}

// A checker is a runner that can leave out the timing.
type checker interface {
	Check(ctx context.Context, built []measure.BuildResult) ([]measure.Result, error)
}

// results runs what was built, and times it if asked for.
func (r *replaying) results(ctx context.Context, inputs []measure.Input, built []measure.BuildResult) ([]measure.Result, error) {
	if c, ok := r.machine.runner().(checker); ok && !r.measure {
		return c.Check(ctx, built)
	}
	return r.machine.runner().Run(ctx, inputs, built)
}

// taskText tells the tasks of records apart: a key alone does not know types.
func taskText(r *dataset.Record) string {
	return string(r.Target.Kind) + "\n" + r.WorkloadKey + "\n" + r.Workload
}
