package model

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unsafe"

	"github.com/wmtune/wmtune/codegen/worker"
)

// A LoadConfig says which bundle to load, and how.
type LoadConfig struct {
	Command []string // starts a worker, which calls Worker

	Library         string // path of the shared library
	Name            string // of the program
	Weights         string // path of the weights file; "": they are inside, or there are none
	Inputs, Outputs []Port
	Labels          []string // of Program.Calls, for errors; may be nil
	Level           string   // of Program.Levels; "" is the last that the processor has

	// Extents are those of Program.Dims, which SetExtents changes; nil of a program for one shape. Inputs and Outputs are
	// then what they are at the most, and arrays begin at their starts.
	Extents []int64

	// Kept has the values of a state that are the last inputs and outputs here, dense arrays: before a run the state is
	// set to those, with as many rows as the last of Extents, and after it the outputs are what it is then.
	Kept []Kept

	// Files say where tensors lie that are parts of files, which are mapped: the tensor is
	// read from there, or written to there. A file of an output must be long enough. The
	// keys are indices of ports.
	InputFiles, OutputFiles map[int]FilePart

	Threads        int           // 0: one for each processor that may be used
	FlushDenormals bool          // see NAME_flush_denormals; false leaves it to the bundle
	Timeout        time.Duration // of one call; 0 means ten minutes
	Nice           int           // how far the worker stands back for other processes: 0 to 19
}

// A FilePart is a place in a file.
type FilePart struct {
	Path   string
	Offset int64
}

// Loaded is a bundle in a worker process of its own. It is for one goroutine at a time.
type Loaded struct {
	cfg     LoadConfig
	process *worker.Process
	shared  *sharedMemory
	outputs []int // of each output: its index among the tensors
	steps   int
}

// A CrashError says that a bundle crashed or did not come back. The worker is gone.
type CrashError struct {
	Step  int    // in Program.Calls: the call that was probably running, or -1
	Label string // of the call, or ""
	Err   error  // a *worker.DeathError or *worker.DeadlineError
}

func (e *CrashError) Unwrap() error { return e.Err }

func (e *CrashError) Error() string {
	how := e.Err.Error()
	var dead *worker.DeathError
	if errors.As(e.Err, &dead) {
		how = "crashed: " + how
	}
	where := ""
	if e.Step >= 0 {
		where = fmt.Sprintf(", probably in step %d", e.Step)
		if e.Label != "" {
			where += " (" + e.Label + ")"
		}
	}
	return "the bundle " + how + where
}

// A call may take minutes: one runs all loops of a model that was not tuned, or packs all of its weights.
const defaultTimeout = 10 * time.Minute

// slowBytes is how many bytes of weights a slow disk and a busy processor read and hash in a second.
const slowBytes = 20 << 20

// loadTimeout bounds the load, which reads all weights.
func (c LoadConfig) loadTimeout() time.Duration {
	info, err := os.Stat(c.Weights)
	if err != nil {
		return c.Timeout // NAME_open says what is wrong with the file
	}
	return c.Timeout + time.Duration(info.Size()/slowBytes)*time.Second
}

// Load starts a worker that loads a bundle. An error says what the bundle's functions
// say, or is a *CrashError.
func Load(ctx context.Context, cfg LoadConfig) (*Loaded, error) {
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	l := &Loaded{cfg: cfg}
	var err error
	q := loadRequest{Plans: cfg.Extents != nil, Name: cfg.Name, Threads: cfg.Threads, Flush: cfg.FlushDenormals,
		Dims: len(cfg.Extents), Kept: cfg.Kept}
	if q.Library, err = filepath.Abs(cfg.Library); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if cfg.Weights != "" {
		if q.Weights, err = filepath.Abs(cfg.Weights); err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
	}
	var tensors []block
	for i, p := range cfg.Inputs {
		f := cfg.InputFiles[i]
		tensors = append(tensors, block{Path: f.Path, Skip: f.Offset, Bytes: p.Bytes()})
	}
	for i, p := range cfg.Outputs {
		f := cfg.OutputFiles[i]
		l.outputs = append(l.outputs, len(tensors))
		tensors = append(tensors, block{Path: f.Path, Skip: f.Offset, Bytes: p.Bytes(), Write: true})
		if p.Bounded {
			tensors = append(tensors, block{Bytes: 8 * int64(len(p.Shape)), Write: true})
		}
	}
	if l.shared, err = newShared(tensors, maxSteps); err != nil {
		return nil, err
	}
	q.Inputs, q.Outputs = tensors[:len(cfg.Inputs)], tensors[len(cfg.Inputs):]
	start := worker.Config{Kind: WorkerKind, Command: cfg.Command, Files: []*os.File{l.shared.file}, Nice: cfg.Nice}
	if cfg.Level != "" {
		start.Env = []string{levelVariable + "=" + cfg.Level}
	}
	l.process, err = worker.Start(ctx, start)
	if err != nil {
		l.shared.close()
		return nil, fmt.Errorf("model: %w", err)
	}
	r, err := l.askWithin(ctx, cfg.loadTimeout(), request{Load: &q})
	if err != nil {
		l.Close()
		return nil, err
	}
	l.steps = r.Steps
	return l, nil
}

// levelVariable is what levels.c reads.
const levelVariable = "WMTUNE_LEVEL"

// maxSteps is how many steps can be profiled.
const maxSteps = 1 << 16

