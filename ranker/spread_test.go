package ranker

import (
	"math"
	"testing"
)

// TestSpread: parts that say the same up to a constant are not apart.
func TestSpread(t *testing.T) {
	same := centred([]float64{11, 12, 15}, 2)
	if want := centred([]float64{1, 2, 5}, 2); math.Abs(same[2]-want[2]) > 1e-12 || same[2] <= same[1] {
		t.Errorf("%v is not %v", same, want)
	}
	m := &Model{parts: Parts{Value: 1, ValueScale: 1}}
	features := [][]float32{{0}, {0}}
	if got := m.Spread(features, []float32{1, 9}); got[0] != 0 || got[1] != 0 {
		t.Errorf("one part is apart from itself by %v", got)
	}
	if got := m.Spread(features, []float32{float32(math.NaN()), 1}); got[0] != 0 || got[1] != 0 {
		t.Errorf("what is no number has the spread %v", got)
	}
}
