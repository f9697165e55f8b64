package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tune/replay"
)

const replayArgs = "LOG... [--check none|interp|llvm] [--prefixes] [--sample N] [--timed] [--compile ARCH,...] " +
	"[--measure [--out FILE]] [--jobs N] [--memory SIZE] [--json]"

const replayWhat = `Replay applies the steps of every record again, infers bounds, lowers the state to
a program, and checks the program. The records may be of any target and machine.

--check llvm compiles the program for this machine's processor, runs it at its
full size, and compares every output with the reference. The threads of a GPU
program run one after another. --check interp interprets a part of the program,
also with a GPU's blocks, threads and barriers (docs/design/checking.md).

--compile also compiles GPU programs for each architecture. It needs no GPU, and
counts the programs that fit into registers, spill, or are rejected. --measure
times the programs; GPU programs need a GPU here. --out writes the new times to a
new log. The same command continues an interrupted replay.

Replay counts the statuses of the records now. It lists records that no longer
reproduce their result, compute a wrong answer, or fail to lower. If there are any,
the exit code is 1.`

const replayExamples = `  wmtune replay wmtune-out/r50-t3/tuning.arrow
  wmtune replay --check none --prefixes *.arrow   replay and lower only: all programs on the way, too
  wmtune replay --sample 500 gpu.arrow            as many of each task; the GPU may be elsewhere
  wmtune replay --check none --compile sm_86,sm_90 gpu.arrow   what the GPU's compiler makes of them
  wmtune replay --measure tuning.arrow            and compare the times with the log's
  wmtune replay --measure --out timed.arrow tuning.arrow   times for a search that had no GPU
`

// A replayCommand is a parsed command line of replay.
type replayCommand struct {
	replay.Options
	archs  string // architectures, separated by commas
	memory byteSize
	asJSON bool
}

func declareReplay(fs *pflag.FlagSet) action {
	c := &replayCommand{}
	fs.StringVar(&c.Check, "check", replay.LLVM,
		"`kind` of check: llvm (compile, run and compare), interp (interpret a part), none (lower only)")
	fs.BoolVar(&c.Prefixes, "prefixes", false, "lowering of the program after every step as well")
	fs.IntVar(&c.Sample, "sample", 0, "`number` of records to replay, spread evenly over tasks; 0: all")
	fs.BoolVar(&c.Timed, "timed", false, "only records that were correct and timed; others may run too long")
	fs.Uint64Var(&c.Seed, "seed", 0, "random `seed` of --sample")
	fs.StringVar(&c.archs, "compile", "", "GPU `architectures` to compile for, such as sm_75,sm_90; needs NVRTC")
	fs.BoolVar(&c.Measure, "measure", false, "times of the programs now, and their ratio to the logged times")
	fs.StringVar(&c.Out, "out", "", "new log, a `file`, for the records as measured now; needs --measure")
	fs.IntVar(&c.Machine.Workers, "jobs", 0, "`number` of records at work at once; 0: one per core")
	declareWorkloadMemory(fs, &c.memory)
	declareQuiet(fs)
	fs.BoolVar(&c.asJSON, "json", false, "one JSON object")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		c.Logs, c.Machine = args, machineOptions(c.Machine.Workers)
		c.Machine.Timing.Memory = uint64(c.memory)
		if c.archs != "" {
			c.Compile = strings.Split(c.archs, ",")
		}
		return c.run(ctx, stdout, stderr)
	}
}

func (c *replayCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	p, start := newProgress(stderr), time.Now()
	c.Observer.Say = func(text string) { p.say("%s", text) }
	c.Observer.Progress = func(done, total int) {
		elapsed := time.Since(start)
		line := fmt.Sprintf("%d of %d records, %s elapsed", done, total, elapsed.Round(time.Second))
		if done > 0 && done < total {
			left := time.Duration(float64(elapsed) * float64(total-done) / float64(done))
			line += fmt.Sprintf(", %s left", left.Round(time.Second))
		}
		p.showLine(line)
	}
	ctx, signals := interrupts(ctx, func() bool { return false })
	defer signals.stop()
	r, err := replay.Run(ctx, c.Options)
	p.clearLine()
	if err != nil && !signals.Seen() {
		return err
	}
	if c.asJSON {
		err = json.NewEncoder(stdout).Encode(r)
	} else {
		err = printReplay(stdout, r)
	}
	switch {
	case err != nil:
		return err
	case signals.Seen():
		return fmt.Errorf("%w after %d of %d records", errInterrupted, r.Records, r.Due)
	}
	return r.Err()
}

// printReplay prints how a replay ended.
func printReplay(w io.Writer, r *replay.Result) error {
	fmt.Fprintf(w, "%d records", r.Records)
	if r.Records < r.Of {
		fmt.Fprintf(w, " of %d", r.Of)
	}
	fmt.Fprintf(w, ", %d tasks, %d programs lowered in %.1f s\n", r.Tasks, r.Lowered, r.Seconds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "status\tin the log\tnow\n")
	for _, s := range measure.Statuses() {
		if logged, now := r.Logged[s.String()], r.Status[s.String()]; logged > 0 || now > 0 {
			fmt.Fprintf(t, "%s\t%d\t%d\n", s, logged, now)
		}
	}
	err := t.Flush()
	if r.Ratio != nil {
		fmt.Fprintf(w, "time now / time in the log: median %.2f, quartiles %.2f and %.2f\n",
			r.Ratio.Median, r.Ratio.Low, r.Ratio.High)
	}
	if r.Conditions != "" {
		fmt.Fprintln(w, r.Conditions)
	}
	printFailed(w, r.Failed, "is")
	for _, c := range r.Compiled {
		printCompiled(w, c)
	}
	return err
}

// printCompiled prints how the programs of GPUs compile for an architecture.
func printCompiled(w io.Writer, c *replay.Compiled) {
	fmt.Fprintf(w, "%s: %d programs: %d fit, %d spill", c.Target, c.Programs, c.Status[measure.OK.String()], c.Spilled)
	for _, s := range measure.Statuses() {
		n := c.Status[s.String()]
		if s == measure.BuildError {
			n -= c.Spilled
		}
		if s != measure.OK && n > 0 {
			fmt.Fprintf(w, ", %d %s", n, s)
		}
	}
	fmt.Fprintln(w)
	printFailed(w, c.Failed, "for "+c.Target+" is")
}

// printedFailures is how many failures are printed.
const printedFailures = 20

// printFailed prints failures; what says how they are now: "is".
func printFailed(w io.Writer, list []replay.Failure, what string) {
	for i, f := range list {
		if i == printedFailures {
			fmt.Fprintf(w, "... and %d more; --json lists all\n", len(list)-i)
			break
		}
		fmt.Fprintf(w, "%s record %d (%s): was %s, %s %s: %s\n",
			f.Log, f.Record, f.Workload, f.Logged, what, f.Status, f.Message)
	}
}
