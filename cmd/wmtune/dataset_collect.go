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
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/target"
)

const collectArgs = "[--suite NAME] [flags]"

const collectWhat = `Dataset collect measures candidates of every workload in a suite on this machine and
writes one tuning log. Every candidate is checked against a reference. There are
three strategies: random candidates, evolution under a scorer that learns meanwhile,
and mutations of the fastest candidates.

The same command continues where it stopped, also after a crash. Ctrl-C finishes
the current round first.`

const collectExamples = `  wmtune dataset collect                               the suite train, 100 a workload
  wmtune dataset collect --time 30m --log train.arrow
  wmtune dataset collect --suite resnet50 --per-task 64 --only r50-t3,r50-t6
  wmtune dataset collect --shares 100/0/0              unguided only
  wmtune show train.arrow
`

// A collectCommand is a parsed command line of dataset collect.
type collectCommand struct {
	suite, only string
	perTask     int
	shareList   string // as in 50/25/25
	layoutName  string
	shares      [3]int // of collectStrategies, in percent
	time        time.Duration
	seed        uint64
	layout      target.Layout
	jobs        int
	log         string
	json        bool
	workloads   []workload.Workload
}

// collectStrategies are the strategies that propose candidates, in this order: the
// scorer learns from the random ones, and then both find those that are worth
// having neighbours.
var collectStrategies = [3]search.Strategy{search.Sampled, search.Evolved, search.Neighbour}

func (c collectCommand) run(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
	if err := c.check(); err != nil {
		return err
	}
	p := newProgress(stderr)
	s := &collecting{collectCommand: c, progress: p, started: time.Now()}
	ctx, signals := interrupts(ctx, func() bool {
		if !s.measuring.Load() {
			p.say("interrupted: no candidate was being measured")
			return false
		}
		p.say("interrupted: the round under way is finished and kept; press Ctrl-C again to stop now")
		return true
	})
	defer signals.stop()
	s.stop, s.signals = signals.Finish, signals
	if c.time > 0 {
		var cancel func()
		s.stop, cancel = stopAfter(signals.Finish, c.time)
		defer cancel()
	}
	err := s.run(ctx)
	if s.result.Log != "" {
		s.result.end(s)
		if c.json {
			if e := json.NewEncoder(stdout).Encode(s.result); err == nil {
				err = e
			}
		} else {
			s.result.print(stdout)
		}
	}
	return interruption(ctx, signals, err)
}

// stopAfter returns a channel that is closed when stop is, or after a time.
func stopAfter(stop <-chan struct{}, d time.Duration) (<-chan struct{}, func()) {
	both, quit := make(chan struct{}), make(chan struct{})
	go func() {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-stop:
			close(both)
		case <-t.C:
			close(both)
		case <-quit:
		}
	}()
	return both, func() { close(quit) }
}

func declareCollect(fs *pflag.FlagSet) action {
	c := &collectCommand{}
	fs.StringVar(&c.suite, "suite", "train", "`name` of the suite; 'wmtune workloads' lists them")
	fs.StringVar(&c.only, "only", "", "`names` of workloads in the suite, such as softmax-384x384,maxpool-27x96; empty: all")
	fs.IntVar(&c.perTask, "per-task", 100, "`number` of candidates per workload in the finished log")
	fs.StringVar(&c.shareList, "shares", "50/25/25",
		"`percentages` of candidates: random, evolved under the scorer, neighbours of the fastest")
	fs.DurationVar(&c.time, "time", 0, "time limit, a `duration` such as 30m; 0: none")
	fs.Uint64Var(&c.seed, "seed", 0, "random `seed`; the same seed gives the same candidates")
	fs.StringVar(&c.layoutName, "layout", target.Rewrite.String(), "weight `layout`: rewrite (pre-packed for the kernel) or keep")
	fs.IntVar(&c.jobs, "jobs", 0, "`number` of build workers; 0: one per core")
	fs.StringVar(&c.log, "log", "", "tuning log, a `file`; continued if it exists (default wmtune-out/SUITE.arrow)")
	fs.BoolVar(&c.json, "json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		return c.run(ctx, args, stdout, stderr)
	}
}

