package model

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"unsafe"

	"github.com/wmtune/wmtune/codegen/native"
	"github.com/wmtune/wmtune/codegen/worker"
	"golang.org/x/sys/unix"
)

// WorkerKind is what a worker of this package calls itself.
const WorkerKind = "bundle"

// sharedFile is the descriptor that a worker inherits.
const sharedFile = 3

// A request asks a worker to load a bundle, to run it, or to run it up to the end of the next call.
type request struct {
	Load  *loadRequest
	Run   *runRequest
	Watch *watchRequest
	State *stateRequest

	Extents []int64 // of dimensions, for this run and those that follow
}

type loadRequest struct {
	Library, Name, Weights string
	Dims                   int  // dimensions whose extents a run is told
	Plans                  bool // a run is told extents, perhaps of no dimension
	Threads                int
	Flush                  bool
	Inputs, Outputs        []block
	Kept                   []Kept // the last inputs and outputs
}

type runRequest struct {
	Warm, Calls int
	Until       int64 // nanoseconds after which there are no more calls; 0: no limit
	Profile     bool
}

// A response answers a request. Samples are nanoseconds of each call.
type response struct {
	Error   string
	Steps   int
	Samples []int64
	Between []int64 // of each sample of a profile, what is not in its steps
	Medians []int64 // of each step of a profile, over the samples

	Denormals bool // met by the last run

	Call    int   // that a watched run made
	Ended   bool  // the watched run has
	Reached []int // how often it made each call

	Rows int64 // of the state
}

// Worker is the main function of a process that runs one bundle: it answers the requests
// on in until in ends.
func Worker(in io.Reader, out io.Writer) error {
	debug.SetGCPercent(-1) // between requests only
	s := &server{}
	return worker.Serve(worker.Service{Kind: WorkerKind, After: runtime.GC}, in, out,
		func(q *request, _ [][]byte) (any, [][]byte) {
			var r response
			var err error
			var data [][]byte
			if s.context != 0 && len(q.Extents) > 0 {
				err = s.setExtents(q.Extents)
			}
			switch {
			case err != nil:
			case q.Load != nil && s.context == 0:
				err = s.load(q.Load, &r)
			case q.Run != nil && s.context != 0 && s.watching == nil:
				err = s.run(q.Run, &r)
			case q.State != nil && s.context != 0 && s.watching == nil:
				err = s.changeState(q.State, &r)
			case q.Watch != nil && s.context != 0:
				data, err = s.watchRun(q.Watch, &r)
			default:
				err = fmt.Errorf("bundle worker: a request out of place")
			}
			if err != nil {
				r.Error = err.Error()
			}
			return r, data
		})
}

// A server is the state of a worker: one bundle.
type server struct {
	shared  []byte
	status  *status
	context uintptr
	steps   int
	in, out []uintptr

	library  *native.Library
	name     string
	watching *watch // nil: no run is watched

	sizes   []block // of tensors, the inputs first
	extents []int64
	bytes   func(extents *int64, tensor int32) int64

	runBundle func(ctx, in, out uintptr) int32
	profile   func(ctx, in, out, ns uintptr) int32
	text      func(code int32) uintptr

	kept      []Kept
	before    int64                                                             // rows of the state before a run
	state     func(ctx uintptr, what int32, length int64, arrays uintptr) int32 // nil: the bundle has no state
	length    func(ctx uintptr) int64
	truncate  func(ctx uintptr, rows int64) int32
	denormals func(ctx uintptr) int32
}

