package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/spell"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
	"github.com/wmtune/wmtune/tune/inspect"
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
	policy     string // stands for a space, a proposer and a scorer
	target     string
	kind       target.Kind // of target
	unmeasured bool        // the scorer's choice is wanted, without any trial
	model      string      // folder; "" means the one in the program
	warm       []string
	tune.Options
	memory byteSize
	json   bool
	html   string // file of a page; "" means none
}

func (c *searchCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	w, err := c.workload(ctx)
	if err != nil {
		return err
	}
	spareGarbage(len(w.DAG.Ops))
	if c.Out == "" {
		c.Out = filepath.Join("wmtune-out", w.Name)
	}
	if c.Log == "" {
		c.Log = filepath.Join(c.Out, "tuning.arrow")
	}
	p := newProgress(stderr)
	if c.spec == "" && c.file == "" {
		p.say("no --workload: tuning the demo %s", workload.Demo)
	}
	show := newSearchDisplay(p)
	defer show.close()
	ctx, signals := interrupts(ctx, show.interrupted)
	defer signals.stop()
	c.Stop, c.Writing, c.Observer = signals.Finish, &signals.keeping, show
	r, err := c.tune(ctx, w, show)
	show.close()
	if r == nil { // the search did not start
		return interruption(ctx, signals, err, goOn)
	}
	if c.json {
		if e := json.NewEncoder(stdout).Encode(r); err == nil {
			err = e
		}
	} else if err == nil || errors.Is(err, search.ErrNothingCorrect) || signals.Seen() && r.Trials > 0 {
		report.Search(stdout, r)
	}
	if c.html != "" && r.Trials > 0 {
		err = errors.Join(err, c.writePage(ctx, w, r, stdout))
	}
	if errors.Is(err, search.ErrNothingCorrect) && !signals.Seen() {
		if r.Trials == 0 && r.Reason == search.TimeSpent.String() {
			return fmt.Errorf("%w: --time %v was over before a candidate was measured; raise it", errNothing, c.Time)
		}
		return fmt.Errorf("%w among %d trials; 'wmtune show %s' prints why", errNothing, r.Trials, c.Log)
	}
	return interruption(ctx, signals, err, goOn)
}

// writePage writes the page of --html, also after Ctrl-C.
func (c *searchCommand) writePage(ctx context.Context, w workload.Workload, r *tune.Result, stdout io.Writer) error {
	p := &inspect.Programs{Machine: machineOptions(0)}
	defer p.Close()
	var screen strings.Builder
	report.Search(&screen, r)
	return writeHistory(context.WithoutCancel(ctx), stdout, !c.json, c.html, "Search of "+w.Name,
		strings.Split(strings.TrimSpace(screen.String()), "\n"), p, []string{c.Log}, 10)
}

// tune opens the machine and tunes on it. There is no result if the search did not start.
func (c *searchCommand) tune(ctx context.Context, w workload.Workload, show *searchDisplay) (*tune.Result, error) {
	if _, err := run.Fits(w.DAG, uint64(c.memory)); err != nil {
		return nil, err
	}
	options := machineOptions(c.Workers)
	options.Timing.Memory = uint64(c.memory)
	options.Progress = show.phase
	m, err := machine.Open(ctx, c.target, options)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if c.unmeasured {
		return tune.Choose(ctx, m, w, c.Options)
	}
	return tune.Run(ctx, m, w, c.Options)
}

// goOn tells how to continue interrupted work.
const goOn = ": run the same command again to go on"

// interruption returns the error of interrupted work, with what to do next. Other failures keep their error.
func interruption(ctx context.Context, signals *interrupter, err error, then string) error {
	if signals.Seen() && (err == nil || ctx.Err() != nil ||
		errors.Is(err, search.ErrNothingCorrect) || errors.Is(err, compile.ErrStopped)) {
		return fmt.Errorf("%w%s", errInterrupted, then)
	}
	return err
}

func declareSearch(fs *pflag.FlagSet) action {
	c := &searchCommand{}
	fs.StringVar(&c.spec, "workload", "", "workload to tune, a `spec`: OP:KEY=VALUE,... or SUITE/NAME, as "+
		"'wmtune workloads' lists them")
	fs.StringVar(&c.file, "workload-file", "", "workload `file` (docs/manual/workload-file.md), or - for standard input")
	fs.StringVar(&c.target, "target", "llvm", "`kind` of target: "+machine.Help())
	fs.IntVar(&c.Trials, "trials", 64, "`number` of candidates in the finished log; 0: the scorer's choice, unmeasured")
	fs.DurationVar(&c.Time, "time", 0, "time limit, a `duration` such as 10m; 0: none")
	fs.IntVar(&c.Patience, "patience", 0, "`number` of trials without improvement after which to stop; 0: no limit")
	fs.IntVar(&c.PerRound, "per-round", 0, "`number` of candidates in a round; 0: a quarter of --trials, 4 to 64")
	fs.StringVar(&c.ScorerName, "scorer", costmodel.Default(), "`name` of the scorer, which ranks candidates "+
		"before they are measured: "+costmodel.Help())
	fs.StringVar(&c.model, "model", "", "`folder` of the model for --scorer world; empty: the built-in model")
	fs.StringArrayVar(&c.warm, "pretrain", nil,
		"tuning `log` that scorer gbt, mlp or xgb learns from first: several may follow")
	fs.Uint64Var(&c.Seed, "seed", 0, "random `seed`; the same seed gives the same candidates")
	fs.StringVar(&c.Space, "space", "wmtune", "`name` of the search space: wmtune, "+
		"autoscheduler (TVM's), direct (what TVM can read), or template (AutoTVM's)")
	fs.StringVar(&c.policy, "policy", tune.Policies()[0], "`name` of a space, a proposer and a scorer together: "+
		"ansor, template (AutoTVM's), felix")
	fs.StringVar(&c.Propose, "propose", tune.Proposers()[0], "`name` of what seeks candidates: "+
		strings.Join(tune.Proposers(), ", "))
	fs.BoolVar(&c.AllowTF32, "allow-tf32", false, "tensor cores may round float32 operands to tf32 (10-bit mantissa)")
	layout := fs.String("layout", target.Rewrite.String(), "weight `layout`: rewrite (pre-packed for the kernel) or keep")
	fs.IntVar(&c.Workers, "jobs", 0, "`number` of build workers; 0: one per core")
	declareWorkloadMemory(fs, &c.memory)
	fs.StringVar(&c.Log, "log", "", "tuning log, a `file`; continued if it exists (default OUT/tuning.arrow)")
	fs.StringVar(&c.Out, "out", "", "`folder` for the kernel and result.json (default wmtune-out/NAME)")
	fs.StringVar(&c.html, "html", "", "`file` for one self-contained page about the search")
	fs.StringVar(&c.Name, "name", "", "`name` of the exported function and prefix of its symbols "+
		"(default: the workload's)")
	declareQuiet(fs)
	fs.BoolVar(&c.json, "json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
		switch {
		case len(c.warm) > 0:
			c.warm = append(c.warm, args...) // --pretrain LOG...
		case len(args) > 0:
			return usagef("unexpected argument %q", args[0])
		}
		if c.Layout, err = target.ParseLayout(*layout); err != nil {
			return usagef("--%v", err)
		}
		if err := c.check(ctx, fs.Changed); err != nil {
			return err
		}
		return c.run(ctx, stdout, stderr)
	}
}

