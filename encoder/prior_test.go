package encoder

import (
	"context"
	"math"
	"testing"

	"github.com/wmtune/wmtune/encoder/bpe"
)

func TestHints(t *testing.T) {
	for token, want := range map[string]hintList{
		" 2^6*7":   {3: (6 + math.Log2(7)) / 8, 4: 1, 5: 1.5, 8: 0.25},
		"11":       {3: math.Log2(11) / 8, 4: 1},
		" l7":      {1: 0.5},
		"\n   for": {0: 1, 2: 3.0 / 16},
		"]=":       {},
		"^":        {},
		"5^":       {3: math.Log2(5) / 8, 4: 1, 7: 0.25},
	} {
		got := hintsOf(token)
		for k := range got {
			if math.Abs(got[k]-want[k]) > 1e-12 {
				t.Errorf("%q: hint %d is %v, want %v", token, k, got[k], want[k])
			}
		}
	}
	if n := hintsOf("99999999999999999999")[3]; math.IsInf(n, 0) || n <= 0 {
		t.Errorf("a long number: %v", n)
	}
}

// Before training tokens of near numbers are nearer than those of far ones.
func TestHint(t *testing.T) {
	var trainer bpe.Trainer
	for _, text := range texts(t) {
		trainer.Add(text)
	}
	tok, err := trainer.Train(1024)
	if err != nil {
		t.Fatal(err)
	}
	table := make([]float32, tok.Size()*Size)
	hint(table, tok, 7)
	row := func(text string) []float32 {
		ids := tok.Encode(text)
		if len(ids) != 1 {
			t.Fatalf("%q is %d tokens", text, len(ids))
		}
		return table[int(ids[0])*Size:][:Size]
	}
	far := func(a, b string) float64 {
		sum := 0.0
		for i, v := range row(a) {
			sum += math.Abs(float64(v - row(b)[i]))
		}
		return sum
	}
	if near, away := far("3", "5"), far("3", "2^3"); near <= 0 || near >= away {
		t.Errorf("3 is %v from 5 and %v from 8", near, away)
	}
	opts := withoutCheckpoint(small(t, tiny(t)))
	tr, err := newTrainer(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	// The weights begin with the hints: without them rows deviate by .05.
	squares, rows := 0.0, tr.params.Find("tokens.table").Value
	for _, v := range rows {
		squares += float64(v) * float64(v)
	}
	if d := math.Sqrt(squares / float64(len(rows))); d < 0.055 {
		t.Errorf("weights of tokens deviate by %v", d)
	}
}
