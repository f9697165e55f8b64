package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/models/judge"
	"github.com/wmtune/wmtune/ranker/eval"
	"github.com/wmtune/wmtune/tune"
)

const evalArgs = "LOG|DATASET... [--scorers NAMES] [--model FOLDER] [--split NAME] [--seeds 17,43,71] " +
	"[--min-timed N] [--jobs N] [--memory SIZE] [--json] [--html FILE]"

const evalWhat = `Eval evaluates scorers offline, on records that were measured before. Each scorer
learns from some tasks and ranks the candidates of the others. The built-in model,
world, and models in folders, --model FOLDER or NAME=FOLDER, rank as they are. The
table shows means over tasks, each with its range over the seeds. CPU and GPU records
have separate tables. docs/manual/eval.md explains the figures and shows results.`

const evalExamples = `  wmtune eval gpu/*.arrow
  wmtune eval --model my/model tuning.arrow
  wmtune eval --scorers random,world,old=my/old,new=my/new --seeds 17 tuning.arrow
  wmtune eval --scorers random,gbt,l1p --split dag gpu/*.arrow
  wmtune eval --seeds 17 --html eval.html tuning.arrow
`

// An evalCommand is a parsed command line of eval.
type evalCommand struct {
	eval.Study
	scorers, split, seeds string // as they are given
	model                 string // folder; "" means none
	json                  bool
	html                  string
}

func (c *evalCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := c.check(); err != nil {
		return err
	}
	p, start := newProgress(stderr), time.Now()
	c.Library = os.Getenv(xgboostVariable)
	c.Say = func(text string) { p.say("%s", text) }
	part, begun := "", start
	c.Progress = func(now string, done, all int) {
		if now != part {
			part, begun = now, time.Now()
		}
		left := time.Duration(float64(time.Since(begun)) / float64(max(done, 1)) * float64(all-done)).Round(time.Second)
		p.showLine(fmt.Sprintf("%s: %d of %d, %s left", part, done, all, left))
	}
	return interruptible(ctx, "", func(ctx context.Context) error {
		list, err := c.Run(ctx)
		p.clearLine()
		if err != nil {
			return err
		}
		return c.print(stdout, list, start)
	})
}

func declareEval(fs *pflag.FlagSet) action {
	c := &evalCommand{}
	fs.StringVar(&c.scorers, "scorers", judge.Names(), "`names` of scorers, explained in docs/manual/eval.md")
	fs.StringVar(&c.model, "model", "", "`folder` of a model that is judged too, as the scorer model")
	fs.StringVar(&c.split, "split", "task", "`name` of the split: "+strings.Join(eval.SplitNames(), ", "))
	fs.StringVar(&c.seeds, "seeds", "17,43,71", "random `seeds` of folds and models")
	fs.IntVar(&c.MinTimed, "min-timed", 64, "smallest `number` of timed records of a task that is ranked")
	fs.IntVar(&c.Workers, "jobs", 0, "`number` of trainings at once; 0: one per core")
	memory := declareMemory(fs)
	declareQuiet(fs)
	fs.BoolVar(&c.json, "json", false, "one JSON object on standard output at the end, nothing else")
	fs.StringVar(&c.html, "html", "", "HTML `file` for the tables; it needs no network")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		c.Memory, c.Paths, c.Optional = memory.limit(), args, !fs.Changed("scorers")
		return c.run(ctx, stdout, stderr)
	}
}

func (c *evalCommand) check() error {
	switch {
	case len(c.Paths) == 0:
		return usagef("name a tuning log or a dataset: wmtune eval LOG|DATASET...")
	case c.MinTimed < 2:
		return usagef("--min-timed %d: must be at least 2", c.MinTimed)
	}
	var err error
	if c.Rows, err = judge.Rows(c.scorers); errors.Is(err, judge.ErrSyntax) {
		return usagef("--scorers: %v", err)
	} else if err != nil {
		return err
	}
	if c.model != "" {
		r, err := judge.Folder("model", c.model)
		if err != nil {
			return err
		}
		c.Rows = append(c.Rows, r)
	}
	if c.Split, err = eval.FindSplit(c.split); err != nil {
		return usagef("--split: %v", err)
	}
	for text := range strings.SplitSeq(c.seeds, ",") {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return usagef("--seeds: %q is no seed: they are whole numbers with commas between", text)
		}
		c.Seeds = append(c.Seeds, n)
	}
	return nil
}

// print prints the figures.
func (e *evalCommand) print(out io.Writer, list []eval.Judged, started time.Time) error {
	page := report.Page{Title: "Scorers, judged offline", Facts: e.facts()}
	for _, j := range list {
		page.Tables = append(page.Tables, report.EvalTables(j)...)
	}
	return printPage(out, e.json, map[string]any{"version": tune.Version(), "seconds": time.Since(started).Seconds(),
		"reports": list}, page, e.html)
}

// facts are the lines at the top of the page.
func (e *evalCommand) facts() []string {
	return []string{
		fmt.Sprintf("wmtune %s, %s", tune.Version(), time.Now().UTC().Format("2006-01-02 15:04 MST")),
		fmt.Sprintf("split %s: %s; seeds %s", e.Split.Name, e.Split.What, strings.Trim(fmt.Sprint(e.Seeds), "[]")),
		"wmtune eval " + strings.Join(e.Paths, " "),
	}
}