func (c *searchCommand) check(ctx context.Context, given func(flag string) bool) error {
	policy, err := tune.FindPolicy(c.policy)
	if err != nil {
		return usageError{err.Error()}
	}
	if !given("scorer") && policy.Scorer != "" {
		c.ScorerName = policy.Scorer
	}
	switch {
	case c.spec != "" && c.file != "":
		return usagef("--workload and --workload-file exclude each other")
	case given("workload") && c.spec == "", given("workload-file") && c.file == "":
		return usagef("the workload is empty; 'wmtune workloads' lists what can be tuned")
	case c.Trials == 0 && (c.ScorerName == "random" || costmodel.Learns(c.ScorerName) && len(c.warm) == 0):
		return usagef("--trials 0: --scorer %s knows nothing without measuring; use --scorer world, "+
			"or gbt or mlp with --pretrain LOG", c.ScorerName)
	case c.Trials == 0 && c.html != "":
		return usagef("--html shows measured candidates: leave out --trials 0")
	case c.Trials == 0 && c.Time > 0:
		return usagef("--trials 0 measures no candidate: leave out --time")
	}
	if c.kind, err = machine.Valid(c.target); err != nil {
		return usageError{"--target: " + err.Error()}
	}
	if !given("scorer") {
		c.ScorerName = cmp.Or(policy.Scorer, costmodel.DefaultFor(c.kind))
	}
	if c.Layout, err = machine.LayoutFor(c.kind, c.Layout, given("layout")); err != nil {
		return usageError{err.Error()}
	}
	if !given("space") {
		c.Space = policy.Space
	}
	if !given("propose") {
		c.Propose = policy.Propose
	}
	if _, err = space.Find(c.kind, c.Space, space.Config{}); err != nil {
		return usageError{"--space: " + err.Error()}
	}
	if !slices.Contains(tune.Proposers(), c.Propose) {
		return usagef("--propose %q: known are %s%s", c.Propose, strings.Join(tune.Proposers(), ", "),
			spell.Hint(c.Propose, tune.Proposers()))
	}
	if c.Trials == 0 && !tune.Guided(c.Propose) {
		return usagef("--trials 0: --propose %s asks no scorer; use evolve or anneal", c.Propose)
	}
	if c.AllowTF32 {
		if err := c.checkTF32(); err != nil {
			return usageError{err.Error()}
		}
	}
	switch err := c.openScorer(ctx); {
	case err != nil:
		return err
	case len(c.warm) > 0 && !costmodel.Learns(c.ScorerName):
		return usagef("--pretrain needs --scorer gbt, mlp or xgb: %s does not learn", c.ScorerName)
	}
	c.Pretrain = c.warm
	c.unmeasured = c.Trials == 0
	if c.Time > 0 && !given("trials") {
		c.Trials = 0
	}
	return nil
}

// checkTF32 rejects --allow-tf32 for a target without such tensor cores, if the target is known before the machine
// is opened.
func (c *searchCommand) checkTF32() error {
	t := target.Target{Kind: c.kind}
	if gpu, named, err := target.ParseGPU(c.target); c.kind == target.CUDA && err == nil && named {
		t = gpu
	}
	return tune.CanAllowTF32(t, c.Space)
}

// openScorer rejects a scorer that cannot be opened. It neither opens the built-in model nor starts a command.
func (c *searchCommand) openScorer(ctx context.Context) error {
	c.Model = scorerOptions(c.Seed, c.kind, nil)
	c.Model.Model = c.model
	switch err := checkScorer(c.ScorerName, c.model, true); {
	case err != nil:
		return err
	case c.ScorerName == "world" && c.model == "" && models.HasDefault(c.kind),
		strings.HasPrefix(c.ScorerName, costmodel.Exec):
		return nil
	}
	_, err := costmodel.Open(ctx, c.ScorerName, c.Model)
	if costmodel.Unavailable(err) {
		return fmt.Errorf("--scorer %s: %w; or search without a cost model: --scorer random", c.ScorerName, err)
	}
	return err
}

// workload returns the workload to tune.
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
