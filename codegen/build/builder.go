package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
	"golang.org/x/sync/errgroup"
)

// Config says how to build.
type Config struct {
	Command []string      // starts a worker, which calls Worker
	Workers int           // processes at once; 0 means 1
	Timeout time.Duration // per program; 0 means 10 s
	LLVM    string        // path of libLLVM; "" means to look for it
	Nice    int           // how far workers stand back for other processes, such as one that times programs: 0 to 19
}

const (
	defaultTimeout = 10 * time.Second
	startTimeout   = 30 * time.Second // the first load of libLLVM may come from a cold disk
)

// A Builder compiles programs in worker processes. It is safe for concurrent
// use. Close ends the workers.
type Builder struct {
	cfg   Config
	info  Info
	slots chan *worker.Process // one entry per worker; nil: not running

	closed chan struct{} // closed by end
	end    func()

	decode *Decoder
}

// New starts the first worker, and so finds out whether libLLVM is there.
func New(ctx context.Context, cfg Config) (*Builder, error) {
	if len(cfg.Command) == 0 {
		return nil, errors.New("build: no command for workers")
	}
	cfg.Workers = max(cfg.Workers, 1)
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	p, info, err := start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	b := &Builder{cfg: cfg, info: info, slots: make(chan *worker.Process, cfg.Workers), closed: make(chan struct{}),
		decode: new(Decoder)}
	b.end = sync.OnceFunc(b.endWorkers)
	b.slots <- p
	for range cfg.Workers - 1 {
		b.slots <- nil
	}
	return b, nil
}

// start starts a worker and waits for it to have loaded libLLVM.
func start(ctx context.Context, cfg Config) (*worker.Process, Info, error) {
	p, err := worker.Start(ctx, worker.Config{Kind: workerKind, Command: cfg.Command, Nice: cfg.Nice})
	if err != nil {
		return nil, Info{}, fmt.Errorf("build: %w", err)
	}
	var r response
	if _, err := p.Ask(ctx, worker.Limit{Total: startTimeout}, request{Library: cfg.LLVM}, &r); err != nil {
		return nil, Info{}, fmt.Errorf("build: loading libLLVM in a worker: %w", err)
	}
	if r.Info == nil {
		p.Kill()
		return nil, Info{}, errors.New(r.Error)
	}
	return p, *r.Info, nil
}

// Info describes the compiler and this machine.
func (b *Builder) Info() Info { return b.info }

// Close ends the workers. Programs that are being compiled are waited for; others are errors from now on.
func (b *Builder) Close() error {
	b.end()
	return nil
}

// endWorkers is the body of Close, which runs once: no worker comes back to the slots.
func (b *Builder) endWorkers() {
	close(b.closed)
	for range cap(b.slots) {
		if p := <-b.slots; p != nil {
			p.Kill()
		}
	}
}

// Build lowers, emits and compiles inputs; results align with them. What is
// wrong with an input is in its result. The error is the context's, or says
// that there is no working compiler.
func (b *Builder) Build(ctx context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	return b.each(len(inputs), func(i int) (measure.BuildResult, error) { return b.build(ctx, inputs[i]) })
}

