package replay

import (
	"context"
	"errors"
	"slices"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/target"
)

// batchSize is how many records are built and run together.
const batchSize = 32

// compileAll builds and runs those records of a group of one task that have a
// program, on this machine's target.
func (s *session) compileAll(ctx context.Context, group []*pending) error {
	var list []*pending
	for _, p := range group {
		if p.state != nil {
			list = append(list, p)
		}
	}
	for batch := range slices.Chunk(list, batchSize) {
		if err := s.flush(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// open makes the machine one for a kind of target.
func (s *session) open(ctx context.Context, kind target.Kind) error {
	if s.opened != nil && s.kind == kind {
		return nil
	}
	if s.opened != nil {
		s.opened.Close()
		s.opened, s.task = nil, ""
	}
	m, err := machine.Open(ctx, string(kind), s.Machine)
	if err != nil {
		return err
	}
	if why := m.CannotTime(); why != "" {
		m.Close()
		return errors.New(why)
	}
	s.opened, s.kind = m, kind
	return nil
}

// flush builds, checks and times a batch of records of one workload.
func (s *session) flush(ctx context.Context, batch []*pending) error {
	first := &batch[0].record
	kind := first.Target.Kind
	if kind == target.CUDA && !s.Measure {
		kind = target.LLVM // where it is checked
	}
	if err := s.open(ctx, kind); err != nil {
		return err
	}
	if task := taskText(first); s.task != task {
		if err := s.opened.SetTask(ctx, batch[0].dag, first.Seed, measure.Repeated); err != nil {
			return err
		}
		s.task = task
	}
	results, err := s.compile(ctx, batch)
	if err != nil {
		return err
	}
	for i, p := range batch {
		if ctx.Err() != nil && results[i].Status == measure.Unmeasured {
			continue // interrupted: it has not ended
		}
		p.result, p.target = results[i], s.opened.Target()
		s.done(p)
	}
	return s.out.flush()
}

// compile builds and runs a batch.
func (s *session) compile(ctx context.Context, batch []*pending) ([]measure.Result, error) {
	inputs := make([]measure.Input, len(batch))
	for i, p := range batch {
		t := s.opened.Target()
		if p.record.Target.Kind != t.Kind {
			t = p.record.Target // a GPU's, checked on this processor
		}
		inputs[i] = measure.NewInput(p.state, t, p.record.Layout)
	}
	built, results, err := s.results(ctx, inputs)
	for i := range built {
		batch[i].built = built[i].Seconds
	}
	return results, err
}

// results builds and runs inputs, and times them if asked for.
func (s *session) results(
	ctx context.Context, inputs []measure.Input,
) ([]measure.BuildResult, []measure.Result, error) {
	if !s.Measure {
		return s.opened.Check(ctx, inputs)
	}
	built, err := s.opened.Builder().Build(ctx, inputs)
	if err != nil {
		return nil, nil, err
	}
	results, err := s.opened.Runner().Run(ctx, inputs, built)
	return built, results, err
}

// taskText tells the tasks of records apart: a key alone does not know types.
func taskText(r *dataset.Record) string {
	return string(r.Target.Kind) + "\n" + r.WorkloadKey + "\n" + r.Workload
}
