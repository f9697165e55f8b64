package run

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/wmtune/wmtune/codegen/native"
	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"golang.org/x/sys/unix"
)

// The files that a worker inherits, beside the standard ones.
const (
	statusFile = 3 // the status page
	vaultFile  = 4 // inputs and expected results
)

// Worker serves requests from in and answers on out, until in ends. It is the
// main function of a run worker: it inherits the files that a Runner hands over,
// limits its own memory, and dies of what candidates do.
func Worker(in io.Reader, out io.Writer) error {
	return serve(hostKind, in, out, func(w *server) engine { return hostEngine{w} })
}

// serve is the body of a worker whose candidates run on an engine.
func serve(kind string, in io.Reader, out io.Writer, open func(*server) engine) error {
	// Kernels run on this thread, which is pinned; the collector would disturb
	// them, so it runs between requests only.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	debug.SetGCPercent(-1)
	native.PermitTiles() // for candidates that have them
	page, err := openStatusPage(statusFile)
	if err != nil {
		return err
	}
	w := &server{page: page, loaded: map[int]candidate{}}
	w.engine = open(w)
	service := worker.Service{Kind: kind, After: collect}
	return worker.Serve(service, in, out, func(req *request, blobs [][]byte) (any, [][]byte) {
		start := time.Now()
		ans := w.serve(req, blobs)
		ans.Seconds = time.Since(start).Seconds()
		return ans, nil
	})
}

// muchHeap is how many bytes of objects, dead ones included, are worth a collection, which takes milliseconds: a
// request leaves some 100 kB.
const muchHeap = 64 << 20

// collect runs the collector if there is much to collect.
func collect() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); heap[0].Value.Uint64() > muchHeap {
		runtime.GC()
	}
}

// A server is the state of a worker process: one task and its candidates.
type server struct {
	page   *statusPage
	engine engine
	sig    *signature
	dag    *compute.DAG // of the task; nil if its text cannot be parsed
	vault  *vault
	expect [inputSets][]*expectation
	loaded map[int]candidate

	// Of candidates that run in this process, and of the reference.
	base   *base
	places [2]*placement // by side
	copies *rotation     // of constant operands; nil: calls find them in the caches
}

func (w *server) serve(req *request, blobs [][]byte) *answer {
	restore, err := catchFaults(w.page)
	if err != nil {
		return &answer{Error: err.Error()}
	}
	defer restore()
	ans := &answer{}
	switch {
	case req.Kind == "task" && req.Task != nil && len(blobs) == 2:
		err = w.task(req.Task, blobs[0], blobs[1], ans)
	case req.Kind == "load" && req.Load != nil && len(blobs) == 1 && w.sig != nil:
		err = w.load(req.Load, blobs[0], ans)
	case req.Kind == "time" && req.Time != nil && w.loaded[req.Time.ID] != nil:
		err = w.time(req.Time, ans)
	case req.Kind == "verify" && req.Load != nil && w.loaded[req.Load.ID] != nil:
		err = w.verify(req.Load, ans)
	case req.Kind == "drop":
		err = w.drop()
	case req.Kind == "bench" && req.Bench != nil && len(blobs) == 2:
		err = w.bench(req.Bench, blobs[0], blobs[1], ans)
	default:
		err = fmt.Errorf("run: worker: request %q is out of place", req.Kind)
	}
	var failed *failure
	if errors.As(err, &failed) {
		ans.Status, ans.Message = failed.status, failed.text
	} else if err != nil {
		ans.Error = err.Error()
	}
	return ans
}

// task prepares everything that candidates have in common.
func (w *server) task(s *signature, runtimeObject, reference []byte, ans *answer) error {
	w.sig = s
	if err := w.engine.found(s, runtimeObject); err != nil {
		return err
	}
	var err error
	if s.DAG != "" {
		if w.dag, err = compute.Parse(s.DAG); err != nil {
			return err
		}
	}
	if !s.Prepared {
		if err := w.prepare(reference, ans); err != nil {
			return err
		}
	}
	if w.vault, err = openVault(vaultFile, s, vaultRead); err != nil {
		return err
	}
	for set := range inputSets {
		for i, t := range s.outputs() {
			x := newExpectation(t, w.vault.wants[set][i], s.Error, s.TF32)
			x.special = s.Special && set == specialSet
			if w.dag != nil {
				inputs := readers(s.inputs(), w.vault.inputs[set])
				x.excuse = func(a arithmetic) *excuse { return newExcuse(w.dag, w.dag.Results()[i], inputs, a) }
			}
			w.expect[set] = append(w.expect[set], x)
		}
	}
	return w.engine.place(ans)
}

