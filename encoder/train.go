package encoder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/encoder/bpe"
	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/tir/target"
)

// formatVersion is that of encoder.onnx and of checkpoints.
const formatVersion = 2

// Version identifies the form of encoder.onnx and the numbers that it reads. With another one, an encoder is to be
// trained again.
const Version = formatVersion<<8 | numbersVersion

// A trainer is a training.
type trainer struct {
	opts       Options
	identity   string
	params     *nn.Parameters
	net        *network
	batches    *batcher
	validation *sample
	state      checkpoint
}

// Train trains an encoder and returns encoder.onnx, as it was when validation was
// best. If the context ends it stops; with the same options it goes on from the last
// checkpoint, and ends with the bytes of a training that was not interrupted.
func Train(ctx context.Context, opts Options) ([]byte, error) {
	opts.fill()
	t, err := newTrainer(ctx, opts)
	if err != nil {
		return nil, err
	}
	defer t.net.Close() //nolint:errcheck // it holds memory only
	for t.state.Batch < opts.Batches && t.state.Waited < opts.Patient {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("encoder: training stopped after %d of %d batches: %w", t.state.Batch, opts.Batches, err)
		}
		if err := t.step(); err != nil {
			return nil, err
		}
	}
	if err := t.params.Restore(t.state.Best); err != nil {
		return nil, fmt.Errorf("encoder: the best state: %w", err)
	}
	return t.export()
}

func newTrainer(ctx context.Context, opts Options) (_ *trainer, err error) {
	tok, err := bpe.Load(opts.Tokenizer)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	t := &trainer{opts: opts, params: nn.NewParameters(opts.Seed)}
	if t.identity, err = opts.identity(); err != nil {
		return nil, err
	}
	train, err := opts.draw(ctx, split.Train, opts.PerTask)
	if err != nil {
		return nil, err
	}
	if t.validation, err = opts.draw(ctx, split.Validation, max(2, opts.PerTask/8)); err != nil {
		return nil, err
	}
	t.batches = &batcher{opts: &t.opts, tok: tok, sample: train, scale: scaled(train)}
	if t.net, err = newNetwork(t.params, tok.Size(), opts.Tokens, 2*opts.Tasks*opts.States); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = t.net.Close()
		}
	}()
	t.state = checkpoint{Training: t.identity, Score: math.Inf(-1)}
	if opts.Checkpoint != "" {
		old, err := loadCheckpoint(opts.Checkpoint, t.identity)
		if err != nil {
			return nil, err
		}
		if old != nil {
			t.state = *old
			if err := t.params.Restore(old.State); err != nil {
				return nil, fmt.Errorf("encoder: checkpoint %s: %w", opts.Checkpoint, err)
			}
			if opts.Progress != nil && old.Best != nil {
				opts.Progress(Progress{Batch: old.Batch, Batches: opts.Batches, Retrieval: old.Retrieval, R2: old.R2, Best: true})
			}
		}
	}
	return t, nil
}

// scaled returns the mean and the deviation of the facts of a sample. A fact that is
// always the same is left as it is.
func scaled(s *sample) scaling {
	var sum, squares [Facts]float64
	n := 0.0
	s.each(func(p *program) {
		n++
		for k, f := range ReadFacts(p.text) {
			sum[k] += float64(f)
			squares[k] += float64(f) * float64(f)
		}
	})
	var out scaling
	for k := range sum {
		mean := sum[k] / n
		out.mean[k], out.over[k] = float32(mean), 1
		if v := squares[k]/n - mean*mean; v > 1e-6 {
			out.over[k] = float32(1 / math.Sqrt(v))
		}
	}
	return out
}

// step trains one batch, and validates if it is time.
func (t *trainer) step() error {
	number := t.state.Batch
	b := t.batches.make(number)
	progress := Progress{Batches: t.opts.Batches, Tokens: b.tokens}
	t.net.fill(b.texts)
	*t.net.noise = nn.Noise{Share: t.opts.Dropout, Seed: t.opts.Seed ^ uint64(number+1)<<20}
	t.net.loss = func(out, derivative []float32) float64 {
		clear(derivative)
		progress.Contrast = b.pairs.contrast(out, columns, derivative)
		progress.Tell = b.pairs.telling(out, columns, derivative)
		return progress.Contrast + factWeight*progress.Tell
	}
	if _, err := t.net.Run(); err != nil {
		return fmt.Errorf("encoder: batch %d: %w", number, err)
	}
	if loss := progress.Contrast + progress.Tell; math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("encoder: batch %d: the loss is %v; lower the rate (%v)", number, loss, t.opts.Rate)
	}
	t.net.Step(nn.Adam{Rate: t.opts.rate(number), Decay: 0.01, Clip: 1})
	t.state.Batch++
	progress.Batch = t.state.Batch
	if t.state.Batch%t.opts.Every == 0 || t.state.Batch == t.opts.Batches {
		if err := t.validate(&progress); err != nil {
			return err
		}
	}
	if t.opts.Progress != nil {
		t.opts.Progress(progress)
	}
	return nil
}