// load loads the library, maps the tensors and opens a context.
func (s *server) load(q *loadRequest, r *response) error {
	var info unix.Stat_t
	if err := unix.Fstat(sharedFile, &info); err != nil {
		return fmt.Errorf("memory to share: %w", err)
	}
	var err error
	s.shared, err = unix.Mmap(sharedFile, 0, int(info.Size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("memory to share: %w", err)
	}
	s.status = statusOf(s.shared)
	if s.in, err = mapTensors(q.Inputs); err != nil {
		return err
	}
	if s.out, err = mapTensors(q.Outputs); err != nil {
		return err
	}
	defer s.native()()
	lib, err := native.Open(q.Library)
	if err != nil {
		return fmt.Errorf("loading %s: %w", q.Library, err)
	}
	var open func(ctx *uintptr, weights *byte, threads int32) int32
	var steps func() int32
	var flush func(ctx uintptr, on int32) int32
	symbols := native.Symbols{
		q.Name + "_open": &open, q.Name + "_error": &s.text, q.Name + "_steps": &steps,
		q.Name + "_flush_denormals": &flush, q.Name + "_denormals": &s.denormals,
	}
	if q.Plans {
		s.withExtents(q, symbols)
	} else {
		symbols[q.Name+"_run"], symbols[q.Name+"_profile"] = &s.runBundle, &s.profile
	}
	if err := lib.Bind(symbols); err != nil {
		return fmt.Errorf("%s is not the library of a bundle called %s: %w", q.Library, q.Name, err)
	}
	if err := checkBytes(lib, q); !q.Plans && err != nil {
		return err
	}
	var path *byte
	if q.Weights != "" {
		path = unsafe.StringData(q.Weights + "\x00")
	}
	if r.Steps = int(steps()); r.Steps < 0 || r.Steps > maxSteps {
		return fmt.Errorf("%s has %d steps; at most %d can be run here", q.Library, r.Steps, maxSteps)
	}
	s.steps, s.library, s.name = r.Steps, lib, q.Name
	if code := open(&s.context, path, int32(q.Threads)); code != 0 {
		s.context = 0
		return fmt.Errorf("opening %s with weights %q: %s", q.Library, q.Weights, native.String(s.text(code)))
	}
	s.kept = q.Kept
	if lib.Bind(native.Symbols{q.Name + "_state": &s.state, q.Name + "_length": &s.length,
		q.Name + "_truncate": &s.truncate}) != nil {
		s.state = nil
	}
	if q.Flush {
		flush(s.context, 1)
	}
	return nil
}

// checkBytes makes sure that the tensors are those of the library: what describes a bundle may be another one's, and a
// run would write past its outputs. Older libraries do not say their sizes.
func checkBytes(lib *native.Library, q *loadRequest) error {
	var bytes func(tensor int32) int64
	if lib.Bind(native.Symbols{q.Name + "_bytes": &bytes}) != nil {
		return nil
	}
	for i, b := range append(slices.Clone(q.Inputs), append(slices.Clone(q.Outputs), block{Bytes: -1})...) {
		if has := bytes(int32(i)); has != b.Bytes {
			return fmt.Errorf("%s is another model's than its description: tensor %d has %d bytes there and %d here (-1: "+
				"there is none); compile the model again", q.Library, i, has, b.Bytes)
		}
	}
	return nil
}

// withExtents has runs be told the extents, by the functions of a program that has dimensions.
func (s *server) withExtents(q *loadRequest, symbols native.Symbols) {
	var run func(ctx, extents, in, out uintptr) int32
	var profile func(ctx, extents, in, out, ns uintptr) int32
	symbols[q.Name+"_run_dims"], symbols[q.Name+"_profile_dims"], symbols[q.Name+"_bytes_dims"] = &run, &profile, &s.bytes
	at := func() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s.extents))) }
	s.runBundle = func(ctx, in, out uintptr) int32 { return run(ctx, at(), in, out) }
	s.profile = func(ctx, in, out, ns uintptr) int32 { return profile(ctx, at(), in, out, ns) }
	n := len(q.Kept)
	s.extents = make([]int64, q.Dims)
	s.sizes = slices.Concat(q.Inputs[:len(q.Inputs)-n], q.Outputs[:len(q.Outputs)-2*n])
}

// setExtents sets the extents of the runs that follow, and makes sure that the tensors have room for them.
func (s *server) setExtents(extents []int64) error {
	if s.bytes == nil || len(extents) != len(s.extents) {
		return fmt.Errorf("%s takes the extents of %d dimensions, not of %d", s.name, len(s.extents), len(extents))
	}
	copy(s.extents, extents)
	for i, b := range s.sizes {
		if n := s.bytes(unsafe.SliceData(s.extents), int32(i)); n > b.Bytes {
			return fmt.Errorf("%s: tensor %d has %d bytes for the extents %v, and there is room for %d: compile the model again",
				s.name, i, n, extents, b.Bytes)
		}
	}
	return nil
}

