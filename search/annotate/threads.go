package annotate

import (
	"slices"

	"github.com/wmtune/wmtune/tir/schedule"
)

// threads draws how many threads work on a loop of a stage that is not tiled, whose
// extent is above a warp: AutoScheduler takes one warp, and leaves others to mutation.
func (c *choice) threads(extent int64) int64 {
	counts := c.ThreadCounts(extent)
	if len(counts) == 1 {
		return counts[0]
	}
	return counts[c.rng.IntN(len(counts))]
}

// shortLoop is the extent up to which less than a warp may work on a loop: in the public
// logs of an RTX 2080 Ti 16 threads are fastest for a sum of 2048, and blocks of a few for
// 1280 averages, but for 200,704 maxima they take up to four times as long.
const shortLoop = 4096

// ThreadCounts returns the numbers of threads that may work on a loop: a warp and, if
// the policy draws them, its doublings up to the loop's extent, and a half and a quarter
// of one for a short loop.
func (a *Sampler) ThreadCounts(extent int64) []int64 {
	warp := int64(a.Target.Hardware.WarpSize)
	list := []int64{warp}
	if a.Tiles.Threads {
		if extent <= shortLoop {
			list = append(list, max(warp/4, 1), max(warp/2, 1))
		}
		for n := 2 * warp; n <= min(extent, int64(a.Target.Hardware.MaxThreads)); n *= 2 {
			list = append(list, n)
		}
	}
	return list
}

// IsThreadSplit reports whether step i splits a loop of a stage for the threads of a
// block: its inner piece is bound to them at once, the outer one perhaps to blocks.
func IsThreadSplit(steps []schedule.Step, i int) bool {
	sp, ok := steps[i].(schedule.Split)
	if !ok || len(sp.Lengths) != 1 {
		return false
	}
	for _, step := range steps[i+1 : min(i+3, len(steps))] {
		a, ok := step.(schedule.Annotate)
		if !ok || a.At != sp.At {
			return false
		}
		if a.Iter == sp.Iter+1 && a.Ann == schedule.ThreadX {
			return true
		}
	}
	return false
}

// drawThreads draws how many threads work on each reduction of which a sketch has
// given every thread of a warp a part.
//
//	SP 1 1 768 [32]    =>    SP 1 1 768 [256]
//	AN 1 2 6                 AN 1 2 6
func drawThreads(c *choice, s *schedule.State) (*schedule.State, error) {
	steps := slices.Clone(s.Steps)
	changed := false
	for i := range steps {
		if !IsThreadSplit(steps, i) {
			continue
		}
		sp := steps[i].(schedule.Split)
		if n := c.threads(sp.Extent); n != sp.Lengths[0] {
			sp.Lengths = []int64{n}
			steps[i], changed = sp, true
		}
	}
	if !changed {
		return s, nil
	}
	return schedule.Replay(s.DAG, steps)
}
