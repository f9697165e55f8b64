package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/inspect"
)

const replayArgs = "LOG... [--check none|interp|llvm] [--prefixes] [--sample N] [--timed] [--compile ARCH,...] [--measure [--out FILE]] [--jobs N] [--json]"

const replayWhat = `Replay applies the steps of every record again, infers bounds, lowers the state to
a program, and checks the program. The records may be of any target and machine.

--check llvm compiles the program for this machine's processor, runs it at its
full size, and compares every output with the reference. The threads of a GPU
program run one after another. --check interp interprets a part of the program,
also with a GPU's blocks, threads and barriers (docs/checking.md).

--compile also compiles GPU programs for each architecture. It needs no GPU, and
counts the programs that fit into registers, spill, or are rejected. --measure
times the programs; GPU programs need a GPU here. --out writes the new times to a
new log. The same command continues an interrupted replay.

Replay counts the statuses of the records now. It lists the records that no longer
reproduce their recorded result, and those whose program is wrong or cannot be
made. If there are any, the exit code is 1.`

const replayExamples = `  wmtune replay wmtune-out/r50-t3/tuning.arrow
  wmtune replay --check none --prefixes *.arrow   replay and lower only: all programs on the way, too
  wmtune replay --sample 500 gpu.arrow            as many of each task, of a GPU that need not be here
  wmtune replay --check none --compile sm_86,sm_90 gpu.arrow   what the GPU's compiler makes of them
  wmtune replay --measure tuning.arrow            and compare the times with the log's
  wmtune replay --measure --out timed.arrow tuning.arrow   times for a search that had no GPU
`

// A replayCommand is a parsed command line of replay.
type replayCommand struct {
	logs     []string
	check    string
	prefixes bool
	sample   int
	seed     uint64
	timed    bool
	archs    string // architectures, separated by commas
	measure  bool
	out      string
	jobs     int
	asJSON   bool
}

func declareReplay(fs *pflag.FlagSet) action {
	c := replayCommand{}
	fs.StringVar(&c.check, "check", "llvm", "`kind` of check: llvm (compile, run and compare), interp (interpret a part), none (lower only)")
	fs.BoolVar(&c.prefixes, "prefixes", false, "lowering of the program after every step as well")
	fs.IntVar(&c.sample, "sample", 0, "`number` of records to replay, spread evenly over tasks; 0: all")
	fs.BoolVar(&c.timed, "timed", false, "only records that were correct and timed; others may run too long")
	fs.Uint64Var(&c.seed, "seed", 0, "random `seed` of --sample")
	fs.StringVar(&c.archs, "compile", "", "GPU `architectures` to compile for, such as sm_75,sm_90; needs NVRTC")
	fs.BoolVar(&c.measure, "measure", false, "times of the programs now, and their ratio to the logged times")
	fs.StringVar(&c.out, "out", "", "new log, a `file`, for the records as measured now; needs --measure")
	fs.IntVar(&c.jobs, "jobs", 0, "`number` of records at work at once; 0: one per core")
	fs.BoolVar(&c.asJSON, "json", false, "one JSON object")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		c.logs = args
		return c.run(ctx, stdout, stderr)
	}
}

func (c replayCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case len(c.logs) == 0:
		return usagef("no log is named")
	case c.check != "none" && c.check != "interp" && c.check != "llvm":
		return usagef("--check %q: known are none, interp and llvm", c.check)
	case c.measure && c.check != "llvm":
		return usagef("--measure needs --check llvm")
	case c.out != "" && !c.measure:
		return usagef("--out needs --measure")
	case c.jobs < 0:
		return usagef("--jobs %d: must not be negative", c.jobs)
	case c.sample < 0:
		return usagef("--sample %d: must not be negative", c.sample)
	}
	if err := apartFrom(c.out, c.logs); err != nil {
		return err
	}
	r := &replaying{replayCommand: c, programs: &inspect.Programs{}, progress: newProgress(stderr), start: time.Now()}
	return r.run(ctx, stdout)
}

// replaying is a replay under way.
type replaying struct {
	replayCommand
	programs *inspect.Programs
	progress *progress
	start    time.Time
	total    int // records to be replayed

	gpus    []*machine.GPUCompiler // of --compile
	out     *replayLog             // nil without --out
	machine machine.Machine        // nil before the first record that is compiled
	kind    target.Kind            // of the machine
	task    string                 // key of the workload that the runner is set to
	report  replayReport
}

