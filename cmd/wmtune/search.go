package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

const searchArgs = "[--workload SPEC | --workload-file FILE] [flags]"

const searchWhat = `Search finds a fast kernel for a workload on this machine. It builds candidates,
checks each against a reference, and times the correct ones. The folder --out
holds the tuning log and the fastest kernel so far.

The same command continues an existing log where it stopped. Ctrl-C once finishes
the current round and keeps its records. Ctrl-C twice stops at once. The log stays
intact in both cases.

If only --time is given, the number of trials has no limit. Where candidates are
checked but not timed, the default of --per-round is 64. With --layout rewrite a
function beside the kernel packs the weights; the kernel packs other operands
where that is faster.`

const searchExamples = `  wmtune search                                        a demo workload
  wmtune search --workload matmul:m=512,n=512,k=512 --trials 200
  wmtune search --workload paper22/r50-t3 --time 10m --patience 200
  wmtune search --workload paper22/r50-t3 --scorer gbt --pretrain wmtune-out/*/tuning.arrow
  wmtune search --workload paper22/r50-t3 --trials 0      the model's own choice, not measured
  wmtune search --workload conv2d:h=56,w=56,ci=64,co=64,k=3,s=1,p=1,epilogue=bias+relu
  wmtune search --workload-file attention.txt --out attention --json
  wmtune workloads                                     what SPEC can be
`

// A searchCommand is a parsed command line of search.
type searchCommand struct {
	spec, file string
	target     string
	kind       target.Kind // of target
	trials     int         // in the log in the end; 0 means no limit
	unmeasured bool        // the scorer's choice is wanted, without any trial
	time       time.Duration
	patience   int
	perRound   int
	scorer     string
	model      string // folder; "" means the one in the program
	local      bool
	warm       logList
	seed       uint64
	layout     target.Layout
	spaceName  string
	tf32       bool
	space      search.Space
	jobs       int
	memory     byteSize
	log, out   string
	json       bool
}

func (c searchCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	w, err := c.workload(ctx)
	if err != nil {
		return err
	}
	spareGarbage(len(w.DAG.Ops))
	if c.out == "" {
		c.out = filepath.Join("wmtune-out", w.Name)
	}
	if c.log == "" {
		c.log = filepath.Join(c.out, "tuning.arrow")
	}
	p := newProgress(stderr)
	if c.spec == "" && c.file == "" {
		p.say("no --workload: tuning the demo %s", workload.Demo)
	}
	s := &searching{searchCommand: c, w: w, progress: p, started: time.Now()}
	ctx, signals := interrupts(ctx, func() bool {
		if !s.measuring.Load() {
			p.say("interrupted: no candidate was being measured")
			return false
		}
		p.say("interrupted: the round under way is finished and kept; press Ctrl-C again to stop now")
		return true
	})
	defer signals.stop()
	s.signals = signals
	err = s.run(ctx)
	if s.result.Log == "" { // the search did not start
		return interruption(ctx, signals, err)
	}
	if c.json {
		if e := json.NewEncoder(stdout).Encode(s.result); err == nil {
			err = e
		}
	} else if err == nil || errors.Is(err, search.ErrNothingCorrect) || signals.Seen() && s.result.Trials > 0 {
		s.result.print(stdout)
	}
	if errors.Is(err, search.ErrNothingCorrect) && !signals.Seen() {
		return fmt.Errorf("%w among %d trials; 'wmtune show %s' prints the status of every one", errNothing, s.result.Trials, c.log)
	}
	return interruption(ctx, signals, err)
}

// interruption makes the error of an interrupted search.
func interruption(ctx context.Context, signals *interrupter, err error) error {
	if signals.Seen() && (err == nil || ctx.Err() != nil || errors.Is(err, search.ErrNothingCorrect)) {
		return fmt.Errorf("%w: run the same command again to go on", errInterrupted)
	}
	return err
}

