package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/internal/report"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/bench"
	"github.com/wmtune/wmtune/tune/costmodel"
)

const benchScorersWhat = `Bench scorers searches each workload in a suite with each scorer, with the same random
seeds and numbers of trials. Then it times the kernels in turns. It reports how much
faster the kernels of each scorer are than those of a baseline, with a confidence
interval. After Ctrl-C the same command continues.

A scorer is one of 'wmtune search --scorer'; gbt+warm, which learns from the logs of
--pretrain first; world+local, which is world with --online; or NAME=FOLDER, which is
world with the model in that folder. The ending +autoscheduler selects the search
space of AutoScheduler.`

// A scorersBench is the benchmark scorers under way.
type scorersBench struct {
	*benching
	scorers   []string
	baselines []baseline
	budgets   []int
	seeds     []uint64
	limit     time.Duration // of a search; 0: none
	finalists int
	report    bool // search nothing, time nothing
	html      string
	svg       string
	args      []string // the flags of the command line

	ready      string            // the workload that the machine is ready for
	pretrained *costmodel.GBT    // on the logs of --pretrain; nil before it is needed
	identities map[string]string // what scorers know beforehand
	left       *remaining
}

// A baseline is what scorers are compared with: a scorer after as many trials as
// theirs, or after its own number.
type baseline struct {
	scorer string
	fixed  bool
	budget int // if it is fixed
}

func (b baseline) String() string {
	if b.fixed {
		return fmt.Sprintf("%s@%d", b.scorer, b.budget)
	}
	return b.scorer
}

// side is the baseline of scorers with a budget.
func (b baseline) side(budget int) bench.Side {
	if b.fixed {
		budget = b.budget
	}
	return bench.Side{Scorer: b.scorer, Budget: budget}
}

func (b *scorersBench) run(ctx context.Context, c benchFlags, stdout, stderr io.Writer) (err error) {
	if b.benching, err = c.open(ctx, stderr); err != nil {
		return err
	}
	defer b.machine.Close()
	return interruptible(ctx, func(ctx context.Context) error {
		found, err := b.groups(ctx)
		if err != nil {
			return err
		}
		return b.conclude(found, stdout)
	})
}

func declareBenchScorers(fs *pflag.FlagSet) action {
	var c benchFlags
	b := &scorersBench{identities: map[string]string{}}
	c.declareFrame(fs)
	c.trials = 1 // of a search elsewhere; here there may be several numbers
	names := fs.String("scorers", "", "`names` of scorers: "+scorerNames()+", gbt"+warmEnding+", world"+localEnding+", NAME=FOLDER; empty: all available")
	trials := fs.String("trials", "16,64", "`numbers` of candidates per search; 0: the scorer's first choice, unmeasured")
	seeds := fs.String("seeds", "1,2,3,4,5", "random `seeds`; one search per seed")
	base := fs.String("baseline", "gbt", "`names` of baseline scorers; gbt@1024 is gbt after 1024 trials")
	fs.DurationVar(&b.limit, "time", 0, "time limit of a search, a `duration`; 0: none")
	fs.IntVar(&b.finalists, "finalists", 3, "`number` of the fastest candidates to time again; the fastest wins")
	fs.BoolVar(&b.report, "report", false, "report of finished searches only, without new searches and timings")
	fs.StringVar(&b.html, "html", "", "HTML `file` for a copy of the page")
	fs.StringVar(&b.svg, "svg", "", "SVG `file` for the curves with the most trials, all workloads")
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) (err error) {
		fs.Visit(func(f *pflag.Flag) { b.args = append(b.args, "--"+f.Name+"="+f.Value.String()) })
		if b.budgets, err = numbers[int]("trials", *trials); err != nil {
			return err
		}
		if b.seeds, err = numbers[uint64]("seeds", *seeds); err != nil {
			return err
		}
		switch {
		case b.limit < 0:
			return usagef("--time %v: must be positive", b.limit)
		case b.finalists < 1:
			return usagef("--finalists %d: must be at least 1", b.finalists)
		}
		if err := b.takeScorers(&c, *names); err != nil {
			return err
		}
		if err := b.takeBaselines(&c, *base); err != nil {
			return err
		}
		return b.run(ctx, c, stdout, stderr)
	}
}

// numbers reads a list of different numbers, none negative, such as 16,64.
func numbers[T int | uint64](flag, text string) ([]T, error) {
	var list []T
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(field, 10, 32)
		if err != nil {
			return nil, usagef("--%s %q: want numbers, such as 16,64", flag, text)
		}
		if slices.Contains(list, T(n)) {
			return nil, usagef("--%s %q: %d stands there twice", flag, text, n)
		}
		list = append(list, T(n))
	}
	return list, nil
}

// takeScorers takes the scorers named, or all that can be opened.
func (b *scorersBench) takeScorers(c *benchFlags, names string) error {
	if names != "" {
		for text := range strings.SplitSeq(names, ",") {
			name, err := c.addScorer(text)
			if err != nil {
				return err
			}
			if slices.Contains(b.scorers, name) {
				return usagef("--scorers %q: %s stands there twice", names, name)
			}
			b.scorers = append(b.scorers, name)
		}
		return nil
	}
	for _, name := range costmodel.Names() {
		switch err := c.checkScorer(name); {
		case err == nil:
			b.scorers = append(b.scorers, name)
		case !costmodel.Unavailable(err):
			return err
		}
	}
	return nil
}

