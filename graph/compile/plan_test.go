package compile

import (
	"math/rand/v2"
	"testing"
)

// TestPlan: spans that are needed at the same time do not overlap, offsets are aligned, and the same spans always get
// the same places.
func TestPlan(t *testing.T) {
	for seed := range uint64(200) {
		spans := randomSpans(seed)
		size := plan(spans)
		for i, a := range spans {
			if a.Offset%alignment != 0 || a.Offset+a.Bytes > size {
				t.Fatalf("seed %d: %+v in an arena of %d", seed, a, size)
			}
			for _, b := range spans[:i] {
				if a.From <= b.To && b.From <= a.To && a.Offset < b.Offset+b.Bytes && b.Offset < a.Offset+a.Bytes {
					t.Fatalf("seed %d: %+v and %+v overlap", seed, a, b)
				}
			}
		}
		if least := peak(spans); size < least || float64(size) > 1.5*float64(least) {
			t.Errorf("seed %d: the arena has %d bytes, and %d are needed at one time", seed, size, least)
		}
		again := randomSpans(seed)
		plan(again)
		for i := range spans {
			if *spans[i] != *again[i] {
				t.Fatalf("seed %d: span %d: %+v, then %+v", seed, i, spans[i], again[i])
			}
		}
	}
}

func randomSpans(seed uint64) []*Span {
	r := rand.New(rand.NewPCG(seed, 0))
	var spans []*Span
	for range 1 + r.IntN(40) {
		from := r.IntN(50)
		spans = append(spans, &Span{Bytes: 1 + r.Int64N(10000), From: from, To: from + r.IntN(8)})
	}
	return spans
}
