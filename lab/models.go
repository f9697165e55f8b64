package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/lab/bench"
	"github.com/wmtune/wmtune/lab/pages"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

const modelsWhat = `Bench models compiles each ONNX model, unless an earlier run did. Then it times the
bundle and the libraries in turns, one at a time, with the same inputs and the same
number of threads. Every contender is a process that stays up. A folder stands for all
.onnx files in it. NAME.npz beside NAME.onnx has inputs and the expected output. It
skips a library that is not installed and prints the line that installs it.

torch reads no ONNX: --torch names a Python file that makes the models' modules.`

func declareModels(fs *pflag.FlagSet) action {
	var b benchFlags
	o := bench.ModelOptions{Options: rivals.Options{Plan: rivals.ModelPlan}}
	b.declareOutput(fs)
	dims := fs.String("dim", "", "extents of open dimensions, a `list` such as batch=1,seq=128")
	threads := fs.String("threads", "1,2", "`numbers` of threads; each has rows of its own")
	fs.IntVar(&o.Compile.Trials, "trials", 0,
		"`number` of candidates measured per model; 0: the scorer's choice, unmeasured")
	fs.StringVar(&o.Compile.Named, "scorer", costmodel.Default(),
		"`name` of the scorer, which chooses schedules: "+scorerNames())
	fs.Uint64Var(&o.Compile.Seed, "seed", 0, "random `seed` of the compilation")
	fs.StringVar(&o.Bundles, "bundles", "",
		"`folder` of finished bundles, named as the models; empty: models are compiled")
	fs.IntVar(&o.Plan.Rounds, "rounds", o.Plan.Rounds, "`number` of rounds; each times every contender once")
	times := fs.String("times", "", "`numbers` of seconds, such as 200,500; bundles are tuned so long")
	meta := fs.String("metaschedule", "", "`file` of MetaSchedule runs, a JSON line each, to stand beside --times")
	peers, python := declarePeers(fs, "ort,openvino,inductor")
	fs.StringVar(&o.Torch, "torch", "", "Python `file` that makes torch modules; empty: torch and inductor are left out")
	return func(ctx context.Context, args []string, c *console) (err error) {
		if o.Threads, err = numbers[int]("threads", *threads, 32); err != nil {
			return err
		}
		if o.Dims, err = compile.ParseDims(*dims); err != nil {
			return usageError{err}
		}
		if o.Times, err = seconds(*times); err != nil {
			return err
		}
		if *meta != "" {
			if o.MetaSchedule, err = bench.ReadMetaSchedule(*meta); err != nil {
				return fmt.Errorf("--metaschedule: %w", err)
			}
		}
		o.Paths, o.Peers.Python = args, *python
		for _, name := range peerList(*peers) {
			if o.Torch != "" || name != "torch" && name != "inductor" {
				o.Peers.Names = append(o.Peers.Names, name)
			} else if fs.Changed("peers") {
				return usagef("--peers %s needs --torch, a file that makes torch modules", name)
			}
		}
		return b.run(ctx, c, o.Check, func(ctx context.Context, b *bench.Bench) error {
			o.Machine = machineOptions()
			o.Compile.Model = costmodel.Options{Seed: o.Compile.Seed, Kind: target.LLVM, XGBoost: o.Machine.Libraries.XGBoost}
			o.Done = func(r *rivals.Row) { c.say(report.ModelText(r)) }
			r, rows, err := b.Models(ctx, o)
			if err != nil {
				return err
			}
			return c.finish("models", r, pages.ModelPage(r, rows))
		})
	}
}

// seconds reads a list of seconds.
func seconds(text string) ([]time.Duration, error) {
	if text == "" {
		return nil, nil
	}
	list, err := numbers[int]("times", text, 32)
	var times []time.Duration
	for _, n := range list {
		times = append(times, time.Duration(n)*time.Second)
	}
	return times, err
}
