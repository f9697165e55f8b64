package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wmtune/wmtune/cmd/wmtune/bench"
	"github.com/wmtune/wmtune/ranker/eval"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/target"
)

const evalArgs = "LOG|DATASET... [--scorers NAMES] [--split NAME] [--seeds 17,43,71] [--min-timed N] [--jobs N] [--json] [--html FILE]"

const evalWhat = `Eval judges scorers offline: each learns from some of the tasks that were
measured before and ranks the candidates of the others. The table shows means
over tasks, and behind them the range over the seeds. CPU and GPU records are
judged apart. docs/evaluation.md says what the figures mean, and what came out.`

const evalExamples = `  wmtune eval gpu/*.arrow
  wmtune eval --scorers random,l1,l1p --split dag gpu/*.arrow
  wmtune eval --seeds 17 --html eval.html tuning.arrow
`

// An evalCommand is a parsed command line of eval.
type evalCommand struct {
	paths    []string
	rows     []eval.Row
	chosen   bool // by --scorers
	split    eval.Split
	seeds    []uint64
	minTimed int
	jobs     int
	json     bool
	html     string
}

func runEval(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c, err := parseEval(args, stdout)
	if err != nil {
		return err
	}
	e := &evaluating{evalCommand: *c, progress: newProgress(stderr), out: stdout, started: time.Now()}
	return interruptible(ctx, e.run)
}

func parseEval(args []string, stdout io.Writer) (*evalCommand, error) {
	c := &evalCommand{}
	fs := newFlags("eval", evalArgs, evalWhat, evalExamples, stdout)
	names := fs.String("scorers", eval.RowNames(), "`names` of scorers; docs/evaluation.md says what each is")
	split := fs.String("split", "task", "`how` to divide: "+eval.SplitNames())
	seeds := fs.String("seeds", "17,43,71", "`numbers` that folds and models follow from")
	fs.IntVar(&c.minTimed, "min-timed", 64, "leave out tasks with fewer than so `many` records that were timed")
	fs.IntVar(&c.jobs, "jobs", 0, "`number` of trainings at a time; 0 means one per core")
	fs.BoolVar(&c.json, "json", false, "print one JSON object at the end, and nothing else, to standard output")
	fs.StringVar(&c.html, "html", "", "also write the tables and a picture to `file`, one page that needs no network")
	var err error
	if c.paths, err = parseFlags(fs, args, -1); err != nil {
		return nil, err
	}
	fs.Visit(func(f *flag.Flag) { c.chosen = c.chosen || f.Name == "scorers" })
	switch {
	case len(c.paths) == 0:
		return nil, usagef("no log or dataset is named")
	case c.minTimed < 2:
		return nil, usagef("--min-timed %d: must be at least 2", c.minTimed)
	case c.jobs < 0:
		return nil, usagef("--jobs %d: must not be negative", c.jobs)
	}
	for name := range strings.SplitSeq(*names, ",") {
		i := slices.IndexFunc(eval.Rows(), func(r eval.Row) bool { return r.Name == name })
		if i < 0 {
			return nil, usagef("--scorers: unknown scorer %q: known are %s", name, eval.RowNames())
		}
		c.rows = append(c.rows, eval.Rows()[i])
	}
	i := slices.IndexFunc(eval.Splits(), func(s eval.Split) bool { return s.Name == *split })
	if i < 0 {
		return nil, usagef("--split: unknown split %q: known are %s", *split, eval.SplitNames())
	}
	c.split = eval.Splits()[i]
	for text := range strings.SplitSeq(*seeds, ",") {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, usagef("--seeds: %q is no seed: they are whole numbers with commas between", text)
		}
		c.seeds = append(c.seeds, n)
	}
	return c, nil
}

// evaluating is an evaluation under way.
type evaluating struct {
	evalCommand
	progress *progress
	out      io.Writer
	started  time.Time
}

// A judged is the report of the tasks of one kind of target.
type judged struct {
	Kind target.Kind `json:"target"`
	*eval.Report
	Skipped        int     `json:"skipped_records"` // steps that do not apply
	FeatureSeconds float64 `json:"feature_seconds"`
}

