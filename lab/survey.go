package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/lab/bench"
	"github.com/wmtune/wmtune/lab/pages"
)

const surveyWhat = `Survey draws workloads at random, of all operators and sizes, and times what wmtune
makes of them beside the libraries, in turns: what the scorer chooses before anything is
measured, and what a search finds. The slowest beside the libraries come first, each
with the time that this machine's arithmetic and memory allow.`

func declareSurvey(fs *pflag.FlagSet) action {
	var b benchFlags
	draw := bench.Draw{}
	o := bench.KernelOptions{Plan: bench.KernelPlan, First: true}
	o.Plan.Rounds = 4
	b.declareOutput(fs)
	fs.IntVar(&draw.Rows, "rows", 100, "`number` of workloads")
	fs.Uint64Var(&draw.Seed, "seed", 0, "random `seed` of the workloads: draw anew each time")
	fs.StringVar(&b.only, "only", "", "`names` of operators, such as matmul,conv2d; empty: all")
	types := fs.String("types", "f32", "element `types` of products and convolutions, such as f32,bf16,i8")
	fs.IntVar(&o.Trials, "trials", 64, "`number` of candidates that a search measures")
	fs.StringVar(&o.Scorer, "scorer", "world", "`name` of the scorer: "+scorerNames())
	fs.IntVar(&o.Plan.Rounds, "rounds", o.Plan.Rounds, "`number` of rounds; each times every contender once")
	peers, python := declarePeers(fs, "torch,ort,openvino")
	return func(ctx context.Context, _ []string, c *console) error {
		o.Peers, o.Python = peerList(*peers), *python
		draw.Only, draw.Types = names(b.only), names(*types)
		b.options.Draw, b.only = &draw, ""
		return b.run(ctx, c, o.Check, func(ctx context.Context, b *bench.Bench) error {
			o.Done = func(r *bench.Row) { c.say(r.Spec + ": " + pages.RowText(r)) }
			r, rows, err := b.Kernels(ctx, o)
			if err != nil {
				return err
			}
			facts, err := b.CPU().Peaks(ctx, b.CPU().Target().Hardware.VectorBytes)
			if err != nil {
				return err
			}
			return c.finish("survey", r, pages.SurveyPage(r, rows, b.What(), facts))
		})
	}
}
