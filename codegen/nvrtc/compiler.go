package nvrtc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset/measure"
)

// Config says how to compile.
type Config struct {
	Command []string      // starts a worker, which calls Worker
	Library string        // path of NVRTC or of its folder; "" means to look for it
	Arch    string        // that is compiled for, "sm_80"; "" means any
	Driver  int           // of the GPU that runs the kernels: 12020 is CUDA 12.2; 0 means any
	Timeout time.Duration // per source; 0 means 30 s
	Nice    int           // how far workers stand back for other processes: 0 to 19
}

const defaultTimeout = 30 * time.Second

// A Compiler compiles CUDA C, each source in a process of its own. It is safe
// for concurrent use, and has nothing to be closed.
type Compiler struct {
	cfg  Config
	info Info
}

// New starts a worker, and so finds out whether there is a compiler. IsMissing
// tells the error that says that there is none.
func New(ctx context.Context, cfg Config) (*Compiler, error) {
	if len(cfg.Command) == 0 {
		return nil, errors.New("nvrtc: no command for workers")
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	c := &Compiler{cfg: cfg}
	r, _, err := c.ask(ctx, request{Library: cfg.Library, Arch: cfg.Arch, Driver: cfg.Driver})
	if err != nil {
		return nil, err
	}
	c.info = r.Info
	c.cfg.Library = r.Info.Library // the one of several that will do
	return c, nil
}

// A missingError says why there is no compiler.
type missingError struct{ why string }

func (e *missingError) Error() string { return e.why }

// IsMissing reports whether an error of New means that there is no NVRTC.
func IsMissing(err error) bool {
	var m *missingError
	return errors.As(err, &m)
}

// Info describes the compiler.
func (c *Compiler) Info() Info { return c.info }

// A CompileError says why a source did not compile.
type CompileError struct {
	Status measure.Status // BuildError, BuildTimeout or BuildCrash
	Why    string
}

func (e *CompileError) Error() string { return "nvrtc: " + e.Status.String() + ": " + e.Why }

// Compile compiles CUDA C. An error about the source is a *CompileError; any other
// is the context's, or says that there is no working compiler.
func (c *Compiler) Compile(ctx context.Context, src string, opt Options) (Output, error) {
	if src == "" {
		return Output{}, &CompileError{measure.BuildError, "the source is empty"}
	}
	r, outputs, err := c.ask(ctx, request{Library: c.cfg.Library, Options: opt}, []byte(src))
	var unstarted *worker.StartError
	var late *worker.DeadlineError
	var dead *worker.DeathError
	switch {
	case errors.As(err, &unstarted):
		return Output{}, err
	case errors.As(err, &late):
		return Output{}, &CompileError{measure.BuildTimeout, "the compiler " + late.Error()}
	case errors.As(err, &dead):
		return Output{}, &CompileError{measure.BuildCrash, dead.Error()}
	case err != nil:
		return Output{}, err
	case r.Against != "":
		return Output{}, &CompileError{measure.BuildError, r.Against}
	case r.Error != "":
		return Output{}, &CompileError{measure.BuildError, r.Error}
	}
	if len(outputs) != 2 {
		return Output{}, fmt.Errorf("nvrtc: an answer with %d outputs", len(outputs))
	}
	return Output{Cubin: outputs[0], PTX: outputs[1], Log: r.Log, Kernels: r.Kernels}, nil
}

// ask has a worker answer one request. A process compiles once, so that nothing of one
// source, an open handle or broken memory, reaches another.
func (c *Compiler) ask(ctx context.Context, q request, source ...[]byte) (r response, outputs [][]byte, err error) {
	err = worker.Retry(func(int) error {
		p, err := worker.Start(ctx, worker.Config{Kind: workerKind, Command: c.cfg.Command, Nice: c.cfg.Nice})
		if err != nil {
			return &worker.StartError{Err: fmt.Errorf("nvrtc: %w", err)}
		}
		defer p.Kill()
		r = response{}
		if outputs, err = p.Ask(ctx, worker.Limit{Total: c.cfg.Timeout}, q, &r, source...); err != nil {
			return fmt.Errorf("nvrtc: the compiler: %w", err)
		}
		return nil
	})
	if err == nil && r.Missing != "" {
		err = &missingError{r.Missing}
	}
	return r, outputs, err
}
