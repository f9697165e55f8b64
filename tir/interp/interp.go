// Package interp is the reference interpreter: the definition of what a
// function of TensorIR means, and the oracle of every emitter. It is strict
// where a processor is not: it refuses an index outside of a dimension, a read
// of an element that was not written, and an output that is left unwritten.
//
// It must not know how programs are made (tir/lower) or share code with
// emitters.
package interp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// Options say how to run a program. The zero value runs loops in order and
// looks for the errors that cost nothing to find.
type Options struct {
	// Shuffle runs the iterations of parallel, vectorized and GPU loops in an
	// order drawn from Seed, which exposes iterations that are not independent.
	Shuffle bool
	Seed    uint64

	// Reverse runs them from the last to the first.
	Reverse bool

	// Races refuses an iteration of a parallel or vectorized loop, or of a
	// blockIdx loop, that reads or writes what another iteration wrote; and a GPU
	// thread that reads what another of its block wrote since the last barrier, or
	// writes what another read or wrote since.
	Races bool
}

// An Error is a fault of a program at run time.
type Error struct {
	Func string
	Stmt tir.Stmt // being run, or nil
	Vars string   // the loop variables and their values
	Why  string
}

func (e *Error) Error() string {
	s := "interp: " + e.Func + ": " + e.Why
	if e.Stmt != nil {
		line, _, _ := strings.Cut(e.Stmt.String(), "\n")
		s += " in " + strings.TrimSpace(line)
	}
	if e.Vars != "" {
		s += " at " + e.Vars
	}
	return s
}

