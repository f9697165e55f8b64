package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/collect"
)

const collectArgs = "[--suite NAME | --plan FILE] [flags]"

const collectWhat = `Dataset collect measures candidates of every workload in a suite, or in a plan of your
own, on this machine's processor or GPU, and writes one tuning log. A plan is a file of
the lines that 'wmtune workloads --json' prints, plain or compressed with zstd. Every
candidate is checked against a reference. There are three strategies: random
candidates, evolution under a scorer, and mutations of the fastest candidates. With
--shares choices it times in turns some of the candidates that the scorer thinks best.

The same command continues where it stopped, also after a crash. Ctrl-C finishes
the current round first.`

const collectExamples = `  wmtune dataset collect                               the suite train, 100 a workload
  wmtune dataset collect --time 30m --log train.arrow
  wmtune dataset collect --suite resnet50 --per-task 64 --only r50-t3,r50-t6
  wmtune dataset collect --shares 100/0/0              unguided only
  wmtune workloads --model net.onnx --json > my.plan
  wmtune dataset collect --plan my.plan --scorer world --per-task 60
  wmtune dataset collect --target cuda --log gpu.arrow  on the GPU of this machine
  wmtune show train.arrow
`

// A collectCommand is a parsed command line of dataset collect.
type collectCommand struct {
	collect.Options
	only, plan string
	shareList  string // as in 50/25/25
	layoutName string
	json       bool
}

func (c *collectCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	show := newCollectDisplay(c, newProgress(stderr))
	defer show.close()
	ctx, signals := interrupts(ctx, show.interrupted)
	defer signals.stop()
	c.Stop, c.Writing, c.Observer = signals.Finish, &signals.keeping, show.observer()
	c.Machine, c.XGBoost = machineOptions(c.Machine.Workers), scorerOptions(c.Seed, target.LLVM, nil).XGBoost
	r, err := collect.Run(ctx, c.Options)
	show.close()
	if r != nil {
		if c.json {
			if e := json.NewEncoder(stdout).Encode(r); err == nil {
				err = e
			}
		} else {
			report.Collected(stdout, r)
		}
	}
	return interruption(ctx, signals, err, goOn)
}

func declareCollect(fs *pflag.FlagSet) action {
	c := &collectCommand{}
	fs.StringVar(&c.Name, "suite", "train", "`name` of the suite; 'wmtune workloads' lists them")
	fs.StringVar(&c.plan, "plan", "", "plan of workloads, a `file`, in place of a suite")
	fs.StringVar(&c.Scorer, "scorer", "gbt", "`name` of the scorer of evolved candidates: gbt learns in each task, "+
		"world also measures candidates that it is unsure of")
	fs.StringVar(&c.only, "only", "", "`names` of workloads in the suite, such as "+
		"softmax-384x384,maxpool-27x96; empty: all")
	fs.IntVar(&c.PerTask, "per-task", 100, "`number` of candidates per workload in the finished log")
	fs.StringVar(&c.shareList, "shares", "50/25/25",
		"`percentages` of random, evolved and neighbouring candidates; or choices")
	fs.DurationVar(&c.Time, "time", 0, "time limit, a `duration` such as 30m; 0: none")
	fs.Uint64Var(&c.Seed, "seed", 0, "random `seed`; the same seed gives the same candidates")
	fs.StringVar(&c.Target, "target", "llvm", "`kind` of target: "+machine.Help())
	fs.StringVar(&c.layoutName, "layout", target.Rewrite.String(),
		"weight `layout`: rewrite (pre-packed for the kernel) or keep")
	fs.IntVar(&c.Machine.Workers, "jobs", 0, "`number` of build workers; 0: one per core")
	fs.StringVar(&c.Log, "log", "", "tuning log, a `file`; continued if it exists (default wmtune-out/SUITE.arrow)")
	declareQuiet(fs)
	fs.BoolVar(&c.json, "json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
		if err := c.check(fs.Changed); err != nil {
			return err
		}
		return c.run(ctx, stdout, stderr)
	}
}

func (c *collectCommand) check(given func(flag string) bool) (err error) {
	switch {
	case c.PerTask < 1:
		return usagef("--per-task %d: must be at least 1", c.PerTask)
	case c.Scorer != "gbt" && c.Scorer != "world":
		return usagef("--scorer %q: known: gbt, world", c.Scorer)
	}
	kind, err := machine.Valid(c.Target)
	if err != nil {
		return usageError{"--target: " + err.Error()}
	}
	if c.Layout, err = target.ParseLayout(c.layoutName); err != nil {
		return usagef("--%v", err)
	}
	if c.Layout, err = machine.LayoutFor(kind, c.Layout, given("layout")); err != nil {
		return usageError{err.Error()}
	}
	if err = c.ParseShares(c.shareList); err != nil {
		return usageError{"--shares " + err.Error()}
	}
	switch {
	case c.plan != "" && c.only != "":
		return usagef("--only names workloads of a suite, not of --plan: leave lines out of the plan")
	case c.plan != "" && given("suite"):
		return usagef("--suite and --plan exclude each other")
	case c.plan != "":
		c.Name, _, _ = strings.Cut(filepath.Base(c.plan), ".")
		c.Workloads, err = collect.Plan(c.plan)
	default:
		if c.Workloads, err = collect.Suite(c.Name, c.only); err != nil {
			err = usageError{err.Error()}
		}
	}
	c.Log = cmp.Or(c.Log, filepath.Join("wmtune-out", c.Name+".arrow"))
	return err
}