func declareSearch(fs *pflag.FlagSet) action {
	c := &searchCommand{}
	fs.StringVar(&c.spec, "workload", "", "workload to tune, a `spec`: OP:KEY=VALUE,... or SUITE/NAME, as 'wmtune workloads' lists them")
	fs.StringVar(&c.file, "workload-file", "", "workload `file` (docs/workload-file.md), or - for standard input")
	fs.StringVar(&c.target, "target", "llvm", "`kind` of target: "+machine.Help())
	fs.IntVar(&c.trials, "trials", 64, "`number` of candidates in the finished log; 0: the scorer's choice, unmeasured")
	fs.DurationVar(&c.time, "time", 0, "time limit, a `duration` such as 10m; 0: none")
	fs.IntVar(&c.patience, "patience", 0, "`number` of trials without improvement after which to stop; 0: no limit")
	fs.IntVar(&c.perRound, "per-round", 0, "`number` of candidates in a round; 0: a quarter of --trials, 4 to 64")
	fs.StringVar(&c.scorer, "scorer", costmodel.Default(), "`name` of the scorer, which ranks candidates before they are measured: "+scorerNames())
	fs.StringVar(&c.model, "model", "", "`folder` of the model for --scorer world; empty: the built-in model")
	fs.BoolVar(&c.local, "online", false, "a correction that --scorer world learns during the search")
	fs.Var(&c.warm, "pretrain", "tuning `log` that --scorer gbt learns from first; several may follow")
	fs.Uint64Var(&c.seed, "seed", 0, "random `seed`; the same seed gives the same candidates")
	fs.StringVar(&c.spaceName, "space", "wmtune", "`name` of the search space: wmtune, or autoscheduler (TVM's, for comparisons)")
	fs.BoolVar(&c.tf32, "allow-tf32", false, "tensor cores may round float32 operands to tf32 (10-bit mantissa)")
	layout := fs.String("layout", target.Rewrite.String(), "weight `layout`: rewrite (pre-packed for the kernel) or keep")
	fs.IntVar(&c.jobs, "jobs", 0, "`number` of build workers; 0: one per core")
	fs.Var(&c.memory, "memory", "memory limit of a workload, a `size` such as 8GB (default 3/4 of what is free)")
	fs.StringVar(&c.log, "log", "", "tuning log, a `file`; continued if it exists (default OUT/tuning.arrow)")
	fs.StringVar(&c.out, "out", "", "`folder` for the kernel and result.json (default wmtune-out/NAME)")
	fs.BoolVar(&c.json, "json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
		switch {
		case len(c.warm) > 0:
			c.warm = append(c.warm, args...) // --pretrain LOG...
		case len(args) > 0:
			return usagef("unexpected argument %q", args[0])
		}
		if c.layout, err = target.ParseLayout(*layout); err != nil {
			return usagef("--%v", err)
		}
		if err := c.check(fs.Changed); err != nil {
			return err
		}
		return c.run(ctx, stdout, stderr)
	}
}

func (c *searchCommand) check(given func(flag string) bool) error {
	switch {
	case c.spec != "" && c.file != "":
		return usagef("--workload and --workload-file exclude each other")
	case given("workload") && c.spec == "", given("workload-file") && c.file == "":
		return usagef("the workload is empty; 'wmtune workloads' lists what can be tuned")
	case c.trials < 0:
		return usagef("--trials %d: must not be negative", c.trials)
	case c.trials == 0 && (c.scorer == "random" || c.scorer == "gbt" && len(c.warm) == 0):
		return usagef("--trials 0: --scorer %s knows nothing without measuring; use --scorer world, or gbt with --pretrain LOG", c.scorer)
	case c.trials == 0 && c.time > 0:
		return usagef("--trials 0 measures nothing, so it takes no --time")
	case c.time < 0:
		return usagef("--time %v: must be positive", c.time)
	case c.patience < 0, c.perRound < 0, c.jobs < 0:
		return usagef("--patience, --per-round and --jobs must not be negative")
	}
	var err error
	if c.kind, err = machine.Valid(c.target); err != nil {
		return usageError{"--target: " + err.Error()}
	}
	if layouts := machine.Layouts(c.kind); !slices.Contains(layouts, c.layout) {
		if given("layout") {
			return usagef("--layout %s: for %s weights keep the layout that they have", c.layout, c.kind)
		}
		c.layout = layouts[0]
	}
	if c.space, err = space.Find(c.kind, c.spaceName); err != nil {
		return usageError{"--space: " + err.Error()}
	}
	if c.tf32 {
		if err := c.allowTF32(); err != nil {
			return err
		}
	}
	switch err := c.checkScorer(); {
	case err != nil:
		return err
	case (c.model != "" || c.local) && c.scorer != "world":
		return usagef("--model and --online need --scorer world, not %s", c.scorer)
	}
	if len(c.warm) > 0 && c.scorer != "gbt" {
		return usagef("--pretrain needs --scorer gbt: %s does not learn", c.scorer)
	}
	c.unmeasured = c.trials == 0
	if c.time > 0 && !given("trials") {
		c.trials = 0
	}
	return nil
}

