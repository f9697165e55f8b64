package evolve

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// mutateFetchWidth has each thread copy another number of neighbouring elements into
// shared memory at once.
//
//	SP 4 0 80 [1]  =>  SP 4 0 80 [4]
//	AN 4 1 2           AN 4 1 2
//
// It is an error if nothing is copied, if the rows allow one width only, or if the target
// cannot launch what comes out: wider copies may need wider padding.
func mutateFetchWidth(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	fetches := annotate.FetchSplits(s.Steps)
	if len(fetches) == 0 {
		return nil, errors.New("evolve: no copy to mutate")
	}
	i := fetches[rng.IntN(len(fetches))]
	sp := s.Steps[i].(schedule.Split)
	widths, err := annotate.Widths(s, i)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(widths, func(w int64) bool { return w == sp.Lengths[0] })
	if len(others) == 0 {
		return nil, errUnchanged
	}
	sp.Lengths = []int64{others[rng.IntN(len(others))]}
	steps := slices.Clone(s.Steps)
	steps[i] = sp
	return checked(a, s, annotate.Repad(steps))
}
