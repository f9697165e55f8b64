package build

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A process is a running worker. It answers one request at a time.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *tail
	info   Info
	done   bool // has been waited for
}

// errDeadline means that a worker did not answer in time and was killed.
var errDeadline = errors.New("no answer in time")

// A crashError means that a worker ended while it worked on a request.
type crashError struct {
	why    string
	killed bool // by someone else, with SIGKILL
}

func (e *crashError) Error() string { return e.why }

// start starts a worker and waits for it to have loaded libLLVM.
func start(ctx context.Context, cfg Config, timeout time.Duration) (*process, error) {
	command := cfg.Command
	cmd := exec.Command(command[0], command[1:]...)
	// A group of its own, so that a signal to it reaches all that it started;
	// and it ends with the tuner, however that ends.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p := &process{cmd: cmd, stderr: &tail{}}
	cmd.Stderr = p.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("build: worker: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("build: worker: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("build: starting a worker: %w", err)
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 1<<16)
	if cfg.Nice > 0 {
		// Of all its threads; those to come inherit it. Where it is forbidden, timing
		// is disturbed more, and that is all.
		_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, cfg.Nice)
	}
	answer, _, err := p.ask(ctx, request{Library: cfg.LLVM}, nil, timeout)
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("build: starting a worker: %w", err)
	}
	if answer.Error != "" {
		p.kill()
		return nil, errors.New(answer.Error)
	}
	if answer.Info == nil {
		p.kill()
		return nil, fmt.Errorf("build: %s is not a build worker", strings.Join(command, " "))
	}
	p.info = *answer.Info
	return p, nil
}

// ask sends a request and returns the answer. After an error the process is
// gone: errDeadline, a *crashError, or the context's error.
func (p *process) ask(ctx context.Context, q request, payload []byte, timeout time.Duration) (response, []byte, error) {
	type reply struct {
		answer response
		output []byte
		err    error
	}
	ch := make(chan reply, 1)
	go func() {
		var r reply
		if r.err = writeFrame(p.in, q, payload); r.err == nil {
			r.output, r.err = readFrame(p.out, &r.answer)
		}
		ch <- r
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case r := <-ch:
		if r.err == nil {
			return r.answer, r.output, nil
		}
		ended := errors.Is(r.err, io.EOF) || errors.Is(r.err, io.ErrUnexpectedEOF) || errors.Is(r.err, syscall.EPIPE)
		why := p.kill()
		state, _ := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
		return response{}, nil, &crashError{why, ended && state.Signal() == syscall.SIGKILL}
	case <-timer.C:
		p.kill()
		<-ch
		return response{}, nil, errDeadline
	case <-ctx.Done():
		p.kill()
		<-ch
		return response{}, nil, ctx.Err()
	}
}

// kill ends the process group and says how the process ended.
func (p *process) kill() string {
	if p.done {
		return "ended"
	}
	p.done = true
	p.in.Close()
	// A process that crashed may still be writing its last words; one that
	// hangs never ends by itself.
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	p.cmd.Wait()
	why := p.cmd.ProcessState.String()
	if line := p.stderr.line(); line != "" {
		why = line + " (" + why + ")"
	}
	return why
}

// tail keeps the beginning of what a process says on its standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := tailSize - len(t.text); room > 0 {
		t.text = append(t.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// line returns the line that says most: LLVM's own error, else the first one.
func (t *tail) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := ""
	for line := range strings.SplitSeq(string(t.text), "\n") {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "LLVM ERROR") || strings.HasPrefix(line, "panic:") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	return first
}
