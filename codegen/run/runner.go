package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset/measure"
	"golang.org/x/sys/unix"
)

// Config says how candidates are run. The zero value of every field but Command
// stands for a default.
type Config struct {
	// Command starts a worker: a program that calls Worker on its standard
	// input and output.
	Command []string

	// Reference starts the worker that computes the reference, where those of Command
	// do not, since their candidates run on a GPU; default: Command.
	Reference []string

	// Device is the number of the GPU, for workers whose candidates run on one.
	Device int

	// Cold has the GPU's second-level cache written full before every call that is timed.
	// Otherwise calls find what the ones before left there, as those on a processor do.
	Cold bool

	// Cores are the processors to run on: the first takes the calling thread,
	// each further one a thread of the pool. Default: all that the process may
	// use. Without pinning, times of parallel kernels are off by up to ten times.
	Cores []int

	// rounds of timing, spread over the batch; default 3; up to twice as many if they are disturbed
	Rounds    int
	Calls     int           // samples per round; default 10
	MinSample time.Duration // calls are repeated to make a sample this long; default 100 us
	// after which a candidate gets no further sample in a round, but for the first three; default 20 ms
	RoundTime time.Duration
	Spacing   time.Duration // between the starts of rounds, at least; default 50 ms

	// Timeout bounds one call of a candidate; default 10 s. A candidate has
	// less once a fast one is known: SlowFactor times the best, but at
	// least MinTimeout.
	Timeout    time.Duration
	MinTimeout time.Duration // default 3 s, for machines that are busy with other things
	SlowFactor float64       // default 30

	// ReferenceTimeout bounds one call of the reference, and of a baseline;
	// default 5 min.
	ReferenceTimeout time.Duration

	// GiveUp ends the timing of a candidate whose first calls took this many
	// times the best; default 4. It is recorded with those calls as its samples.
	GiveUp float64

	// MemoryLimit is what a worker may use beyond the tensors, in bytes; default
	// 4 GiB. About 50 MB plus 2 MB per thread of the pool is its own.
	MemoryLimit uint64

	// Memory bounds what a task needs, in bytes (see Need); default: three quarters of what is free.
	Memory uint64
}

func (c Config) withDefaults() Config {
	def := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	if c.Rounds == 0 {
		c.Rounds = 3
	}
	if c.Calls == 0 {
		c.Calls = 10
	}
	if c.SlowFactor == 0 {
		c.SlowFactor = 30
	}
	if c.GiveUp == 0 {
		c.GiveUp = 4
	}
	if c.MemoryLimit == 0 {
		c.MemoryLimit = 4 << 30
	}
	def(&c.MinSample, 100*time.Microsecond)
	def(&c.RoundTime, 20*time.Millisecond)
	def(&c.Spacing, 50*time.Millisecond)
	def(&c.Timeout, 10*time.Second)
	def(&c.MinTimeout, 3*time.Second)
	def(&c.ReferenceTimeout, 5*time.Minute)
	return c
}

// A Runner checks and times candidates of one task at a time in a worker
// process. Its methods may be called by one goroutine at a time; they wait for
// each other.
type Runner struct {
	cfg Config
	mu  sync.Mutex

	task    Reference
	sig     *signature // nil before SetTask
	vaultFD int        // -1 before SetTask
	proc    *workerProcess
	best    float64 // seconds of the fastest candidate of the task; 0 if none

	// anchor, if not nil, is the candidate with the best samples so far.
	anchor     *measure.BuildResult
	anchorBest float64 // seconds
	identities int     // of candidates, given so far
	references int     // calls of the reference for the task
	clocks     Clocks  // seen while candidates were timed
}

// New returns a runner. No process is started before SetTask.
func New(cfg Config) (*Runner, error) {
	if len(cfg.Command) == 0 {
		return nil, errors.New("run: no command to start a worker with")
	}
	if len(cfg.Cores) == 0 {
		var err error
		if cfg.Cores, err = UsableCores(); err != nil {
			return nil, err
		}
	}
	return &Runner{cfg: cfg.withDefaults(), vaultFD: -1}, nil
}

// Close ends the worker and frees what belongs to the task.
func (r *Runner) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget()
	return nil
}

func (r *Runner) forget() {
	r.stop()
	if r.vaultFD >= 0 {
		unix.Close(r.vaultFD)
	}
	r.vaultFD, r.sig, r.best, r.references, r.anchor = -1, nil, 0, 0, nil
}

// stop ends the worker, if there is one.
func (r *Runner) stop() {
	if r.proc != nil {
		r.proc.kill()
		r.proc = nil
	}
}