// Pack returns what f takes for args, which are laid out as its caller has them:
// those that f has functions for are packed, the others are the same.
func Pack(f *tir.Func, args []*Tensor, opt Options) ([]*Tensor, error) {
	if len(args) != len(f.Params) {
		return nil, fmt.Errorf("interp: %s: %d arguments for %d parameters", f.Name, len(args), len(f.Params))
	}
	list := slices.Clone(args)
	for i := range list {
		if p := f.Pack(i); p != nil {
			list[i] = NewTensor(f.Params[i])
			if err := Run(p, []*Tensor{args[i], list[i]}, opt); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// Run runs f on args: one tensor per parameter, inputs, then outputs, whose
// contents before do not matter. The error is an *Error if f is at fault; else
// args do not fit f.
func Run(f *tir.Func, args []*Tensor, opt Options) error { return RunPart(f, args, opt, Part{}) }

// RunPart runs a part of f, as Run does with all of it. An output that has a rest
// need not be written.
func RunPart(f *tir.Func, args []*Tensor, opt Options, part Part) error {
	if len(args) != len(f.Params) {
		return fmt.Errorf("interp: %s: %d arguments for %d parameters", f.Name, len(args), len(f.Params))
	}
	for i, b := range f.Params {
		if args[i].Type != b.Type || int64(len(args[i].Data)) != b.Bytes() {
			return fmt.Errorf("interp: %s: argument %d is %d bytes of %s, parameter %s is %d of %s",
				f.Name, i, len(args[i].Data), args[i].Type, b.Name, b.Bytes(), b.Type)
		}
	}
	return execute(context.Background(), f, opt, part, func(i int) *memory { return memoryOf(f.Params[i], args[i].Data) })
}

// execute runs a part of f until the context ends, its parameters in the memories that
// param makes.
func execute(ctx context.Context, f *tir.Func, opt Options, part Part, param func(i int) *memory) error {
	c := newCompiler(opt)
	c.part = part
	for _, b := range f.Params {
		c.declare(b)
	}
	body := c.stmt(f.Body)

	r := &run{
		ctx: ctx, name: f.Name, opt: opt, vars: c.varNames,
		rng: rand.New(rand.NewPCG(opt.Seed, 0)), levels: c.levels,
	}
	fr := r.newFrame(c)
	for i, b := range f.Params {
		fr.memories[i] = param(i)
		if i >= len(f.Params)-f.Outputs {
			fr.memories[i].track(r.watched())
			if rest := part.Rests[b]; rest != nil {
				rest.attach(fr.memories[i])
			}
		}
	}
	if err := r.protect(func() { body(fr) }); err != nil {
		return err
	}
	for i, b := range f.Results() {
		if part.Rests[b] != nil || part.Holes {
			continue
		}
		m := fr.memories[len(f.Params)-f.Outputs+i]
		if at := m.unwritten(); at >= 0 {
			return &Error{Func: f.Name, Why: "output " + m.position(at) + " was never written"}
		}
	}
	return nil
}

// A run is the state that all frames of one run share.
type run struct {
	ctx    context.Context // of what may take long
	name   string
	opt    Options
	vars   []string // names of the variable slots
	rng    *rand.Rand
	levels int   // greatest number of nested concurrent loops
	next   int64 // iteration number of concurrent loops
	epoch  int64 // number of the stretch between barriers that a GPU block is in
	block  int64 // of the first stretch since all threads of the block waited
}

func (r *run) watched() int {
	if r.opt.Races {
		return r.levels
	}
	return 0
}

// A frame holds the values of variables and buffers: one for a program, and
// one per GPU thread while a block runs.
type frame struct {
	run      *run
	vars     []int64 // integer and Bool variables
	floats   []float64
	memories []*memory
	active   []bool // per variable slot: inside its loop
	at       tir.Stmt

	// Per level of concurrent loops: the number of the current iteration, and
	// of the first one of this execution of the loop. No loop: both are 0.
	iteration, first []int64

	thread *thread // nil outside of GPU threads
}

func (r *run) newFrame(c *compiler) *frame {
	return &frame{
		run: r, vars: make([]int64, len(c.varNames)), floats: make([]float64, c.floatSlots),
		active:    make([]bool, len(c.varNames)),
		memories:  make([]*memory, len(c.buffers)),
		iteration: make([]int64, r.levels), first: make([]int64, r.levels),
	}
}

// fork returns a copy of f for a thread.
func (f *frame) fork(t *thread) *frame {
	g := *f
	g.vars = append([]int64(nil), f.vars...)
	g.active = append([]bool(nil), f.active...)
	g.memories = append([]*memory(nil), f.memories...)
	g.iteration = append([]int64(nil), f.iteration...)
	g.first = append([]int64(nil), f.first...)
	g.thread = t
	return &g
}

// A fault is what fail panics with.
type fault struct{ err error }

// fail ends the run with an error.
func (f *frame) fail(format string, args ...any) {
	var vars []string
	for i, on := range f.active {
		if on {
			vars = append(vars, fmt.Sprintf("%s=%d", f.run.vars[i], f.vars[i]))
		}
	}
	panic(fault{&Error{Func: f.run.name, Stmt: f.at, Vars: strings.Join(vars, " "), Why: fmt.Sprintf(format, args...)}})
}

// poll ends the run if its context has ended.
func (r *run) poll() {
	if err := r.ctx.Err(); err != nil {
		panic(fault{err})
	}
}

// protect runs body and returns the error of a fault in it.
func (r *run) protect(body func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case fault:
			err = p.err
		default:
			panic(p)
		}
	}()
	body()
	return nil
}

// touch refuses an access of an element that another iteration of a concurrent
// loop around wrote.
func (f *frame) touch(e element, verb string) {
	for level := range e.m.levels {
		by := e.p.writer[int64(level)*e.p.elems+e.i]
		if by != f.iteration[level] && by >= f.first[level] && f.first[level] > 0 {
			f.fail("race: the iteration %s %s, which another iteration wrote", verb, e.m.position(e.at))
		}
	}
}

// claim notes that the current iterations wrote an element.
func (f *frame) claim(e element) {
	for level := range e.m.levels {
		e.p.writer[int64(level)*e.p.elems+e.i] = f.iteration[level]
	}
}
