package bench

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Script is the program of the peers' processes.
//
//go:embed peers.py
var Script []byte

// PeerNames are the peers that the script knows.
func PeerNames() []string { return []string{"ort", "openvino", "torch", "inductor"} }

// A MissingError says that a peer cannot take part on this machine.
type MissingError struct{ Peer, Why string }

func (e *MissingError) Error() string { return fmt.Sprintf("%s is not installed: %s", e.Peer, e.Why) }

// Limits bound what a peer may take; 0 means the default.
type Limits struct {
	Start   time.Duration // to load its library: 2 minutes
	Prepare time.Duration // a workload, compiling included: 10 minutes
	Round   time.Duration // besides the time that the sampling allows: 2 minutes
}

// A Peer is a library in a process of its own. The process is started when it is
// first needed and again after it ended, and is stopped while others have
// their turn.
type Peer struct {
	name    string
	command []string
	limits  Limits
	proc    *peerProcess  // nil: not running
	missing *MissingError // if not nil, it cannot take part
}

// NewPeer returns the peer whose process the command starts.
func NewPeer(name string, command []string, l Limits) *Peer {
	for _, d := range []struct {
		limit *time.Duration
		value time.Duration
	}{{&l.Start, 2 * time.Minute}, {&l.Prepare, 10 * time.Minute}, {&l.Round, 2 * time.Minute}} {
		if *d.limit == 0 {
			*d.limit = d.value
		}
	}
	return &Peer{name: name, command: command, limits: l}
}

// Name implements Contender.
func (p *Peer) Name() string { return p.name }

// Version starts the process and returns the library's version. The error is
// a *MissingError if it cannot take part.
func (p *Peer) Version(ctx context.Context) (string, error) {
	if p.missing != nil {
		return "", p.missing
	}
	if p.proc != nil {
		return p.proc.version, nil
	}
	proc, err := startPeer(p.command)
	if err != nil {
		p.missing = &MissingError{p.name, err.Error()}
		return "", p.missing
	}
	a, err := proc.answer(ctx, p.limits.Start)
	if err == nil && a.Version != "" {
		proc.version, p.proc = a.Version, proc
		return a.Version, nil
	}
	proc.kill()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil && a.Missing != "":
		err = errors.New(a.Missing)
	case err == nil:
		err = errors.New("it did not say its version")
	}
	p.missing = &MissingError{p.name, err.Error()}
	return "", p.missing
}

// Prepare implements Contender.
func (p *Peer) Prepare(ctx context.Context, spec string) (string, error) {
	version, err := p.Version(ctx)
	if err != nil {
		return "", err
	}
	_, err = p.ask(ctx, peerRequest{Do: "prepare", Workload: spec}, p.limits.Prepare)
	return version, err
}

// Round implements Contender.
func (p *Peer) Round(ctx context.Context, s Sampling) ([]float64, error) {
	a, err := p.ask(ctx, peerRequest{
		Do: "round", Samples: s.Samples, MinSample: s.MinSample.Seconds(), MaxTotal: s.MaxTotal.Seconds(),
	}, p.limits.Round+s.MaxTotal)
	if err == nil && len(a.Samples) == 0 {
		err = fmt.Errorf("%s: no samples in its answer", p.name)
	}
	return a.Samples, err
}

// ask makes a request. After an error that the peer did not tell of itself the
// process is gone.
func (p *Peer) ask(ctx context.Context, r peerRequest, limit time.Duration) (peerAnswer, error) {
	if p.proc == nil {
		return peerAnswer{}, fmt.Errorf("%s: its process is not running", p.name)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return peerAnswer{}, err
	}
	var a peerAnswer
	if _, err = p.proc.in.Write(append(text, '\n')); err == nil {
		a, err = p.proc.answer(ctx, limit)
	}
	if err != nil {
		p.Close()
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
		return a, fmt.Errorf("%s: %s: %w", p.name, r.Do, err)
	}
	if a.Error != "" {
		return a, fmt.Errorf("%s: %s: %s", p.name, r.Do, a.Error)
	}
	return a, nil
}

// Pause implements Contender: it stops the process.
func (p *Peer) Pause() error { return p.signal(syscall.SIGSTOP) }

// Resume implements Contender.
func (p *Peer) Resume() error { return p.signal(syscall.SIGCONT) }

func (p *Peer) signal(s syscall.Signal) error {
	if p.proc == nil {
		return nil
	}
	if err := syscall.Kill(-p.proc.cmd.Process.Pid, s); err != nil {
		p.Close()
		return fmt.Errorf("%s: its process ended: %w", p.name, err)
	}
	return nil
}

// Close ends the process.
func (p *Peer) Close() {
	if p.proc != nil {
		p.proc.kill()
		p.proc = nil
	}
}

// A peerRequest is a line that the process reads; see peers.py.
type peerRequest struct {
	Do        string  `json:"do"`
	Workload  string  `json:"workload,omitempty"`
	Samples   int     `json:"samples,omitempty"`
	MinSample float64 `json:"min_sample,omitempty"`
	MaxTotal  float64 `json:"max_total,omitempty"`
}

// A peerAnswer is a line that it writes.
type peerAnswer struct {
	Version string    `json:"version"`
	Missing string    `json:"missing"`
	Error   string    `json:"error"`
	Samples []float64 `json:"samples"`
}

type peerProcess struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan string // closed at the end of the output
	ended   chan struct{}
	stderr  tail
	version string
}

// startPeer starts a process in a group of its own, which ends when we do.
func startPeer(command []string) (*peerProcess, error) {
	p := &peerProcess{cmd: exec.Command(command[0], command[1:]...), lines: make(chan string, 1), ended: make(chan struct{})}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in = in
	// Pdeathsig is about the thread that starts the process: it lives as long.
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.ended)
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			p.lines <- lines.Text()
		}
		close(p.lines)
		p.cmd.Wait()
	}()
	return p, <-started
}

// answer waits for a line.
func (p *peerProcess) answer(ctx context.Context, limit time.Duration) (peerAnswer, error) {
	var a peerAnswer
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case line, ok := <-p.lines:
		if !ok {
			<-p.ended
			return a, fmt.Errorf("its process ended (%v)%s", p.cmd.ProcessState, p.stderr.last())
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			return a, fmt.Errorf("it answered %.80q", line)
		}
		return a, nil
	case <-late.C:
		return a, fmt.Errorf("it did not answer in %v", limit)
	case <-ctx.Done():
		return a, ctx.Err()
	}
}

// kill ends the process and what it started, and waits until it is gone.
func (p *peerProcess) kill() {
	select {
	case <-p.ended: // its number may be another's
		return
	default:
	}
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	for range p.lines {
		continue
	}
	<-p.ended
}

// tail keeps the last of what a process says on its standard error.
type tail struct{ text []byte }

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-tailSize):]
	return len(b), nil
}

// last returns the last line, with a colon before it, once the process ended.
func (t *tail) last() string {
	text := strings.TrimSpace(string(t.text))
	if text == "" {
		return ""
	}
	return ": " + text[strings.LastIndex(text, "\n")+1:]
}
