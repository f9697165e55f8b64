package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/tir/target"
)

const trainArgs = "tokenizer | encoder | transition | ranker | all | diagnose --data DIR... --out MODEL [flags]"

const trainWhat = `Train makes a model of datasets: all its parts one after the other, or one of them
from the parts before it, which lie in the folder --out already. It learns from the
training tasks of the dataset's split and chooses by the validation tasks; test tasks
are not looked at. The same datasets and seed give the same bytes on processors of
one kind, whatever --jobs is.

A training that was interrupted goes on where it was when the same command is given
again; parts that are done and whose data and seed have not changed are kept. When one part
is trained again, those after it must be, too, before the folder is a model again. The
ranker needs libxgboost; using a model does not.

Diagnose trains nothing that is kept: it prints what the encoder in --out knows of
programs of validation tasks, and how well a transition foretells its vectors.`

const trainExamples = `  wmtune dataset build models/*.arrow.zst --out data        training data of logs
  wmtune train all --data data --out my-model               on the logs of CPUs among them
  wmtune train all --data data --out my-gpu --target cuda
  wmtune train ranker --data data --out my-model            features alone, if there are no other parts
  wmtune train diagnose --data data --out my-model          what its encoder is worth
  wmtune search --workload paper22/r50-t3 --model my-model
`

// A trainStage is one part of a model in training.
type trainStage struct {
	name  string
	what  string
	files []string // that it makes
	all   bool     // it learns from test tasks, too, if --all is given
	run   func(ctx context.Context, t *training) error
}

// trainStages is the table of the stages, in their order.
func trainStages() []trainStage {
	return []trainStage{
		{"tokenizer", "the tokens that programs are made of", []string{"tokenizer.json"}, false, trainTokenizer},
		{"encoder", "a network that makes vectors of programs", []string{"encoder.onnx"}, false, trainEncoder},
		{"transition", "a network that rolls the steps of candidates out", []string{"transition.onnx"}, true, trainTransition},
		{"ranker", "trees and networks over features", []string{"ranker.json", "ranker.trees", "ranker.onnx"}, true, trainRanker},
	}
}

// A trainCommand is a parsed command line of train.
type trainCommand struct {
	stages  []trainStage // none: diagnose
	data    logList
	out     string
	kind    target.Kind
	split   string
	all     bool // learn from test tasks, too
	variant string
	effort  float64 // the share of the usual steps
	seed    uint64
	jobs    int
}

// A training is a training under way.
type training struct {
	trainCommand
	progress *progress
	began    time.Time          // of the stage
	set      *trainSet          // read when a stage needs it
	notes    map[string]float64 // of the stage

	part      string // that tell tells of
	first     int    // what was done of it then
	partBegan time.Time
}

func runTrain(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c, err := parseTrain(args, stdout)
	if err != nil {
		return err
	}
	t := &training{trainCommand: *c, progress: newProgress(stderr)}
	return interruptible(ctx, func(ctx context.Context) error { return t.run(ctx, stdout) })
}