// each builds n programs in some way, as many at once as there are workers.
func (b *Builder) each(n int, build func(i int) (measure.BuildResult, error)) ([]measure.BuildResult, error) {
	results := make([]measure.BuildResult, n)
	var g errgroup.Group
	g.SetLimit(b.cfg.Workers)
	for i := range n {
		g.Go(func() (err error) {
			results[i], err = build(i)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return results, nil
}

func (b *Builder) build(ctx context.Context, in measure.Input) (measure.BuildResult, error) {
	if err := ctx.Err(); err != nil {
		return measure.BuildResult{}, err
	}
	begin := time.Now()
	fn, _, err := b.decode.Lower(in)
	if err != nil {
		return measure.BuildResult{Status: measure.LowerError, Message: err.Error(),
			Seconds: time.Since(begin).Seconds()}, nil
	}
	r, err := b.BuildFunc(ctx, fn, in.Target)
	r.Seconds = time.Since(begin).Seconds()
	return r, err
}

// For returns the options for a target.
func For(t target.Target) Options {
	return Options{CPU: t.CPU, Features: t.Features, Triple: t.Triple()}
}

// BuildFunc emits and compiles a lowered program.
func (b *Builder) BuildFunc(ctx context.Context, fn *tir.Func, t target.Target) (measure.BuildResult, error) {
	begin := time.Now()
	text, err := emit(fn, t)
	if err != nil {
		return measure.BuildResult{Status: measure.BuildError, Message: err.Error()}, nil
	}
	object, err := b.Compile(ctx, text, For(t))
	r := measure.BuildResult{Status: measure.OK, Object: object, Symbol: llvm.Symbol, Packs: packsOf(fn),
		Growth: fn.Growth}
	r.Seconds = time.Since(begin).Seconds()
	var ce *CompileError
	switch {
	case errors.As(err, &ce):
		return measure.BuildResult{Status: ce.Status, Message: ce.Why, Seconds: r.Seconds}, nil
	case err != nil:
		return measure.BuildResult{}, err
	}
	return r, nil
}

// packsOf lists the parameters of fn that are packed.
func packsOf(fn *tir.Func) []measure.Pack {
	var list []measure.Pack
	for i, b := range fn.Params {
		if p := fn.Pack(i); p != nil {
			list = append(list, measure.Pack{
				Param: i, Symbol: llvm.PackSymbol(i), Name: fn.Plain(i).Name, Shape: b.Shape, Bytes: b.Bytes(),
			})
		}
	}
	return list
}

// emit turns a panic of the emitter, which is a defect, into the failure of one
// program.
func emit(fn *tir.Func, t target.Target) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("llvm: %v", p)
		}
	}()
	var w bytes.Buffer
	err = llvm.Emit(&w, fn, t)
	return w.Bytes(), err
}

// A CompileError says why a module did not compile.
type CompileError struct {
	Status measure.Status // BuildError, BuildTimeout or BuildCrash
	Why    string
}

func (e *CompileError) Error() string { return "build: " + e.Status.String() + ": " + e.Why }

// Compile compiles LLVM IR text. An error about the text is a *CompileError;
// any other is the context's, or says that there is no working compiler.
//
// A worker that ended is tried again, once and in a new process, for the cause
// may lie outside; one that did not finish is not. A worker that was killed by
// someone else says even less about the text: that has more tries.
func (b *Builder) Compile(ctx context.Context, ir []byte, opt Options) ([]byte, error) {
	var output []byte
	why := ""
	err := worker.Retry(func(try int) (err error) {
		output, why, err = b.attempt(ctx, ir, opt, try > 0)
		return err
	})
	var unstarted *worker.StartError
	var late *worker.DeadlineError
	var dead *worker.DeathError
	switch {
	case errors.As(err, &unstarted):
		return nil, err
	case errors.As(err, &late):
		return nil, &CompileError{measure.BuildTimeout, "the compiler " + late.Error()}
	case errors.As(err, &dead):
		return nil, &CompileError{measure.BuildCrash, dead.Error()}
	case err != nil:
		return nil, err
	case why != "":
		return nil, &CompileError{measure.BuildError, why}
	}
	return output, nil
}

// attempt compiles once, in a free worker; in a new process if fresh, for that
// of another slot may have ended unnoticed. Why is what the compiler says
// against the text.
func (b *Builder) attempt(
	ctx context.Context, ir []byte, opt Options, fresh bool,
) (output []byte, why string, err error) {
	var p *worker.Process
	select {
	case p = <-b.slots:
	case <-b.closed:
		return nil, "", errors.New("build: the builder is closed")
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	defer func() { b.slots <- p }()
	if fresh && p != nil {
		p.Kill()
		p = nil
	}
	if p == nil {
		if p, _, err = start(ctx, b.cfg); err != nil {
			return nil, "", &worker.StartError{Err: err}
		}
	}
	var r response
	outputs, err := p.Ask(ctx, worker.Limit{Total: b.cfg.Timeout}, request{Options: opt}, &r, ir)
	if err != nil {
		p = nil
		return nil, "", err
	}
	if r.Error == "" && len(outputs) == 1 {
		output = outputs[0]
	}
	return output, r.Error, nil
}

// patience is how many times as long as of a candidate the compilation of what is no
// candidate for this processor may take: a candidate is no good if it takes so long, but of
// programs of a GPU, and of ours, the time says nothing, except that the machine is busy.
const patience = 12

// Patient returns b with more time for each compilation.
func (b *Builder) Patient() *Builder {
	p := *b
	p.cfg.Timeout *= patience
	return &p
}
