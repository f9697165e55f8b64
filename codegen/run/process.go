package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A workerProcess is a running worker. It answers one request at a time.
type workerProcess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *tail
	page   *statusPage
	number int           // of the last request
	ended  chan struct{} // closed when the process has been waited for
	mu     sync.Mutex
	reaped bool // its number may be another process's
	spans  []span

	loaded map[int]bool // candidates in it
	used   map[int]bool // candidates that ran in it
}

// A deadlineError means that a call of a kernel, or a whole request, took too
// long; the process was killed.
type deadlineError struct{ limit time.Duration }

func (e *deadlineError) Error() string {
	return fmt.Sprintf("did not finish in %s", e.limit.Round(time.Millisecond))
}

// A deathError means that the process ended while it worked on a request.
type deathError struct {
	status syscall.WaitStatus
	page   statusPage // as the process left it
	words  string     // its standard error
}

func (e *deathError) Error() string { return "the worker ended: " + describeWait(e.status) }

// startWorker starts a worker that shares a status page and a vault with us.
func startWorker(command []string, vaultFD int) (*workerProcess, error) {
	statusFD, page, err := newStatusPage()
	if err != nil {
		return nil, err
	}
	p := &workerProcess{page: page, stderr: &tail{}, ended: make(chan struct{}), loaded: map[int]bool{}, used: map[int]bool{}}
	status := os.NewFile(uintptr(statusFD), "status")
	defer status.Close()
	copied, err := unix.FcntlInt(uintptr(vaultFD), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		page.close()
		return nil, fmt.Errorf("run: worker: %w", err)
	}
	vault := os.NewFile(uintptr(copied), "vault")
	defer vault.Close()

	p.cmd = exec.Command(command[0], command[1:]...)
	// A group of its own, so that a signal to it reaches all that it started;
	// and it ends with the tuner, however that ends.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = time.Second
	p.cmd.ExtraFiles = []*os.File{status, vault}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		page.close()
		return nil, fmt.Errorf("run: worker: %w", err)
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		page.close()
		return nil, fmt.Errorf("run: worker: %w", err)
	}
	p.cmd.Stdout = outWrite
	p.in, p.out = in, bufio.NewReaderSize(outRead, 1<<16)

	// Pdeathsig is about the thread that starts the process, not about the whole
	// tuner, so that thread must live as long as the worker: it waits for it.
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		outWrite.Close()
		started <- err
		if err == nil {
			p.reap()
			outRead.Close()
		}
		close(p.ended)
	}()
	if err := <-started; err != nil {
		outRead.Close()
		page.close()
		return nil, fmt.Errorf("run: starting a worker: %w", err)
	}
	return p, nil
}

// limits bound a request: no call of a kernel longer than call, and all of it no
// longer than total.
type limits struct{ call, total time.Duration }

// ask sends a request and returns the answer. After an error the process is
// gone: a *deadlineError, a *deathError, or the context's error.
func (p *workerProcess) ask(ctx context.Context, req *request, lim limits, blobs ...[]byte) (*answer, error) {
	p.number++
	req.Number = p.number
	type reply struct {
		ans answer
		err error
	}
	ch := make(chan reply, 1)
	go func() {
		var r reply
		if r.err = writeFrame(p.in, req, blobs...); r.err == nil {
			r.ans.outputs, r.err = readFrame(p.out, &r.ans)
		}
		if r.err == nil && r.ans.Number != req.Number {
			r.err = errors.New("run: garbled message: an answer to another request")
		}
		ch <- r
	}()
	total := time.NewTimer(lim.total)
	defer total.Stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case r := <-ch:
			if r.err == nil {
				return &r.ans, nil
			}
			return nil, p.death(r.err)
		case <-look.C:
			if p.page.running() < lim.call.Seconds() {
				continue
			}
			p.kill()
			return nil, &deadlineError{lim.call}
		case <-total.C:
			p.kill()
			return nil, &deadlineError{lim.total}
		case <-ctx.Done():
			p.kill()
			return nil, ctx.Err()
		}
	}
}

// death waits for a process that stopped answering and tells how it ended. One
// that answers rubbish is killed.
func (p *workerProcess) death(why error) error {
	select {
	case <-p.ended:
	case <-time.After(2 * time.Second):
		p.stderr.Write([]byte("\n" + why.Error() + "\n"))
		p.killGroup()
		<-p.ended
	}
	d := &deathError{page: *p.page, words: p.stderr.String()}
	d.status, _ = p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	p.kill()
	return d
}

// kill ends the process and all that it started, and waits until it is gone.
func (p *workerProcess) kill() {
	if p.page == nil {
		return
	}
	p.killGroup()
	p.in.Close()
	<-p.ended
	p.page.close()
	p.page = nil
}

// reap waits for the process, ends what it left behind in its group, and then
// removes it from the process table. How it ended is in ProcessState. While it is in the
// table its number belongs to nobody else.
func (p *workerProcess) reap() {
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
	p.killGroup()
	p.mu.Lock()
	p.reaped = true
	p.mu.Unlock()
	p.cmd.Wait()
}

// killGroup sends SIGKILL to the process and to all that it started.
func (p *workerProcess) killGroup() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// describeWait says how a process ended: "SIGSEGV", "exit status 7".
func describeWait(s syscall.WaitStatus) string {
	if s.Signaled() {
		return unix.SignalName(s.Signal())
	}
	return fmt.Sprintf("exit status %d", s.ExitStatus())
}

// tail keeps the beginning of what a process says on its standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 16 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := tailSize - len(t.text); room > 0 {
		t.text = append(t.text, b[:min(room, len(b))]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
