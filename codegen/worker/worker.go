// Package worker starts and serves the processes that do what may crash, hang or eat the
// memory: compiling with LLVM or NVRTC, and running candidates. All of them speak one
// protocol. The program and its worker greet each other with a line that holds the version
// and the worker's kind. Then the program sends requests, one at a time, and the worker
// answers each.
//
// A worker leads a process group that ends as a whole, and no worker outlives the
// program, even if that is killed. The package must not know what workers do.
package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Version is that of the protocol, raised with every change of a request or an answer.
// A program uses workers of its own version only.
const Version = 1

// variable tells a process that it was started as a worker: its value is the kind.
const variable = "WMTUNE_WORKER"

// Kind returns the kind of worker that this process was started as: "build", "run", "gpu",
// "bundle", "nvrtc" or "peer". It is "" in any other process. It is the one place below cmd that reads
// the environment: a program that starts itself as its worker must see it before
// anything else, else each worker would start workers of its own.
func Kind() string { return os.Getenv(variable) }

// advice says what a program must do to have workers.
const advice = "a program that uses wmtune must call machine.WorkerMain() first in its main function, " +
	"or name a WorkerCommand"

// A Config says how to start a worker.
type Config struct {
	Kind    string        // what the worker must be
	Command []string      // program and arguments
	Files   []*os.File    // inherited as descriptors 3, 4 and so on
	Env     []string      // more variables of its environment
	Nice    int           // how far the worker stands back for other processes: 0 to 19
	Hello   time.Duration // for the greeting; 0 means 10 s

	// Foreign says that the command is no worker of wmtune: there is no greeting, the
	// first frame is a request, and it does not learn what kind of worker it is.
	Foreign bool
	Answers Bounds // of frames that the command sends; the zero value means those of workers
}

const defaultHello = 10 * time.Second

// A Process is a running worker. It answers one request at a time.
type Process struct {
	child  *child
	in     io.Writer
	out    *bufio.Reader
	number uint64 // of the last request
	within Bounds // of answers
}

// Start starts a worker and waits for its greeting, if it is not Foreign. An error says what the command did
// instead, and what to do; it wraps what Ask would return.
func Start(ctx context.Context, cfg Config) (*Process, error) {
	if kind := Kind(); kind != "" {
		return nil, fmt.Errorf("this process is the %s worker of wmtune and must not start workers: %s", kind, advice)
	}
	if len(cfg.Command) == 0 || cfg.Command[0] == "" {
		return nil, errors.New("there is no command to start a worker with")
	}
	if cfg.Hello == 0 {
		cfg.Hello = defaultHello
	}
	env := []string{variable + "=" + cfg.Kind}
	if cfg.Foreign {
		env = nil
	}
	if cfg.Answers == (Bounds{}) {
		cfg.Answers = workerBounds
	}
	c, err := startChild(cfg.Command, cfg.Files, append(env, cfg.Env...)...)
	if err != nil {
		return nil, fmt.Errorf("starting the %s worker: %w", cfg.Kind, err)
	}
	if cfg.Nice > 0 {
		// Of all its threads; those to come inherit it. Where it is forbidden, other
		// processes are disturbed more, and that is all.
		_ = syscall.Setpriority(syscall.PRIO_PGRP, c.cmd.Process.Pid, cfg.Nice)
	}
	p := &Process{child: c, in: c.in, out: bufio.NewReaderSize(c.out, 1<<16), within: cfg.Answers}
	if cfg.Foreign {
		return p, nil
	}
	err = p.exchange(ctx, Limit{Total: cfg.Hello}, func() error {
		// A command that does not read has said what it is.
		_, _ = io.WriteString(c.in, greeting("program", cfg.Kind))
		return readGreeting(p.out, "worker", cfg.Kind)
	})
	if err == nil {
		return p, nil
	}
	p.Kill()
	program := strings.Join(cfg.Command, " ")
	var odd *greetingError
	var late *DeadlineError
	var dead *DeathError
	switch {
	case errors.As(err, &odd) && odd.version != 0:
		return nil, fmt.Errorf("starting the %s worker: %s: %w", cfg.Kind, program, err)
	case errors.As(err, &odd):
		return nil, fmt.Errorf("%s is not wmtune's %s worker: %w: %s", program, cfg.Kind, err, advice)
	case errors.As(err, &dead) && strings.Contains(dead.Words, advice):
		return nil, fmt.Errorf("%s is not wmtune's %s worker: it ended: %w", program, cfg.Kind, err)
	case errors.As(err, &dead):
		return nil, fmt.Errorf("%s is not wmtune's %s worker: it ended: %w: %s", program, cfg.Kind, err, advice)
	case errors.As(err, &late):
		return nil, fmt.Errorf("%s is not wmtune's %s worker: the greeting %w: %s", program, cfg.Kind, err, advice)
	}
	return nil, err
}

// PID returns the number of the process.
func (p *Process) PID() int { return p.child.cmd.Process.Pid }

// Words returns what the worker has said on its standard error: its beginning and its end.
func (p *Process) Words() string { return p.child.words.String() }

