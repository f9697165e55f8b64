package compile

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tune/balance"
)

// An IdlePlan says what share of their time threads have nothing to do while a model runs, by how its kernels divide
// their work. Nothing is run: times are those of an estimate, and threads do not wait for memory or for each other.
type IdlePlan struct {
	Model   string       `json:"model"`
	Target  string       `json:"target"`
	Threads []int        `json:"threads"`
	Idle    []float64    `json:"idle"`   // of the whole model, by number of threads
	Cycles  []float64    `json:"cycles"` // that a run takes, by the estimate
	Kernels []KernelIdle `json:"kernels"`

	// Compiled says that the model is divided for each number of threads; else a bundle is as it was made.
	Compiled bool `json:"compiled"`

	programs map[string]string
}

// Program returns the TensorIR of a kernel, as it was compiled last.
func (p *IdlePlan) Program(kernel string) string { return p.programs[kernel] }

// A KernelIdle is what all calls of a kernel do. Lists are by number of threads.
type KernelIdle struct {
	Name   string    `json:"name"`
	Count  int       `json:"count"`  // calls of a run
	Part   float64   `json:"part"`   // of the time of all kernels on one thread, at the first number of threads
	Chunks []int64   `json:"chunks"` // iterations of the parallel loop that has most work; 1: one thread does it
	Idle   []float64 `json:"idle"`
	Lost   []float64 `json:"lost"` // of the time of all threads in the whole model, what they are idle here
}

// IdleOf plans a bundle that was made before: path is that of its folder.
func IdleOf(path string, threads []int) (*IdlePlan, error) {
	r, dir, err := Describe(path)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(r.Kernels, func(k KernelInfo) bool { return len(k.Divisions) > 0 }) {
		return nil, fmt.Errorf("bundle %s does not say how its kernels are divided: compile the model again", path)
	}
	p := &IdlePlan{Model: r.Model, Target: r.Target, programs: readPrograms(dir, r.Name)}
	for _, n := range threads {
		p.add(n, r.Kernels, r.Calls)
	}
	return p.sorted(), nil
}

// Idle plans a model as it would be compiled for each number of threads.
func Idle(ctx context.Context, m Machine, read func() (*Model, error), opt Options, threads []int) (*IdlePlan, error) {
	p := &IdlePlan{Compiled: true}
	for _, n := range threads {
		mod, err := read() // tasks keep what they were scheduled for
		if err != nil {
			return nil, err
		}
		opt.Threads = n
		c := &compilation{model: mod, opt: opt, started: time.Now()}
		if c.machine, err = m.withThreads(n); err != nil {
			return nil, err
		}
		r, err := c.planned(ctx)
		if c.machine != m {
			c.machine.Close()
		}
		if err != nil {
			return nil, err
		}
		p.Model, p.Target, p.programs = r.Model, m.Target().String(), map[string]string{}
		for t, list := range mod.variants {
			p.programs[t.Name] = list[0].String()
		}
		p.add(n, r.Kernels, r.Calls)
	}
	return p.sorted(), nil
}

// add plans calls of kernels for one more number of threads.
func (p *IdlePlan) add(threads int, kernels []KernelInfo, calls []CallInfo) {
	p.Threads = append(p.Threads, threads)
	counts, all, alone := map[string]int{}, 0.0, 0.0
	for _, c := range calls {
		counts[c.Kernel]++
	}
	type figures struct{ idle, cycles, work float64 }
	of := map[string]figures{}
	for _, k := range kernels {
		idle, cycles := balance.Idle(k.Divisions, threads)
		n := float64(counts[k.Name])
		of[k.Name] = figures{idle, n * cycles, n * cycles * (1 - idle) * float64(threads)}
		all += n * cycles
		alone += of[k.Name].work
	}
	p.Cycles = append(p.Cycles, all)
	all, alone = cmp.Or(all, 1), cmp.Or(alone, 1)
	lost := 0.0
	for _, k := range kernels {
		i := slices.IndexFunc(p.Kernels, func(x KernelIdle) bool { return x.Name == k.Name })
		if i < 0 {
			i = len(p.Kernels)
			p.Kernels = append(p.Kernels, KernelIdle{Name: k.Name, Count: counts[k.Name], Part: of[k.Name].work / alone})
		}
		x := &p.Kernels[i]
		x.Chunks = append(x.Chunks, chunks(k.Divisions))
		x.Idle = append(x.Idle, of[k.Name].idle)
		x.Lost = append(x.Lost, of[k.Name].idle*of[k.Name].cycles/all)
		lost += of[k.Name].idle * of[k.Name].cycles / all
	}
	p.Idle = append(p.Idle, lost)
}

// chunks returns the iterations of the division with most work.
func chunks(list []balance.Division) int64 {
	if len(list) == 0 {
		return 1
	}
	return slices.MaxFunc(list, func(a, b balance.Division) int { return cmp.Compare(a.Cycles, b.Cycles) }).Chunks
}

// sorted returns the plan with the kernels first that cost most at the largest number of threads.
func (p *IdlePlan) sorted() *IdlePlan {
	last := len(p.Threads) - 1
	slices.SortStableFunc(p.Kernels, func(a, b KernelIdle) int { return cmp.Compare(b.Lost[last], a.Lost[last]) })
	return p
}

// planned schedules the model and describes its kernels, without building them.
func (c *compilation) planned(ctx context.Context) (*Result, error) {
	if c.opt.Observer == nil {
		c.opt.Observer = silent{}
	}
	if err := c.schedule(ctx); err != nil {
		return nil, err
	}
	var p *model.Program
	var err error
	if p, _, err = c.model.program(c.opt.Name, c.machine.Target()); err != nil {
		return nil, err
	}
	c.describe(p)
	return &c.result, nil
}
