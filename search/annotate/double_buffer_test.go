package annotate

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

func TestBufferings(t *testing.T) {
	newer, err := target.GPU("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	one, two, async := schedule.OneBuffer, schedule.TwoBuffers, schedule.TwoBuffersByAsync
	for _, c := range []struct {
		what string
		a    *Sampler
		k    [2]int64
		want []schedule.Buffering
	}{
		{"16 iterations", gpuSampler(t, GPU), [2]int64{2, 2}, []schedule.Buffering{one, two}},
		{"with asynchronous copies", New(GPU, newer), [2]int64{2, 2}, []schedule.Buffering{one, two, async}},
		{"one iteration", New(GPU, newer), [2]int64{8, 8}, []schedule.Buffering{one}},
	} {
		s := boundProduct(t, c.k)
		if got := c.a.Bufferings(s, stageOf(t, s, "x.shared")); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// A second buffer counts as shared memory, and what goes by way of registers as the
// thread's own. Taken back, the steps are those of before.
func TestBuffered(t *testing.T) {
	s := boundProduct(t, [2]int64{2, 4}) // x.shared is 16 x 8, copied by 64 threads; y.shared 8 x 32
	stage := stageOf(t, s, "x.shared")
	launch := func(s *schedule.State) lower.Launch {
		list, err := lower.Launches(s)
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		return list[0]
	}
	before := launch(s)
	for how, own := range map[schedule.Buffering]int64{schedule.TwoBuffers: 16 * 8 / 64 * 4, schedule.TwoBuffersByAsync: 0} {
		with, err := replayed(s, Buffered(s, stage, how))
		if err != nil {
			t.Fatal(err)
		}
		after := launch(with)
		if after.SharedBytes != before.SharedBytes+16*8*4 || after.LocalBytes != before.LocalBytes+own {
			t.Errorf("%d: %+v, before %+v", how, after, before)
		}
		if back := Buffered(with, stage, schedule.OneBuffer); string(schedule.FormatSteps(back)) != string(schedule.FormatSteps(s.Steps)) {
			t.Errorf("taken back: %s", schedule.FormatSteps(back))
		}
	}
}
