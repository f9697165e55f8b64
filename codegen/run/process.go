package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	protocol "github.com/wmtune/wmtune/codegen/worker"
	"golang.org/x/sys/unix"
)

// The kinds of workers that this package has.
const (
	hostKind = "run"
	gpuKind  = "gpu"
)

// A workerProcess is a running worker, and what the runner knows of it.
type workerProcess struct {
	*protocol.Process
	page  *statusPage // nil once the process is gone
	spans []span

	loaded map[int]bool // candidates in it
	used   map[int]bool // candidates that ran in it
}

// A deathError means that the process ended while it worked on a request.
type deathError struct {
	*protocol.DeathError
	page statusPage // as the process left it
}

func (e *deathError) Error() string { return "the worker ended: " + e.How() }

func (e *deathError) Unwrap() error { return e.DeathError }

// startWorker starts a worker that shares a status page and a vault with us.
func startWorker(ctx context.Context, kind string, command []string, vaultFD int) (*workerProcess, error) {
	statusFD, page, err := newStatusPage()
	if err != nil {
		return nil, err
	}
	p := &workerProcess{page: page, loaded: map[int]bool{}, used: map[int]bool{}}
	status := os.NewFile(uintptr(statusFD), "status")
	defer status.Close()
	copied, err := unix.FcntlInt(uintptr(vaultFD), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		page.close()
		return nil, fmt.Errorf("run: worker: %w", err)
	}
	vault := os.NewFile(uintptr(copied), "vault")
	defer vault.Close()
	p.Process, err = protocol.Start(ctx, protocol.Config{Kind: kind, Command: command, Files: []*os.File{status, vault}})
	if err != nil {
		page.close()
		return nil, fmt.Errorf("run: %w", err)
	}
	return p, nil
}

// startExecutor starts a worker that has no task.
func startExecutor(ctx context.Context, command []string) (*workerProcess, error) {
	fd, err := unix.MemfdCreate("wmtune-nothing", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("run: worker: %w", err)
	}
	defer unix.Close(fd)
	return startWorker(ctx, hostKind, command, fd)
}

// limits bound a request: no call of a kernel longer than call, and all of it no
// longer than total.
type limits struct{ call, total time.Duration }

// ask sends a request and returns the answer. After an error the process is
// gone: a *protocol.DeadlineError, a *deathError, or the context's error.
func (p *workerProcess) ask(ctx context.Context, req *request, lim limits, blobs ...[]byte) (*answer, error) {
	watch := func() error {
		if p.page.running() < lim.call.Seconds() {
			return nil
		}
		return &protocol.DeadlineError{Limit: lim.call}
	}
	ans := &answer{}
	var err error
	ans.outputs, err = p.Ask(ctx, protocol.Limit{Total: lim.total, Watch: watch}, req, ans, blobs...)
	if err == nil {
		return ans, nil
	}
	var dead *protocol.DeathError
	if errors.As(err, &dead) {
		err = &deathError{dead, *p.page}
	}
	p.kill()
	return nil, err
}

// kill ends the process and all that it started, and waits until it is gone.
func (p *workerProcess) kill() {
	if p.page == nil {
		return
	}
	p.Kill()
	p.page.close()
	p.page = nil
}
