// Package replay applies the steps of recorded programs again and says which records no longer
// reproduce their result: each program is lowered and, if the options say so, interpreted,
// compiled and compared with the reference, compiled for GPUs that are not here, or timed.
//
// It must not print, and must not know how candidates are searched or scored.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/inspect"
)

// The kinds of checks of a program.
const (
	LLVM   = "llvm"   // compile it, run it on this machine, and compare every output with the reference
	Interp = "interp" // interpret a part of it
	None   = "none"   // lower it only
)

// Checks lists the kinds of checks.
func Checks() []string { return []string{LLVM, Interp, None} }

// Options say what is replayed, and how.
type Options struct {
	Logs     []string // tuning logs, of any target and machine
	Check    string   // one of Checks
	Prefixes bool     // lower the program after every step as well
	Sample   int      // records to replay, spread evenly over tasks; 0 means all
	Seed     uint64   // random seed of the sample
	Timed    bool     // only records that were correct and timed
	Compile  []string // GPU architectures to compile GPU programs for, such as sm_75
	Measure  bool     // time the programs that are compiled, too
	Out      string   // new log of the records as measured now, continued if it exists; "" keeps none
	Machine  machine.Options
	Find     func(text string) (workload.Workload, error) // the workload of a record's text; nil means workload.Find
	Observer Observer
}

// An Observer is told how a replay goes on, by one goroutine at a time. Functions that
// are nil are not called.
type Observer struct {
	Say      func(text string)     // what a user should know
	Progress func(done, total int) // records
}

// check reports what is wrong with the options, as a *tune.OptionError.
func (o *Options) check() error {
	switch {
	case len(o.Logs) == 0:
		return tune.Optionf("name at least one tuning log: wmtune replay LOG...")
	case !slices.Contains(Checks(), o.Check):
		return tune.Optionf("--check %q: known are %s", o.Check, strings.Join(Checks(), ", "))
	case o.Measure && o.Check != LLVM:
		return tune.Optionf("--measure needs --check llvm")
	case o.Out != "" && !o.Measure:
		return tune.Optionf("--out needs --measure")
	case o.Machine.Workers < 0:
		return tune.Optionf("--jobs %d: must not be negative", o.Machine.Workers)
	case o.Sample < 0:
		return tune.Optionf("--sample %d: must not be negative", o.Sample)
	}
	return apartFrom(o.Out, o.Logs)
}

// A session is a replay under way.
type session struct {
	Options
	programs inspect.Programs
	gpus     []*machine.GPUCompiler // of Options.Compile
	out      *outLog                // nil without Options.Out
	opened   machine.Machine        // nil before the first record that is compiled
	kind     target.Kind            // of the machine
	task     string                 // key of the workload that the runner is set to
	result   *Result
}

// Run replays. The result is never nil: with an error, it says what was replayed until
// then. A record that does not reproduce its result is no error of Run, but of Result.Err.
func Run(ctx context.Context, o Options) (*Result, error) {
	started := time.Now()
	s := &session{Options: o, programs: inspect.Programs{Find: o.Find}, result: newResult()}
	err := o.check()
	if err == nil {
		err = s.run(ctx)
	}
	if e := s.out.close(); err == nil {
		err = e
	}
	s.result.finish(time.Since(started))
	if s.opened != nil {
		s.result.Conditions = s.opened.Conditions()
		s.opened.Close()
	}
	return s.result, err
}

func (s *session) run(ctx context.Context) error {
	if err := s.openCompilers(ctx); err != nil {
		return err
	}
	chosen, err := s.choose(ctx)
	if err != nil {
		return err
	}
	if s.Out != "" {
		if s.out, err = openOutLog(s.Out); err != nil {
			return err
		}
		err := s.out.leaveOut(ctx, s.Logs, chosen, s.result.noteHeld)
		if held := s.result.Resumed; held > 0 {
			s.say("resumed: %d of %d records are in %s already", held, s.result.Due, s.Out)
			s.result.Due -= held
		}
		if err != nil {
			return err
		}
	}
	var window []pending
	for _, log := range s.Logs {
		if window, err = s.log(ctx, log, chosen[log], window); err != nil {
			return err
		}
	}
	return s.carryOut(ctx, window)
}

// A pending is a record to be replayed, and its result so far.
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
	compiled []deviceResult // by Options.Compile; none if it has no program
}

// windowSize is how many records are held in memory, to be replayed task by task.
const windowSize = 4096

// log adds the chosen records of a log to the window, and replays the window whenever
// it is full.
func (s *session) log(ctx context.Context, path string, chosen choice, window []pending) ([]pending, error) {
	warnings, err := dataset.Each(ctx, path, func(number int, rec *dataset.Record) error {
		if !chosen.has(number) {
			return nil
		}
		p := pending{log: path, number: number, record: *rec}
		w, err := s.programs.Workload(&p.record)
		if err == nil {
			p.dag = w.DAG
		} else {
			p.result = measure.Result{Status: measure.LowerError, Message: err.Error()}
		}
		if window = append(window, p); len(window) < windowSize {
			return nil
		}
		err = s.carryOut(ctx, window)
		window = window[:0]
		return err
	})
	for _, w := range warnings {
		s.say("warning: %s", w)
	}
	return window, err
}

// carryOut replays the records of a window, and notes how they end.
func (s *session) carryOut(ctx context.Context, window []pending) error {
	groups := byTask(window)
	if err := s.lowerAll(ctx, groups, cmp.Or(s.Machine.Workers, runtime.GOMAXPROCS(0))); err != nil {
		return err
	}
	if s.Check == LLVM {
		for _, g := range groups {
			if err := s.compileAll(ctx, g); err != nil {
				return err
			}
		}
	}
	return errors.Join(s.out.flush(), ctx.Err()) // an interrupted batch is no error of its own
}

// done notes how a record ended.
func (s *session) done(p *pending) {
	s.out.add(p)
	if !s.Measure {
		p.result.Costs = nil // of a runner that cannot leave out the timing
	}
	p.state = nil
	s.result.note(p)
	if s.Observer.Progress != nil {
		s.Observer.Progress(s.result.Records, s.result.Due)
	}
}

func (s *session) say(format string, args ...any) {
	if s.Observer.Say != nil {
		s.Observer.Say(fmt.Sprintf(format, args...))
	}
}

// groupSize bounds how many records of a task one worker takes at once.
const groupSize = 64

// byTask returns the records of a window in groups of one task, in the order of
// each task's first record.
func byTask(window []pending) [][]*pending {
	var groups [][]*pending
	open := map[string]int{} // the last group of a task
	for i := range window {
		p := &window[i]
		key := taskText(&p.record)
		at, ok := open[key]
		if !ok || len(groups[at]) == groupSize {
			at = len(groups)
			open[key] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], p)
	}
	return groups
}
