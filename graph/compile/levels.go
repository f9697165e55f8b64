package compile

import (
	"cmp"
	"context"
	"slices"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tune"
)

// A LevelInfo says what a bundle has for a processor that need not be this machine's. Fields may be added, never
// renamed.
type LevelInfo struct {
	Name      string         `json:"name"`
	Target    string         `json:"target"`
	Sources   map[Source]int `json:"sources"`    // of schedules, by tasks
	Emulated  bool           `json:"emulated"`   // it was verified under an emulator
	LatencyUS float64        `json:"latency_us"` // of a run on this machine; 0: not timed
}

// A level is a processor that the bundle is for, and what was chosen for it.
type level struct {
	Machine
	chosen   map[*Task]choice
	variants map[*Task][]*tir.Func
	info     LevelInfo
}

// A choice is what scheduling finds for a task.
type choice struct {
	f             *tir.Func
	source        Source
	choice, steps string
}

// choices returns what the tasks of a model have now.
func (m *Model) choices() map[*Task]choice {
	all := map[*Task]choice{}
	for _, t := range m.Tasks {
		all[t] = choice{t.Func, t.Source, t.Choice, t.Steps}
	}
	return all
}

// choose gives the tasks what choices returned.
func (m *Model) choose(all map[*Task]choice) {
	for t, c := range all {
		t.Func, t.Source, t.Choice, t.Steps = c.f, c.source, c.choice, c.steps
	}
}

// checkLevels rejects what cannot be done for processors that are not this machine's.
func checkLevels(list []Machine, opt Options) error {
	for _, m := range list {
		if why := m.CannotTime(); why != "" && (opt.Trials > 0 || opt.Time > 0) {
			return tune.Optionf("compile: %s: leave out --trials and --time, which take the scorer's choice", why)
		}
		if err := checkPrecision(opt.Passes.Precision, m.Target()); err != nil {
			return err
		}
	}
	return nil
}

// setLevels has the bundle made for processors that are not this machine's, the lowest first. The main one, whose
// kernels the bundle's description lists, is the last that runs here.
func (c *compilation) setLevels(list []Machine) {
	slices.SortStableFunc(list, func(a, b Machine) int {
		return cmp.Compare(len(a.Target().Features), len(b.Target().Features))
	})
	for _, m := range list {
		l := &level{Machine: m, info: LevelInfo{Name: m.Level(), Target: m.Target().String(), Emulated: m.Emulated()}}
		c.levels = append(c.levels, l)
		if c.main == nil || !m.Emulated() {
			c.main = l
		}
	}
	c.machine = c.main.Machine
}

// on has the compilation go on for a level.
func (c *compilation) on(l *level) {
	c.machine = l.Machine
	c.model.choose(l.chosen)
	c.model.variants = l.variants
}

// scheduleLevels finds the schedules for each level.
func (c *compilation) scheduleLevels(ctx context.Context) error {
	before := c.model.choices()
	for _, l := range c.levels {
		c.machine = l.Machine
		c.model.choose(before)
		if err := c.schedule(ctx); err != nil {
			return err
		}
		l.chosen, l.info.Sources = c.model.choices(), map[Source]int{}
		for _, t := range c.model.Tasks {
			l.info.Sources[t.Source]++
		}
	}
	c.on(c.main)
	return nil
}

// program returns the program of all levels. Each has weights in its own layout; what two levels read alike is there
// once.
func (c *compilation) program() (*model.Program, *weights, error) {
	if len(c.levels) < 2 {
		return c.model.program(c.opt.Name, c.machine.Target())
	}
	w := &weights{byLayout: c.model.Plans != nil}
	var main *model.Program
	var levels []model.Level
	for _, l := range c.levels {
		c.on(l)
		p, err := c.model.programWith(c.opt.Name, l.Target(), w)
		if err != nil {
			return nil, nil, err
		}
		l.variants = c.model.variants
		levels = append(levels, model.Level{Name: l.info.Name, Target: l.Target(), Kernels: p.Kernels, Steps: p.Steps,
			Plans: p.Plans})
		if l == c.main {
			main = p
		}
	}
	c.on(c.main)
	main.Levels, main.Weights = levels, w.size
	return main, w, nil
}

// verifyLevels verifies each level, the main one last.
func (c *compilation) verifyLevels(ctx context.Context, dir string, p *model.Program) error {
	others := slices.DeleteFunc(slices.Clone(c.levels), func(l *level) bool { return l == c.main })
	for _, l := range append(others, c.main) {
		c.on(l)
		if err := c.verify(ctx, dir, p); err != nil {
			return err
		}
		l.info.LatencyUS = c.result.LatencyUS
		if l.info.Name != "" {
			c.result.Levels = append(c.result.Levels, l.info)
		}
	}
	slices.SortStableFunc(c.result.Levels, func(a, b LevelInfo) int { return cmp.Compare(c.rank(a.Name), c.rank(b.Name)) })
	return nil
}

// rank returns the place of a level.
func (c *compilation) rank(name string) int {
	return slices.IndexFunc(c.levels, func(l *level) bool { return l.info.Name == name })
}

// wants returns the outputs of the reference for a run's inputs, which are the same for all levels.
func (c *compilation) wants(inputs []*graph.Tensor, evaluate func() ([]*graph.Tensor, error)) ([]*graph.Tensor, error) {
	if len(inputs) == 0 || len(c.levels) < 2 {
		return evaluate()
	}
	if want, ok := c.known[inputs[0]]; ok {
		return want, nil
	}
	want, err := evaluate()
	if err == nil {
		c.known[inputs[0]] = want
	}
	return want, err
}

// machines returns processors as machines.
func machines(list []*machine.CPU) []Machine {
	all := make([]Machine, len(list))
	for i, m := range list {
		all[i] = Machine{m}
	}
	return all
}
