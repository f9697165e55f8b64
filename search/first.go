package search

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/wmtune/wmtune/search/evolve"
)

// ErrBlind is the error of a choice by a scorer that knows nothing.
var ErrBlind = errors.New("search: the scorer knows nothing yet")

// Choose returns up to n candidates that the scorer thinks fastest, best first, of one
// evolution; nothing is built or measured. The scores are of one call. The error is
// ErrBlind if the scores mean nothing.
func (t *Tuner) Choose(ctx context.Context, n int) ([]evolve.Scored, error) {
	if b, ok := t.Scorer.(Blinder); ok && b.Blind() {
		return nil, ErrBlind
	}
	quiet := *t
	quiet.Options.Explore = -1
	r, err := quiet.start(nil)
	if err != nil {
		return nil, err
	}
	chosen, err := r.evolve(ctx, n)
	if err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		return nil, errNoCandidates
	}
	slices.SortStableFunc(chosen, func(a, b evolve.Scored) int { return cmp.Compare(b.Score, a.Score) })
	return chosen, nil
}
