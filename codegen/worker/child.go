package worker

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A child is a process that this one started. It leads a process group, so that a signal
// reaches all that it started, and it ends with this process, however that ends.
type child struct {
	in    io.WriteCloser
	out   *os.File
	words tail          // its standard error
	ended chan struct{} // closed when it has been waited for; how it ended is in cmd.ProcessState

	cmd    *exec.Cmd
	mu     sync.Mutex
	reaped bool // its number may be another process's
}

// startChild starts a command that inherits files as descriptors 3, 4 and so on, with
// more variables in its environment.
func startChild(command []string, files []*os.File, env ...string) (*child, error) {
	c := &child{cmd: exec.Command(command[0], command[1:]...), ended: make(chan struct{})}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	c.cmd.Env = append(c.cmd.Environ(), env...)
	c.cmd.Stderr = &c.words
	c.cmd.WaitDelay = time.Second
	c.cmd.ExtraFiles = files
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Not StdoutPipe, which Wait closes: the last words are read after the end.
	out, write, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	c.in, c.out, c.cmd.Stdout = in, out, write

	// Pdeathsig is about the thread that starts the process, not about this whole
	// process, so that thread must live as long as the child: it waits for it.
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		write.Close()
		started <- err
		if err == nil {
			c.reap()
		}
		close(c.ended)
	}()
	if err := <-started; err != nil {
		out.Close()
		return nil, err
	}
	return c, nil
}

// reap waits for the process, ends what it left behind in its group, and then removes it
// from the process table. While it is in the table its number belongs to nobody else.
func (c *child) reap() {
	for {
		err := unix.Waitid(unix.P_PID, c.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
	c.signal(syscall.SIGKILL)
	c.mu.Lock()
	c.reaped = true
	c.mu.Unlock()
	c.cmd.Wait()
}

// signal sends a signal to the process and to all that it started. It returns false if
// they are gone.
func (c *child) signal(s syscall.Signal) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.reaped && syscall.Kill(-c.cmd.Process.Pid, s) == nil
}

// kill ends the process and all that it started, and waits until it is gone. Reads of its
// output end, too, even where a process outside of the group still holds the other side.
func (c *child) kill() {
	c.signal(syscall.SIGKILL)
	c.in.Close()
	<-c.ended
	c.out.Close()
}

// status says how the process ended, once it has.
func (c *child) status() syscall.WaitStatus {
	s, _ := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return s
}

// describe says how a process ended: "SIGSEGV", "exit status 7".
func describe(s syscall.WaitStatus) string {
	if s.Signaled() {
		return unix.SignalName(s.Signal())
	}
	return fmt.Sprintf("exit status %d", s.ExitStatus())
}

// tail keeps the beginning and the end of what a process says on its standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 16 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - tailSize; over > 0 {
		t.text = slices.Delete(t.text, tailSize/2, tailSize/2+over)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

// telling returns the line of a process's words that says most about its end: the error
// of LLVM or of Go, else the first line.
func telling(words string) string {
	first, _, _ := strings.Cut(words, "\n")
	for line := range strings.Lines(words) {
		if line = strings.TrimSpace(line); strings.Contains(line, "LLVM ERROR") ||
			strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
			return line
		}
	}
	return strings.TrimSpace(first)
}
