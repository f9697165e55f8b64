package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/internal/report"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/bench"
)

const benchNoiseWhat = `Bench noise repeats the final choice of a search. Each choice checks the best
candidates and times them in turns, in a fresh process. It reports how often the same
candidate wins. It also reports how often the ties that result.json would state
contain the candidate that is fastest over all choices.`

// A noiseBench is the benchmark noise under way.
type noiseBench struct {
	*benching
	scorer  string
	seed    uint64
	repeats int
}

func declareBenchNoise(fs *pflag.FlagSet) action {
	var c benchFlags
	var n noiseBench
	c.declare(fs)
	fs.StringVar(&n.scorer, "scorer", "random", "`name` of the scorer of searches: "+scorerNames())
	fs.Uint64Var(&n.seed, "seed", 0, "random `seed` of the searches")
	fs.IntVar(&n.repeats, "repeats", 20, "`number` of final choices")
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
		return n.run(ctx, c, stdout, stderr)
	}
}

func (n *noiseBench) run(ctx context.Context, c benchFlags, stdout, stderr io.Writer) error {
	if n.repeats < 1 {
		return usagef("--repeats %d: must be at least 1", n.repeats)
	}
	var err error
	if n.benching, err = c.open(ctx, stderr); err != nil {
		return err
	}
	defer n.machine.Close()
	for _, w := range n.workloads {
		if _, err := n.tuned(ctx, w, n.scorer, n.seed); err != nil {
			return err
		}
	}
	return interruptible(ctx, func(ctx context.Context) error {
		var list []bench.Noise
		for _, w := range n.workloads {
			noise, err := n.study(ctx, w)
			if err != nil {
				return err
			}
			if noise.Finalists > 0 {
				list = append(list, noise)
			}
		}
		page := report.Page{Title: "Noise: one final choice, made again and again", Facts: n.facts(), Tables: []report.Table{report.NoiseTable(list, search.TieRate)}}
		return n.finish("noise", list, page, stdout)
	})
}

// study repeats the final choice of one search, unless that was done before.
func (n *noiseBench) study(ctx context.Context, w workload.Workload) (bench.Noise, error) {
	finalists, err := n.finalists(w)
	if err != nil || len(finalists) == 0 {
		return bench.Noise{}, err
	}
	key := hashOf(w.Key, w.Text, finalists, n.repeats)
	name := filepath.Join("noise", w.Name+".json")
	var study bench.Noise
	if !n.again && n.load(name, &study) && study.Key == key {
		return study, nil
	}
	study = bench.Noise{Workload: w.Name, Key: key, Finalists: len(finalists), Unix: time.Now().Unix(), Load: loadAverage()}
	if err := n.machine.SetTask(ctx, w.DAG, n.seed); err != nil {
		return study, err
	}
	inputs := make([]measure.Input, len(finalists))
	for i, r := range finalists {
		state, err := schedule.Replay(w.DAG, r.Steps)
		if err != nil {
			return study, fmt.Errorf("%s: %w", w.Name, err)
		}
		inputs[i] = measure.NewInput(state, n.machine.Target(), r.Layout)
	}
	builds, err := n.machine.Builder().Build(ctx, inputs)
	if err != nil {
		return study, err
	}
	for i := range n.repeats {
		n.progress.showLine(fmt.Sprintf("%s: choice %d of %d", w.Name, i+1, n.repeats))
		results, err := n.machine.Remeasure(ctx, inputs, builds)
		if err != nil {
			return study, err
		}
		if err := addChoice(&study, results); err != nil {
			return study, fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	n.progress.say("%s: the same winner in %.0f%% of %d choices, ties hold the fastest in %.0f%%", w.Name, 100*study.Agreement(), n.repeats, 100*study.Covered())
	return study, n.save(name, study)
}

// finalists returns the records of a log that a search would measure again.
func (n *noiseBench) finalists(w workload.Workload) ([]dataset.Record, error) {
	dir, err := n.searchDir(w, n.scorer, n.seed)
	if err != nil {
		return nil, err
	}
	records, _, err := dataset.ReadLog(filepath.Join(dir, "tuning.arrow"))
	if err != nil {
		return nil, err
	}
	timed := slices.DeleteFunc(tune.Past(records), func(r dataset.Record) bool { return !r.Timed() })
	slices.SortStableFunc(timed, func(a, b dataset.Record) int { return cmp.Compare(a.Cost(), b.Cost()) })
	return timed[:min(len(timed), search.DefaultFinalists)], nil
}

// addChoice adds the outcome of one final measurement to a study.
func addChoice(study *bench.Noise, results []measure.Result) error {
	var best []float64
	c := bench.Choice{}
	for i, r := range results {
		if r.Status != measure.OK {
			return fmt.Errorf("finalist %d: %s: %s", i, r.Status, r.Message)
		}
		best = append(best, r.Cost())
		if r.Cost() < best[c.Winner] {
			c.Winner = i
		}
	}
	for i, r := range results {
		if search.Tied(r.Costs, results[c.Winner].Costs) {
			c.Tied = append(c.Tied, i)
		}
	}
	study.Best, study.Choices = append(study.Best, best), append(study.Choices, c)
	return nil
}
