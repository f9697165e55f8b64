package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

const replayArgs = "LOG... [--check none|llvm] [--measure] [--jobs N]"

const replayWhat = `Replay applies the steps of every record in tuning logs again, lowers the
result and, unless --check is none, compiles it and compares what it computes
with the reference. It counts how the records end now, and lists those that were
good and are not any more; then it exits with 1.`

const replayExamples = `  wmtune replay wmtune-out/r50-t3/tuning.arrow
  wmtune replay --check none *.arrow              replay and lower only
  wmtune replay --measure tuning.arrow            and compare the times with the log's
`

// A replayCommand is a parsed command line of replay.
type replayCommand struct {
	logs    []string
	check   string
	measure bool
	jobs    int
}

// replayBatch is how many records are built and run together.
const replayBatch = 32

func runReplay(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c := replayCommand{}
	fs := newFlags("replay", replayArgs, replayWhat, replayExamples, stdout)
	fs.StringVar(&c.check, "check", "llvm", "`how` to check: llvm (compile and compare), none (lower only)")
	fs.BoolVar(&c.measure, "measure", false, "time the programs, and print the ratio to the logged time")
	fs.IntVar(&c.jobs, "jobs", 0, "`number` of build processes; 0 means one per core")
	var err error
	if c.logs, err = parseFlags(fs, args, -1); err != nil {
		return err
	}
	switch {
	case len(c.logs) == 0:
		return usagef("no log is named")
	case c.check != "none" && c.check != "llvm":
		return usagef("--check %q: known are none and llvm", c.check)
	case c.measure && c.check == "none":
		return usagef("--measure needs --check llvm")
	case c.jobs < 0:
		return usagef("--jobs %d: must not be negative", c.jobs)
	}
	r := &replaying{replayCommand: c, programs: newPrograms(findWorkload), progress: newProgress(stderr), out: stdout}
	return r.run(ctx)
}

// replaying is a replay under way.
type replaying struct {
	replayCommand
	programs *programs
	progress *progress
	out      io.Writer

	machine machine     // nil before the first record that is checked
	kind    target.Kind // of the machine
	task    string      // key of the workload that the runner is set to
	records int
	now     dataset.StatusCounts
	worse   []worse
	ratios  []float64 // new time to logged time
}

// A worse is a record that was good and is not any more.
type worse struct {
	log    string
	number int
	result measure.Result
}

func (r *replaying) run(ctx context.Context) error {
	defer func() {
		if r.machine != nil {
			r.machine.close()
		}
	}()
	for _, log := range r.logs {
		if err := r.log(ctx, log); err != nil {
			return err
		}
	}
	r.print()
	if len(r.worse) > 0 {
		return fmt.Errorf("%d of %d records were good and are not any more", len(r.worse), r.records)
	}
	return nil
}

// A pending is a record that waits for its batch.
type pending struct {
	number int
	record dataset.Record
	state  *schedule.State
}

// log replays one log.
func (r *replaying) log(ctx context.Context, path string) error {
	in, err := dataset.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	var batch []pending
	number := 0
	for rec, err := range in.Records() {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		p := pending{number: number, record: rec}
		number++
		res := r.lower(&p)
		switch {
		case res.Status != measure.OK:
			r.note(path, &p, res)
		case r.check == "none":
			r.note(path, &p, measure.Result{Status: measure.OK})
		default:
			if len(batch) > 0 && (batch[0].record.WorkloadKey != rec.WorkloadKey || batch[0].record.Target.Kind != rec.Target.Kind || len(batch) == replayBatch) {
				if err := r.flush(ctx, path, batch); err != nil {
					return err
				}
				batch = batch[:0]
			}
			batch = append(batch, p)
		}
		r.progress.showLine(fmt.Sprintf("%s: %d records", path, number))
	}
	for _, w := range in.Warnings() {
		r.progress.say("warning: %s: %s", path, w)
	}
	if len(batch) == 0 {
		return nil
	}
	return r.flush(ctx, path, batch)
}

// lower replays and lowers a record.
func (r *replaying) lower(p *pending) measure.Result {
	fail := func(err error) measure.Result {
		return measure.Result{Status: measure.LowerError, Message: err.Error()}
	}
	state, err := r.programs.state(&p.record)
	if err != nil {
		return fail(err)
	}
	if _, err := lower.Lower(state, lower.Config{Target: p.record.Target, Layout: p.record.Layout}); err != nil {
		return fail(err)
	}
	p.state = state
	return measure.Result{Status: measure.OK}
}

// open makes the machine one for a kind of target.
func (r *replaying) open(ctx context.Context, kind target.Kind) error {
	if r.machine != nil && r.kind == kind {
		return nil
	}
	row, err := targetOf(kind)
	if err != nil {
		return fmt.Errorf("%w; --check none only replays and lowers", err)
	}
	if r.machine != nil {
		r.machine.close()
		r.machine, r.task = nil, ""
	}
	m, err := row.open(ctx, r.jobs)
	if err != nil {
		return err
	}
	r.machine, r.kind = m, kind
	return nil
}

// flush builds, checks and times a batch of records of one workload.
func (r *replaying) flush(ctx context.Context, path string, batch []pending) error {
	first := &batch[0].record
	if err := r.open(ctx, first.Target.Kind); err != nil {
		return err
	}
	if r.task != first.WorkloadKey {
		dag, err := r.programs.dag(first)
		if err != nil {
			return err
		}
		if err := r.machine.setTask(ctx, dag, first.Seed); err != nil {
			return err
		}
		r.task = first.WorkloadKey
	}
	inputs := make([]measure.Input, len(batch))
	for i, p := range batch {
		inputs[i] = measure.Input{State: p.state, Target: r.machine.target(), Layout: p.record.Layout}
	}
	built, err := r.machine.builder().Build(ctx, inputs)
	if err != nil {
		return err
	}
	results, err := r.machine.runner().Run(ctx, inputs, built)
	if err != nil {
		return err
	}
	for i := range batch {
		r.note(path, &batch[i], results[i])
	}
	return nil
}

// note counts how a record ended.
func (r *replaying) note(path string, p *pending, res measure.Result) {
	r.records++
	r.now[res.Status]++
	if p.record.Timed() && res.Status != measure.OK {
		r.worse = append(r.worse, worse{path, p.number, res})
	}
	if p.record.Timed() && res.Cost() > 0 {
		r.ratios = append(r.ratios, res.Cost()/p.record.Cost())
	}
}

func (r *replaying) print() {
	r.progress.clearLine()
	t := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "records\t%d\n", r.records)
	for _, c := range r.now.List() {
		fmt.Fprintf(t, "%s\t%d\n", c.Status, c.Count)
	}
	t.Flush()
	if r.measure && len(r.ratios) > 0 {
		lo, mid, hi := quartiles(r.ratios)
		fmt.Fprintf(r.out, "time now / time in the log: median %.2f, quartiles %.2f and %.2f\n", mid, lo, hi)
	}
	for i, w := range r.worse {
		if i == 20 {
			fmt.Fprintf(r.out, "... and %d more\n", len(r.worse)-i)
			break
		}
		fmt.Fprintf(r.out, "%s record %d: was ok, is %s: %s\n", w.log, w.number, w.result.Status, w.result.Message)
	}
}

// quartiles returns the 25th, 50th and 75th percentile of values, which it
// sorts.
func quartiles(values []float64) (lo, mid, hi float64) {
	slices.Sort(values)
	at := func(q float64) float64 { return values[int(q*float64(len(values)-1)+0.5)] }
	return at(0.25), at(0.5), at(0.75)
}
