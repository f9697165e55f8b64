package evolve

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// mutateComputeLocation computes one movable stage elsewhere: inside another
// loop of its reader, in a loop nest of its own, or inlined. The loop decisions
// are taken anew, so the places are loops as they are before those.
// (AutoScheduler moves only stages that are inside a loop already, and numbers
// the loops as they are after fusion.)
//
// Which stages are movable is asked of the finished state: one whose loops were fused or cut for vectors counts as
// tiled and stays. Asked of its structure more stages move, and searches of 16 trials find nothing more (0.996, 0.985
// to 1.007 times as fast over paper22, two seeds).
//
//	CA 1 3 4  =>  CA 1 3 2
//	CR 1          CA 1 3 2
//
// It is an error if no stage is movable, or if there is no other place.
func mutateComputeLocation(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	var movable []int
	for stage := range s.Stages {
		if annotate.Movable(s, stage) {
			movable = append(movable, stage)
		}
	}
	if len(movable) == 0 {
		return nil, errors.New("evolve: no compute location to mutate")
	}
	stage := movable[rng.IntN(len(movable))]
	steps, old := unplaced(schedule.Structure(s.Steps), stage)
	bare, err := schedule.ReplayBound(s.DAG, steps)
	if err != nil {
		return nil, err
	}
	places := slices.DeleteFunc(annotate.Places(a.Target, bare, stage), func(p schedule.Step) bool { return p == old })
	if len(places) == 0 {
		return nil, errUnchanged
	}
	return a.Remake(s, append(steps, places[rng.IntN(len(places))]), rng)
}

// unplaced returns the steps without those that place a stage, and the last of
// those; a stage that none places is at the root. Steps before one that adds a
// stage are left alone: the stage has another number in them.
func unplaced(steps []schedule.Step, stage int) ([]schedule.Step, schedule.Step) {
	from := 0
	for i, step := range steps {
		if _, n := schedule.Adds(step); n > 0 {
			from = i + 1
		}
	}
	var last schedule.Step = schedule.ComputeRoot{At: stage}
	rest := slices.Clone(steps[:from])
	for _, step := range steps[from:] {
		switch step.(type) {
		case schedule.ComputeAt, schedule.ComputeRoot, schedule.ComputeInline:
			if step.Stage() == stage {
				last = step
				continue
			}
		}
		rest = append(rest, step)
	}
	return rest, last
}