// workload returns what is to be tuned.
func (c *searchCommand) workload(ctx context.Context) (workload.Workload, error) {
	switch c.file {
	case "":
	case "-":
		return workload.Read(ctx, os.Stdin, "standard input")
	default:
		return workload.ReadFile(ctx, c.file)
	}
	spec := c.spec
	if spec == "" {
		spec = workload.Demo
	}
	w, err := workload.Find(spec)
	if err != nil {
		return workload.Workload{}, usageError{err.Error()}
	}
	return w, nil
}

// searching is a search under way.
type searching struct {
	searchCommand
	w        workload.Workload
	progress *progress
	signals  *interrupter
	started  time.Time

	measuring atomic.Bool // candidates are: there is something to finish

	machine machine.Machine
	ranks   search.Scorer
	log     *dataset.Writer
	output  *output
	past    []dataset.Record
	checked []checkedCandidate
	wrong   []string       // steps of programs that failed, in the log or now
	told    string         // what the scorer said of the task
	places  map[string]int // of programs in past, by trajectory
	show    *display
	result  result
}

// run searches, and leaves what it found in s.result.
func (s *searching) run(ctx context.Context) (err error) {
	if _, err := run.Fits(s.w.DAG, uint64(s.memory)); err != nil {
		return err
	}
	if s.machine, err = machine.Open(ctx, s.target, s.machineOptions()); err != nil {
		return err
	}
	defer s.machine.Close()
	if err := s.checkTF32(s.machine.Target()); err != nil {
		return err
	}
	if err := s.noteTF32(); err != nil {
		return err
	}
	if s.output, err = openOutput(s.out, s.w); err != nil {
		return err
	}
	defer s.output.close()
	if err := s.openLog(); err != nil {
		return err
	}
	defer func() {
		if e := s.log.Close(); err == nil {
			err = e
		}
	}()
	if err := s.openScorer(ctx); err != nil {
		return err
	}
	s.result = result{
		Workload: s.w.Text, WorkloadKey: s.w.Key, Target: s.machine.Target().String(), Scorer: s.scorer, Seed: s.seed,
		Layout: s.layout.String(), Trials: len(s.past), Status: map[string]int{}, Reason: "not ended",
		Log: s.searchCommand.log, Out: s.out, Version: version(),
	}
	for _, r := range s.past {
		s.result.Status[r.Status.String()]++
	}
	s.show = newDisplay(s)
	defer s.show.close()
	if s.unmeasured {
		return s.choose(ctx)
	}
	if err := s.baseline(ctx); err != nil {
		return err
	}
	return s.tune(ctx)
}

// machineOptions has the machine say how far a large batch is.
func (s *searching) machineOptions() machine.Options {
	o := machineOptions(s.jobs)
	o.Timing.Memory = uint64(s.memory)
	o.Progress = func(phase string) {
		if s.show != nil {
			s.show.phase(phase)
		}
	}
	return o
}

// openLog opens the log to continue it.
func (s *searching) openLog() error {
	task := dataset.Task{WorkloadKey: s.w.Key, Workload: s.w.Text, Target: s.machine.Target(), Layout: s.layout}
	log, err := dataset.OpenWriter(s.searchCommand.log, dataset.WriterOptions{
		Task: &task, Past: s.remember,
	})
	if err != nil {
		return err
	}
	s.log = log
	for _, w := range log.Warnings() {
		s.progress.say("warning: %s", w)
	}
	if err := s.refuseTF32(); err != nil {
		return errors.Join(err, s.log.Close())
	}
	if len(s.past) > 0 {
		s.progress.say("continuing %s, which holds %d trials", s.searchCommand.log, len(s.past))
	}
	return nil
}

