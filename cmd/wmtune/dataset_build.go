package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/models/train"
	"github.com/wmtune/wmtune/tune"
)

const datasetBuildArgs = "LOG... --out DIR [--shard I/N] [--share F] [--seed N] [--jobs N] [--memory SIZE] [--json]"

const datasetBuildWhat = `Build makes training data from tuning logs. It replays the steps of each record one
by one. The dataset holds the program after each step as text, the step as a vector
and as text, and the cost as labels. It stores equal programs once.

The folder holds Arrow files, which docs/manual/dataset.md explains. The same logs give the
same bytes for every --jobs. The same command continues an interrupted build.`

const datasetBuildExamples = `  wmtune dataset build tuning.arrow --out data
  wmtune dataset build logs/*.arrow --out data --share 0.1     a tenth of the records, at random
  wmtune dataset build logs/*.arrow --out part0 --shard 0/3    a third of the work; see dataset merge
`

// buildGarbage is less than gcPercent: the records of all logs are in use, and half the memory costs 7 % of the time.
const buildGarbage = 150

// A buildCommand is a parsed command line of dataset build.
type buildCommand struct {
	trajectory.Options
	shard string // as in 0/3
	json  bool
}

func declareDatasetBuild(fs *pflag.FlagSet) action {
	c := &buildCommand{}
	fs.StringVar(&c.Dir, "out", "", "`folder` of the new dataset")
	fs.StringVar(&c.shard, "shard", "0/1", "`part` to build, as I/N: part I of N, from 0")
	fs.Float64Var(&c.Share, "share", 1, "`share` of the records, drawn at random")
	fs.Uint64Var(&c.Seed, "seed", 1, "random `seed` of --share")
	fs.IntVar(&c.Workers, "jobs", 0, "`number` of workloads at work at once; 0: one per core")
	memory := declareMemory(fs)
	declareQuiet(fs)
	fs.BoolVar(&c.json, "json", false, "one JSON object at the end")
	return func(ctx context.Context, logs []string, stdout, stderr io.Writer) error {
		c.Memory, c.Logs = memory.limit(), logs
		if err := c.check(); err != nil {
			return err
		}
		return interruptible(ctx, goOn, func(ctx context.Context) error { return c.run(ctx, stdout, stderr) })
	}
}

func (c *buildCommand) check() (err error) {
	switch {
	case len(c.Logs) == 0:
		return usagef("name at least one tuning log: wmtune dataset build LOG... --out DIR")
	case c.Dir == "":
		return usagef("--out is missing: the folder to make")
	case !(c.Share > 0 && c.Share <= 1):
		return usagef("--share %v: must be above 0 and at most 1", c.Share)
	}
	c.Shard, c.Shards, err = parseShard(c.shard)
	return err
}

// parseShard reads "1/3".
func parseShard(text string) (shard, shards int, err error) {
	i, n, ok := strings.Cut(text, "/")
	shard, err1 := strconv.Atoi(i)
	shards, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || shards < 1 || shard < 0 || shard >= shards {
		return 0, 0, usagef("--shard %q: want a part such as 0/3, 1/3 or 2/3", text)
	}
	return shard, shards, nil
}

func (c *buildCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	p, start := newProgress(stderr), time.Now()
	setGOGC(buildGarbage)
	c.Tool, c.Coder, c.Rules = tune.Version(), train.Coder(), split.V3()
	c.Warn = func(text string) { p.say("warning: %s", text) }
	c.Progress = buildProgress(p, start)
	m, err := trajectory.Build(ctx, c.Options)
	p.clearLine()
	if err != nil {
		return err
	}
	return printBuilt(stdout, c.Dir, m, time.Since(start), c.json)
}

// buildProgress returns a function that shows how many records are done. Workers
// call it.
func buildProgress(p *progress, start time.Time) func(done, total int) {
	var mu sync.Mutex
	var shown time.Time
	return func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(shown) > 200*time.Millisecond {
			shown = now
			left := time.Duration(float64(now.Sub(start)) * float64(total-done) / float64(max(done, 1)))
			p.showLine(fmt.Sprintf("%d of %d records, %s left", done, total, left.Round(time.Second)))
		}
	}
}

// printBuilt prints the contents of a dataset.
func printBuilt(w io.Writer, dir string, m trajectory.Meta, took time.Duration, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(map[string]any{
			"out": dir, "tasks": m.Tasks, "trajectories": m.Trajectories, "states": m.States, "actions": m.Actions,
			"shard": m.Shard, "shards": m.Shards, "splits": m.Splits, "seconds": took.Seconds(),
		})
	}
	_, err := fmt.Fprintf(w, "%s: %d trajectories of %d tasks, %d states, %d actions (%s)\n",
		dir, m.Trajectories, m.Tasks, m.States, m.Actions, took.Round(100*time.Millisecond))
	return err
}
