package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
)

const compileArgs = "MODEL.onnx [flags]"

const compileWhat = `Compile makes a library of a whole ONNX model. The library needs no run-time: a C,
Python or Go program loads it. The scorer chooses the schedules,
except those of tiny kernels and of functions written by hand.

The bundle is a folder with NAME.so, NAME.o, NAME.h, NAME.weights, NAME.json and an
example in C, Python and Go. Its results are compared with a float64 reference of
the original model before the folder is put in place. Compile never writes a wrong
bundle.

--trials and --time measure candidates, most of them of the tasks that should shorten
the model most. Both are budgets of the whole model; the first that is spent ends the
tuning. Ctrl-C once finishes the current round and keeps it.

The same command repeats only missing work: the record database keeps measured
candidates, schedules and compiled kernels.`

const compileExamples = `  wmtune compile resnet18.onnx
  wmtune compile bert.onnx --dim batch=1,seq=128 --out bert-bundle
  wmtune compile model.onnx --name detector --embed-weights
  wmtune compile model.onnx --time 1h        tunes for an hour; the same command continues
  wmtune compile model.onnx --trials 2000    measures 2000 candidates of all tasks together
  wmtune compile model.onnx --target x86-64-v2,x86-64-v3,x86-64-v4   a library for all of these
  wmtune compile model.onnx --json > result.json
`

// A compileCommand is a parsed command line of compile.
type compileCommand struct {
	compile.Options
	path     string
	targets  []string // of --target, one or several
	dims     string
	states   compile.StateList
	database string
	policy   string
	model    string
	jobs     int
	memory   byteSize
	json     bool
}

// setPolicy finds the policy, and puts what the command line says in place of its parts.
func (c *compileCommand) setPolicy(given func(flag string) bool) error {
	if !given("policy") && !given("propose") {
		c.Policy = tune.Policy{}
		return nil
	}
	propose := c.Policy.Propose
	p, err := tune.FindPolicy(c.policy)
	if err != nil {
		return usageError{err.Error()}
	}
	if given("propose") {
		p.Name, p.Propose = p.Name+"+"+propose, propose
	}
	if given("scorer") {
		p.Scorer = ""
	}
	c.Policy = p
	if err := p.Check(target.LLVM, c.Named); err != nil {
		return usageError{err.Error()}
	}
	return nil
}

func declareCompile(fs *pflag.FlagSet) action {
	c := &compileCommand{}
	on := fs.String("target", string(target.LLVM), "`list` of processors: "+machine.HelpLevels)
	declareDims(fs, &c.dims, "batch=1,seq=16,128")
	fs.Var(&c.states, "state", "values that contexts keep, a `rule` such as present.*=past.*,max=1024")
	fs.IntVar(&c.Trials, "trials", 0,
		"`number` of candidates measured of all tasks together; 0: as --time allows, or none")
	fs.DurationVar(&c.Time, "time", 0, "time for choosing and measuring schedules, a `duration` such as 1h; 0: no limit")
	fs.StringVar(&c.Passes.Precision, "precision", pass.Precisions[0].Name,
		"`name` of what is rounded: "+pass.PrecisionNames()+" (w: weights, a: activations)")
	fs.Float64Var(&c.MaxError, "max-error", 0, "largest `error` allowed, relative to the largest output; 0: no limit")
	fs.BoolVar(&c.Require, "require-tuned", false, "exit code 3 if a searched task has no measured candidate")
	fs.StringVar(&c.Name, "name", "", "`name` of the bundle and prefix of its symbols (default: the file's)")
	fs.StringVar(&c.Out, "out", "", "`folder` of the bundle (default wmtune-out/NAME)")
	fs.StringVar(&c.Named, "scorer", costmodel.Default(),
		"`name` of the scorer, which chooses schedules: "+costmodel.Help())
	fs.StringVar(&c.model, "model", "", "`folder` of the model for --scorer world; empty: the built-in model")
	fs.StringVar(&c.policy, "policy", tune.Policies()[0], "`name` of the way in which candidates are sought: "+
		"ansor, template (AutoTVM's), felix")
	fs.StringVar(&c.Policy.Propose, "propose", tune.Proposers()[0], "`name` of what seeks candidates: "+
		strings.Join(tune.Proposers(), ", "))
	fs.Uint64Var(&c.Seed, "seed", 0, "random `seed`; the same seed gives the same bundle")
	fs.StringVar(&c.Inputs, "input", "", "`file` of inputs to verify with, .npz or .npy; empty: random inputs")
	declareDatabaseFolder(fs, &c.database)
	fs.Var(&c.memory, "memory", "memory limit of the model, a `size` such as 8GB (default 3/4 of what is free)")
	fs.DurationVar(&c.VerifyTime, "verify-time", 10*time.Minute,
		"time limit of the check, a `duration` such as 1h; 0: no limit")
	fs.IntVar(&c.Threads, "threads", 0, "`number` of threads that the bundle is for; 0: one per core")
	fs.BoolVar(&c.Embed, "embed-weights", false, "weights inside of the library, not in a file")
	fs.BoolVar(&c.Flush, "flush-denormals", false, "denormal numbers count as zero")
	fs.StringSliceVar(&c.Passes.Skip, "skip-pass", nil, "`name` of a graph pass to leave out; several may follow")
	fs.IntVar(&c.jobs, "jobs", 0, "`number` of build workers; 0: one per core")
	declareQuiet(fs)
	fs.BoolVar(&c.json, "json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		if len(args) != 1 {
			return usagef("compile takes one model, not %d", len(args))
		}
		err := cmp.Or(checkScorer(c.Named, c.model, true), checkPasses(c.Passes.Skip), checkPrecision(c.Passes.Precision))
		if err != nil {
			return err
		}
		if err := c.setPolicy(fs.Changed); err != nil {
			return err
		}
		if c.targets, err = machine.ParseLevels(*on); err != nil {
			return usageError{"--target: " + err.Error()}
		}
		c.path = args[0]
		return c.run(ctx, stdout, stderr)
	}
}

