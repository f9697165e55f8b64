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

// mutatePadding pads a copy in shared memory, pads it otherwise, or not.
//
//	FU 1 [0, 1]  =>  SA 1 0 2 1
//	                 FU 1 [0, 1]
//
// It is an error if nothing is copied, if tensor cores read the copy, if the rows of the copy cannot be in each other's
// way, or if the target cannot launch what comes out.
func mutatePadding(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	fetches := annotate.FetchSplits(s.Steps)
	if len(fetches) == 0 {
		return nil, errors.New("evolve: no copy to pad")
	}
	stage := s.Steps[fetches[rng.IntN(len(fetches))]].Stage()
	if annotate.ForTensorCores(s, stage) {
		return nil, errors.New("evolve: what tensor cores read is padded as they read it")
	}
	units, err := annotate.PadUnits(s, stage)
	if err != nil {
		return nil, err
	}
	now := annotate.Pad(s.Steps, stage)
	others := slices.DeleteFunc(append([]int64{0}, units...), func(u int64) bool { return u == now })
	if len(others) == 0 {
		return nil, errUnchanged
	}
	return checked(a, s, annotate.Padded(s.Steps, stage, others[rng.IntN(len(others))], s))
}

// checked returns the state of other steps on the same DAG, with bounds. It is an error
// if the target cannot launch it.
func checked(a *annotate.Sampler, s *schedule.State, steps []schedule.Step) (*schedule.State, error) {
	out, err := schedule.ReplayBound(s.DAG, steps)
	if err != nil {
		return nil, err
	}
	return out, a.Check(out, a.Target)
}

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
