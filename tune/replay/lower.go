package replay

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
)

// lowerAll replays and lowers the records of groups, jobs groups at once, and
// interprets them if asked for.
func (s *session) lowerAll(ctx context.Context, groups [][]*pending, jobs int) error {
	var mu sync.Mutex
	note := func(p *pending) {
		if s.Check != LLVM || p.state == nil {
			mu.Lock()
			defer mu.Unlock()
			s.done(p)
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(jobs)
	for _, group := range groups {
		g.Go(func() error { return s.lowerGroup(ctx, group, note) })
	}
	return g.Wait()
}

// lowerGroup does it for some records of one task, and calls note for each.
func (s *session) lowerGroup(ctx context.Context, group []*pending, note func(*pending)) error {
	var interpreter *run.Interpreter
	for _, p := range group {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := s.lower(p)
		if f != nil && s.Check == Interp {
			var err error
			if interpreter == nil {
				if interpreter, err = run.NewInterpreter(p.dag, p.record.Seed); err != nil {
					return fmt.Errorf("%s: %w", p.record.Title(), err)
				}
			}
			bad, err := interpreter.Check(p.state, f, uint64(p.number))
			if err != nil {
				return fmt.Errorf("%s record %d: %w", p.log, p.number, err)
			}
			if bad != "" {
				p.result = measure.Result{Status: measure.WrongAnswer, Message: bad}
			}
		}
		if f != nil {
			var err error
			if p.compiled, err = s.compileOnly(ctx, p); err != nil {
				return err
			}
		}
		note(p)
	}
	return nil
}

// lower replays and lowers a record, and returns its program, or nil.
func (s *session) lower(p *pending) *tir.Func {
	if p.dag == nil {
		return nil
	}
	fail := func(step int, err error) *tir.Func {
		text := err.Error()
		if step < len(p.record.Steps) {
			text = fmt.Sprintf("after %d of %d steps: %s", step, len(p.record.Steps), text)
		}
		p.result = measure.Result{Status: measure.LowerError, Message: text}
		return nil
	}
	last := len(p.record.Steps)
	if s.Prefixes {
		state := schedule.New(p.dag)
		for k, step := range p.record.Steps {
			if _, err := lowered(state, &p.record); err != nil {
				return fail(k, err)
			}
			p.prefixes++
			var err error
			if state, err = state.Apply(step); err != nil {
				return fail(last, err)
			}
		}
	}
	state, err := schedule.Replay(p.dag, p.record.Steps)
	if err != nil {
		return fail(last, err)
	}
	f, err := lowered(state, &p.record)
	if err != nil {
		return fail(last, err)
	}
	p.prefixes++
	p.state, p.result = state, measure.Result{Status: measure.OK}
	return f
}

// lowered infers the bounds of a state of a record, lowers it, and checks that the
// result is a program.
func lowered(s *schedule.State, rec *dataset.Record) (*tir.Func, error) {
	f, err := lower.Lower(s, lower.Config{Target: rec.Target, Layout: rec.Layout})
	if err == nil {
		err = tir.Check(f)
	}
	if err == nil {
		err = tir.CheckLoops(f)
	}
	return f, err
}
