package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/wmtune/wmtune/codegen/driver"
	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"golang.org/x/sys/unix"
)

// What the runner asks of a worker. The kinds of requests:
//
//	task   the signature, limits and run-time; blobs: run-time, reference
//	load   link, check; blob: the object
//	time   one round of samples of a loaded candidate
//	verify compare the results of a loaded candidate again
//	drop   unload all candidates
//	bench  time a plain kernel; blobs: run-time, the object
type request struct {
	Kind  string
	Task  *signature  `json:",omitempty"`
	Load  *loadOrder  `json:",omitempty"`
	Time  *timeOrder  `json:",omitempty"`
	Bench *benchOrder `json:",omitempty"`
}

// A signature is what a worker must know of a task.
type signature struct {
	DAG       string // its text; "" if that cannot be parsed
	Tensors   []tensor
	Outputs   int // number of tensors at the end that are outputs
	Seed      uint64
	Error     float64 // relative error that computing in the tensors' types may make; see tolerance.go
	TF32      float64 // by how much it is larger for a candidate that rounds to tf32
	Symbol    string  // of the reference
	Cores     []int   // the caller's, then one per thread of the pool
	Limit     uint64  // bytes of writable memory; 0: none
	Kept      uint64  // most bytes of packed operands that candidates keep between their turns
	Special   bool    // the second set of inputs has infinities and NaNs; see chooses
	Prepared  bool    // inputs and reference results are in memory already
	Device    int     // number of the GPU, for an engine that is one
	Footprint int64   // see Task
	Constants []int   // numbers of the tensors that are weights
	Cold      bool    // its cache is written full before every call that is timed
}

// inputs and outputs split the tensors.
func (s *signature) inputs() []tensor  { return s.Tensors[:len(s.Tensors)-s.Outputs] }
func (s *signature) outputs() []tensor { return s.Tensors[len(s.Tensors)-s.Outputs:] }

// A tensor is an argument of the kernel.
type tensor struct {
	Name  string
	Type  tir.DType
	Shape []int64
	Fill  filling // for an input
	Peaks peaks   // for an input
}

func (t tensor) elems() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

func (t tensor) bytes() int64 { return t.elems() * int64(t.Type.Bytes()) }

type loadOrder struct {
	ID      int
	Symbol  string
	Packs   []measure.Pack
	Trusted bool      // checked before, by a worker that is gone
	Brief   bool      // a first call that is long is all there is
	Once    *Coverage // the first way of checking is all there is, and covers so much
	Passes  int       // how often it must pass the check
	TF32    bool      // it rounds to tf32
	Growth  float64   // how many times larger its errors may be; 0 means 1

	Launches   []measure.Launch // of a program for a GPU
	Workspaces []int64

	// Slow is the time of a call, in seconds, above which the first is all there
	// is, and above half of which one way of checking is enough; 0 means that there
	// is none.
	Slow float64
}

type timeOrder struct {
	ID int
	sampling
}

type benchOrder struct {
	Symbol  string
	Buffers []int64 // bytes of each argument
	Cores   []int
	sampling
}

// An answer to a request.
type answer struct {
	Error   string         // the worker's own, not the candidate's
	Status  measure.Status // of the candidate
	Message string
	Seconds float64      // spent on the request
	Calls   []float64    // seconds of the reference's calls, or of a checked candidate's first two
	Slow    bool         // the first call of a candidate was too slow for a second, or enough: it is not loaded any more
	Samples []float64    // seconds per call
	Repeat  int          // calls per sample
	Level   int          // of the inputs, see input.go
	Clock   driver.Clock // of the GPU, right after it was timed; 0 MHz if not known
	Spans   []span       // where the tensors lie
}

// A span is the memory of one tensor with its guards, for telling what a
// faulting address belongs to.
type span struct {
	Tensor             int
	Low, Start, Stop   uint64 // lower guard, data
	High               uint64 // end of the upper guard
	ReadOnly, HighSide bool   // HighSide: the data end at the upper guard
}

// The kinds of workers that this package has.
const (
	hostKind = "run"
	gpuKind  = "gpu"
)

// A workerProcess is a running worker, and what the runner knows of it.
type workerProcess struct {
	*worker.Process
	page  *statusPage // nil once the process is gone
	spans []span

	loaded map[int]bool // candidates in it
	used   map[int]bool // candidates that ran in it
}

// A deathError means that the process ended while it worked on a request.
type deathError struct {
	*worker.DeathError
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
	p.Process, err = worker.Start(ctx, worker.Config{Kind: kind, Command: command, Files: []*os.File{status, vault}})
	if err != nil {
		page.close()
		return nil, fmt.Errorf("run: %w", err)
	}
	return p, nil
}

// startIdle starts a worker that has no task.
func startIdle(ctx context.Context, kind string, command []string) (*workerProcess, error) {
	fd, err := unix.MemfdCreate("wmtune-nothing", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("run: worker: %w", err)
	}
	defer unix.Close(fd)
	return startWorker(ctx, kind, command, fd)
}

// limits bound a request: no call of a kernel longer than call, and all of it no
// longer than total.
type limits struct{ call, total time.Duration }

// ask sends a request and returns the answer. After an error the process is
// gone: a *worker.DeadlineError, a *deathError, or the context's error.
func (p *workerProcess) ask(ctx context.Context, req *request, lim limits, blobs ...[]byte) (*answer, error) {
	ans := &answer{}
	if _, err := p.Ask(ctx, lim.of(p.page), req, ans, blobs...); err != nil {
		return nil, p.ended(err)
	}
	return ans, nil
}

// of has a status page tell how long a call runs.
func (l limits) of(page *statusPage) worker.Limit {
	return worker.Limit{Total: l.total, Watch: func() error {
		if page.running() < l.call.Seconds() {
			return nil
		}
		return &worker.DeadlineError{Limit: l.call}
	}}
}

// ended ends the process after an error, and returns it with the status page if that is how the process died.
func (p *workerProcess) ended(err error) error {
	var dead *worker.DeathError
	if errors.As(err, &dead) {
		err = &deathError{dead, *p.page}
	}
	p.kill()
	return err
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
