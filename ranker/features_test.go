package ranker

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// Random states have features, those of GPU steps too: the first are those that
// there were before locality, and every column is a number.
func TestFeaturesOfRandomStates(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 4))
		_, d := tirtest.RandomDAG(r)
		steps, to := tirtest.RandomSteps(r, d, 12), target.Generic(32<<(seed%2), 3)
		if seed%3 == 0 {
			steps = tirtest.RandomGPUSteps(r, d, 12)
			to = target.Target{Kind: target.CUDA, Hardware: target.Hardware{Cores: -1, WarpSize: 32}}
		}
		s, err := schedule.Replay(d, steps)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Features(s, to)
		if err != nil {
			t.Fatal(err)
		}
		tiling, err := Tiling(s, to)
		if err != nil {
			t.Fatal(err)
		}
		if want := slices.Concat(Actions(d, s.Steps), tiling); !slices.Equal(got[:len(want)], want) {
			t.Fatalf("seed %d: the first columns are %v, want %v", seed, got[:len(want)], want)
		}
		again, _ := Features(s, to)
		if !slices.Equal(got, again) {
			t.Fatalf("seed %d: other features the second time", seed)
		}
	}
}

func dagOf(t testing.TB, spec string) *compute.DAG {
	t.Helper()
	w, err := op.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return w.DAG
}

func stepsOf(t testing.TB, text string) []schedule.Step {
	t.Helper()
	steps, err := schedule.ParseSteps([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// cpuSteps are those of a public record of a Xeon, on a dense layer of 32 x 512 x 256.
const cpuSteps = `[["SP", 2, 0, 32, [1, 2, 2], 1], ["SP", 2, 4, 256, [1, 2, 8], 1], ["SP", 2, 8, 512, [64], 1],
["RE", 2, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]], ["FSP", 3, 0, 0, 2], ["FSP", 3, 3, 1, 2], ["RE", 3, [0, 3, 1, 4, 2, 5]],
["CA", 2, 3, 3],
["FU", 3, [0, 1, 2, 3]], ["AN", 3, 0, 3], ["PR", 2, 0, "auto_unroll_max_step$64"], ["AN", 2, 9, 2], ["AN", 3, 2, 2]]`

// gpuSteps tile a matmul of 64 x 128 x 32 as AutoScheduler does on a GPU: 2 x 4
// blocks, 2 x 1 virtual threads, 8 x 16 threads, 1 x 2 and 2 x 1 inside; the
// second operand goes through shared memory, fetched by 4.
const gpuSteps = `[["CHW", 2, "local"], ["SP", 2, 0, 64, [2, 8, 1, 2], 1], ["SP", 2, 5, 128, [1, 16, 2, 1], 1],
["SP", 2, 10, 32, [4, 2], 1],
["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["FSP", 3, 0, 1, 3], ["FSP", 3, 4, 2, 3],
["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]], ["CA", 2, 3, 5],
["CHR", 1, "shared", [2]], ["CA", 2, 3, 6],
["FU", 4, [0, 1]], ["AN", 4, 0, 5], ["FU", 4, [1, 2]], ["AN", 4, 1, 4], ["FU", 4, [2, 3]], ["AN", 4, 2, 6],
["FU", 2, [0, 1]], ["SP", 2, 0, 256, [4], 1], ["AN", 2, 1, 2], ["FFSP", 2, 0, [2, 1], 1, 1], ["AN", 2, 1, 6],
["PR", 3, 0, "auto_unroll_max_step$64"]]`

func near(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x-y)) < 1e-5 })
}

