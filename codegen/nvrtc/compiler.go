package nvrtc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/wmtune/wmtune/dataset/measure"
)

// Config says how to compile.
type Config struct {
	Command []string      // starts a worker, which calls Worker
	Library string        // path of NVRTC or of its folder; "" means to look for it
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
	r, err := c.ask(ctx, request{Library: cfg.Library})
	if err != nil {
		return nil, err
	}
	c.info = r.Info
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
	r, err := c.ask(ctx, request{Library: c.cfg.Library, Source: src, Options: opt})
	switch {
	case err != nil:
		return Output{}, err
	case r.Against != "":
		return Output{}, &CompileError{measure.BuildError, r.Against}
	case r.Error != "":
		return Output{}, &CompileError{measure.BuildError, r.Error}
	}
	return r.Output, nil
}

// ask starts a worker and has it answer one request.
func (c *Compiler) ask(ctx context.Context, q request) (response, error) {
	text, err := json.Marshal(q)
	if err != nil {
		return response{}, err
	}
	limited, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, c.cfg.Command[0], c.cfg.Command[1:]...)
	// A group of its own, so that a signal to it reaches all that it started; and
	// it ends with the tuner, however that ends.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Stdin = bytes.NewReader(text)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Start(); err != nil {
		return response{}, fmt.Errorf("nvrtc: starting a worker: %w", err)
	}
	if c.cfg.Nice > 0 {
		// Where it is forbidden, other processes are disturbed more, and that is all.
		_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, c.cfg.Nice)
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return response{}, ctx.Err()
	case limited.Err() != nil:
		return response{}, &CompileError{measure.BuildTimeout, fmt.Sprintf("the compiler did not finish in %v", c.cfg.Timeout)}
	case err != nil:
		line, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return response{}, &CompileError{measure.BuildCrash, strings.TrimPrefix(line+": "+err.Error(), ": ")}
	}
	var r response
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return response{}, fmt.Errorf("nvrtc: %s is not a worker: %w", strings.Join(c.cfg.Command, " "), err)
	}
	if r.Missing != "" {
		return response{}, &missingError{r.Missing}
	}
	return r, nil
}
