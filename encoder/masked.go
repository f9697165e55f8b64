package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/wmtune/wmtune/encoder/bpe"
	"github.com/wmtune/wmtune/nn"
)

// Of a batch's tokens a share is masked, and a network learns to fill them in (Devlin et al. 2019): of these so many
// are bpe.Unk, which no text has, half of the others are any token, and the rest stay as they are. A token that is
// hidden or replaced has no numbers beside it, which would say what it is; its line's are beside its neighbours.
const (
	maskedShare = 0.15
	hiddenShare = 0.8
	otherShare  = 0.1
)

// A filler is the graph of a pretraining: it fills masked tokens in. It shares with the network all that reads tokens.
type filler struct {
	*network
	picked  *nn.IDs // rows that are masked
	words   int     // that there are
	want    []int32 // tokens that the rows had
	cost    float64 // mean cross-entropy of the last run
	guessed float64 // share that it had right
}

// newFiller builds the graph over parameters for so many rows of tokens and so many texts.
func newFiller(p *nn.Parameters, vocabulary, rows, texts int) (*filler, error) {
	f := &filler{network: begin(p, rows, texts), picked: &nn.IDs{}, words: vocabulary}
	h, _, _ := f.read(vocabulary)
	h = f.Pick(h, f.picked, int(math.Ceil(maskedShare*float64(rows))))
	out := f.Named("fill").Linear(h, vocabulary)
	if err := f.Finish(out, f.Loss(out, f.guess)); err != nil {
		return nil, fmt.Errorf("encoder: pretraining: %w", err)
	}
	return f, nil
}

// mask fills the inputs with texts of which a share of the tokens is masked.
func (f *filler) mask(texts [][]tokens, rng *rand.Rand) {
	f.picked.List, f.want = f.picked.List[:0], f.want[:0]
	total := 0
	for _, list := range texts {
		total += count(list)
	}
	masked := make([]bool, total)
	for _, at := range rng.Perm(total)[:int(maskedShare*float64(total))] {
		masked[at] = true
	}
	f.fill(texts)
	for at, is := range masked {
		if !is {
			continue
		}
		id := f.ids.List[at]
		f.picked.List, f.want = append(f.picked.List, int32(at)), append(f.want, id)
		switch what := rng.Float64(); {
		case what < hiddenShare:
			id = bpe.Unk
		case what < hiddenShare+otherShare:
			id = rng.Int32N(int32(f.words))
		default:
			continue
		}
		f.ids.List[at] = id
		clear(f.numbers[at*Numbers:][:Numbers])
	}
}

// guess returns the mean cross-entropy of the tokens that were masked, and sets its derivative.
func (f *filler) guess(logits, derivative []float32) float64 {
	n := len(f.want)
	clear(derivative[n*f.words:])
	total, right := 0.0, 0
	for r, want := range f.want {
		row, d := logits[r*f.words:][:f.words], derivative[r*f.words:][:f.words]
		best := 0
		for k, l := range row {
			if l > row[best] {
				best = k
			}
		}
		if best == int(want) {
			right++
		}
		sum := 0.0
		for k, l := range row {
			e := math.Exp(float64(l - row[best]))
			d[k] = float32(e)
			sum += e
		}
		total += math.Log(sum) - float64(row[want]-row[best])
		over := float32(1 / sum / float64(n))
		for k := range d {
			d[k] *= over
		}
		d[want] -= float32(1 / float64(n))
	}
	f.cost, f.guessed = total/float64(max(1, n)), float64(right)/float64(max(1, n))
	return f.cost
}

// pretrain trains one batch of filling masked tokens in.
func (t *trainer) pretrain() error {
	number := t.state.Masked
	b := t.batches.make(-1 - number)
	rng := rand.New(rand.NewPCG(t.opts.Seed, uint64(number)<<8|4))
	t.filler.mask(b.texts, rng)
	*t.filler.noise = nn.Noise{Share: t.opts.Dropout, Seed: t.opts.Seed ^ uint64(number+1)<<20 ^ 1}
	if _, err := t.filler.Run(); err != nil {
		return fmt.Errorf("encoder: pretraining, batch %d: %w", number, err)
	}
	loss := t.filler.cost
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("encoder: pretraining, batch %d: the loss is %v; lower the rate (%v)", number, loss, t.opts.Rate)
	}
	t.filler.Step(nn.Adam{Rate: t.opts.rate(number, t.opts.Masked), Decay: 0.01, Clip: 1})
	if t.state.Masked++; t.state.Masked == t.opts.Masked {
		t.params.Restart() // what comes now is another loss
	}
	if t.opts.Progress != nil {
		t.opts.Progress(Progress{Batch: t.state.Masked, Batches: t.opts.Masked, Tokens: b.tokens, Masked: true,
			Filling: loss, Filled: t.filler.guessed})
	}
	if t.opts.Checkpoint == "" || t.state.Masked%t.opts.Every != 0 && t.state.Masked != t.opts.Masked {
		return nil
	}
	t.state.State = t.params.Snapshot()
	return t.state.save(t.opts.Checkpoint)
}
