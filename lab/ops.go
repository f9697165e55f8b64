package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/lab/bench"
	"github.com/wmtune/wmtune/lab/pages"
)

const opsWhat = `Ops compiles a model of one node for each operator, at two sizes or more, with the
scorer's choice of schedules, and times it beside ONNX Runtime in turns. The slowest rows
come first. Rows that were timed before of the same library are not timed again, so a run
that was interrupted goes on. lab/bench/ops.txt has the operators and the sizes.`

func declareOps(fs *pflag.FlagSet) action {
	var b benchFlags
	o := bench.OpOptions{Plan: bench.OpPlan}
	b.declareOutput(fs)
	only := fs.String("only", "", "`names` of operators or of rows, such as TopK,MaxPool-3; empty: all")
	fs.IntVar(&o.Threads, "threads", 2, "`number` of threads")
	fs.IntVar(&o.Plan.Rounds, "rounds", o.Plan.Rounds, "`number` of rounds; each times both once")
	_, python := declarePeers(fs, "ort")
	return func(ctx context.Context, _ []string, c *console) error {
		o.Only, o.Python = names(*only), *python
		return b.run(ctx, c, o.Check, func(ctx context.Context, b *bench.Bench) error {
			o.Done = func(r *bench.OpRow) {
				c.say(fmt.Sprintf("%s %s: %s", r.Model, r.Spec, report.RaceText(&r.Race, 1, "us")))
			}
			r, rows, err := b.Ops(ctx, o)
			if err != nil {
				return err
			}
			return c.finish("ops", r, pages.OpsPage(r, rows))
		})
	}
}
