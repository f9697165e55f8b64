package search

import (
	"context"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		inputs, pieces int
		want           []int
	}{
		{16, 2, []int{4, 12}},
		{5, 2, []int{2, 3}},
		{1, 2, []int{1}},
		{16, 4, []int{4, 4, 4, 4}},
		{50, 4, []int{13, 13, 13, 11}},
		{2, 4, []int{1, 1}},
		{1, 4, []int{1}},
	} {
		var got []int
		for _, piece := range split(make([]measure.Input, c.inputs), c.pieces) {
			got = append(got, len(piece))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d in %d pieces: %v, want %v", c.inputs, c.pieces, got, c.want)
		}
	}
}

// In how many pieces a round is measured makes no difference to what is.
func TestPieces(t *testing.T) {
	var want []string
	for _, pieces := range []int{0, 2, 3, 5} {
		o := Options{Trials: 24, PerRound: 11, Seed: 5, Pieces: pieces}
		records := collect(&o)
		if _, err := tuner(&machine{}, o).Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = stepsOf(*records)
		}
		if !slices.Equal(stepsOf(*records), want) || len(want) != 24 {
			t.Errorf("%d pieces: other candidates, or in another order", pieces)
		}
	}
	if _, err := tuner(&machine{}, Options{Pieces: -1}).Run(context.Background(), nil); err == nil {
		t.Error("a round in -1 pieces")
	}
}
