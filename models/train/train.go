// Package train makes models of datasets: the tokenizer, the encoder, the transition and
// the ranker, one stage after the other, into one folder that package models opens.
//
// Each stage leaves a mark that says what it was trained from (marks.go). A stage whose
// data, settings and earlier parts are unchanged is not trained again. An interrupted encoder or
// transition continues from its checkpoint; every other interrupted stage begins again. A folder
// whose parts do not fit each other is not completed into a model. The same datasets and seed
// give the same bytes on processors of one kind, whatever the number of workers.
//
// The package must not know flags, environment variables or terminals.
package train

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/transition"
)

// Options say what to train, and from what.
type Options struct {
	Stages  []string    // names of Stages, in their order; nil means all
	Data    []string    // folders of datasets
	Out     string      // folder of the model; made if it does not exist
	Kind    target.Kind // whose tasks are learned from: target.LLVM or target.CUDA
	Split   string      // name of the dataset's split, as dataset/split lists them
	All     bool        // transition and ranker also learn from test tasks that no benchmark runs
	Effort  float64     // share of the usual number of training steps, above 0 and at most 100
	Seed    uint64      // random seed
	Workers int         // goroutines; 0 means one per core. No byte depends on it
	Memory  uint64      // limit of what the records of the datasets take, in bytes; 0 means none
	Library string      // path of libxgboost; "" means the installed one
	Tool    string      // version of the program, for the manifest

	// Say, if not nil, gets each message: the start and the end of a stage, warnings.
	Say func(text string)
	// Progress, if not nil, is called by one goroutine at a time.
	Progress func(Progress)
}

// An OptionError is the error of an option that cannot be.
type OptionError struct {
	Option string // data, out, target, split, effort, jobs or stage
	Why    string
}

// Error names the option.
func (e *OptionError) Error() string { return "train: option " + e.Option + e.Why }

func (o *Options) check() error {
	wrong := func(option, format string, args ...any) error {
		return &OptionError{option, fmt.Sprintf(format, args...)}
	}
	for _, name := range o.Stages {
		if !slices.Contains(Stages(), name) {
			return wrong("stage", " %q: known are %s", name, strings.Join(Stages(), ", "))
		}
	}
	switch {
	case len(o.Data) == 0:
		return wrong("data", " is missing: the folder of a dataset; 'wmtune dataset build' makes one")
	case o.Out == "":
		return wrong("out", " is missing: the folder of the model")
	case o.Kind != target.LLVM && o.Kind != target.CUDA:
		return wrong("target", " %q: models are for llvm or cuda", o.Kind)
	case !slices.Contains(split.Names(), o.Split):
		return wrong("split", " %q: known are %s", o.Split, strings.Join(split.Names(), ", "))
	case o.Workers < 0:
		return wrong("jobs", " %d: must not be negative", o.Workers)
	case !(o.Effort > 0 && o.Effort <= 100):
		return wrong("effort", " %v: must be above 0 and at most 100", o.Effort)
	}
	return nil
}

// A stage trains one part of a model.
type stage struct {
	name  string
	what  string
	files []string // that it writes
	all   bool     // it also learns from test tasks if Options.All is set
	run   func(ctx context.Context, t *training) error
}

// stages is the table of the stages, in their order.
func stages() []stage {
	return []stage{
		{"tokenizer", "the tokens that programs are made of", []string{"tokenizer.json"}, false, trainTokenizer},
		{"encoder", "a network that makes vectors of programs", []string{"encoder.onnx"}, false, trainEncoder},
		{"transition", "a network that rolls the steps of candidates out", []string{"transition.onnx"}, true,
			trainTransition},
		{"ranker", "trees and networks over features", []string{"ranker.json", "ranker.trees", "ranker.onnx"}, true,
			trainRanker},
		{"refiner", "a ranker that also sees lowered programs", []string{"refiner-ranker.json", "refiner-ranker.trees",
			"refiner-ranker.onnx"}, true, trainRefiner},
	}
}

// Stages returns the names of the stages, in their order.
func Stages() []string {
	var names []string
	for _, s := range stages() {
		names = append(names, s.name)
	}
	return names
}

// A training is a training under way.
type training struct {
	Options
	set   *taskSet
	notes map[string]float64 // of the stage

	part  string // of the last progress
	first int    // how much of the part was done before
	began time.Time
}