// takeBaselines reads names such as gbt and gbt@1024. A baseline that is not among
// the scorers is searched with, too.
func (b *scorersBench) takeBaselines(c *benchFlags, names string) error {
	for text := range strings.SplitSeq(names, ",") {
		name, trials, fixed := strings.Cut(text, "@")
		base := baseline{scorer: name, fixed: fixed}
		if fixed {
			n, err := strconv.ParseUint(trials, 10, 32)
			if err != nil {
				return usagef("--baseline %q: want a scorer or, such as gbt@1024, one with its trials", text)
			}
			base.budget = int(n)
		}
		if err := c.checkScorer(name); err != nil {
			return fmt.Errorf("--baseline: %w", err)
		}
		if !fixed && !slices.Contains(b.scorers, name) {
			b.scorers = append(b.scorers, name)
		}
		b.baselines = append(b.baselines, base)
	}
	return nil
}

// sides are what each workload is searched with from each seed.
func (b *scorersBench) sides() []bench.Side {
	var list []bench.Side
	for _, n := range b.budgets {
		for _, s := range b.scorers {
			list = append(list, bench.Side{Scorer: s, Budget: n})
		}
	}
	for _, base := range b.baselines {
		if side := base.side(0); base.fixed && !slices.Contains(list, side) {
			list = append(list, side)
		}
	}
	return list
}

// groups does all searches of each workload and seed, and times what they found in
// turns.
func (b *scorersBench) groups(ctx context.Context) ([]bench.Found, error) {
	if err := b.identify(); err != nil {
		return nil, err
	}
	b.left = b.planned()
	var all []bench.Found
	for _, w := range b.workloads {
		for i, seed := range b.seeds {
			group, complete, err := b.group(ctx, w, i, seed)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", w.Name, seed, err)
			}
			if complete {
				all = append(all, group...)
			}
		}
	}
	return all, nil
}

// group does the searches of one workload and seed. It reports whether all are there
// and timed.
func (b *scorersBench) group(ctx context.Context, w workload.Workload, number int, seed uint64) ([]bench.Found, bool, error) {
	sides := b.sides()
	list := make([]keptSearch, len(sides))
	for k := range sides {
		// Another one begins with each seed, so that none has the machine's quiet hours.
		at := (k + number) % len(sides)
		s, err := b.searched(ctx, w, sides[at], seed)
		if err != nil || !s.Done {
			return nil, false, err
		}
		list[at] = s
	}
	return b.contest(ctx, w, seed, sides, list)
}

// conclude makes the report.
func (b *scorersBench) conclude(found []bench.Found, stdout io.Writer) error {
	page := report.Page{Title: "Scorers on real searches", Facts: b.facts()}
	page.Facts = append(page.Facts,
		"wmtune bench scorers "+strings.Join(b.args, " "),
		fmt.Sprintf("seeds %v; the %d fastest of each search timed in turns", b.seeds, b.finalists))
	var comparisons []bench.Versus
	var cells []report.Table
	for _, base := range b.baselines {
		var rows []bench.Versus
		for _, n := range b.budgets {
			var same []bench.Versus
			for _, s := range b.scorers {
				if side := (bench.Side{Scorer: s, Budget: n}); side != base.side(n) {
					same = append(same, bench.Compare(found, side, base.side(n)))
				}
			}
			rows, cells = append(rows, same...), append(cells, report.CellTable(found, same))
		}
		page.Tables = append(page.Tables, report.VersusTable(base.String(), rows))
		comparisons = append(comparisons, rows...)
	}
	var qualities []bench.Quality
	for _, s := range b.sides() {
		qualities = append(qualities, bench.QualityOf(found, s))
	}
	page.Tables = append(append(page.Tables, report.QualityTable(qualities)), cells...)
	page.Tables = slices.DeleteFunc(page.Tables, func(t report.Table) bool { return len(t.Rows) == 0 })
	if most := slices.Max(b.budgets); most > 1 {
		page.Charts, page.Legend = report.VersusCharts(found, b.scorers, most)
		page.Plots = []report.Plot{report.QualityPlot(found, b.scorers, most)}
	}
	report := map[string]any{
		"machine": b.machine.Target().String(), "version": tune.Version(), "suite": b.suite, "trials": b.budgets, "seeds": b.seeds,
		"scorers": b.scorers, "comparisons": comparisons, "qualities": qualities, "searches": found,
	}
	if b.html != "" {
		var text strings.Builder
		if err := page.Write(&text); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
		if err := renameio.WriteFile(b.html, []byte(text.String()), 0o644); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	if b.svg != "" && len(page.Plots) > 0 {
		if err := renameio.WriteFile(b.svg, []byte(page.Plots[0].Picture()), 0o644); err != nil {
			return fmt.Errorf("--svg: %w", err)
		}
	}
	return b.finish("scorers", report, page, stdout)
}

// folder is that of what belongs to a workload.
func (b *scorersBench) folder(w workload.Workload) string { return filepath.Join("scorers", w.Name) }
