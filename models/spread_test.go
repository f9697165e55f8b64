package models

import (
	"math"
	"testing"
)

// TestSpread: what the ranker says of a state stands where the state does; one that cannot be scored has none.
func TestSpread(t *testing.T) {
	task := testTask(t, "matmul:m=256,n=256,k=64")
	states := splits(t, task, 100)
	m := fakeModel(&fakeParts{z0: make([]float32, 4), fail: true})
	scores, err := m.Score(t.Context(), task, states)
	if err != nil {
		t.Fatal(err)
	}
	spread, err := m.Spread(t.Context(), task, states)
	if err != nil || len(spread) != len(states) || spread[0] != 0 {
		t.Fatalf("%d numbers, the first %g, which cannot be scored: %v", len(spread), spread[0], err)
	}
	for i, score := range scores {
		want := score / 3
		if math.IsInf(score, -1) {
			want = 0
		}
		if spread[i] != want {
			t.Errorf("state %d: %g, want %g", i, spread[i], want)
		}
	}
	if none, err := m.Spread(t.Context(), task, nil); err != nil || len(none) != 0 {
		t.Errorf("%v, %v of no states", none, err)
	}
}