// mapTensors returns the addresses of tensors.
func mapTensors(list []block) ([]uintptr, error) {
	addresses := make([]uintptr, len(list)+1) // never empty
	for i, b := range list {
		if err := func() (err error) {
			fd := sharedFile
			if b.Path != "" {
				how := os.O_RDONLY
				if b.Write {
					how = os.O_RDWR
				}
				f, err := os.OpenFile(b.Path, how, 0)
				if err != nil {
					return err
				}
				defer f.Close()
				if info, err := f.Stat(); err != nil || info.Size() < b.Start+b.size() {
					return fmt.Errorf("%s is too short for %d bytes at %d", b.Path, b.Bytes, b.Start+b.Skip)
				}
				fd = int(f.Fd())
			}
			addresses[i], err = mapGuarded(b, fd)
			return err
		}(); err != nil {
			return nil, fmt.Errorf("tensor %d: %w", i, err)
		}
	}
	return addresses, nil
}

// run calls the bundle.
func (s *server) run(q *runRequest, r *response) error {
	defer s.native()()
	in, out := uintptr(unsafe.Pointer(&s.in[0])), uintptr(unsafe.Pointer(&s.out[0]))
	ns := uintptr(unsafe.Pointer(unsafe.SliceData(s.shared[pageBytes:])))
	defer runtime.KeepAlive(s)
	begin := worker.Monotonic()
	var steps stepTimes
	for i := range q.Warm + q.Calls {
		if err := s.beginState(i == 0); err != nil {
			return err
		}
		start := worker.Monotonic()
		if i > q.Warm && q.Until > 0 && start-begin > q.Until {
			break
		}
		s.status.since.Store(start)
		var code int32
		profiled := q.Profile && i >= q.Warm
		if profiled {
			code = s.profile(s.context, in, out, ns)
		} else {
			code = s.runBundle(s.context, in, out)
		}
		if code != 0 {
			return fmt.Errorf("%s", native.String(s.text(code)))
		}
		if i >= q.Warm {
			took := worker.Monotonic() - start
			r.Samples = append(r.Samples, took)
			if profiled {
				r.Between = append(r.Between, took-steps.add(times(s.shared, s.steps)))
			}
		} else if i == q.Warm-1 {
			begin = worker.Monotonic()
		}
	}
	if err := s.endState(); err != nil {
		return err
	}
	r.Denormals, r.Medians = s.denormals(s.context) != 0, steps.medians()
	return nil
}

// stepTimes are the times of each step, run by run. A bundle adds to what it finds.
type stepTimes struct {
	sums []int64
	runs [][]int64 // by step
}

// add takes the sums after a run, and returns what all steps of the run took.
func (t *stepTimes) add(sums []int64) (all int64) {
	if t.sums == nil {
		t.sums, t.runs = make([]int64, len(sums)), make([][]int64, len(sums))
	}
	for i, ns := range sums {
		t.runs[i] = append(t.runs[i], ns-t.sums[i])
		all += ns - t.sums[i]
	}
	copy(t.sums, sums)
	return all
}

func (t *stepTimes) medians() []int64 {
	var list []int64
	for _, runs := range t.runs {
		slices.Sort(runs)
		list = append(list, runs[len(runs)/2])
	}
	return list
}

// native says that foreign code is about to run, which the process dies of at once, with
// the signal as its status, if it faults: Go's own handler knows nothing of it. The
// function that it returns ends that.
func (s *server) native() (end func()) {
	restore, err := worker.OnFault(worker.FaultAction{})
	if err != nil {
		panic("BUG: model: " + err.Error())
	}
	s.status.since.Store(worker.Monotonic())
	return func() {
		s.status.since.Store(0)
		restore()
	}
}