func (c *collectCommand) check() (err error) {
	switch {
	case c.perTask < 1:
		return usagef("--per-task %d: must be at least 1", c.perTask)
	case c.time < 0:
		return usagef("--time %v: must be positive", c.time)
	case c.jobs < 0:
		return usagef("--jobs %d: must not be negative", c.jobs)
	}
	if c.layout, err = target.ParseLayout(c.layoutName); err != nil {
		return usagef("--%v", err)
	}
	if c.shares, err = parseShares(c.shareList); err != nil {
		return err
	}
	if c.log == "" {
		c.log = filepath.Join("wmtune-out", c.suite+".arrow")
	}
	c.workloads, err = suiteWorkloads(c.suite, c.only)
	return err
}

// parseShares reads three percentages.
func parseShares(text string) (shares [3]int, err error) {
	parts, sum := strings.Split(text, "/"), 0
	for i := range shares {
		n, err := strconv.Atoi(parts[min(i, len(parts)-1)])
		if err != nil || n < 0 || len(parts) != len(shares) {
			return shares, usagef("--shares %q: want three percentages: random/evolved/neighbours, such as 50/25/25", text)
		}
		shares[i] = n
		sum += n
	}
	if sum != 100 {
		return shares, usagef("--shares %q: they make %d, not 100", text, sum)
	}
	if shares[2] == 100 {
		return shares, usagef("--shares %q: there must be candidates to have neighbours of", text)
	}
	return shares, nil
}

// phases divides the candidates of a task by the shares. What rounding leaves goes to
// the first strategy that has a share.
func (c *collectCommand) phases() []search.Phase {
	list := make([]search.Phase, len(collectStrategies))
	left := c.perTask
	for i, strategy := range collectStrategies {
		list[i] = search.Phase{Strategy: strategy, Trials: c.perTask * c.shares[i] / 100}
		left -= list[i].Trials
	}
	first := slices.IndexFunc(c.shares[:], func(share int) bool { return share > 0 })
	list[first].Trials += left
	return list
}

// suiteWorkloads returns the workloads of a suite, or those that only names. They
// are mixed, so that a collection that ends early has some of all operators.
func suiteWorkloads(name, only string) ([]workload.Workload, error) {
	suite, err := op.FindSuite(name)
	if err != nil {
		return nil, usageError{"--suite: " + err.Error()}
	}
	names := strings.FieldsFunc(only, func(r rune) bool { return r == ',' })
	for _, n := range names {
		if !slices.ContainsFunc(suite.List, func(e op.Entry) bool { return e.Name == n }) {
			return nil, usagef("--only: suite %s has no workload %q; 'wmtune workloads %s' lists them", name, n, name)
		}
	}
	var list []workload.Workload
	for _, e := range suite.List {
		if len(names) > 0 && !slices.Contains(names, e.Name) {
			continue
		}
		w, err := workload.Find(name + "/" + e.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b workload.Workload) int { return strings.Compare(hashOf(a.Text), hashOf(b.Text)) })
	return list, nil
}

// collecting is a collection under way.
type collecting struct {
	signals *interrupter
	collectCommand
	progress  *progress
	stop      <-chan struct{}
	started   time.Time
	measuring atomic.Bool // candidates are: there is something to finish

	machine *machine.CPU
	log     *dataset.Writer
	past    map[string][]dataset.Record // of tasks that are not complete, by workload
	show    *collectDisplay
	result  collectResult
}

