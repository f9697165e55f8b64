package models

import (
	"testing"

	"github.com/wmtune/wmtune/ranker"
)

// The rival looks at action and tiling features, all of them and nothing else, in
// training and when it scores.
func TestOnlyTiling(t *testing.T) {
	features := make([]float32, ranker.Columns)
	for k := range features {
		features[k] = 1
	}
	rows := []row{{features: features}}
	(&Manifest{Variant: VariantTiling}).ablate(rows, nil)
	for k, v := range rows[0].features {
		if seen := k < ranker.ActionColumns+ranker.TilingColumns; seen != (v == 1) {
			t.Fatalf("column %d of %d: %v", k, ranker.Columns, v)
		}
	}
}
