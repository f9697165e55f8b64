package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/lab/pages"
	"github.com/wmtune/wmtune/models/judge"
	"github.com/wmtune/wmtune/ranker/eval"
	"github.com/wmtune/wmtune/tune"
)

const evalWhat = `Eval judges scorers offline, as 'wmtune eval' does, and leaves a page with a picture.
With --learn scorers also learn from tasks that are too small to be asked about.`

func declareEval(fs *pflag.FlagSet) action {
	s := eval.Study{Library: os.Getenv("WMTUNE_XGBOOST")}
	names := fs.String("scorers", judge.Names(), "`names` of scorers, explained in docs/manual/eval.md")
	split := fs.String("split", "task", "`name` of the split: "+strings.Join(eval.SplitNames(), ", "))
	seeds := fs.String("seeds", "17,43,71", "random `seeds` of folds and models")
	fs.IntVar(&s.MinTimed, "min-timed", 64, "smallest `number` of timed records of a task that is ranked")
	fs.IntVar(&s.Learn, "learn", 0, "smallest `number` of timed records of a task learned from; 0: --min-timed")
	fs.IntVar(&s.Workers, "jobs", 0, "`number` of trainings at once; 0: one per core")
	return func(ctx context.Context, args []string, c *console) (err error) {
		if len(args) == 0 {
			return usagef("name at least one tuning log or dataset")
		}
		if s.Learn > s.MinTimed || s.MinTimed < 2 {
			return usagef("--min-timed %d, --learn %d: the first must be at least 2 and the second", s.MinTimed, s.Learn)
		}
		if s.Rows, err = judge.Rows(*names); errors.Is(err, judge.ErrSyntax) {
			return usagef("--scorers: %w", err)
		} else if err != nil {
			return err
		}
		if s.Split, err = eval.FindSplit(*split); err != nil {
			return usageError{err}
		}
		if s.Seeds, err = numbers[uint64]("seeds", *seeds, 64); err != nil {
			return err
		}
		s.Paths, s.Optional, s.Say = args, !fs.Changed("scorers"), c.say
		s.Progress = func(part string, done, all int) { c.show(fmt.Sprintf("%s: %d of %d", part, done, all)) }
		start := time.Now()
		list, err := s.Run(ctx)
		if err != nil {
			return err
		}
		value := map[string]any{"version": tune.Version(), "seconds": time.Since(start).Seconds(), "reports": list}
		return c.finish("eval", value, pages.EvalPage(list,
			[]string{fmt.Sprintf("split %s: %s; seeds %v", s.Split.Name, s.Split.What, s.Seeds)}))
	}
}