func (r *replaying) run(ctx context.Context, stdout io.Writer) error {
	defer func() {
		if r.machine != nil {
			r.machine.Close()
		}
	}()
	ctx, signals := interrupts(ctx, func() bool { return false })
	defer signals.stop()
	err := r.openCompilers(ctx)
	var chosen map[string]choice
	if err == nil {
		chosen, err = r.choose(ctx)
	}
	if err == nil && r.replayCommand.out != "" {
		err = r.openOut(ctx, chosen)
	}
	if err == nil {
		err = r.all(ctx, chosen)
	}
	if e := r.out.close(); err == nil {
		err = e
	}
	if err != nil && !signals.Seen() {
		return err
	}
	r.progress.clearLine()
	r.report.finish(time.Since(r.start))
	if r.machine != nil {
		r.report.Conditions = r.machine.Conditions()
	}
	if err := r.report.print(stdout, r.asJSON); err != nil {
		return err
	}
	if signals.Seen() {
		return fmt.Errorf("%w after %d of %d records", errInterrupted, r.report.Records, r.total)
	}
	if n := r.report.FailedCount; n > 0 {
		return fmt.Errorf("%d of %d records no longer reproduce their recorded result", n, r.report.Records)
	}
	for _, c := range r.report.Compiled {
		if n := len(c.Failed); n > 0 {
			return fmt.Errorf("%d of %d good programs cannot be had for %s", n, c.Programs, c.Target)
		}
	}
	return nil
}

// openOut opens the log of --out. What it holds already is not replayed again.
func (r *replaying) openOut(ctx context.Context, chosen map[string]choice) error {
	var err error
	if r.out, err = openReplayLog(r.replayCommand.out); err != nil {
		return err
	}
	held, err := r.out.leaveOut(ctx, r.logs, chosen)
	if held > 0 {
		r.progress.say("resumed: %d of %d records are in %s already", held, r.total, r.out.path)
		r.total -= held
	}
	return err
}

// all replays the chosen records of the logs.
func (r *replaying) all(ctx context.Context, chosen map[string]choice) error {
	var window []pending
	var err error
	for _, log := range r.logs {
		if window, err = r.log(ctx, log, chosen[log], window); err != nil {
			return err
		}
	}
	return r.carryOut(ctx, window)
}

// A pending is a record to be replayed, and what came of it so far.
type pending struct {
	log    string
	number int
	record dataset.Record
	dag    *compute.DAG
	state  *schedule.State
	result measure.Result
	target target.Target // that it was measured on now; none if it was not
	built  float64       // seconds

	prefixes int            // that were lowered
	compiled []deviceResult // by --compile; none if it has no program
}

// replayWindow is how many records are held in memory, to be taken task by task.
const replayWindow = 4096

// log adds the chosen records of a log to the window, and carries it out whenever
// it is full.
func (r *replaying) log(ctx context.Context, path string, chosen choice, window []pending) ([]pending, error) {
	in, err := dataset.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	number := -1
	for rec, err := range in.Records() {
		if err != nil {
			return nil, err
		}
		if number++; !chosen.has(number) {
			continue
		}
		p := pending{log: path, number: number, record: rec}
		w, err := r.programs.Workload(&p.record)
		if err == nil {
			p.dag = w.DAG
		} else {
			p.result = measure.Result{Status: measure.LowerError, Message: err.Error()}
		}
		if window = append(window, p); len(window) < replayWindow {
			continue
		}
		if err := r.carryOut(ctx, window); err != nil {
			return nil, err
		}
		window = window[:0]
	}
	for _, w := range in.Warnings() {
		r.progress.say("warning: %s", w)
	}
	return window, nil
}

// carryOut replays the records of a window, and notes how they end.
func (r *replaying) carryOut(ctx context.Context, window []pending) error {
	groups := byTask(window)
	jobs := r.jobs
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	if err := r.lowerAll(ctx, groups, jobs); err != nil {
		return err
	}
	if r.check == "llvm" {
		for _, g := range groups {
			if err := r.compileAll(ctx, g); err != nil {
				return err
			}
		}
	}
	return r.out.flush()
}

// done notes how a record ended.
func (r *replaying) done(p *pending) {
	r.out.add(p)
	if !r.measure {
		p.result.Costs = nil // of a runner that cannot leave out the timing
	}
	p.state = nil
	r.report.note(p)
	r.showProgress()
}

// replayGroup bounds how many records of a task one worker takes at once.
const replayGroup = 64

// byTask returns the records of a window in groups of one task, in the order of
// each task's first record.
func byTask(window []pending) [][]*pending {
	var groups [][]*pending
	open := map[string]int{} // the last group of a task
	for i := range window {
		p := &window[i]
		key := taskText(&p.record)
		at, ok := open[key]
		if !ok || len(groups[at]) == replayGroup {
			at = len(groups)
			open[key] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], p)
	}
	return groups
}

// showProgress shows how many records are done, and when the rest may be.
func (r *replaying) showProgress() {
	elapsed, done := time.Since(r.start), r.report.Records
	line := fmt.Sprintf("%d of %d records, %s elapsed", done, r.total, elapsed.Round(time.Second))
	if done > 0 && done < r.total {
		left := time.Duration(float64(elapsed) * float64(r.total-done) / float64(done))
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	r.progress.showLine(line)
}