// rate rises over the first twentieth of the batches, and falls along a cosine to a
// tenth.
func (o *Options) rate(batch int) float64 {
	warm := max(1, o.Batches/20)
	if batch < warm {
		return o.Rate * float64(batch+1) / float64(warm)
	}
	along := float64(batch-warm) / float64(max(1, o.Batches-warm))
	return o.Rate * (0.1 + 0.9*(1+math.Cos(math.Pi*along))/2)
}

// Options are the options of Train. Those that are 0 get what Defaults says, but for Seed and Dropout, which may be 0.
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

	Validated bool // the rest is of now
	Retrieval float64
	R2        float64 // of the facts
	Best      bool
}

// Defaults returns how the shipped encoders are trained: chosen for two cores and
// ten minutes for processors, four for GPUs.
func Defaults(kind target.Kind) Options {
	o := Options{
		Data:    Data{Kind: kind, Split: "task", Seed: 17},
		Batches: 900, Every: 100, Patient: 4,
		PerTask: 256, Tasks: 8, States: 3, Tokens: 12288, Windows: 2,
		Rate: 2e-3, Dropout: 0.1,
	}
	if kind == target.CUDA { // chosen by 39 workloads (2026-11-22); models/gpu/card.md says how many there are now
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
	if o.Rate == 0 {
		o.Rate = d.Rate
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
	fmt.Fprintln(h, formatVersion, numbersVersion, o.Kind, o.Split, o.Seed, o.Batches, o.Every, o.Patient, o.PerTask,
		o.Tasks, o.States, o.Tokens, o.Windows, 1, 1, o.Rate, o.Dropout) // 1: weights that once were options
	return hex.EncodeToString(h.Sum(nil)), nil
}

// A checkpoint is all that a training needs to go on.
type checkpoint struct {
	Training string // what is trained on what, and how: see Options.identity
	Batch    int    // batches done
	State    []byte // of the parameters and the optimiser
	Best     []byte // the same, where validation was best
	Score    float64
	Waited   int // validations since then

	Retrieval, R2 float64 // of the best
}

// save replaces the file of the checkpoint, which is whole at any time.
func (c *checkpoint) save(path string) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c); err != nil {
		return fmt.Errorf("encoder: checkpoint: %w", err)
	}
	if err := renameio.WriteFile(path, b.Bytes(), 0o644, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("encoder: checkpoint: %w", err)
	}
	return nil
}

// loadCheckpoint reads the checkpoint of a training; nil if there is none.
func loadCheckpoint(path, training string) (*checkpoint, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("encoder: checkpoint: %w", err)
	}
	c := &checkpoint{}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(c); err != nil {
		return nil, fmt.Errorf("encoder: checkpoint %s is damaged: %w; remove it to start again", path, err)
	}
	if c.Training != training {
		return nil, fmt.Errorf("encoder: checkpoint %s is of another training; remove it, or give the options and data "+
			"that it began with", path)
	}
	return c, nil
}

// A batcher makes batches of a sample. A batch depends on the seed and its number
// only.
type batcher struct {
	opts   *Options
	tok    *bpe.Tokenizer
	sample *sample
	scale  scaling
}

// scaling is the mean of each fact and 1 over its deviation.
type scaling struct{ mean, over [Facts]float32 }

func (s *scaling) apply(f [Facts]float32) [Facts]float32 {
	for k := range f {
		f[k] = (f[k] - s.mean[k]) * s.over[k]
	}
	return f
}

// A batch is what a network is filled with: first views, then second ones.
type batch struct {
	texts  [][]tokens
	pairs  pairing
	tokens int
}

// cut returns the windows of a text, at most so many.
func (b *batcher) cut(text string) []tokens {
	all := tokenize(b.tok, text)
	all.number(b.tok, text)
	list, _ := all.windows(b.opts.Windows)
	return list
}

// make makes a batch: some programs of some tasks, each as it is and rewritten. Two
// programs are always taken; further ones while they fit.
func (b *batcher) make(number int) *batch {
	rng := rand.New(rand.NewPCG(b.opts.Seed, uint64(number)<<8|2))
	out := &batch{}
	var second [][]tokens
	tasks := rng.Perm(len(b.sample.tasks))[:min(b.opts.Tasks, len(b.sample.tasks))]
	for _, t := range tasks {
		list := b.sample.tasks[t]
		for _, i := range rng.Perm(len(list))[:min(b.opts.States, len(list))] {
			p := &list[i]
			one, two := b.cut(p.text), b.cut(Rewrite(p.text, rng))
			n := count(one) + count(two)
			if out.tokens+n > b.opts.Tokens && len(second) >= 2 {
				continue
			}
			out.tokens += n
			out.texts, second = append(out.texts, one), append(second, two)
			out.pairs.facts = append(out.pairs.facts, b.scale.apply(ReadFacts(p.text)))
		}
	}
	out.texts = append(out.texts, second...)
	out.pairs.double()
	return out
}

func count(list []tokens) int {
	n := 0
	for _, w := range list {
		n += len(w.ids)
	}
	return n
}

// double adds the second views.
func (p *pairing) double() {
	p.half = len(p.facts)
	p.facts = slices.Repeat(p.facts, 2)
}
