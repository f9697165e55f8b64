package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/lab/bench"
	"github.com/wmtune/wmtune/lab/pages"
)

const scorersWhat = `Bench scorers searches each workload in a suite, or in a plan, with each scorer, with
the same random seeds and numbers of trials. Then it times the kernels in turns. It
reports how much faster the kernels of each scorer are than those of a baseline, with a
confidence interval. After Ctrl-C the same command continues.

A scorer is one of 'wmtune search --scorer'; gbt+warm, which learns from the logs of
--pretrain first; NAME=FOLDER, which is
world with the model in that folder; or NAME=exec:COMMAND, a program of your own
(docs/manual/scorer-protocol.md). The ending +autoscheduler selects the search space of
AutoScheduler.`

func declareScorers(fs *pflag.FlagSet) action {
	var b benchFlags
	var o bench.ScorersOptions
	b.declare(fs)
	fs.StringVar(&b.options.Plan, "plan", "", "plan of workloads, a `file`, in place of a suite (docs/manual/collect.md)")
	names := fs.String("scorers", "", "`names` of scorers: "+scorerNames()+", gbt"+bench.WarmEnding+
		", NAME=FOLDER, NAME=exec:COMMAND; empty: all available")
	trials := fs.String("trials", "16,64", "`numbers` of candidates per search; 0: the scorer's first choice, unmeasured")
	seeds := fs.String("seeds", "1,2,3,4,5", "random `seeds`; one search per seed")
	base := fs.String("baseline", "gbt", "`names` of baseline scorers; gbt@1024 is gbt after 1024 trials")
	fs.DurationVar(&o.Time, "time", 0, "time limit of a search, a `duration`; 0: none")
	fs.IntVar(&o.Finalists, "finalists", 3, "`number` of the fastest candidates to time again; the fastest wins")
	fs.BoolVar(&o.Report, "report", false, "report of finished searches only, without new searches and timings")
	return func(ctx context.Context, _ []string, c *console) (err error) {
		if o.Budgets, err = numbers[int]("trials", *trials, 32); err != nil {
			return err
		}
		if o.Seeds, err = numbers[uint64]("seeds", *seeds, 64); err != nil {
			return err
		}
		if o.Baselines, err = baselines(*base); err != nil {
			return err
		}
		for _, text := range strings.FieldsFunc(*names, func(r rune) bool { return r == ',' }) {
			name, err := b.options.Scorers.Add(text)
			if err != nil {
				return err
			}
			o.Names = append(o.Names, name)
		}
		return b.run(ctx, c, o.Check, func(ctx context.Context, b *bench.Bench) error {
			o.Done = func(group []bench.Found, left string) {
				c.say(fmt.Sprintf("%s, seed %d: %s; %s", group[0].Workload, group[0].Seed, foundText(group), left))
			}
			r, err := b.CompareScorers(ctx, o)
			if err != nil {
				return err
			}
			return c.finish("scorers", r, pages.ScorersPage(r, o.Baselines, []string{b.Target().String(), b.What(),
				fmt.Sprintf("seeds %v; the %d fastest of each search timed in turns", o.Seeds, o.Finalists)}))
		})
	}
}

// numbers reads a list of different numbers of so many bits, none negative, such as 16,64.
func numbers[T int | uint64](flag, text string, bits int) ([]T, error) {
	var list []T
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(field, 10, bits)
		if err != nil {
			return nil, usagef("--%s %q: want numbers, such as 16,64", flag, text)
		}
		list = append(list, T(n))
	}
	return list, nil
}

// baselines reads a list of scorers, such as gbt,gbt@1024.
func baselines(names string) ([]bench.Baseline, error) {
	var list []bench.Baseline
	for text := range strings.SplitSeq(names, ",") {
		name, trials, fixed := strings.Cut(text, "@")
		n, err := strconv.ParseUint(trials, 10, 31)
		if fixed && err != nil {
			return nil, usagef("--baseline %q: want a scorer or, such as gbt@1024, one with its trials", text)
		}
		list = append(list, bench.Baseline{Scorer: name, Fixed: fixed, Budget: int(n)})
	}
	return list, nil
}

// foundText says in a line what searches found.
func foundText(list []bench.Found) string {
	text := ""
	for i, f := range list {
		if i > 0 {
			text += ", "
		}
		time := "nothing"
		if f.Seconds > 0 {
			time = dataset.FormatSeconds(f.Seconds)
		}
		text += fmt.Sprintf("%s@%d %s", f.Scorer, f.Budget, time)
	}
	return text
}
