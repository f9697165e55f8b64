package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/dataset/survey"
)

const datasetInfoArgs = "DIR|LOG... [--html FILE] [--json]"

const datasetInfoWhat = `Info summarises a dataset or tuning logs: tasks, targets, kinds of steps, labels,
noise, failures and the share of duplicates. It also checks that no entry of a dataset
is in two parts of a split. If one is, the exit code is 1.`

const datasetInfoExamples = `  wmtune dataset info data
  wmtune dataset info wmtune-out/r50-t3/tuning.arrow
  wmtune dataset info data --html data.html       and a page with pictures of labels and costs
`

func declareDatasetInfo(fs *pflag.FlagSet) action {
	html := fs.String("html", "", "HTML `file` for a page with pictures; it needs no network")
	asJSON := fs.Bool("json", false, "one JSON object")
	return func(ctx context.Context, paths []string, stdout, stderr io.Writer) error {
		if len(paths) == 0 {
			return usagef("name a dataset or a tuning log: wmtune dataset info DIR|LOG...")
		}
		p := newProgress(stderr)
		info, err := survey.Read(ctx, paths, survey.Options{Progress: p.showLine,
			Warn: func(text string) { p.say("warning: %s", text) }})
		p.clearLine()
		if errors.Is(err, survey.ErrSeveral) {
			return usageError{err.Error()}
		}
		if err != nil {
			return err
		}
		err = printPage(stdout, *asJSON, info, report.InfoPage(paths, info), *html)
		if info.Set != nil && len(info.Set.Leaks) > 0 && err == nil {
			return fmt.Errorf("%d leaks between the parts of splits", len(info.Set.Leaks))
		}
		return err
	}
}
