package annotate

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/search/sketch"
	ops "github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
)

func TestThreadCounts(t *testing.T) {
	a, auto := gpuSampler(t, GPU), gpuSampler(t, AutoSchedulerGPU)
	for extent, want := range map[int64][]int64{33: {32, 8, 16}, 64: {32, 8, 16, 64}, 4096: {32, 8, 16, 64, 128, 256, 512, 1024}, 1 << 20: {32, 64, 128, 256, 512, 1024}} {
		if got := a.ThreadCounts(extent); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", extent, got, want)
		}
		if got := auto.ThreadCounts(extent); !slices.Equal(got, want[:1]) {
			t.Errorf("%d: AutoScheduler draws from %v", extent, got)
		}
	}
}

// A sum of 768 elements in each of 128 rows: with a warp, or more, on a row.
func TestDrawThreads(t *testing.T) {
	a := gpuSampler(t, GPU)
	w, err := ops.Parse("sum:m=128,n=768")
	if err != nil {
		t.Fatal(err)
	}
	list, err := sketch.Generate(sketch.CUDA, w.DAG, a.Target)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	for i := range 60 {
		s, err := a.Sample(list[0], Rand(1, 1, i))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(s.Steps, func(step schedule.Step) bool { _, ok := step.(schedule.Split); return ok })
		if !IsThreadSplit(s.Steps, at) {
			t.Fatalf("no threads: %s", steps(s))
		}
		seen[s.Steps[at].(schedule.Split).Lengths[0]] = true
	}
	for _, n := range []int64{8, 16, 32, 64, 128, 256, 512} {
		if !seen[n] {
			t.Errorf("never %d threads", n)
		}
	}
	if len(seen) != 7 {
		t.Errorf("numbers of threads: %v", seen)
	}
}

func TestIsThreadSplit(t *testing.T) {
	sp := schedule.Split{At: 1, Iter: 0, Extent: 64, Lengths: []int64{32}, InnerToOuter: true}
	ann := func(iter int, a schedule.Annotation) schedule.Step {
		return schedule.Annotate{At: 1, Iter: iter, Ann: a}
	}
	for _, c := range []struct {
		steps []schedule.Step
		want  bool
	}{
		{[]schedule.Step{sp, ann(1, schedule.ThreadX)}, true},
		{[]schedule.Step{sp, ann(0, schedule.BlockX), ann(1, schedule.ThreadX)}, true},
		{[]schedule.Step{sp, ann(1, schedule.Vectorize), schedule.FollowFusedSplit{At: 1}, ann(1, schedule.ThreadX)}, false},
		{[]schedule.Step{sp, ann(0, schedule.ThreadX)}, false},
		{[]schedule.Step{sp}, false},
		{[]schedule.Step{ann(1, schedule.ThreadX)}, false},
		{[]schedule.Step{sp, schedule.ComputeRoot{At: 1}, ann(1, schedule.ThreadX)}, false},
	} {
		if got := IsThreadSplit(c.steps, 0); got != c.want {
			t.Errorf("%v: %v", c.steps, got)
		}
	}
}
