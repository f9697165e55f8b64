package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// untunedLimit bounds the runs of a model with plain schedules: some models would take minutes.
const untunedLimit = 20 * time.Second

// untuned times the model with plain schedules for all tasks that are searched, in a folder of its own: what the search
// has gained is known by that. The best of up to three runs counts. A model that takes too long, or cannot be built
// that way, has no such time.
func (c *compilation) untuned(ctx context.Context, dir string) {
	c.opt.Observer.Phase("time plain schedules", 0, 0)
	us, err := c.timePlain(ctx, filepath.Join(dir, "plain"))
	switch {
	case err == nil:
		c.result.UntunedUS = &us
	case ctx.Err() == nil:
		c.opt.Observer.Say(fmt.Sprintf("the model was not timed with plain schedules: %v", err))
	}
}

func (c *compilation) timePlain(ctx context.Context, dir string) (us float64, err error) {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	p, w, err := c.plainProgram()
	if err != nil {
		return 0, err
	}
	built, err := c.build(ctx, dir, p, w, false, silent{})
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, p.Name+".so"), built.Shared, 0o777); err != nil {
		return 0, err
	}
	l, err := c.machine.load(ctx, loadConfig(dir, p, c.opt.Threads, c.opt.Flush))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	runs, err := c.inputs(p)
	if err != nil {
		return 0, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, untunedLimit, fmt.Errorf("a run takes more than %v", untunedLimit))
	defer cancel()
	if _, err := results(limited, l, p, runs[len(runs)-1]); err != nil {
		if limited.Err() != nil {
			err = context.Cause(limited)
		}
		return 0, err
	}
	times, err := l.Time(ctx, model.Repeat{Calls: 3, Total: time.Second})
	if err != nil {
		return 0, err
	}
	return micro(slices.Min(times)), nil
}

// plainProgram returns the program of the model with plain schedules. Weights lie in it as the model has them.
func (c *compilation) plainProgram() (*model.Program, *weights, error) {
	chosen := map[*Task]*tir.Func{}
	defer func() {
		for t, f := range chosen {
			t.Func = f
		}
	}()
	for _, t := range c.model.Tasks {
		if !t.searches() {
			continue
		}
		state, err := plain(t.DAG)
		if err != nil {
			return nil, nil, fmt.Errorf("task %s: %w", t.Name, err)
		}
		f, err := lower.Lower(state, lower.Config{Target: c.machine.Target(), Layout: target.Keep})
		if err != nil {
			return nil, nil, fmt.Errorf("task %s: %w", t.Name, err)
		}
		chosen[t], t.Func = t.Func, f
	}
	one := *c.model
	one.Plans = nil // the plan that costs most stands for all
	return one.program("plain", c.machine.Target())
}
