package encoder

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/encoder/bpe"
	"github.com/wmtune/wmtune/nn"
)

// A share of the tokens is masked. Most of these are hidden, with their numbers; what is not masked is as it was.
func TestMask(t *testing.T) {
	const words, rows = 500, 2000
	f, err := newFiller(nn.NewParameters(1), words, rows, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	var texts [][]tokens
	var was []int32
	for range 4 {
		w := tokens{ids: make([]int32, 250), numbers: make([][Numbers]float32, 250)}
		for k := range w.ids {
			w.ids[k] = bpe.Unk + 1 + rng.Int32N(words-bpe.Unk-1)
			w.numbers[k][0] = 1
		}
		was = append(was, w.ids...)
		texts = append(texts, []tokens{w})
	}
	f.mask(texts, rng)
	if len(f.picked.List) != 150 || len(f.want) != 150 {
		t.Fatalf("%d rows are picked and %d tokens wanted of 1,000", len(f.picked.List), len(f.want))
	}
	masked := map[int32]bool{}
	for i, at := range f.picked.List {
		masked[at] = true
		if f.want[i] != was[at] {
			t.Errorf("row %d wants token %d, not %d", at, f.want[i], was[at])
		}
	}
	hidden, other := 0, 0
	for at, id := range f.ids.List {
		switch number := f.numbers[at*Numbers]; {
		case !masked[int32(at)] && (id != was[at] || number != 1):
			t.Fatalf("row %d is not masked, and changed", at)
		case id == bpe.Unk:
			hidden++
		case id != was[at]:
			other++
		}
		if f.ids.List[at] != was[at] && f.numbers[at*Numbers] != 0 {
			t.Fatalf("row %d is masked and has numbers", at)
		}
	}
	if hidden < 105 || hidden > 135 || other < 5 || other > 28 {
		t.Errorf("of 150 masked rows %d are hidden and %d are another token", hidden, other)
	}
	for i, list := range texts {
		for k, id := range list[0].ids {
			if id != was[i*250+k] {
				t.Fatalf("the text itself was masked")
			}
		}
	}
}

// The derivative of filling in equals differences, and is 0 beyond the masked rows.
func TestGuessDerivative(t *testing.T) {
	f := &filler{words: 7, want: []int32{3, 0, 6}}
	rng := rand.New(rand.NewPCG(2, 2))
	logits := make([]float32, 4*f.words)
	for i := range logits {
		logits[i] = rng.Float32()*4 - 2
	}
	d, scratch := make([]float32, len(logits)), make([]float32, len(logits))
	d[len(d)-1] = 5 // of a run before
	f.guess(logits, d)
	for i := range logits {
		const h = 1e-2
		at := func(by float32) float64 {
			moved := append([]float32(nil), logits...)
			moved[i] += by
			return f.guess(moved, scratch)
		}
		if want := (at(h) - at(-h)) / (2 * h); math.Abs(want-float64(d[i])) > 1e-4 {
			t.Errorf("derivative %d is %v, differences say %v", i, d[i], want)
		}
	}
	clear(logits)
	logits[3], logits[f.words+1], logits[2*f.words+6] = 1, 1, 1
	f.guess(logits, d)
	if math.Abs(f.guessed-2.0/3) > 1e-12 {
		t.Errorf("%v of three are right, of which the second is wrong", f.guessed)
	}
}

// A pretraining learns, one that is interrupted goes on, and the encoder is another one by it.
func TestPretrain(t *testing.T) {
	opts := small(t, tiny(t))
	without, err := Train(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	opts.Masked, opts.Checkpoint = 12, filepath.Join(t.TempDir(), "checkpoint")
	var losses []float64
	batches := 0
	opts.Progress = func(p Progress) {
		if p.Masked {
			losses = append(losses, p.Filling)
		} else {
			batches++
		}
	}
	want, err := Train(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(losses) != 12 || batches != 5 {
		t.Fatalf("%d batches of pretraining and %d of training", len(losses), batches)
	}
	if first, last := losses[0], (losses[10]+losses[11])/2; last > 0.8*first {
		t.Errorf("the loss of filling in went from %.3f to %.3f", first, last)
	}
	var tables [2][]float32
	for i, data := range [][]byte{without, want} {
		m, err := Load(data, opts.Tokenizer)
		if err != nil {
			t.Fatal(err)
		}
		tables[i] = m.forward.tokens
		if n := m.Meta()["wmtune.batches"]; len(n) != 1 || n > "5" {
			t.Errorf("the optimiser made %s steps", n)
		}
		if got := m.Meta()["wmtune.masked"]; got != []string{"", "12"}[i] {
			t.Errorf("the file says that %q batches were masked", got)
		}
	}
	if slices.Equal(tables[0], tables[1]) {
		t.Error("the pretraining changed nothing")
	}
	opts.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	masked := 0 // batches of all that are interrupted: 3; 5, which begin after the second; 6, after the sixth
	for _, stop := range []int{3, 7, 12 + 1} {
		ctx, cancel := context.WithCancel(context.Background())
		opts.Progress = func(p Progress) {
			if p.Masked {
				masked++
			}
			if p.Masked && p.Batch == stop || !p.Masked && p.Batch == stop-12 {
				cancel()
			}
		}
		if _, err := Train(ctx, opts); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted after batch %d: %v", stop, err)
		}
	}
	again := 0
	opts.Progress = func(p Progress) {
		if p.Masked {
			again++
		}
	}
	got, err := Train(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if masked != 14 || again != 0 || !bytes.Equal(got, want) {
		t.Errorf("%d batches of pretraining with interruptions, %d after them, same bytes: %v", masked, again,
			bytes.Equal(got, want))
	}
}