// reservedBytes is more address space than the Go run-time, libraries and the
// stacks of threads reserve.
const reservedBytes = 4 << 30

// confine pins the thread and limits memory.
func confine(s *signature) error {
	if len(s.Cores) > 0 {
		var set unix.CPUSet
		set.Set(s.Cores[0])
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			return fmt.Errorf("run: pinning to processor %d: %w", s.Cores[0], err)
		}
	}
	if s.Limit == 0 {
		return nil
	}
	// What counts is memory that can be written. Where the kernel does not hold
	// that limit, the one on address space, of which Go reserves much, remains.
	limits := map[int]uint64{unix.RLIMIT_DATA: s.Limit, unix.RLIMIT_AS: s.Limit + reservedBytes}
	if err := worker.Limits(limits); err != nil {
		return fmt.Errorf("run: memory: %w", err)
	}
	return nil
}

// prepare fills the vault: inputs, and the results of the reference for them.
func (w *server) prepare(reference []byte, ans *answer) error {
	v, err := openVault(vaultFile, w.sig, vaultWrite)
	if err != nil {
		return err
	}
	defer v.close()
	ref, err := w.base.link(reference, w.sig.Symbol, nil)
	if err != nil {
		return fmt.Errorf("run: the reference: %w", err)
	}
	defer ref.close()
	// Extreme results are accepted only if no level does without, as where the
	// maximum is taken of nothing but padding.
	var bad string
	for _, ok := range []extremes{refused, accepted} {
		for level := range levels {
			ans.Level = level
			if bad, err = w.attempt(ref, v, level, ok, ans); bad == "" || err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("run: the operator cannot be checked: for every kind of input tried the reference gives %s", bad)
}

// extremes says whether results of the reference may be near the ends of their
// type, or beyond.
type extremes bool

const (
	refused  extremes = false
	accepted extremes = true
)

// attempt fills the vault with inputs of one level and their results. It returns
// which result is unfit, if any.
func (w *server) attempt(ref *program, v *vault, level int, ok extremes, ans *answer) (bad string, err error) {
	for set := 0; set < inputSets && bad == ""; set++ {
		for i, t := range w.sig.inputs() {
			fill(v.inputs[set][i], t, w.sig.Seed, set, i, level)
			if w.sig.Special && set == specialSet {
				fillSpecial(v.inputs[set][i], t, w.sig.Seed, i)
			}
		}
		seconds, err := w.refer(ref, v, set)
		if err != nil {
			return "", err
		}
		ans.Calls = append(ans.Calls, seconds)
		if bad, err = w.unfit(v, set, ok); err != nil {
			return "", err
		}
	}
	return bad, nil
}

// refer runs the reference on one set of inputs.
func (w *server) refer(ref *program, v *vault, set int) (seconds float64, err error) {
	var tensors []*guarded
	defer func() {
		for _, g := range tensors {
			g.close()
		}
	}()
	for i, t := range w.sig.Tensors {
		wide := t
		wide.Type = widened(t.Type)
		g, err := newGuarded(wide.bytes(), atUpper)
		if err != nil {
			return 0, err
		}
		tensors = append(tensors, g)
		if i >= len(w.sig.inputs()) {
			poisonNaN.fill(g.data, wide.Type)
			continue
		}
		if wide.Type == t.Type {
			copy(g.data, v.inputs[set][i])
			continue
		}
		for j := range t.elems() {
			putFloat(g.data[8*j:], tir.F64, getFloat(v.inputs[set][i][j*int64(t.Type.Bytes()):], t.Type))
		}
	}
	args := newArgv(tensors)
	defer args.close()
	seconds = ref.call(w.page, args, 1)
	for i := range w.sig.outputs() {
		copy(v.wants[set][i], tensors[len(w.sig.inputs())+i].data)
	}
	return seconds, nil
}

// unfit describes a result of the reference that the output's type cannot hold
// with room for the intermediate values, or holds to no bit, or that programs which round cannot
// get; or returns "". Where extremes are
// accepted, NaN is unfit, and what is too large becomes infinite: the
// expectation of something as large.
func (w *server) unfit(v *vault, set int, ok extremes) (string, error) {
	if w.sig.Special && set == specialSet {
		return "", nil
	}
	for i, t := range w.sig.outputs() {
		if !t.Type.IsFloat() {
			continue
		}
		for j := range t.elems() {
			at := v.wants[set][i][8*j:]
			x := getFloat(at, tir.F64)
			switch {
			case x == x && !extreme(x, t.Type):
			case x != x || !bool(ok):
				return fmt.Sprintf("%g at %s[%s]", x, t.Name, indexText(j, t.Shape)), nil
			default:
				putFloat(at, tir.F64, math.Inf(int(math.Copysign(1, x))))
			}
		}
	}
	var expect []*expectation
	for i, t := range w.sig.outputs() {
		x := newExpectation(t, v.wants[set][i], w.sig.Error, w.sig.TF32)
		if !bool(ok) && x.vanishes() {
			return fmt.Sprintf("only numbers below %.3g for %s", compute.Smallest(t.Type), t.Name), nil
		}
		expect = append(expect, x)
	}
	if w.dag == nil {
		return "", nil
	}
	return uncheckable(w.dag, readers(w.sig.inputs(), v.inputs[set]), w.sig.Seed, set, expect)
}

// load links a candidate and checks it.
func (w *server) load(o *loadOrder, object []byte, ans *answer) (err error) {
	c, err := w.engine.link(o, object)
	if err != nil {
		return err
	}
	bad, keep := "", true
	if !o.Trusted {
		bad, keep, err = w.assess(c, o, ans)
	}
	if bad != "" || err != nil || !keep {
		err = errors.Join(err, c.close())
	} else {
		w.loaded[o.ID] = c
	}
	if ans.Status = measure.OK; bad != "" {
		ans.Status, ans.Message = measure.WrongAnswer, bad
	}
	return err
}

// assess checks a candidate, and calls it as it is when timed. It returns what is
// wrong, or "", and whether it is worth timing.
func (w *server) assess(c candidate, o *loadOrder, ans *answer) (bad string, keep bool, err error) {
	ways := trialsOf(o)
	first := ways[0]
	first.part = o.Once != nil && *o.Once == Part
	bad, seconds, err := check(c, []trial{first})
	if bad != "" || err != nil {
		return bad, false, err
	}
	if o.Once != nil {
		ans.Calls, ans.Slow = []float64{seconds}, true
		return "", false, nil
	}
	far := false
	if o.Slow > 0 && o.Passes == 1 && seconds > o.Slow/2 {
		// It will not be handed over, so the rest of the check, and with it most of
		// the time that it costs, can go.
		if seconds < worthCallingOnce {
			if seconds, err = again(c, seconds); err != nil {
				return "", false, err
			}
		}
		if far = seconds > o.Slow/2; far {
			ans.Calls = []float64{seconds}
		}
		if seconds > o.Slow {
			ans.Slow = true
			return "", false, nil
		}
	}
	long := seconds > longCall
	if !far && !(o.Brief && long) {
		bad, _, err = check(c, ways[1:])
	}
	for pass := 1; bad == "" && err == nil && pass < o.Passes; pass++ {
		bad, _, err = check(c, ways)
	}
	if bad != "" || err != nil {
		return bad, false, err
	}
	if err := c.settle(); err != nil || far {
		return "", true, err
	}
	if long {
		ans.Calls = []float64{seconds}
	}
	bad, err = c.ready()
	// Two calls as they are when timed, without guards around temporaries,
	// tell whether the candidate is worth timing. Guards do not matter to a
	// long call, so it tells already.
	more := func() bool { return !long && len(ans.Calls) < 2 }
	if o.Brief && long {
		more = func() bool { return len(ans.Calls) < briefCalls && sum(ans.Calls) < briefTotal }
	}
	for bad == "" && err == nil && more() {
		if seconds, err = c.call(1); err == nil {
			ans.Calls = append(ans.Calls, seconds)
		}
	}
	return bad, true, err
}

// again calls a candidate whose first call took so many seconds once more, as when it
// is timed, and returns the faster.
func again(c candidate, seconds float64) (float64, error) {
	bad, err := c.ready()
	if bad != "" || err != nil {
		return seconds, err
	}
	t, err := c.call(1)
	return min(seconds, t), err
}

// A program that is checked in brief is called up to briefCalls times, for
// briefTotal seconds or so.
const (
	briefCalls = 3
	briefTotal = 10.0
)

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

func (w *server) drop() error {
	for id, c := range w.loaded {
		if err := c.close(); err != nil {
			return err
		}
		delete(w.loaded, id)
	}
	return nil
}
