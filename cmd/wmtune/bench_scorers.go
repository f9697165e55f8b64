package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/cmd/wmtune/bench"
	"github.com/wmtune/wmtune/dataset/measure"
)

const benchScorersWhat = `Bench scorers searches each workload of a suite with each scorer, from several
seeds, for the same number of trials, and then times what they found in turns. From
one seed all scorers begin with the same random candidates. What was done before is
not done again.

A scorer is one of 'wmtune search --scorer', gbt+warm, which learns from the logs of
--warm, world+local, or NAME=FOLDER: the world scorer with the model in a folder.`

// A scorerBench is the benchmark scorers under way.
type scorerBench struct {
	*benching
	scorers  []string
	baseline string
	seeds    int
	html     string
}

func runBenchScorers(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c := benchFlags{unmeasured: true}
	b, err := parseBenchScorers(args, &c, stdout)
	if err != nil {
		return err
	}
	if b.benching, err = c.open(ctx, stderr); err != nil {
		return err
	}
	defer b.machine.close()
	found := make([][]tuned, len(b.workloads))
	for i, w := range b.workloads {
		// Scorers take turns, so that none has the machine's quiet hours.
		for seed := range b.seeds {
			for _, scorer := range b.scorers {
				t, err := b.tuned(ctx, w, scorer, uint64(seed))
				if err != nil {
					return err
				}
				found[i] = append(found[i], t)
			}
		}
	}
	return interruptible(ctx, func(ctx context.Context) error { return b.contests(ctx, found, stdout) })
}

func parseBenchScorers(args []string, c *benchFlags, stdout io.Writer) (*scorerBench, error) {
	b := &scorerBench{}
	fs := newFlags("bench scorers", "[flags]", benchScorersWhat, benchExamples, stdout)
	c.declare(fs)
	names := fs.String("scorers", strings.ReplaceAll(scorerNames(), ", ", ","), "`names` of scorers; without it, those whose libraries are there")
	fs.StringVar(&b.baseline, "baseline", "", "`name` of the scorer that the others are compared with (default gbt, or the last one)")
	fs.StringVar(&b.html, "html", "", "also write the page to `file`")
	fs.IntVar(&b.seeds, "seeds", 3, "`number` of searches with each scorer, from the seeds 0, 1, ...")
	if _, err := parseFlags(fs, args, 0); err != nil {
		return nil, err
	}
	if b.seeds < 1 {
		return nil, usagef("--seeds %d: must be at least 1", b.seeds)
	}
	given := false
	fs.Visit(func(f *flag.Flag) { given = given || f.Name == "scorers" })
	for text := range strings.SplitSeq(*names, ",") {
		switch name, err := c.addScorer(text); {
		case err == nil:
			b.scorers = append(b.scorers, name)
		case given || !unavailable(err):
			return nil, err
		}
	}
	switch {
	case b.baseline == "" && slices.Contains(b.scorers, "gbt"):
		b.baseline = "gbt"
	case b.baseline == "":
		b.baseline = b.scorers[len(b.scorers)-1]
	case !slices.Contains(b.scorers, b.baseline):
		return nil, usagef("--baseline %s: it is none of --scorers %s", b.baseline, strings.Join(b.scorers, ","))
	}
	return b, nil
}

// contests times what was found and reports.
func (b *scorerBench) contests(ctx context.Context, found [][]tuned, stdout io.Writer) error {
	var list []bench.Contest
	for i, w := range b.workloads {
		c, err := b.contest(ctx, w, found[i])
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		list = append(list, c)
	}
	page := bench.Page{Title: "Scorers on real searches", Facts: b.facts(), Tables: bench.ContestTables(list, b.scorers)}
	ratios := bench.Advantages(list, b.scorers, b.baseline)
	page.Tables = append(bench.AdvantageTables(ratios, b.baseline), page.Tables...)
	page.Facts = append(page.Facts, fmt.Sprintf("searches of %d trials from %d seeds", b.trials, b.seeds))
	page.Charts, page.Legend = bench.ContestCharts(list, b.scorers)
	report := map[string]any{
		"machine": b.machine.host.String(), "version": version(), "trials": b.trials, "seeds": b.seeds,
		"scorers": bench.Qualities(list, b.scorers), "baseline": b.baseline, "ratios": ratios, "rows": list,
	}
	if b.html != "" {
		var text strings.Builder
		if err := page.Write(&text); err != nil {
			return fmt.Errorf("%s: %w", b.html, err)
		}
		if err := replaceFile(b.html, []byte(text.String())); err != nil {
			return err
		}
	}
	return b.finish("scorers", report, page, stdout)
}

// contest times the kernels found for one workload in turns, unless that was done.
func (b *scorerBench) contest(ctx context.Context, w workload, found []tuned) (bench.Contest, error) {
	c := bench.Contest{Workload: w.name, Spec: w.text, Trials: b.trials, Unix: time.Now().Unix(), Load: loadAverage()}
	var inputs []measure.Input
	var places []int // of inputs among the entries
	for _, t := range found {
		c.Entries = append(c.Entries, bench.Entry{Scorer: t.scorer, Seed: t.seed, Curve: t.curve, PerSecond: t.perSec, Failure: t.failure})
		if t.failure != "" {
			continue
		}
		in, err := b.input(w, t)
		if err != nil {
			return c, err
		}
		inputs, places = append(inputs, in), append(places, len(c.Entries)-1)
	}
	built, err := b.machine.build.Build(ctx, inputs)
	if err != nil {
		return c, err
	}
	objects := []any{w.key, w.text, places}
	for _, r := range built {
		objects = append(objects, string(r.Object))
	}
	c.Key = hashOf(objects...)
	name := filepath.Join("scorers", fmt.Sprintf("%s-%s-%dx%d.json", w.name, strings.Join(b.scorers, "-"), b.seeds, b.trials))
	var before bench.Contest
	if !b.again && b.load(name, &before) && before.Key == c.Key && len(before.Entries) == len(c.Entries) {
		c.Unix, c.Load = before.Unix, before.Load
		for i := range c.Entries { // curves are read anew
			c.Entries[i].Seconds, c.Entries[i].Failure = before.Entries[i].Seconds, before.Entries[i].Failure
		}
		return c, nil
	}
	b.progress.showLine(w.name + ": timing what was found, in turns")
	if err := b.machine.setTask(ctx, w.dag, 0); err != nil {
		return c, err
	}
	results, err := b.machine.runs.Remeasure(ctx, inputs, built)
	if err != nil {
		return c, err
	}
	for k, r := range results {
		e := &c.Entries[places[k]]
		if r.Status != measure.OK {
			e.Failure = fmt.Sprintf("%s: %s", r.Status, r.Message)
			continue
		}
		e.Seconds = r.Cost()
	}
	if err := ctx.Err(); err != nil {
		return c, errors.Join(errInterrupted, err)
	}
	return c, b.save(name, c)
}