// ask sends a request and waits while its calls take no longer than they may.
func (l *Loaded) ask(ctx context.Context, q request) (response, error) {
	return l.askWithin(ctx, l.cfg.Timeout, q)
}

// askWithin is ask with another limit on each call.
func (l *Loaded) askWithin(ctx context.Context, most time.Duration, q request) (response, error) {
	r, _, err := l.exchange(ctx, most, q)
	return r, err
}

// exchange is askWithin that also returns the answer's blobs.
func (l *Loaded) exchange(ctx context.Context, most time.Duration, q request) (response, [][]byte, error) {
	if l.process == nil {
		return response{}, nil, errors.New("model: the bundle is closed, or its worker has crashed")
	}
	clear(times(l.shared.data, l.steps))
	q.Extents = l.cfg.Extents
	state := statusOf(l.shared.data)
	limit := worker.Limit{Total: math.MaxInt64, Watch: func() error {
		if since := state.since.Load(); since != 0 && worker.Monotonic()-since > int64(most) {
			return &worker.DeadlineError{Limit: most}
		}
		return nil
	}}
	var r response
	data, err := l.process.Ask(ctx, limit, q, &r)
	if err != nil {
		l.process = nil
		var dead *worker.DeathError
		var late *worker.DeadlineError
		if errors.As(err, &dead) || errors.As(err, &late) {
			err = l.crash(q, err)
		}
		return r, nil, fmt.Errorf("model: %s: %w", l.cfg.Library, err)
	}
	if r.Error != "" {
		return r, nil, fmt.Errorf("model: %s: %s", l.cfg.Library, r.Error)
	}
	return r, data, nil
}

// crash finds the step that was probably running: the one after the last that ended.
func (l *Loaded) crash(q request, err error) error {
	e := &CrashError{Step: -1, Err: err}
	if q.Run == nil || !q.Run.Profile || q.Run.Calls != 1 {
		return e
	}
	e.Step = 0
	for i, ns := range times(l.shared.data, l.steps) {
		if ns != 0 {
			e.Step = i + 1
		}
	}
	if e.Step < len(l.cfg.Labels) {
		e.Label = l.cfg.Labels[e.Step]
	}
	return e
}

// Input returns the memory of an input, which is to be written before a run; nil if it
// has a file. It is valid until Close.
func (l *Loaded) Input(i int) []byte { return l.shared.tensor(i) }

// Output returns the memory of an output, whose elements are valid after a run; nil if it
// has a file. It is valid until Close.
func (l *Loaded) Output(i int) []byte { return l.shared.tensor(l.outputs[i]) }

// Shape returns the shape of an output: of a bounded one the true shape, valid after a run.
func (l *Loaded) Shape(i int) []int64 {
	p := l.cfg.Outputs[i]
	if !p.Bounded {
		return slices.Clone(p.Shape)
	}
	shape := make([]int64, len(p.Shape))
	for d := range shape {
		shape[d] = int64(binary.LittleEndian.Uint64(l.shared.tensor(l.outputs[i] + 1)[8*d:]))
	}
	return shape
}

// SetExtents sets the extents of dimensions for the runs that follow.
func (l *Loaded) SetExtents(extents []int64) { l.cfg.Extents = slices.Clone(extents) }

// Extents returns the extents of dimensions.
func (l *Loaded) Extents() []int64 { return l.cfg.Extents }

// Run runs the bundle once.
func (l *Loaded) Run(ctx context.Context) error {
	_, err := l.ask(ctx, request{Run: &runRequest{Calls: 1, Profile: true}})
	return err
}

// A Repeat says how often to run a bundle.
type Repeat struct {
	Warm  int           // runs that are not timed
	Calls int           // at most; 0 means 1
	Total time.Duration // of all timed calls: after it, no more begin; 0 means no limit
}

func (r Repeat) request() *runRequest {
	return &runRequest{Warm: r.Warm, Calls: max(r.Calls, 1), Until: int64(r.Total)}
}

// Time runs the bundle several times and returns how long each run took.
func (l *Loaded) Time(ctx context.Context, repeat Repeat) ([]time.Duration, error) {
	r, err := l.ask(ctx, request{Run: repeat.request()})
	return durations(r.Samples), err
}

// A Profile is how long runs took.
type Profile struct {
	Runs    []time.Duration
	Between []time.Duration // of each of Runs: what is not in a call of a kernel
	Steps   []time.Duration // of each of Program.Calls: the median over all runs

	// Denormals says that the last run computed with denormal numbers, which may be many
	// times slower than others.
	Denormals bool
}

// Profile runs the bundle several times and times each call of a kernel.
func (l *Loaded) Profile(ctx context.Context, repeat Repeat) (Profile, error) {
	q := repeat.request()
	q.Profile = true
	r, err := l.ask(ctx, request{Run: q})
	if err != nil {
		return Profile{}, err
	}
	return Profile{durations(r.Samples), durations(r.Between), durations(r.Medians), r.Denormals}, nil
}

func durations(ns []int64) []time.Duration {
	return slices.Clone(unsafe.Slice((*time.Duration)(unsafe.Pointer(unsafe.SliceData(ns))), len(ns)))
}

// Close ends the worker.
func (l *Loaded) Close() error {
	if l.process != nil {
		l.process.Kill()
		l.process = nil
	}
	if l.shared.data != nil {
		l.shared.close()
	}
	return nil
}