// Kill ends the worker and all that it started, and waits until they are gone.
func (p *Process) Kill() { p.child.kill() }

// Signal sends a signal to the worker and all that it started. It returns false if the
// worker has ended.
func (p *Process) Signal(s syscall.Signal) bool { return p.child.signal(s) }

// A Limit bounds a request.
type Limit struct {
	Total time.Duration // of all of it

	// Watch, if not nil, is called every 10 ms. An error of it ends the worker, and is
	// that of the request.
	Watch func() error
}

// A DeadlineError means that a worker took too long; it was killed.
type DeadlineError struct{ Limit time.Duration }

func (e *DeadlineError) Error() string {
	return fmt.Sprintf("did not finish in %s", e.Limit.Round(time.Millisecond))
}

// A DeathError means that a worker ended while it worked on a request.
type DeathError struct {
	Status  syscall.WaitStatus
	Words   string // what it said on its standard error
	Garbled error  // not nil: it answered garbage, and was killed for that
}

func (e *DeathError) Error() string {
	text := e.How()
	if line := telling(e.Words); line != "" {
		text = line + " (" + text + ")"
	}
	if e.Garbled != nil {
		text = e.Garbled.Error() + ": " + text
	}
	return text
}

// How says how the process ended: "SIGSEGV", "exit status 7".
func (e *DeathError) How() string { return describe(e.Status) }

// Killed reports whether somebody else ended the worker. It says little about the
// request.
func (e *DeathError) Killed() bool {
	s := e.Status
	return e.Garbled == nil && s.Signaled() && (s.Signal() == syscall.SIGKILL || s.Signal() == syscall.SIGTERM)
}

// Ask sends a request with blobs, decodes the answer, and returns the answer's blobs.
// After an error the worker is gone: that of the context or of Limit.Watch, a
// *DeadlineError or a *DeathError.
func (p *Process) Ask(
	ctx context.Context, lim Limit, request, answer any, blobs ...[]byte,
) (outputs [][]byte, err error) {
	p.number++
	head, err := encodeFrame(p.number, request, blobs)
	if err != nil {
		p.Kill()
		return nil, err
	}
	err = p.exchange(ctx, lim, func() error {
		if err := writeFrame(p.in, head, blobs); err != nil {
			return err
		}
		var err error
		outputs, err = readFrame(p.out, p.number, answer, p.within)
		return err
	})
	if err != nil {
		p.Kill()
		return nil, err
	}
	return outputs, nil
}

// exchange talks to the worker under a limit. The worker is killed where the talk does
// not come to its end; it has ended when exchange returns.
func (p *Process) exchange(ctx context.Context, lim Limit, talk func() error) error {
	done := make(chan error, 1)
	go func() { done <- talk() }()
	total := time.NewTimer(lim.Total)
	defer total.Stop()
	var look <-chan time.Time
	if lim.Watch != nil {
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		look = ticker.C
	}
	ended, straggler := p.child.ended, (<-chan time.Time)(nil)
	var why error
	for why == nil {
		select {
		case err := <-done:
			return p.failed(err)
		case <-ended:
			// The end of its output follows, or what it said last; unless something
			// that it started holds the output open.
			ended, straggler = nil, time.After(time.Second)
		case <-straggler:
			p.Kill()
			return p.failed(<-done)
		case <-look:
			why = lim.Watch()
		case <-total.C:
			why = &DeadlineError{lim.Total}
		case <-ctx.Done():
			why = ctx.Err()
		}
	}
	p.Kill()
	<-done
	return why
}

// failed says what an error of reading or writing means, and waits for the process to
// end.
func (p *Process) failed(err error) error {
	var odd *greetingError
	if err == nil || errors.As(err, &odd) {
		return err
	}
	d := &DeathError{}
	is := func(end error) bool { return errors.Is(err, end) }
	if slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, syscall.EPIPE, os.ErrClosed}, is) {
		select {
		case <-p.child.ended:
		case <-time.After(2 * time.Second):
			d.Garbled = errors.New("it closed its standard output")
		}
	} else {
		d.Garbled = err
	}
	p.Kill()
	d.Status, d.Words = p.child.status(), p.child.words.String()
	return d
}

// A StartError means that a worker did not get as far as a request, which is innocent of it. Retry tries that again,
// too.
type StartError struct{ Err error }

func (e *StartError) Error() string { return e.Err.Error() }

func (e *StartError) Unwrap() error { return e.Err }

// Retry calls do, which makes a request, until it does not end with a *DeathError, and
// returns its last error. The request may be innocent of the death: it is tried again
// once, and up to five times in all if somebody else killed the worker. It can be the cause even
// so, if it makes the worker eat all memory. On a second try, do must use a new worker.
func Retry(do func(try int) error) error {
	for try, tries := 0, 2; ; try++ {
		err := do(try)
		var dead *DeathError
		if !errors.As(err, &dead) {
			return err
		}
		if dead.Killed() {
			tries = 5
		}
		if try+1 >= tries {
			return err
		}
	}
}