// run collects, and leaves what came of it in s.result.
func (s *collecting) run(ctx context.Context) (err error) {
	if s.shares[1] > 0 {
		if _, err := newLearner(s.seed); err != nil {
			return fmt.Errorf("%w; or collect without a scorer: --shares 60/0/40", err)
		}
	}
	options := machineOptions(s.jobs)
	options.Timing = collectTiming
	if s.machine, err = machine.OpenCPU(ctx, options); err != nil {
		return err
	}
	defer s.machine.Close()
	if err := s.openLog(); err != nil {
		return err
	}
	defer func() {
		if e := s.log.Close(); err == nil {
			err = e
		}
	}()
	s.show = newCollectDisplay(s)
	defer s.show.close()
	s.measuring.Store(true)
	for i, w := range s.workloads {
		if s.stopped() {
			s.result.Reason = search.Stopped.String()
			return nil
		}
		if err := s.task(ctx, i, w); err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	s.result.Reason = "complete"
	return nil
}

func (s *collecting) stopped() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

// openLog opens the log to continue it, and takes over what it holds of the tasks.
func (s *collecting) openLog() error {
	if err := os.MkdirAll(filepath.Dir(s.collectCommand.log), 0o777); err != nil {
		return fmt.Errorf("folder for the log: %w; choose another with --log", err)
	}
	s.past = map[string][]dataset.Record{}
	wanted := map[string]string{} // keys by workload
	for _, w := range s.workloads {
		wanted[w.Text] = w.Key
	}
	host := s.machine.Target().String()
	var foreign error
	log, err := dataset.OpenWriter(s.collectCommand.log, dataset.WriterOptions{Past: func(r dataset.Record) {
		switch {
		case r.Target.String() != host:
			foreign = fmt.Errorf("it was measured on %q, and this machine is %q; their times do not compare", &r.Target, host)
		case r.Layout != s.layout:
			foreign = fmt.Errorf("it was collected with --layout %s, not %s", r.Layout, s.layout)
		case wanted[r.Workload] == r.WorkloadKey:
			s.past[r.Workload] = append(s.past[r.Workload], r)
		}
	}})
	if err != nil {
		return err
	}
	if foreign != nil {
		log.Close()
		return fmt.Errorf("log %s: %w: choose another log file with --log", s.collectCommand.log, foreign)
	}
	s.log = log
	for _, w := range log.Warnings() {
		s.progress.say("warning: %s", w)
	}
	s.result.begin(s)
	if n := log.Records(); n > 0 {
		s.progress.say("continuing %s, which holds %d records", s.collectCommand.log, n)
	}
	return nil
}

// task collects candidates of one workload.
func (s *collecting) task(ctx context.Context, number int, w workload.Workload) error {
	past := s.past[w.Text]
	delete(s.past, w.Text)
	if len(past) >= s.perTask {
		s.result.Complete++
		return nil
	}
	s.show.begin(number, w, past)
	scorer, err := s.scorer()
	if err != nil {
		return err
	}
	runner, wait := s.prepare(ctx, w)
	defer wait()
	t := &search.Tuner{
		Task:   &search.Task{Name: w.Text, Key: w.Key, DAG: w.DAG, Target: s.machine.Target(), Space: space.Default(target.LLVM), Layout: s.layout},
		Scorer: scorer, Builder: s.machine.Builder(), Runner: runner,
		Options: search.Options{
			Trials: s.perTask - len(past), Phases: s.phases(), PerRound: collectRound, Explore: -1, Finalists: -1, Evolution: collectEvolution,
			Pieces: collectPieces,
			Seed:   s.seed, ScorerName: learnerName, Workers: s.jobs, Clock: time.Now, Stop: s.stop, OnEvent: s.show.event,
			OnRound: s.round,
		},
	}
	out, err := t.Run(ctx, past)
	if err != nil && !errors.Is(err, search.ErrNothingCorrect) {
		return err
	}
	switch out.Reason {
	case search.Stopped:
	case search.Exhausted:
		s.result.Exhausted++
		s.show.end(fmt.Sprintf("search space exhausted after %d candidates", len(past)+out.Trials))
	default:
		s.result.Complete++
		s.show.end("")
	}
	return nil
}

// round keeps a round.
func (s *collecting) round(r search.Round) error {
	if err := s.signals.Keep(func() error { return s.log.Append(r.Records) }); err != nil {
		return err
	}
	s.show.round(r)
	return nil
}
