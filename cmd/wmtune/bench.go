package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/bench"
	"github.com/wmtune/wmtune/tune/costmodel"
)

const benchArgs = "kernels | models | scorers | build | noise | choice [flags]"

const benchExamples = `  make bench-setup                                  the libraries, into .peers
  wmtune bench kernels --trials 64
  wmtune bench kernels --only r50-t3,bert-t2 --peers ort
  wmtune bench models resnet18.onnx bert.onnx --svg bars.svg --update docs/manual/bench.md
  wmtune bench scorers --scorers world,gbt,random --trials 0,16,64 --only r50-t3,bert-t2
  wmtune bench scorers --scorers world,gbt,gbt+warm --pretrain models/train-znver3.arrow.zst
  wmtune bench scorers --scorers world,l1p=my/l1p --baseline l1p,gbt@1024    models of one's own
  wmtune bench build --only r50-t3,opt-t4,bert-t2
  wmtune bench choice gpu.arrow
`

const benchKernelsWhat = `Bench kernels searches for a kernel of each workload in a suite, unless an earlier run
did. Then it times the kernels of wmtune and of the libraries in turns, one at a time,
with the same number of pinned threads. It skips a library that is not installed;
'make bench-setup' installs all of them.`

const benchBuildWhat = `Bench build runs a short search for each workload in a suite. It reports how many
candidates per second are built, checked and timed, and the time of each part. It
measures again after this program has changed.`

const benchNoiseWhat = `Bench noise repeats the final choice of a search. Each choice checks the best
candidates and times them in turns, in a fresh process. It reports how often the same
candidate wins. It also reports how often the ties that result.json would state
contain the candidate that is fastest over all choices.`

const benchChoiceWhat = `Bench choice compares the candidate that a scorer would choose with the programs of
tuning logs. It measures nothing and uses the scorer's scores of all of them, so the
log may be of another machine. A score is a prediction: the scorer may even have
learned from these logs.`

// benchmarks is the table of what bench does, in the order of its help.
func benchmarks() []verb {
	return []verb{
		{"kernels", "[flags]", 0, "kernels of wmtune and of other libraries, timed in turns", benchKernelsWhat, benchExamples,
			declareBenchKernels, nil},
		{"models", "MODEL.onnx... [flags]", -1, "whole models of wmtune and of other libraries, timed in turns",
			benchModelsWhat, benchExamples, declareBenchModels, nil},
		{"scorers", "[flags]", 0, "scorers compared on real searches with several seeds", benchScorersWhat, benchExamples,
			declareBenchScorers, nil},
		{"build", "[flags]", 0, "candidates per second, and the time of each part", benchBuildWhat, benchExamples,
			declareBenchBuild, nil},
		{"noise", "[flags]", 0, "the final choice of a search, repeated", benchNoiseWhat, benchExamples,
			declareBenchNoise, nil},
		{"choice", "LOG... [flags]", -1, "a scorer's first choice and the programs of logs, by score only", benchChoiceWhat,
			benchExamples, declareBenchChoice, nil},
	}
}

func benchWhat() string {
	what := `Bench runs one of these benchmarks. It writes JSON and one HTML page, which needs no
network, to the folder --out. The same command continues an interrupted benchmark.

`
	for _, b := range benchmarks() {
		what += fmt.Sprintf("  %-9s %s\n", b.name, b.short)
	}
	return what + "\ndocs/benchmarks.md explains the comparisons and the handling of noise."
}

// declareBench answers for 'wmtune bench' without the name of a benchmark.
func declareBench(*pflag.FlagSet) action {
	return func(_ context.Context, args []string, _, _ io.Writer) error {
		return needsVerb("benchmark", benchmarks(), args)
	}
}

// benchFlags are those that all benchmarks on this machine have.
type benchFlags struct {
	options bench.Options
	only    string
	warm    []string
	json    bool
}

func (c *benchFlags) declare(fs *pflag.FlagSet) {
	fs.StringVar(&c.options.Suite, "suite", "", "`name` of the suite; 'wmtune workloads' lists them; empty: paper22")
	fs.StringVar(&c.only, "only", "", "`names` of workloads in the suite or plan, such as r50-t3,bert-t2; empty: all")
	c.declareOutput(fs)
	fs.StringArrayVar(&c.warm, "pretrain", nil, "tuning `log` that gbt"+bench.WarmEnding+
		" learns from before each search; repeatable")
}

