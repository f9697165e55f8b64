package rivals

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/wmtune/wmtune/codegen/worker"
)

// script is the program of the peers' processes.
//
//go:embed peers.py
var script []byte

// PeerKind is the kind of worker that a peer is, in the words of package worker.
const PeerKind = "peer"

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
	proc    *worker.Process // nil: not running
	version string          // of the library in proc
	missing *MissingError   // if not nil, it cannot take part
}

// NewPeer returns the peer whose process the command starts.
func NewPeer(name string, command []string, l Limits) *Peer {
	l = Limits{cmp.Or(l.Start, 2*time.Minute), cmp.Or(l.Prepare, 10*time.Minute), cmp.Or(l.Round, 2*time.Minute)}
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
		return p.version, nil
	}
	var a PeerAnswer
	proc, err := worker.Start(ctx, worker.Config{Kind: PeerKind, Command: p.command})
	if err == nil {
		_, err = proc.Ask(ctx, worker.Limit{Total: p.limits.Start}, PeerRequest{Do: "version"}, &a)
	}
	if err == nil && a.Version != "" {
		p.proc, p.version = proc, a.Version
		return a.Version, nil
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		p.missing = &MissingError{p.name, failure(err)}
		return "", p.missing
	case a.Missing == "":
		a.Missing = "it did not say its version"
	}
	proc.Kill()
	p.missing = &MissingError{p.name, a.Missing}
	return "", p.missing
}

// failure says why there is no answer; the last line of a Python program tells most.
func failure(err error) string {
	var dead *worker.DeathError
	if !errors.As(err, &dead) || dead.Garbled != nil {
		return err.Error()
	}
	return fmt.Sprintf("its process ended (%s): %s", dead.How(), dead.Words[strings.LastIndex(dead.Words, "\n")+1:])
}

// Prepare implements Contender.
func (p *Peer) Prepare(ctx context.Context, spec string) (string, error) {
	version, err := p.Version(ctx)
	if err != nil {
		return "", err
	}
	_, err = p.ask(ctx, PeerRequest{Do: "prepare", Workload: spec}, p.limits.Prepare)
	return version, err
}

// Round implements Contender.
func (p *Peer) Round(ctx context.Context, s Sampling) ([]float64, error) {
	a, err := p.ask(ctx, PeerRequest{
		Do: "round", Samples: s.Samples, MinSample: s.MinSample.Seconds(), MaxTotal: s.MaxTotal.Seconds(),
	}, p.limits.Round+s.MaxTotal)
	if err == nil && len(a.Samples) == 0 {
		err = fmt.Errorf("%s: no samples in its answer", p.name)
	}
	return a.Samples, err
}

// ask makes a request. After an error that the peer did not tell of itself the
// process is gone.
func (p *Peer) ask(ctx context.Context, r PeerRequest, limit time.Duration) (PeerAnswer, error) {
	if p.proc == nil {
		return PeerAnswer{}, fmt.Errorf("%s: its process is not running", p.name)
	}
	var a PeerAnswer
	if _, err := p.proc.Ask(ctx, worker.Limit{Total: limit}, r, &a); err != nil {
		p.proc = nil
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
		return a, fmt.Errorf("%s: %s: %s", p.name, r.Do, failure(err))
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
	if p.proc != nil && !p.proc.Signal(s) {
		p.Close()
		return fmt.Errorf("%s: its process ended", p.name)
	}
	return nil
}

// Close ends the process.
func (p *Peer) Close() {
	if p.proc != nil {
		p.proc.Kill()
		p.proc = nil
	}
}

// A PeerRequest is what the process is asked; see peers.py.
type PeerRequest struct {
	Do        string  `json:"do"`
	Workload  string  `json:"workload,omitempty"`
	Samples   int     `json:"samples,omitempty"`
	MinSample float64 `json:"min_sample"`
	MaxTotal  float64 `json:"max_total,omitempty"`

	Model *ModelInput `json:"model,omitempty"` // to prepare in place of a workload
}

// A PeerAnswer is what it answers.
type PeerAnswer struct {
	Version string    `json:"version"`
	Missing string    `json:"missing"`
	Error   string    `json:"error"`
	Samples []float64 `json:"samples"`

	MaxError *float64 `json:"max_error"` // of a model
}