func parseTrain(args []string, stdout io.Writer) (*trainCommand, error) {
	c := &trainCommand{}
	kind := ""
	fs := newFlags("train", trainArgs, trainWhat, trainExamples, stdout)
	fs.Var(&c.data, "data", "`folder` of a dataset; may be given several times, or several follow")
	fs.StringVar(&c.out, "out", "", "`folder` of the model")
	fs.StringVar(&kind, "target", string(target.LLVM), "`kind` of target whose tasks are learned from: llvm or cuda")
	fs.StringVar(&c.split, "split", "task", "`name` of the split: task, dag or target; docs/dataset.md")
	fs.BoolVar(&c.all, "all", false, "transition and ranker learn from test tasks, too, but for those of workloads that benchmarks run: for a model to be used, not judged by them")
	fs.StringVar(&c.variant, "variant", "", "an ablation of the ranker, a `name`: "+strings.Join(models.Variants(), ", "))
	fs.Float64Var(&c.effort, "effort", 1, "`share` of the usual steps of training; little is for trying things out")
	fs.Uint64Var(&c.seed, "seed", 17, "`number` that all that is random follows from")
	fs.IntVar(&c.jobs, "jobs", 0, "`number` of goroutines; 0 means one per core")
	rest, err := parseFlags(fs, args, -1)
	if err != nil {
		return nil, err
	}
	if len(rest) == 0 {
		return nil, usagef("needs a stage: %s or all", strings.Join(stageNames(), ", "))
	}
	c.data = append(c.data, rest[1:]...) // --data A B
	c.kind = target.Kind(kind)
	if c.stages, err = stagesOf(rest[0]); err != nil {
		return nil, err
	}
	switch {
	case len(c.data) == 0:
		return nil, usagef("--data is missing: the folder of a dataset; 'wmtune dataset build' makes one")
	case c.out == "":
		return nil, usagef("--out is missing: the folder of the model")
	case c.kind != target.LLVM && c.kind != target.CUDA:
		return nil, usagef("--target %q: models are for llvm or cuda", kind)
	case c.jobs < 0:
		return nil, usagef("--jobs %d: must not be negative", c.jobs)
	case !(c.effort > 0 && c.effort <= 100):
		return nil, usagef("--effort %v: must be above 0 and at most 100", c.effort)
	case c.variant != "" && !slices.Contains(models.Variants(), c.variant):
		return nil, usagef("--variant %q: known are %s", c.variant, strings.Join(models.Variants(), ", "))
	}
	if c.jobs == 0 {
		c.jobs = runtime.GOMAXPROCS(0)
	}
	return c, nil
}

func stageNames() []string {
	var names []string
	for _, s := range trainStages() {
		names = append(names, s.name)
	}
	return names
}

// stagesOf returns the stages that a name stands for.
func stagesOf(name string) ([]trainStage, error) {
	all := trainStages()
	switch name {
	case "all":
		return all, nil
	case diagnoseStage:
		return nil, nil
	}
	for _, s := range all {
		if s.name == name {
			return []trainStage{s}, nil
		}
	}
	return nil, usagef("unknown stage %q: known are %s, all and diagnose", name, strings.Join(stageNames(), ", "))
}

// run runs the stages that are not done, and completes the folder.
func (t *training) run(ctx context.Context, stdout io.Writer) error {
	if len(t.stages) > 0 {
		if err := os.MkdirAll(t.checkpoints(), 0o777); err != nil {
			return fmt.Errorf("folder for the model: %w; choose another with --out", err)
		}
	}
	var err error
	if t.set, err = openTrainSet(t.data, t.kind, t.split, t.all); err != nil {
		return err
	}
	defer t.set.close()
	if len(t.stages) == 0 {
		return t.diagnose(ctx, stdout)
	}
	for _, s := range t.stages {
		done, err := t.done(s)
		if err != nil {
			return err
		}
		if done {
			t.progress.say("%s: done before", s.name)
			continue
		}
		t.progress.say("%s: %s", s.name, s.what)
		t.began, t.notes = time.Now(), map[string]float64{}
		if err := s.run(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := t.finished(s); err != nil {
			return err
		}
		t.progress.clearLine()
		t.progress.say("%s: done in %s", s.name, time.Since(t.began).Round(time.Second))
	}
	return t.complete(ctx, stdout)
}

// steps returns the share of a usual number of steps that is to be done.
func (c *trainCommand) steps(usual int) int { return max(1, int(c.effort*float64(usual))) }

// tell shows how far a part of a stage is: loss, steps a second, time left. Of one that goes
// on, what was done before says nothing of its speed.
func (t *training) tell(part string, done, all int, loss float64) {
	if part != t.part {
		t.part, t.first, t.partBegan = part, done, time.Now()
	}
	took := time.Since(t.partBegan)
	text := fmt.Sprintf("%s: %d of %d", part, done, all)
	if loss != 0 {
		text += fmt.Sprintf(", loss %.4f", loss)
	}
	if n := float64(done - t.first); n > 0 && took > 0 {
		text += fmt.Sprintf(", %.1f a second, %s left", n/took.Seconds(), (time.Duration(float64(took) * float64(all-done) / n)).Round(time.Second))
	}
	t.progress.showLine(text)
}
