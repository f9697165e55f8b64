package evolve

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// One move reaches exactly the tuples that differ by one factor moved from one
// piece to another, with an innermost piece of at most 64.
func TestMoveFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	sp := schedule.Split{Extent: 256, Lengths: []int64{2, 32}}
	seen := map[[2]int64]bool{}
	for range 5000 {
		l := moveFactor(sp, 64, rng)
		if l == nil {
			t.Fatal("no factor moved")
		}
		seen[[2]int64{l[0], l[1]}] = true
	}
	want := map[[2]int64]bool{}
	for _, f := range []int64{2, 4, 8, 16, 32} {
		if f <= 4 { // from the outermost piece, 4
			want[[2]int64{2 * f, 32}] = true
		}
		if f <= 2 { // to the innermost: from the outermost and from the middle
			want[[2]int64{2, 32 * f}] = true
			want[[2]int64{2 / f, 32 * f}] = true
		}
		if f <= 2 { // from the middle to the outermost
			want[[2]int64{2 / f, 32}] = true
		}
		want[[2]int64{2, 32 / f}] = true     // from the innermost to the outermost
		want[[2]int64{2 * f, 32 / f}] = true // and to the middle
	}
	for l := range seen {
		if !want[l] {
			t.Errorf("reached %v", l)
		}
	}
	for l := range want {
		if !seen[l] {
			t.Errorf("never reached %v", l)
		}
	}
	if l := moveFactor(schedule.Split{Extent: 1, Lengths: []int64{1, 1}}, 64, rng); l != nil {
		t.Errorf("extent 1 became %v", l)
	}
}

// Most mutations of a good tile that would spoil it are refused, some are kept.
func TestMutateTileSizeKeepsTiles(t *testing.T) {
	s := replayed(t, paddedProduct(64, 64, 64), split(3, 0, 64, 4, 2, 4), split(3, 4, 64, 2, 1, 16), split(3, 8, 64, 32))
	a := sampler(t)
	spoiled, refused := 0, 0
	const draws = 600
	for i := range draws {
		child, err := mutateTileSize(a, s, annotate.Rand(1, 9, i))
		switch {
		case errors.Is(err, errWorse):
			refused++
		case err == nil:
			if a.Worsens(s.DAG, s.Steps, schedule.Structure(child.Steps), 0) {
				spoiled++
			}
		}
	}
	if refused < draws/4 || spoiled == 0 || spoiled > refused/2 {
		t.Errorf("%d of %d mutations are refused, %d spoil the tile", refused, draws, spoiled)
	}
}
