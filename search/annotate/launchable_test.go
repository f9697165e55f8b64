package annotate

import (
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// What AutoScheduler measured keeps within the limits that it verifies; nearly all of
// what it found fastest keeps within ours.
func TestPublicRecordsAreLaunchable(t *testing.T) {
	on := gpuSampler(t, GPU).Target
	wide := on
	wide.Hardware.VectorBytes = math.MaxInt32 // what does not divide may be of any length
	best := map[string]float64{}
	records := publicRecords(t, 30)
	for _, r := range records {
		if c := r.Cost(); r.Timed() && (best[r.WorkloadKey] == 0 || c < best[r.WorkloadKey]) {
			best[r.WorkloadKey] = c
		}
	}
	dags := map[string]*compute.DAG{}
	fast, refused := 0, 0
	for _, r := range records {
		d := dags[r.WorkloadKey]
		if d == nil {
			d = dagOfKey(t, r.WorkloadKey)
			dags[r.WorkloadKey] = d
		}
		s, err := schedule.ReplayBound(d, r.Steps)
		if err != nil {
			t.Fatal(err)
		}
		if err := launchable(verifiedLimits)(s, wide); err != nil && r.Timed() {
			t.Errorf("%s: %v\n%s", r.WorkloadKey, err, schedule.FormatSteps(r.Steps))
		}
		if r.Timed() && r.Cost() <= 1.25*best[r.WorkloadKey] {
			fast++
			if err := launchable(allLimits)(s, wide); err != nil {
				t.Log(err)
				refused++
			}
		}
	}
	if t.Logf("of %d fast records %d are refused", fast, refused); fast < 60 || refused*25 > fast {
		t.Errorf("of %d fast records %d are refused", fast, refused)
	}
}

func TestLaunchableRefuses(t *testing.T) {
	a := gpuSampler(t, GPU)
	for _, c := range []struct {
		name string
		i, j [4]int64
		k    [2]int64
		on   func(h *target.Hardware)
		want string
	}{
		{"", [4]int64{1, 4, 1, 4}, [4]int64{1, 8, 1, 4}, [2]int64{2, 2}, nil, ""},
		{"threads", [4]int64{1, 32, 1, 1}, [4]int64{1, 64, 1, 1}, [2]int64{1, 1}, nil, "asks for 2048 threads in a block, of which there are 1024"},
		{"vthreads", [4]int64{2, 8, 1, 1}, [4]int64{4, 8, 1, 1}, [2]int64{2, 2}, func(h *target.Hardware) { h.MaxVthread = 4 }, "asks for 8 virtual threads, of which there are 4"},
		{"shared", [4]int64{1, 16, 1, 4}, [4]int64{1, 16, 1, 4}, [2]int64{8, 8}, func(h *target.Hardware) { h.SharedBytes = 32<<10 - 1 }, "asks for 32768 bytes of shared memory, of which there are 32767"},
		{"local", [4]int64{1, 4, 1, 4}, [4]int64{2, 8, 1, 4}, [2]int64{2, 2}, func(h *target.Hardware) { h.LocalBytes = 127 }, "asks for 128 bytes of a thread's own memory, of which there are 127"},
		{"vector", [4]int64{1, 8, 1, 1}, [4]int64{1, 8, 1, 1}, [2]int64{2, 2}, func(h *target.Hardware) { h.VectorBytes = 2 }, "asks for 4 bytes in a vector, of which there are 2"},
		{"registers", [4]int64{1, 4, 16, 1}, [4]int64{1, 4, 4, 4}, [2]int64{1, 1}, nil, "asks for 288 registers of a thread, of which there are 255"},
		{"warps", [4]int64{1, 4, 1, 4}, [4]int64{1, 2, 1, 4}, [2]int64{1, 1}, nil, "asks for 32 blocks of less than half a warp, of which there are 0"},
		{"registers of many", [4]int64{1, 32, 1, 2}, [4]int64{1, 32, 2, 1}, [2]int64{1, 1}, nil, ""},
		{"registers of too many", [4]int64{1, 32, 1, 2}, [4]int64{2, 32, 32, 1}, [2]int64{1, 1}, nil, "asks for 160 registers of a thread, of which there are 64"},
	} {
		wide := gpuSampler(t, AutoSchedulerGPU)
		wide.Target.Hardware.WarpSize = 1
		s, err := bindThreads(&choice{Sampler: wide, rng: Rand(1, 1, 1)}, tiledProduct(t, c.i, c.j, c.k))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		on := a.Target
		if c.on != nil {
			c.on(&on.Hardware)
		}
		err = launchable(allLimits)(s, on)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestPlausible(t *testing.T) {
	inLoop := func(steps ...schedule.Step) *schedule.State {
		s, err := apply1(t, conv(70, 8), steps...).InferBound()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name string
		s    *schedule.State
		want string // in the error; "" for none
	}{
		{"loops as they are", inLoop(), ""},
		{"parallel loops beside each other",
			inLoop(schedule.Annotate{At: 3, Iter: 0, Ann: schedule.Parallel}, schedule.Annotate{At: 4, Iter: 0, Ann: schedule.Parallel}), ""},
		{"a parallel loop in another",
			inLoop(schedule.ComputeAt{At: 3, Target: 4, TargetIter: 0}, schedule.Annotate{At: 3, Iter: 1, Ann: schedule.Parallel}, schedule.Annotate{At: 4, Iter: 0, Ann: schedule.Parallel}),
			"stage relu has a parallel loop inside another"},
		{"two parallel loops of one stage",
			inLoop(schedule.Annotate{At: 4, Iter: 0, Ann: schedule.Parallel}, schedule.Annotate{At: 4, Iter: 1, Ann: schedule.Parallel}),
			"stage relu has a parallel loop inside another"},
		{"too much unrolled code",
			inLoop(schedule.Annotate{At: 3, Iter: 0, Ann: schedule.Unroll}, schedule.Annotate{At: 3, Iter: 1, Ann: schedule.Unroll},
				schedule.Annotate{At: 3, Iter: 3, Ann: schedule.Unroll}), "stage C would be unrolled 4480 times"},
	} {
		err := plausible(c.s, target.Target{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A stage that is computed anew in every iteration of a long loop is dropped.
func TestPlausibleRecompute(t *testing.T) {
	a := op("A", nil, axis("i", 8))
	i, j, k := axis("i", 8), axis("j", 100), axis("k", 8)
	b := op("B", load(a, i.Var), i)
	c := sum(op("C", load(b, k.Var), j), k)
	s, err := apply1(t, state(a, b, c), schedule.ComputeAt{At: 1, Target: 2, TargetIter: 0}).InferBound()
	if err != nil {
		t.Fatal(err)
	}
	if err := plausible(s, target.Target{}); err == nil || !strings.Contains(err.Error(), "stage B is computed 100 times over") {
		t.Errorf("error %v", err)
	}
}
