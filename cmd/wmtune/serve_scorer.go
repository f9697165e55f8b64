package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
	"github.com/wmtune/wmtune/tune/scorerservice"
)

const serveScorerArgs = "[--scorer NAME] [--model FOLDER] [--seed N]"

const serveScorerWhat = `Serve-scorer lets another program's tuner rank its candidates by a scorer of wmtune.
The tuner sends messages to the standard input and reads answers from the standard
output: open a task, score candidates, update with measured records, explain a score
(docs/manual/scorer-protocol.md). The service ends when its standard input ends. A program
that answers the same messages is a scorer of 'wmtune search --scorer exec:COMMAND'.`

const serveScorerExamples = `  wmtune serve-scorer
  wmtune serve-scorer --scorer world --model my-model
`

func declareServeScorer(fs *pflag.FlagSet) action {
	name := fs.String("scorer", costmodel.Default(), "`name` of the scorer: "+scorerNames())
	model := fs.String("model", "", "`folder` of the model for --scorer world; empty: the built-in model")
	seed := fs.Uint64("seed", 0, "random `seed` of --scorer random")
	return func(ctx context.Context, _ []string, _, _ io.Writer) error {
		if err := checkScorer(*name, *model, false); err != nil {
			return err
		}
		return interruptible(ctx, "", func(ctx context.Context) error {
			return scorerservice.Serve(ctx, os.Stdin, os.Stdout, scorerservice.Options{
				Server: "wmtune " + tune.Version(), Scorer: *name,
				Open: func(kind target.Kind, tell func(text string)) (search.Scorer, error) {
					o := scorerOptions(*seed, kind, tell)
					o.Model = *model
					return costmodel.Open(ctx, *name, o)
				},
				Host: func() (target.Target, error) { return codegen.Host(nil) },
			})
		})
	}
}