// The action features of a record, computed by hand.
func TestActions(t *testing.T) {
	got := Actions(dagOf(t, "matmul:m=32,n=256,k=512,epilogue=relu"), stepsOf(t, cpuSteps))
	want := []float32{
		3, 1, 1, 2, 3, 2, 0, 0, 1, 0, 0, 0, 0, 0, // AN FU PR RE SP FSP ... CA
		13,                                 // steps
		0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, // vectorize twice, parallel once
		float32(math.Log2(65)), 1, // unroll 64, in one pragma
		5, 3, 0, 1, 1, 0, // 32 by 8 x [1 2 2]
		8, 4, 0, 1, 3, 0, // 256 by 16 x [1 2 8]
		9, 3, 6, 0, 0, 0, // 512 by 8 x [64]
	}
	want = append(want, make([]float32, 11*6)...) // no more splits
	want = append(want, 4, 4)                     // one fusion of four loops
	want = append(want, 3, 3)                     // computed at iterator 3
	want = append(want, 2+4+6, 6, 1+3+6)          // what lengths multiply to, and the last ones
	want = append(want, 5, 9, 9, 8, 5, 8)         // [32 512] [512 256] [32 256]
	want = append(want, make([]float32, 10)...)
	if len(got) != ActionColumns || ActionColumns != 136 {
		t.Fatalf("%d columns, ActionColumns is %d", len(got), ActionColumns)
	}
	if !near(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// Pragmas that do not limit unrolling have no limit.
func TestUnrollLimit(t *testing.T) {
	for text, want := range map[string]int64{
		"auto_unroll_max_step$64": 64, "auto_unroll_max_step$": 0, "double_buffer$2": 0, "tensor_core": 0,
	} {
		if got := unrollLimit(text); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// More splits and extents than there are columns for do not matter.
func TestActionsLong(t *testing.T) {
	var steps []schedule.Step
	for range 30 {
		steps = append(steps, schedule.Split{Extent: 8, Lengths: []int64{2, 1, 1, 2, 2}, InnerToOuter: true})
	}
	got := Actions(dagOf(t, "conv3d:d=4,h=8,w=8,ci=4,co=4,k=3,s=1,p=1,epilogue=bias+add"), steps)
	if len(got) != ActionColumns || got[4] != 30 || got[14] != 30 {
		t.Errorf("%d columns, %v", len(got), got[:15])
	}
}

func TestTilingGPU(t *testing.T) {
	s, err := schedule.Replay(dagOf(t, "matmul:m=64,n=128,k=32"), stepsOf(t, gpuSteps))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Tiling(s, target.Target{Kind: target.CUDA, Hardware: target.Hardware{Cores: -1, WarpSize: 32}})
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{
		3, 1, 7, 1, 1, // by level: 2 x 4, 2 x 1, 8 x 16, 1 x 2, 2 x 1
		2, 2, 1, // 4 x 4 x 2
		0, 0, 0, // all divide
		2, 0, 4, 1, 0, // of the last axis
		3, 7, 1, 2, 0, // 8 blocks, 128 threads, 2 virtual ones, fetched by 4
		0, 1, 0.125, 1, 0, 0, // full warps, 8 of 64 multiprocessors
		2, 0, 0, 0,
		3, 3, 6, 10, 13, float32(math.Log2(65)) - 6, // 4 x 2 elements a thread, 8 steps of the reduction
		5, 5, 0, 0, 2, 1, 0, 0, // blocks of 32 x 32, registers of 4 x 2
		8, 8, 10, 9, 4, // 32 x 8 + 8 x 32 read for 32 x 32
		1, 2, 3 - float32(math.Log2(6)),
		8, 2, -1, 0, 0, 0, 0, 0, 0, // 256 elements by 4 and 128 threads
	}
	if !near(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	hopper, err := target.GPU("sm_90")
	if err != nil {
		t.Fatal(err)
	}
	if got, err = Tiling(s, hopper); err != nil || !near(got[23:24], []float32{8. / 132}) {
		t.Errorf("8 of 132 multiprocessors work: %v, %v", got[23:24], err)
	}
	row, err := Features(s, hopper)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(Launched.Names(), "hardware.cores")
	if want := float32(math.Log2(133)); !near(row[at:at+1], []float32{want}) {
		t.Errorf("132 multiprocessors: %v, want %v", row[at], want)
	}
}

func TestTilingCPU(t *testing.T) {
	d := dagOf(t, "matmul:m=32,n=256,k=512,epilogue=relu")
	s, err := schedule.Replay(d, stepsOf(t, cpuSteps))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Tiling(s, target.Generic(32, 24))
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{
		7, 0, 2, 4, 0, // 8 x 16, 1 x 1, 2 x 2, 2 x 8
		3, 6, 0,
		0, 0, 0,
		4, 0, 1, 3, 0,
		0, 0, 0, 3 + 4, 7, // vectors of 8 and 16, 128 parallel tasks
		1.0 / 32, 1.0 / 32, 1.0 / 64, 128.0 / 144, 0, float32(math.Log2(6)), // 128 tasks are 6 turns of 24
		3, 4, 0, 0,
		6, 6, 12, 6, 12, float32(math.Log2(65)) - 12,
		2, 4, 0, 0, 2, 4, 0, 0, // tiles of 4 x 16
		8, 10, 6, float32(math.Log2(256 + 1024)), 12 - float32(math.Log2(256+1024)),
		4, 2, 6 - float32(math.Log2(16+4)),
		0, 0, 0, 0, 0, 0, 0, 0, 0,
	}
	if !near(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	// An uneven split of the reduce axis and one of the other stage are counted apart.
	steps := stepsOf(t, cpuSteps)
	steps[2] = schedule.Split{At: 2, Iter: 8, Extent: 512, Lengths: []int64{48}, InnerToOuter: true}
	if s, err = schedule.Replay(d, steps); err != nil {
		t.Fatal(err)
	}
	if got, err = Tiling(s, target.Generic(32, 24)); err != nil || !slices.Equal(got[8:11], []float32{0, 1, 0}) {
		t.Errorf("uneven splits %v, %v", got[8:11], err)
	}
	if got[5] != float32(math.Log2(11)) { // 512/48, rounded up
		t.Errorf("outer extent %v", got[5])
	}
}

// Lengths may be far longer than the loop, so that their product is beyond an int64.
func TestTilingLongLengths(t *testing.T) {
	const long = 1 << 16
	steps := []schedule.Step{schedule.Split{Extent: 32, Lengths: []int64{long, long, long, long}, InnerToOuter: true}}
	if got := splitsOf(steps); len(got) != 1 || got[0].divides {
		t.Errorf("%+v", got)
	}
}

// A state whose sizes are open has no bounds.
func TestTilingRefuses(t *testing.T) {
	s, err := schedule.Replay(dagOf(t, "matmul:m=32,n=256,k=512"), stepsOf(t, `[["SP", 2, 0, 32, [0, 2], 1]]`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Tiling(s, target.Generic(32, 2)); err == nil {
		t.Error("a sketch has tiling features")
	}
}

// Splits are of the stages that their stages have become: the fetched operand got
// the number of the stage that was tiled before.
func TestSplitStages(t *testing.T) {
	var stages []int
	for _, s := range splitsOf(stepsOf(t, gpuSteps)) {
		stages = append(stages, s.stage)
	}
	if !slices.Equal(stages, []int{3, 3, 3, 2}) {
		t.Errorf("stages %v", stages)
	}
}