// SetTask makes inputs for a task and computes what its outputs should be. It
// is an error if the reference crashes, gives no finite results, or not what an
// independent evaluator of the definition says.
func (r *Runner) SetTask(ctx context.Context, t Reference) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget()
	need, err := Fits(t.DAG, r.cfg.Memory)
	if err != nil {
		return err
	}
	sig, err := t.signature()
	if err != nil {
		return err
	}
	sig.Cores, sig.Device, sig.Cold = r.cfg.Cores, r.cfg.Device, r.cfg.Cold
	room, err := need.room(r.cfg.Memory)
	if err != nil {
		return err
	}
	sig.Kept = min(room, mostKept, keptPrograms*sig.packedBytes())
	sig.Limit = r.cfg.MemoryLimit + need.Bytes() + sig.Kept + uint64(sig.Footprint)*uint64(len(sig.Constants))
	fd, err := unix.MemfdCreate("wmtune-vault", unix.MFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("run: memory for inputs and reference: %w", err)
	}
	r.vaultFD = fd
	if err := unix.Ftruncate(fd, vaultBytes(sig)); err != nil {
		r.forget()
		return fmt.Errorf("run: memory for inputs and reference: %w", err)
	}
	r.task, r.sig = t, sig
	if err := r.startReference(ctx); err != nil {
		r.forget()
		var d *deathError
		if errors.As(err, &d) && d.page.calls == 0 {
			return fmt.Errorf("run: a worker cannot run here: %w", d.DeathError)
		}
		if d != nil {
			_, text := judge(d, sig, nil)
			return fmt.Errorf("run: the reference program: %s", text)
		}
		return fmt.Errorf("run: the reference program: %w", err)
	}
	sig.Prepared = true
	v, err := openVault(r.vaultFD, sig, vaultRead)
	if err == nil {
		err = spotCheck(t.DAG, sig, v)
		v.close()
	}
	if err == nil && len(r.cfg.Reference) > 0 {
		r.stop()
		err = r.start(ctx)
	}
	if err != nil {
		r.forget()
	}
	return err
}

// start starts a worker for candidates and gives it the task. It is tried again if the
// worker was killed meanwhile.
func (r *Runner) start(ctx context.Context) error {
	kind := hostKind
	if len(r.cfg.Reference) > 0 {
		kind = gpuKind
	}
	return worker.Retry(func(int) error { return r.startCommand(ctx, kind, r.cfg.Command) })
}

// startReference is start of the worker that computes the reference.
func (r *Runner) startReference(ctx context.Context) error {
	if len(r.cfg.Reference) == 0 {
		return r.start(ctx)
	}
	return worker.Retry(func(int) error { return r.startCommand(ctx, hostKind, r.cfg.Reference) })
}

func (r *Runner) startCommand(ctx context.Context, kind string, command []string) error {
	p, err := startWorker(ctx, kind, command, r.vaultFD)
	if err != nil {
		return err
	}
	lim := limits{r.cfg.ReferenceTimeout, time.Duration(2*inputSets*len(levels))*r.cfg.ReferenceTimeout + r.overhead()}
	ans, err := p.ask(ctx, &request{Kind: "task", Task: r.sig}, lim, r.task.Runtime, r.task.Program.Object)
	if err != nil {
		return err
	}
	if ans.Error != "" {
		p.kill()
		return errors.New(ans.Error)
	}
	p.spans = ans.Spans
	r.references += len(ans.Calls)
	r.proc = p
	return nil
}

// overhead bounds what a worker does with the tensors besides calling kernels:
// filling and comparing goes at 50 MB/s at the very least.
func (r *Runner) overhead() time.Duration {
	return 10*time.Second + time.Duration(float64(r.sig.bytes())/50e6*float64(time.Second))
}

// callLimit bounds one call of a candidate.
func (r *Runner) callLimit() time.Duration {
	if r.best == 0 {
		return r.cfg.Timeout
	}
	t := time.Duration(r.best * r.cfg.SlowFactor * float64(time.Second))
	return min(max(t, r.cfg.MinTimeout), r.cfg.Timeout)
}

// Restart begins the task anew, with the inputs and the reference that it has: what
// candidates took so far no longer bounds later ones, and they run in a fresh worker.
// Several searches of one task do not show in each other's times then.
func (r *Runner) Restart() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop()
	r.best, r.anchor = 0, nil
}

// UsableCores returns the numbers of the processors that this process may use,
// in order.
func UsableCores() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("run: usable processors: %w", err)
	}
	var list []int
	for i := 0; len(list) < set.Count(); i++ {
		if set.IsSet(i) {
			list = append(list, i)
		}
	}
	return list, nil
}
