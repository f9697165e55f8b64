package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/models/train"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
)

const trainArgs = "tokenizer | encoder | transition | ranker | refiner | all " +
	"--data DIR... --out MODEL [flags]"

const trainWhat = `Train makes a model of datasets. It trains all parts one after the other, or one part
from the parts before it in the folder --out. The parts learn from the training tasks of
the dataset's split. Validation tasks choose among weights; test tasks are used with
--all only. The same datasets and random seed give the same bytes on processors of one
kind, whatever --jobs is.

The same command continues an interrupted training. It keeps parts that are done and whose
data, settings and earlier parts are unchanged. After one part is trained again, train the
parts after it as well: only then is the folder a model again. Ranker and refiner need
libxgboost for training; a search with the model does not.`

const trainExamples = `  wmtune dataset build logs/*.arrow --out data              training data of logs
  wmtune train all --data data --out my-model               on the logs of CPUs among them
  wmtune train all --data data --out my-gpu --target cuda
  wmtune train ranker --data data --out my-model            features alone, if there are no other parts
  wmtune search --workload paper22/r50-t3 --model my-model
`

// trainAll is what train does besides single stages.
const trainAll = "all"

// trainModel runs the stage that args name. The datasets after it are added to those of o.
func trainModel(ctx context.Context, o *train.Options, args []string, asJSON bool, stdout, stderr io.Writer) error {
	if err := takeStage(o, args); err != nil {
		return err
	}
	p := newProgress(stderr)
	o.Tool, o.Library = tune.Version(), os.Getenv(xgboostVariable)
	o.Say = func(text string) { p.say("%s", text) }
	o.Progress = func(now train.Progress) { p.showLine(now.String()) }
	err := interruptible(ctx, goOn, func(ctx context.Context) error {
		r, err := train.Run(ctx, *o)
		p.clearLine()
		if err != nil {
			return err
		}
		switch {
		case asJSON:
			err = json.NewEncoder(stdout).Encode(map[string]any{"out": o.Out, "kind": r.Kind, "parts": r.Parts,
				"missing": r.Missing})
		case r.Missing != "":
			_, err = fmt.Fprintf(stdout, "%s: no model yet: %s\n", o.Out, r.Missing)
		default:
			_, err = fmt.Fprintf(stdout, "%s: a model for %s of parts %v\n", o.Out, r.Kind, r.Parts)
		}
		return err
	})
	if bad := (*train.OptionError)(nil); errors.As(err, &bad) {
		return usagef("--%s%s", bad.Option, bad.Why)
	}
	return err
}

func declareTrain(fs *pflag.FlagSet) action {
	o := &train.Options{}
	fs.StringArrayVar(&o.Data, "data", nil, "`folder` of a dataset; repeatable, or several folders follow")
	fs.StringVar(&o.Out, "out", "", "`folder` of the model")
	fs.StringVar((*string)(&o.Kind), "target", string(target.LLVM),
		"`kind` of target whose tasks the model learns: llvm or cuda")
	fs.StringVar(&o.Split, "split", "task", "`name` of the split: task, dag or target")
	declareQuiet(fs)
	fs.BoolVar(&o.All, "all", false, "training on test tasks as well, except those that benchmarks run")
	fs.Float64Var(&o.Effort, "effort", 1, "`share` of the usual training steps; small shares are for trials")
	fs.Uint64Var(&o.Seed, "seed", 17, "random `seed`")
	memory := declareMemory(fs)
	fs.IntVar(&o.Workers, "jobs", 0, "`number` of goroutines; 0: one per core")
	asJSON := fs.Bool("json", false, "one JSON object on standard output at the end, nothing else")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		o.Memory = memory.limit()
		return trainModel(ctx, o, args, *asJSON, stdout, stderr)
	}
}

// takeStage puts the stage and the datasets that args name into o.
func takeStage(o *train.Options, args []string) error {
	if len(args) == 0 {
		return usagef("needs a stage: %s or all", strings.Join(train.Stages(), ", "))
	}
	o.Data = append(o.Data, args[1:]...) // --data A B
	switch name := args[0]; {
	case slices.Contains(train.Stages(), name):
		o.Stages = []string{name}
	case name == "diagnose":
		return usagef("diagnose is gone: the stage encoder prints how well the encoder knows programs")
	case name != trainAll:
		return usagef("unknown stage %q: known are %s and all", name, strings.Join(train.Stages(), ", "))
	}
	return nil
}
