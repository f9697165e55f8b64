package annotate

import (
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
)

func TestSuitsThreads(t *testing.T) {
	a := gpuSampler(t, GPU)
	for _, c := range []struct {
		name   string
		extent int64
		i, j   []int64
		want   suit
	}{
		{"two warps, 16 accumulators", 512, []int64{1, 8, 1, 4}, []int64{1, 8, 1, 4}, balanced},
		{"with virtual threads", 512, []int64{2, 8, 1, 2}, []int64{1, 16, 1, 4}, balanced},
		{"no whole warps", 512, []int64{1, 7, 1, 4}, []int64{1, 8, 1, 4}, fits},
		{"many accumulators", 512, []int64{1, 8, 1, 8}, []int64{1, 8, 1, 8}, fits},
		{"many threads", 512, []int64{1, 16, 1, 2}, []int64{1, 32, 1, 2}, fits},
		{"too many accumulators", 512, []int64{2, 8, 1, 8}, []int64{1, 8, 1, 8}, misfit},
		{"less than a warp", 512, []int64{1, 4, 1, 4}, []int64{1, 4, 1, 4}, misfit},
		{"less than a warp of few", 4, []int64{1, 4, 1, 1}, []int64{1, 4, 1, 1}, fits},
		{"too many threads", 512, []int64{1, 32, 1, 1}, []int64{1, 64, 1, 1}, misfit},
		{"too many virtual threads", 512, []int64{4, 8, 1, 1}, []int64{4, 8, 1, 1}, misfit},
	} {
		group := []schedule.Step{
			schedule.Split{Extent: c.extent, Lengths: c.i}, schedule.Split{Iter: 5, Extent: c.extent, Lengths: c.j},
			schedule.Split{Iter: 10, Extent: min(c.extent, 4), Lengths: []int64{1, 1}},
		}
		if got := a.suitsThreads(group, nil); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// Most tiles drawn for a product are balanced; as they fall hardly one in fifty is.
func TestGPUTilesAreBalanced(t *testing.T) {
	count := func(p Policy) (good int) {
		a := gpuSampler(t, p)
		a.Tiles.Handy = false
		for i := range 200 {
			group := []schedule.Step{
				schedule.Split{Extent: 512, Lengths: make([]int64, 4)}, schedule.Split{Iter: 5, Extent: 512, Lengths: make([]int64, 4)},
				schedule.Split{Iter: 10, Extent: 512, Lengths: make([]int64, 2)},
			}
			(&choice{Sampler: a, rng: Rand(1, 1, i)}).fillTile(group, nil)
			if a.suitsThreads(group, nil) == balanced {
				good++
			}
		}
		return good
	}
	if n := count(GPU); n < 120 {
		t.Errorf("%d of 200 tiles are balanced", n)
	}
	if n := count(AutoSchedulerGPU); n > 20 {
		t.Errorf("%d of 200 of AutoScheduler's tiles are balanced", n)
	}
}

// A convolution of 3 x 3 copies its halo once; what is beyond shared memory is a misfit.
func TestCopied(t *testing.T) {
	split := func(iter int, lengths ...int64) schedule.Step {
		return schedule.Split{Iter: iter, Extent: 64, Lengths: lengths, InnerToOuter: true}
	}
	s := conv(64, 64)
	group := []schedule.Step{split(0, 1, 8, 1, 2), split(5, 1, 16, 1, 2), split(10, 1, 3), split(13, 4, 2)}
	operands := operandsOf(s.Stages[3].Op, group)
	// pad: (16 + 3 - 1) * 8, W: 3 * 8 * 32
	if got := copied(group, operands); got != 18*8+3*8*32 {
		t.Errorf("%d elements are copied", got)
	}
	a := gpuSampler(t, GPU)
	if got := a.suitsThreads(group, operands); got != balanced {
		t.Errorf("suits %d", got)
	}
	a.Target.Hardware.SharedBytes = 4*(18*8+3*8*32) - 1
	if got := a.suitsThreads(group, operands); got != misfit {
		t.Errorf("with too little shared memory: suits %d", got)
	}
}