func checkPrecision(name string) error {
	if _, ok := pass.PrecisionOf(name); !ok {
		return usagef("--precision: %q is unknown: there are %s", name, pass.PrecisionNames())
	}
	return nil
}

func (c *compileCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	dims, err := compile.ParseExtents(c.dims)
	if err != nil {
		return usageError{err.Error()}
	}
	if c.Name == "" {
		base := filepath.Base(c.path)
		c.Name = model.NameOf(strings.TrimSuffix(base, filepath.Ext(base)))
	}
	c.Out = cmp.Or(c.Out, filepath.Join("wmtune-out", c.Name))
	if err := model.ValidName(c.Name); err != nil {
		return usageError{"--name: " + err.Error()}
	}
	c.Memory = c.memory.limit()
	c.Passes.Limit.Memory, c.Passes.Limit.Time = c.Memory, c.VerifyTime
	if c.Memory > 0 { // the collector of garbage must not keep more
		debug.SetMemoryLimit(int64(min(c.Memory, math.MaxInt64)))
	}
	c.Options.Model = scorerOptions(c.Seed, target.LLVM, nil)
	c.Options.Model.Model = c.model
	show := newCompileDisplay(stderr)
	defer show.close()
	ctx, signals := interrupts(ctx, show.interrupted)
	defer signals.stop()
	c.Observer, c.Stop = show, signals.Finish
	if c.Database, err = openDatabase(c.database, show.Say); err != nil {
		return err
	}
	r, err := c.compile(ctx, dims)
	show.close()
	switch {
	case err != nil:
		return c.failure(ctx, signals, err)
	case c.json:
		return json.NewEncoder(stdout).Encode(r)
	}
	printBundle(stdout, r, c.Out)
	return nil
}

// failure returns the error of a compilation that was interrupted or failed, with what to do next.
func (c *compileCommand) failure(ctx context.Context, signals *interrupter, err error) error {
	then := goOn
	switch {
	case errors.Is(err, compile.ErrNotTuned):
		err = fmt.Errorf("%w; measure them with --trials or --time", err)
	case errors.Is(err, compile.ErrStopped) && c.Database == nil:
		then = ": without a record database nothing is kept; name its folder with --database to go on where it stopped"
	case errors.Is(err, compile.ErrStopped):
		then += ", or without --trials and --time to make a bundle of what was measured"
	}
	return interruption(ctx, signals, err, then)
}

func (c *compileCommand) compile(ctx context.Context, dims []compile.Dim) (*compile.Result, error) {
	cpu, err := machine.OpenCPU(ctx, machineOptions(c.jobs))
	if err != nil {
		return nil, err
	}
	defer cpu.Close()
	if c.Levels, err = cpu.ForAll(ctx, c.targets); err != nil {
		return nil, err
	}
	c.Passes.Rate = compile.LeastRate(c.Passes.Precision, c.Levels)
	c.Passes.OddSums = compile.OddSums(c.Passes.Precision, c.Levels)
	m, err := compile.ReadPlans(ctx, c.path, dims, c.Passes, c.states...)
	if err != nil {
		return nil, err
	}
	return compile.Run(ctx, compile.Machine{CPU: cpu}, m, c.Options)
}

// declareDims declares --dim of a verb that reads models.
func declareDims(fs *pflag.FlagSet, dims *string, such string) {
	fs.Var((*compile.DimList)(dims), "dim", "extents of open dimensions, a `list` such as "+such)
}

// printJudgement says what was verified, and what was not.
func printJudgement(w io.Writer, r *compile.Result) {
	j := r.Judgement
	if len(j.Doubts) < len(r.Outputs) {
		by := fmt.Sprintf("%.2g of the largest output", r.MaxError)
		if r.MaxError >= 1 { // all that the output has is rounding
			by = fmt.Sprintf("%.2g, and no output is larger", r.Absolute)
		}
		fmt.Fprintf(w, "verified: the largest difference from the reference is %s\n", by)
	}
	if p, _ := pass.PrecisionOf(r.Precision); r.RoundedProducts > 0 {
		fmt.Fprintf(w, "%s rounds %s: %d products; the largest difference from the model is %.2g of the largest output\n",
			p.Name, p.What, r.RoundedProducts, r.PrecisionError)
	}
	if j.Reached < j.Kernels {
		fmt.Fprintf(w, "not verified: %d of %d kernels and %d of %d branches did not run for these inputs\n",
			j.Kernels-j.Reached, j.Kernels, j.Branches-j.Taken, j.Branches)
	}
	for _, doubt := range j.Doubts {
		fmt.Fprintf(w, "not verified: %s; give inputs for which it says more (--input)\n", doubt)
	}
}

func printBundle(w io.Writer, r *compile.Result, out string) {
	if r.Tuning != nil {
		report.TuningTable(r.Tuning).Print(w)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s: %d nodes, %d kernels of %d tasks, in %.1f s\n", r.Name, r.Nodes, r.Groups, r.Tasks, r.Seconds)
	if r.Products != "" {
		fmt.Fprintf(w, "quantized: %s\n", r.Products)
	}
	fmt.Fprintf(w, "%s\n", report.Schedules(r))
	printJudgement(w, r)
	fmt.Fprintf(w, "%sweights %s, other memory %s\n", report.OneRun(r), report.Size(r.Weights), report.Size(r.Arena))
	fmt.Fprintf(w, "bundle: in %s: %s\n", out, strings.Join(r.Files, " "))
}