// remember adds a record of the log to the past. One that withdraws an earlier one
// stands in its place.
func (s *searching) remember(r dataset.Record) {
	s.noteWrong(r)
	if i, ok := s.places[r.Trajectory]; ok && !r.Timed() {
		s.past[i] = r
		return
	}
	if s.places == nil {
		s.places = map[string]int{}
	}
	s.places[r.Trajectory] = len(s.past)
	s.past = append(s.past, r)
	s.noteChecked(r)
}

// withdraw keeps that a candidate that was ok failed as a finalist.
func (s *searching) withdraw(r dataset.Record) error {
	s.result.Status[measure.OK.String()]--
	s.result.Status[r.Status.String()]++
	s.noteWrong(r)
	s.progress.say("warning: candidate %d was ok and, measured again, is not: %s", r.Trial, outcome(&r))
	return s.signals.Keep(func() error { return s.log.Append([]dataset.Record{r}) })
}

// checkScorer rejects a scorer that cannot be opened. The model in the program is not
// opened for that.
func (c *searchCommand) checkScorer() error {
	if c.scorer == "world" && c.model == "" && models.HasDefault(c.kind) {
		return nil
	}
	_, err := openScorer(c.scorer, c.scorerOptions(nil))
	if costmodel.Unavailable(err) {
		return fmt.Errorf("--scorer %s: %w; or search without a cost model: --scorer random", c.scorer, err)
	}
	return err
}

// scorerOptions says what the scorer is opened for.
func (c *searchCommand) scorerOptions(tell func(text string)) costmodel.Options {
	o := scorerOptions(c.seed, c.kind, tell)
	o.Model, o.Online = c.model, c.local
	return o
}

// openScorer opens the scorer.
func (s *searching) openScorer(ctx context.Context) (err error) {
	s.ranks, err = openScorer(s.scorer, s.scorerOptions(func(text string) {
		s.told = text
		s.progress.say("%s", text)
	}))
	if g, ok := s.ranks.(*costmodel.GBT); ok && err == nil && len(s.warm) > 0 {
		err = g.Pretrain(ctx, s.warm, func(text string) { s.progress.say("%s", text) })
	}
	return err
}

// baseline sets the task and times the untuned loop nest.
func (s *searching) baseline(ctx context.Context) error {
	s.show.phase("computing the reference")
	if err := s.machine.SetTask(ctx, s.w.DAG, s.seed); err != nil {
		return err
	}
	if why := s.machine.CannotTime(); why != "" {
		s.progress.say("%s", why)
		return nil
	}
	s.show.phase("timing the untuned loop nest")
	res, err := s.machine.Baseline(ctx, measure.NewInput(schedule.New(s.w.DAG), s.machine.Target(), target.Keep))
	if err != nil {
		return err
	}
	s.result.setUntuned(res)
	if s.result.UntunedUS == nil && res.Status != measure.Unmeasured {
		s.progress.say("warning: the untuned loop nest was not timed: %s: %s", res.Status, res.Message)
	}
	return nil
}

func (s *searching) task() *search.Task {
	return &search.Task{Name: s.w.Text, Key: s.w.Key, DAG: s.w.DAG, Target: s.machine.Target(), Space: s.space, Layout: s.layout}
}

// tune runs the tuner, and exports what it finds.
func (s *searching) tune(ctx context.Context) error {
	t := &search.Tuner{
		Task:    s.task(),
		Scorer:  s.ranks,
		Builder: s.machine.Builder(), Runner: s.machine.Runner(),
		Options: search.Options{
			Trials: s.trials, Time: s.time, Patience: s.patience, PerRound: s.roundSize(),
			Seed: s.seed, ScorerName: s.scorer, Workers: s.jobs,
			Clock: time.Now, Stop: s.signals.Finish, OnEvent: s.show.event,
			OnRound: func(r search.Round) error { return s.round(ctx, r) }, OnWithdrawn: s.withdraw,
		},
	}
	began := time.Now()
	if s.time > 0 {
		t.Options.Time = max(s.time-began.Sub(s.started), time.Millisecond)
	}
	if s.trials > 0 {
		if t.Options.Trials = s.trials - len(s.past); t.Options.Trials <= 0 {
			return s.nothingLeft(ctx)
		}
	}
	s.measuring.Store(true)
	out, err := t.Run(ctx, s.past)
	s.result.NewTrials = out.Trials
	s.result.Seconds = time.Since(s.started).Seconds()
	if spent := time.Since(began).Seconds(); spent > 0 {
		s.result.CandidatesPerSecond = float64(out.Trials) / spent
	}
	s.result.Reason = out.Reason.String()
	if s.result.Tied = out.Tied; out.Tied > 0 {
		s.result.TiedRate = search.TieRate
	}
	if e := s.keep(context.WithoutCancel(ctx), out); e != nil && (err == nil || errors.Is(err, search.ErrNothingCorrect)) {
		err = e
	}
	return err
}

