package encoder

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/encoder/bpe"
	"github.com/wmtune/wmtune/nn"
)

// formatVersion is that of encoder.onnx and of checkpoints.
const formatVersion = 1

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
	defer t.net.Close()
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

func newTrainer(ctx context.Context, opts Options) (*trainer, error) {
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

// retrieved is among how many programs a view is looked for.
const retrieved = 256

// validate measures the network on tasks that it does not learn from, and saves a
// checkpoint.
func (t *trainer) validate(p *Progress) error {
	programs := t.validation.spread(retrieved)
	var texts, rewritten []string
	for i, s := range programs {
		texts = append(texts, s.text)
		rewritten = append(rewritten, Rewrite(s.text, rand.New(rand.NewPCG(t.opts.Seed, uint64(i)<<8|3))))
	}
	one, err := t.encode(texts)
	if err != nil {
		return err
	}
	two, err := t.encode(rewritten)
	if err != nil {
		return err
	}
	p.Validated = true
	p.Retrieval = retrieval(vectorsOf(one), vectorsOf(two))
	var told, facts [][]float64
	for i, s := range programs {
		f := t.batches.scale.apply(ReadFacts(s.text))
		told, facts = append(told, widen(one[i][Size:])), append(facts, widen(f[:]))
	}
	p.R2 = meanR2(told, facts)
	t.state.Waited++
	t.state.State = t.params.Snapshot()
	if score := p.Retrieval + p.R2; score > t.state.Score {
		t.state.Score, t.state.Best, t.state.Waited = score, t.state.State, 0
		t.state.Retrieval, t.state.R2 = p.Retrieval, p.R2
		p.Best = true
	}
	if t.opts.Checkpoint == "" {
		return nil
	}
	return t.state.save(t.opts.Checkpoint)
}

// spread returns at most so many programs, some of each task.
func (s *sample) spread(most int) []*program {
	var list []*program
	for k := 0; ; k++ {
		before := len(list)
		for _, task := range s.tasks {
			if k < len(task) && len(list) < most {
				list = append(list, &task[k])
			}
		}
		if len(list) == before {
			return list
		}
	}
}

// encode runs the network without noise: a vector and facts for each text.
func (t *trainer) encode(texts []string) ([][]float32, error) {
	t.net.noise.Share = 0
	t.net.loss = func(_, derivative []float32) float64 { clear(derivative); return 0 }
	var list [][]float32
	var part [][][]int32
	size := 0
	run := func() error {
		t.net.fill(part)
		out, err := t.net.Run()
		if err != nil {
			return fmt.Errorf("encoder: validation: %w", err)
		}
		for i := range part {
			list = append(list, append([]float32(nil), out[i*columns:][:columns]...))
		}
		part, size = nil, 0
		return nil
	}
	for _, text := range texts {
		w := t.batches.cut(text)
		if n := count(w); size+n > t.net.rows || len(part) == t.net.texts {
			if err := run(); err != nil {
				return nil, err
			}
		}
		part, size = append(part, w), size+count(w)
	}
	if err := run(); err != nil {
		return nil, err
	}
	return list, nil
}