// declareOutput declares the flags of what a benchmark leaves and prints.
func (c *benchFlags) declareOutput(fs *pflag.FlagSet) {
	fs.StringVar(&c.options.Dir, "out", filepath.Join("wmtune-out", "bench"),
		"`folder` for logs and results, with one folder per machine")
	fs.BoolVar(&c.options.Again, "again", false, "new timings in place of finished ones; finished searches stay")
	fs.BoolVar(&c.json, "json", false, "one JSON object on standard output at the end, nothing else")
}

// declareSearch declares the flags of the searches of a benchmark.
func (c *benchFlags) declareSearch(fs *pflag.FlagSet, s *bench.Search, scorer, seed string) {
	c.declare(fs)
	fs.IntVar(&s.Trials, "trials", 64, "`number` of candidates that a search measures")
	fs.StringVar(&s.Scorer, "scorer", "random", scorer)
	fs.Uint64Var(&s.Seed, "seed", 0, seed)
}

// A benching is a benchmark under way on this machine.
type benching struct {
	*bench.Bench
	json     bool
	progress *progress
	stdout   io.Writer
}

// bench does a benchmark whose options are in order, by their check. Ctrl-C ends it at once.
func (c *benchFlags) bench(
	ctx context.Context, check func(bench.Scorers) error, stdout, stderr io.Writer,
	do func(context.Context, *benching) error,
) error {
	return interruptible(ctx, goOn, func(ctx context.Context) error {
		b := &benching{json: c.json, progress: newProgress(stderr), stdout: stdout}
		defer b.progress.clearLine() // an error has a line of its own
		o := c.options
		o.Only = strings.FieldsFunc(c.only, func(r rune) bool { return r == ',' })
		o.Machine, o.Scorers.Logs, o.Scorers.XGBoost = machineOptions(0), c.warm, os.Getenv(xgboostVariable)
		o.Say, o.Show = func(text string) { b.progress.say("%s", text) }, b.progress.showLine
		err := check(o.Scorers)
		if err == nil {
			err = o.Check()
		}
		if err == nil {
			b.Bench, err = bench.Open(ctx, o)
		}
		if err != nil {
			return err
		}
		defer b.Close()
		return do(ctx, b)
	})
}

// interruptible does something that Ctrl-C ends at once.
func interruptible(ctx context.Context, then string, do func(ctx context.Context) error) error {
	ctx, signals := interrupts(ctx, func() bool { return false })
	defer signals.stop()
	return interruption(ctx, signals, do(ctx), then)
}

// about are the lines at the top of a page.
func (b *benching) about(what string, more ...string) []string {
	return append([]string{
		fmt.Sprint(b.Target()),
		fmt.Sprintf("%s, wmtune %s: %s", time.Now().UTC().Format("2006-01-02 15:04 MST"), tune.Version(), what),
	}, more...)
}

// finish prints a report as JSON or as tables, and leaves a page beside its JSON.
func (b *benching) finish(name string, value any, p report.Page) error {
	b.progress.clearLine()
	return printPage(b.stdout, b.json, value, p, filepath.Join(b.Dir(), name+".html"))
}

// printPage prints a value as JSON or the tables of its page. Then it writes the page to a file, if path names one.
func printPage(w io.Writer, asJSON bool, value any, p report.Page, path string) error {
	if asJSON {
		if err := json.NewEncoder(w).Encode(value); err != nil {
			return err
		}
	} else {
		for _, t := range p.Tables {
			t.Print(w)
			fmt.Fprintln(w)
		}
	}
	if path == "" {
		return nil
	}
	err := p.WriteFile(path)
	if err == nil && !asJSON {
		fmt.Fprintf(w, "page: %s\n", path)
	}
	return err
}