func (e *evaluating) run(ctx context.Context) error {
	if err := e.checkLibrary(); err != nil {
		return err
	}
	tasks, err := e.read(ctx)
	if err != nil {
		return err
	}
	var list []judged
	var kinds []target.Kind
	for _, t := range tasks {
		if !slices.Contains(kinds, t.Target.Kind) {
			kinds = append(kinds, t.Target.Kind)
		}
	}
	for _, kind := range kinds {
		of := slices.DeleteFunc(slices.Clone(tasks), func(t *eval.Task) bool { return t.Target.Kind != kind })
		j, err := e.judge(ctx, kind, of)
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		list = append(list, j)
	}
	return e.finish(list)
}

// checkLibrary leaves out the scorers that need libxgboost where there is none,
// unless they were asked for.
func (e *evaluating) checkLibrary() error {
	_, err := xgboost.Load(os.Getenv(xgboostVariable))
	if err == nil || !slices.ContainsFunc(e.rows, func(r eval.Row) bool { return r.Library }) {
		return nil
	}
	if e.chosen || !errors.Is(err, xgboost.ErrMissing) {
		return err
	}
	e.progress.say("warning: scorers of boosted trees are left out: %v", err)
	e.rows = slices.DeleteFunc(e.rows, func(r eval.Row) bool { return r.Library })
	return nil
}

func (e *evaluating) judge(ctx context.Context, kind target.Kind, tasks []*eval.Task) (judged, error) {
	j := judged{Kind: kind}
	start := time.Now()
	show := func(what string) func(done, all int) {
		begun := time.Now()
		return func(done, all int) {
			left := time.Duration(float64(time.Since(begun)) / float64(done) * float64(all-done)).Round(time.Second)
			e.progress.showLine(fmt.Sprintf("%s: %s: %d of %d, %s left", kind, what, done, all, left))
		}
	}
	dropped, why, err := eval.Prepare(ctx, tasks, eval.Needs(e.rows), e.jobs, show("features"))
	if err != nil {
		return j, err
	}
	if dropped > 0 {
		e.progress.say("warning: %d records are left out: their steps do not apply or have no features; the first: %v", dropped, why)
	}
	j.Skipped, j.FeatureSeconds = dropped, time.Since(start).Seconds()
	tasks = slices.DeleteFunc(tasks, func(t *eval.Task) bool { return t.Timed() < e.minTimed })
	if len(tasks) == 0 {
		return j, e.tooFew()
	}
	trainings := show("scorers")
	j.Report, err = eval.Evaluate(ctx, tasks, eval.Options{
		Split: e.split, Rows: e.rows, Seeds: e.seeds, Workers: e.jobs, Library: os.Getenv(xgboostVariable),
		Progress: func(done, all int, what string) { trainings(done, all) },
	})
	return j, err
}

// finish prints what was found.
func (e *evaluating) finish(list []judged) error {
	e.progress.clearLine()
	page := bench.Page{Title: "Scorers, judged offline", Facts: e.facts()}
	for _, j := range list {
		page.Tables = append(page.Tables, evalTables(j)...)
		page.Plots = append(page.Plots, evalPlot(j))
	}
	if e.html != "" {
		var text strings.Builder
		if err := page.Write(&text); err != nil {
			return fmt.Errorf("%s: %w", e.html, err)
		}
		if err := replaceFile(e.html, []byte(text.String())); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	if e.json {
		return json.NewEncoder(e.out).Encode(map[string]any{"version": version(), "seconds": time.Since(e.started).Seconds(), "reports": list})
	}
	for _, t := range page.Tables {
		t.Print(e.out)
		fmt.Fprintln(e.out)
	}
	if e.html != "" {
		fmt.Fprintf(e.out, "page: %s\n", e.html)
	}
	return nil
}

// facts are the lines at the top of the page.
func (e *evaluating) facts() []string {
	return []string{
		fmt.Sprintf("wmtune %s, %s", version(), time.Now().UTC().Format("2006-01-02 15:04 MST")),
		fmt.Sprintf("split %s: %s; seeds %s", e.split.Name, e.split.What, strings.Trim(fmt.Sprint(e.seeds), "[]")),
		"wmtune eval " + strings.Join(e.paths, " "),
	}
}
