package evolve

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// mutateDoubleBuffer has a copy in shared memory refilled in another way.
//
//	...  =>  ...
//	         PR 1 0 double_buffer$1
//
// It is an error if nothing is copied, if the copy is made only once, or if the target
// cannot launch what comes out.
func mutateDoubleBuffer(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	fetches := annotate.FetchSplits(s.Steps)
	if len(fetches) == 0 {
		return nil, errors.New("evolve: no copy to buffer")
	}
	stage := s.Steps[fetches[rng.IntN(len(fetches))]].Stage()
	others := slices.DeleteFunc(a.Bufferings(s, stage),
		func(b schedule.Buffering) bool { return b == s.Stages[stage].Buffering })
	if len(others) == 0 {
		return nil, errUnchanged
	}
	return checked(a, s, annotate.Buffered(s, stage, others[rng.IntN(len(others))]))
}