func declareBenchKernels(fs *pflag.FlagSet) action {
	var c benchFlags
	o := bench.KernelOptions{Plan: bench.DefaultPlan}
	c.declareSearch(fs, &o.Search,
		"`name` of the scorer of searches: "+scorerNames()+"; gbt"+bench.WarmEnding+" with --pretrain",
		"random `seed` of the searches")
	fs.IntVar(&o.Plan.Rounds, "rounds", o.Plan.Rounds, "`number` of rounds; each times every contender once")
	peers, python := declarePeers(fs, strings.Join(bench.PeerNames(), ","))
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
		o.Peers, o.Python = peerList(*peers), *python
		return c.bench(ctx, o.Check, stdout, stderr, func(ctx context.Context, b *benching) error {
			o.Done = func(r *bench.Row) { b.progress.say("%s: %s", r.Workload, report.RowText(r)) }
			r, rows, err := b.Kernels(ctx, o)
			if err != nil {
				return err
			}
			page := report.Page{Title: "Kernels: ours beside the libraries'", Tables: []report.Table{report.KernelTable(rows)}}
			page.Facts = b.about(b.What(), append([]string{fmt.Sprintf(
				"searches of %d trials, scorer %s, seed %d; %d rounds in turns",
				o.Trials, o.Scorer, o.Seed, o.Plan.Rounds)}, r.Peers...)...)
			page.Charts, page.Legend = report.KernelCharts(rows)
			return b.finish("kernels", r, page)
		})
	}
}

func declareBenchBuild(fs *pflag.FlagSet) action {
	var c benchFlags
	var o bench.BuildOptions
	c.declareSearch(fs, &o.Search, "`name` of the scorer: "+scorerNames(),
		"random `seed`; the same seed gives the same candidates")
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
		return c.bench(ctx, o.Check, stdout, stderr, func(ctx context.Context, b *benching) error {
			o.Done = func(s *bench.Speed) { b.progress.say("%s: %.1f candidates a second", s.Workload, s.PerSecond()) }
			r, err := b.Build(ctx, o)
			if err != nil {
				return err
			}
			return b.finish("build", r, report.Page{
				Title: "Candidates a second", Tables: []report.Table{report.SpeedTable(r.Rows)},
				Facts: b.about(b.What(), fmt.Sprintf("searches of %d trials, scorer %s, seed %d", o.Trials, o.Scorer, o.Seed)),
			})
		})
	}
}

func declareBenchNoise(fs *pflag.FlagSet) action {
	var c benchFlags
	var o bench.NoiseOptions
	c.declareSearch(fs, &o.Search, "`name` of the scorer of searches: "+scorerNames(), "random `seed` of the searches")
	fs.IntVar(&o.Repeats, "repeats", 20, "`number` of final choices")
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
		return c.bench(ctx, o.Check, stdout, stderr, func(ctx context.Context, b *benching) error {
			o.Done = func(n *bench.Noise) {
				b.progress.say("%s: the same winner in %.0f%% of %d choices, ties hold the fastest in %.0f%%",
					n.Workload, 100*n.Agreement(), len(n.Choices), 100*n.Covered())
			}
			list, err := b.Noise(ctx, o)
			if err != nil {
				return err
			}
			return b.finish("noise", list, report.Page{
				Title: "Noise: one final choice, made again and again", Facts: b.about(b.What()),
				Tables: []report.Table{report.NoiseTable(list, search.TieRate)},
			})
		})
	}
}

func declareBenchChoice(fs *pflag.FlagSet) action {
	var o bench.ChoiceOptions
	fs.StringVar(&o.Scorer, "scorer", costmodel.Default(), "`name` of the scorer: "+scorerNames())
	fs.StringVar(&o.Model.Model, "model", "", "`folder` of the model for --scorer world; empty: the built-in model")
	fs.IntVar(&o.Population, "population", 2048, "`number` of random candidates")
	fs.IntVar(&o.Generations, "generations", 0, "`number` of generations of evolution")
	fs.Uint64Var(&o.Seed, "seed", 0, "random `seed`; the same seed gives the same candidates")
	asJSON := fs.Bool("json", false, "one JSON object per task")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		progress := newProgress(stderr)
		if err := checkScorer(o.Scorer, o.Model.Model, false, false); err != nil {
			return err
		}
		o.Logs, o.Model.XGBoost, o.Show = args, os.Getenv(xgboostVariable), progress.showLine
		if *asJSON {
			o.Done = func(c *bench.ModelChoice) error { return json.NewEncoder(stdout).Encode(c) }
		}
		return interruptible(ctx, "", func(ctx context.Context) error {
			list, err := bench.CompareChoices(ctx, o)
			progress.clearLine()
			if err == nil && !*asJSON {
				report.ChoiceTable(list).Print(stdout)
			}
			return err
		})
	}
}
