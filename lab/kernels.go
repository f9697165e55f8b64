package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/lab/bench"
	"github.com/wmtune/wmtune/lab/pages"
	"github.com/wmtune/wmtune/tune/costmodel"
)

const kernelsWhat = `Bench kernels searches for a kernel of each workload in a suite, unless an earlier run
did. Then it times the kernels of wmtune and of the libraries in turns, one at a time,
with the same number of pinned threads. It skips a library that is not installed;
'make bench-setup' installs all of them.`

// benchFlags are those that all benchmarks on this machine have.
type benchFlags struct {
	options bench.Options
	only    string
	warm    []string
}

// declareOutput declares the flags of what a benchmark keeps.
func (b *benchFlags) declareOutput(fs *pflag.FlagSet) {
	fs.StringVar(&b.options.Dir, "out", filepath.Join("wmtune-out", "bench"),
		"`folder` for logs and results, with one folder per machine")
	fs.BoolVar(&b.options.Again, "again", false, "new timings in place of finished ones; finished searches stay")
}

// declare declares the flags of a benchmark that searches.
func (b *benchFlags) declare(fs *pflag.FlagSet) {
	b.declareOutput(fs)
	fs.StringVar(&b.options.Suite, "suite", "", "`name` of the suite; 'wmtune workloads' lists them; empty: paper22")
	fs.StringVar(&b.only, "only", "", "`names` of workloads in the suite or plan, such as r50-t3,bert-t2; empty: all")
	fs.StringArrayVar(&b.warm, "pretrain", nil, "tuning `log` that gbt"+bench.WarmEnding+
		" learns from before each search; repeatable")
}

// run does a benchmark whose options are in order, by their check.
func (b *benchFlags) run(
	ctx context.Context, c *console, check func(bench.Scorers) error, do func(context.Context, *bench.Bench) error,
) error {
	o := b.options
	o.Only = names(b.only)
	o.Machine, o.Scorers.Logs, o.Scorers.XGBoost = machineOptions(), b.warm, os.Getenv("WMTUNE_XGBOOST")
	o.Say, o.Show = c.say, c.show
	if err := check(o.Scorers); err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	opened, err := bench.Open(ctx, o)
	if err != nil {
		return err
	}
	defer opened.Close()
	return do(ctx, opened)
}

// names reads a list of names.
func names(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// declarePeers declares the flags of benchmarks that compare with libraries.
func declarePeers(fs *pflag.FlagSet, names string) (peers, python *string) {
	peers = fs.String("peers", names, "`names` of libraries to compare with; none: wmtune only")
	python = fs.String("python", filepath.Join(".peers", "bin", "python"),
		"`path` of the Python interpreter that has the libraries")
	return peers, python
}

// peerList reads the names of --peers.
func peerList(text string) []string {
	if text == "" || text == "none" {
		return nil
	}
	return strings.Split(text, ",")
}

// scorerNames lists the names of the scorers.
func scorerNames() string { return strings.Join(costmodel.Names(), ", ") }

func declareKernels(fs *pflag.FlagSet) action {
	var b benchFlags
	o := bench.KernelOptions{Plan: bench.KernelPlan}
	b.declare(fs)
	fs.IntVar(&o.Trials, "trials", 64, "`number` of candidates that a search measures")
	fs.StringVar(&o.Scorer, "scorer", "random",
		"`name` of the scorer of searches: "+scorerNames()+"; gbt"+bench.WarmEnding+" with --pretrain")
	fs.Uint64Var(&o.Seed, "seed", 0, "random `seed` of the searches")
	fs.IntVar(&o.Plan.Rounds, "rounds", o.Plan.Rounds, "`number` of rounds; each times every contender once")
	peers, python := declarePeers(fs, "ort,openvino,torch,inductor")
	return func(ctx context.Context, _ []string, c *console) error {
		o.Peers, o.Python = peerList(*peers), *python
		return b.run(ctx, c, o.Check, func(ctx context.Context, b *bench.Bench) error {
			o.Done = func(r *bench.Row) { c.say(r.Workload + ": " + pages.RowText(r)) }
			r, rows, err := b.Kernels(ctx, o)
			if err != nil {
				return err
			}
			return c.finish("kernels", r, pages.KernelPage(r, rows, b.What()))
		})
	}
}