// roundSize returns the number of candidates in a round; 0 leaves it to the tuner.
// Nothing is learned from candidates that are not timed: they come in large rounds,
// since each round seeks its own.
func (s *searching) roundSize() int {
	switch {
	case s.perRound > 0 || s.trials == 0:
		return s.perRound
	case s.machine.CannotTime() != "":
		return min(s.trials, search.RoundSize(0))
	}
	// Of the trials in all, not of those that a continued log lacks: a search that was
	// interrupted goes on as it would have.
	return search.RoundSize(s.trials)
}

// nothingLeft exports the best of a log that holds all trials already.
func (s *searching) nothingLeft(ctx context.Context) error {
	s.progress.say("%s holds %d trials already; ask for more with --trials", s.searchCommand.log, len(s.past))
	s.result.Reason = search.TrialsSpent.String()
	before, _ := s.output.readResult() // what the finalists' last comparison chose
	best := -1
	for i, r := range s.past {
		if !r.Timed() {
			continue
		}
		if before.WorkloadKey == s.w.Key && before.Steps == string(schedule.FormatSteps(r.Steps)) {
			best, s.result.Tied, s.result.TiedRate = i, before.Tied, before.TiedRate
			break
		}
		if best < 0 || r.Cost() < s.past[best].Cost() {
			best = i
		}
	}
	if best < 0 {
		return s.keepChecked(ctx)
	}
	return s.exportRecord(ctx, s.past[best])
}

// round keeps a round: first in the log, then the best kernel so far.
func (s *searching) round(ctx context.Context, r search.Round) error {
	if err := s.signals.Keep(func() error { return s.log.Append(r.Records) }); err != nil {
		return err
	}
	for _, rec := range r.Records {
		s.result.Status[rec.Status.String()]++
		s.noteChecked(rec)
		s.noteWrong(rec)
	}
	s.result.Trials += len(r.Records)
	s.show.round(r)
	if !r.Found && len(s.checked) > 0 {
		if err := s.keepChecked(context.WithoutCancel(ctx)); !machine.IsRejected(err) {
			return err
		}
		return nil // later rounds may have some that are not
	}
	if !r.Found {
		return nil
	}
	return s.exportRecord(context.WithoutCancel(ctx), r.Best)
}

func (s *searching) exportRecord(ctx context.Context, r dataset.Record) error {
	state, err := schedule.Replay(s.w.DAG, r.Steps)
	if err != nil {
		return fmt.Errorf("replay the best candidate: %w", err)
	}
	return s.export(ctx, r, state)
}

// keep exports what a search found. Where it found nothing, a kernel that is wrong does not stay.
func (s *searching) keep(ctx context.Context, out search.Outcome) error {
	s.show.close()
	if !out.Found && len(s.checked) > 0 {
		return s.keepChecked(ctx)
	}
	if !out.Found {
		return s.dropWrong()
	}
	return s.export(ctx, out.Best, out.State)
}

func (s *searching) export(ctx context.Context, best dataset.Record, state *schedule.State) error {
	s.result.Conditions = s.machine.Conditions()
	s.result.setBest(best.Cost(), s.w.FLOPs)
	s.result.Steps, s.result.Packed = string(schedule.FormatSteps(best.Steps)), best.Packed
	s.result.Seconds = time.Since(s.started).Seconds()
	s.result.NewTrials = s.result.Trials - len(s.past)
	if err := s.output.putKernel(ctx, s.machine, s.w, state, s.layout); err != nil {
		return err
	}
	s.result.Files, s.result.NoShared, s.result.TF32 = s.output.files, s.output.missing, s.output.tf32
	return s.output.putResult(s.result)
}
