package encoder

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wmtune/wmtune/tir/target"
)

// Options are the options of Train. Those that are 0 get what Defaults says.
type Options struct {
	Data
	Tokenizer []byte // tokenizer.json

	Batches int // of training
	Every   int // batches between validations and checkpoints
	Patient int // validations without a better one before the end

	PerTask int // programs drawn of a workload
	Tasks   int // of a batch
	States  int // of a task in a batch
	Tokens  int // of a batch; what does not fit is left out of it
	Windows int // of a program, in training: the first and the last ones
	Intra   float64
	Inter   float64

	Rate    float64
	Dropout float64

	Checkpoint string         // a file, or "" for none
	Progress   func(Progress) // if not nil, is called after each batch
}

// Progress says how far a training is. One that goes on from a checkpoint begins with the
// figures of the best state so far, and is not Validated again.
type Progress struct {
	Batch, Batches int
	Tokens         int // of this batch
	Contrast, Tell float64
	Validated      bool // the rest is of now
	Retrieval      float64
	R2             float64 // of the facts
	Best           bool
}

// Defaults returns how the shipped encoders are trained: chosen for two cores and
// ten minutes for processors, four for GPUs.
func Defaults(kind target.Kind) Options {
	o := Options{
		Data:    Data{Kind: kind, Split: "task", Seed: 17},
		Batches: 900, Every: 100, Patient: 4,
		PerTask: 256, Tasks: 8, States: 3, Tokens: 12288, Windows: 2, Intra: 1, Inter: 1,
		Rate: 2e-3, Dropout: 0.1,
	}
	if kind == target.CUDA { // 39 workloads to learn from
		o.Batches, o.Every = 300, 50
	}
	return o
}

// fill replaces what is 0 by the defaults.
func (o *Options) fill() {
	d := Defaults(o.Kind)
	for _, p := range []struct{ to, from *int }{
		{&o.Batches, &d.Batches}, {&o.Every, &d.Every}, {&o.Patient, &d.Patient}, {&o.PerTask, &d.PerTask},
		{&o.Tasks, &d.Tasks}, {&o.States, &d.States}, {&o.Tokens, &d.Tokens}, {&o.Windows, &d.Windows},
	} {
		if *p.to == 0 {
			*p.to = *p.from
		}
	}
	for _, p := range []struct{ to, from *float64 }{{&o.Intra, &d.Intra}, {&o.Inter, &d.Inter}, {&o.Rate, &d.Rate}} {
		if *p.to == 0 {
			*p.to = *p.from
		}
	}
	if o.Split == "" {
		o.Split = d.Split
	}
	// A batch holds at least two views of two programs.
	o.Tokens = max(o.Tokens, 4*window*o.Windows)
	o.States, o.Tasks = max(o.States, 2), max(o.Tasks, 1)
}

// identity names the training: the data, the tokenizer and the numbers.
func (o *Options) identity() (string, error) {
	h := sha256.New()
	for _, dir := range o.Dirs {
		sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
		if err != nil {
			return "", fmt.Errorf("encoder: dataset %s: %w", dir, err)
		}
		h.Write(sums)
	}
	h.Write(o.Tokenizer)
	fmt.Fprintln(h, formatVersion, o.Kind, o.Split, o.Seed, o.Batches, o.Every, o.Patient, o.PerTask, o.Tasks, o.States,
		o.Tokens, o.Windows, o.Intra, o.Inter, o.Rate, o.Dropout)
	return hex.EncodeToString(h.Sum(nil)), nil
}