// open checks the options and reads the datasets.
func open(o Options) (*training, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	set, err := openSet(&o)
	return &training{Options: o, set: set}, err
}

// A Result says what the folder is after a training.
type Result struct {
	Kind    target.Kind
	Parts   []models.Part // in the folder
	Missing string        // why the folder is no model yet; "" if it is one
}

// Run runs the stages that are not done and completes the folder. While it runs, another
// Run into the same folder fails with ErrLocked. Called again, an interrupted training goes on
// with the stage that it was in.
func Run(ctx context.Context, o Options) (*Result, error) {
	t, err := open(o)
	if err != nil {
		return nil, err
	}
	defer t.set.close()
	if err := os.MkdirAll(t.checkpoints(), 0o777); err != nil {
		return nil, fmt.Errorf("folder for the model: %w; choose another", err)
	}
	unlock, err := lock(t.checkpoints())
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := t.fits(); err != nil {
		return nil, err
	}
	for _, s := range stages() {
		if !t.trains(models.Part(s.name)) {
			continue
		}
		if !t.has(s) {
			t.say("refiner: models for target %s have none", t.Kind)
			continue
		}
		if err := t.stage(ctx, s); err != nil {
			return nil, err
		}
	}
	return t.complete(ctx)
}

// stage runs a stage, unless it is done.
func (t *training) stage(ctx context.Context, s stage) error {
	done, err := t.done(s)
	if err != nil {
		return err
	}
	if done {
		t.say("%s: done before", s.name)
		return nil
	}
	t.say("%s: %s", s.name, s.what)
	start := time.Now()
	t.notes = map[string]float64{}
	if err := s.run(ctx, t); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if err := t.finished(s); err != nil {
		return err
	}
	t.say("%s: done in %s", s.name, time.Since(start).Round(time.Second))
	return nil
}

func (t *training) say(format string, args ...any) { t.Say(fmt.Sprintf(format, args...)) }

// steps returns the share of a usual number of steps that is to be done.
func (t *training) steps(usual int) int { return max(1, int(t.Effort*float64(usual))) }

// transitionDraws is how often the transition sees each task at least. 400 batches of 8 tasks are 14 draws of the 226
// tasks that it was chosen for. Of 1,476 tasks it was worth 0.907 on validation after 2 draws, 0.946 after 9 and 0.957
// after 28.
const transitionDraws = 28

// batches returns the share of the batches, usually so many, that the transition is to learn from: more, if it would
// meet each task less often than transitionDraws.
func (t *training) batches(usual, tasks, perBatch int) int {
	return t.steps(max(usual, transitionDraws*tasks/perBatch))
}

// Progress says how far a part of a stage is.
type Progress struct {
	Part      string // such as "batches"
	Done, All int
	Loss      float64       // 0: it has none
	PerSecond float64       // 0: not known yet
	Left      time.Duration // if PerSecond is known
}

// String returns a line of text.
func (p Progress) String() string {
	text := fmt.Sprintf("%s: %d of %d", p.Part, p.Done, p.All)
	if p.Loss != 0 {
		text += fmt.Sprintf(", loss %.4f", p.Loss)
	}
	if p.PerSecond > 0 {
		text += fmt.Sprintf(", %.1f a second, %s left", p.PerSecond, p.Left.Round(time.Second))
	}
	return text
}

// tell reports progress. Of a part that continues from a checkpoint, what was done before says
// nothing of its speed.
func (t *training) tell(part string, done, all int, loss float64) {
	if t.Progress == nil {
		return
	}
	if part != t.part {
		t.part, t.first, t.began = part, done, time.Now()
	}
	p := Progress{Part: part, Done: done, All: all, Loss: loss}
	took := time.Since(t.began).Seconds()
	if n := float64(done - t.first); n > 0 && took > 0 {
		p.PerSecond = n / took
		p.Left = time.Duration(math.Round(float64(all-done) / p.PerSecond * float64(time.Second)))
	}
	t.Progress(p)
}

// Coder returns how trajectory.Build writes actions into the datasets that models are
// trained from.
func Coder() trajectory.Coder {
	encode := func(v []float32, before *schedule.State, step schedule.Step) string {
		a := transition.Resolve(before, step)
		a.Vector(v)
		return a.Text()
	}
	return trajectory.Coder{Name: transition.VectorName, Size: transition.Size, Encode: encode}
}
