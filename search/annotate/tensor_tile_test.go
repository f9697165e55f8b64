package annotate

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	workloads "github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// tensorSamples returns samples of the sketch for tensor cores of a product.
func tensorSamples(t *testing.T, spec string, n int) (*Sampler, []*schedule.State) {
	t.Helper()
	w, err := workloads.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	on, err := target.GPU("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	policy := sketch.CUDATensor
	policy.TF32 = true
	sketches, err := sketch.Generate(t.Context(), policy, w.DAG, on)
	if err != nil {
		t.Fatal(err)
	}
	a := New(GPU, on)
	var list []*schedule.State
	for i := range n {
		if s, err := a.Sample(sketches[0], Rand(1, 0, i)); err == nil {
			list = append(list, s)
		}
	}
	return a, list
}

// A good share of the tiles that are drawn is balanced, and all can be launched: blocks of whole warps, each lane with
// 4 elements of each tile of its warp, copies of 16 bytes a lane among them.
func TestTensorTiles(t *testing.T) {
	t.Run("float16", func(t *testing.T) { testTensorTiles(t, ",dtype=f16", 8) })
	t.Run("float32", func(t *testing.T) { testTensorTiles(t, "", 4) })
}

// testTensorTiles draws tiles of a product of elements of which 16 bytes hold so many.
func testTensorTiles(t *testing.T, dtype string, wide int64) {
	const tries = 200
	a, list := tensorSamples(t, "matmul:m=1024,n=1024,k=1024"+dtype, tries)
	if len(list) < tries*7/10 {
		t.Errorf("%d of %d samples are good", len(list), tries)
	}
	balancedOnes, widest, padded, buffered := 0, 0, 0, 0
	for _, s := range list {
		launches, err := lower.Launches(s)
		if err != nil || len(launches) != 1 {
			t.Fatalf("%v, %v\n%s", launches, err, s)
		}
		l := launches[0]
		warps, own := int64(1), int64(4*tir.MMAElems)
		var group []schedule.Step
		for i, step := range s.Steps {
			fixed := TensorPieces(s, i)
			if fixed == nil {
				continue
			}
			sp := step.(schedule.Split)
			group = append(group, step)
			if len(fixed) == 4 {
				warps, own = warps*sp.Lengths[1], own*sp.Lengths[2]
				if !slices.Equal(fixed, []bool{true, false, false, true}) || sp.Lengths[0] != 1 {
					t.Errorf("split %v: pieces %v are fixed", sp.Lengths, fixed)
				}
			}
		}
		if len(group) != 3 || l.Threads != warps*tir.WarpLanes || l.Blocks*warps*own/16*tir.MMARows*tir.MMACols != 1024*1024 {
			t.Errorf("%d splits, %+v: %d warps, %d bytes of accumulators", len(group), l, warps, own)
		}
		if a.suitsTensor(group, operandsOf(tensorProduct(s), 0, group)) == balanced {
			balancedOnes++
		}
		if strings.Contains(string(schedule.FormatSteps(s.Steps)), "double_buffer") {
			buffered++
		}
		for _, i := range FetchSplits(s.Steps) {
			if Pad(s.Steps, s.Steps[i].Stage()) == wide {
				padded++
			}
			if s.Steps[i].(schedule.Split).Lengths[0] == wide {
				widest++
			}
		}
	}
	if balancedOnes < len(list)/4 || padded != 2*len(list) || buffered < len(list)/8 || buffered > len(list)*7/8 || widest < len(list)/4 {
		t.Errorf("of %d tiles %d are balanced, %d have two buffers; %d of the copies are of 16 bytes, %d padded", len(list), balancedOnes, buffered, widest, padded)
	}
}

// tensorProduct returns the op that tensor cores compute.
func tensorProduct(s *schedule.State) *compute.Op {
	i := slices.IndexFunc(s.Stages, func(st *schedule.Stage) bool { return st.IsTensorized() && st.Op.Combine != nil })
	return s.Stages[i].Op
}

// Pieces that are fixed are left out, and put back where they were.
func TestLoose(t *testing.T) {
	sp := schedule.Split{Extent: 1024, Lengths: []int64{1, 4, 2, 16}}
	fixed := []bool{true, false, false, true}
	loose := Loose(sp, fixed)
	if loose.Extent != 64 || !slices.Equal(loose.Lengths, []int64{4, 2}) {
		t.Errorf("got %+v", loose)
	}
	if got := Tightened(sp, fixed, []int64{2, 8}); !slices.Equal(got.Lengths, []int64{1, 2, 8, 16}) || !slices.Equal(sp.Lengths, []int64{1, 4, 2, 16}) {
		t.Errorf("got %v of %v", got.Lengths, sp.Lengths)
	}
}

// A tensorSuit is how a tile of a product suits.
type tensorSuit struct {
	m, n [2]int64 // warps, and tiles of each
	k    int64    // tiles of a copy
	want suit
	why  string
}

// testSuitsTensor tries tiles of a product of 1024 each way, of which tensor cores take so many steps at once.
func testSuitsTensor(t *testing.T, dtype string, depth int64, list []tensorSuit) {
	t.Helper()
	a, samples := tensorSamples(t, "matmul:m=1024,n=1024,k=1024"+dtype, 8)
	first := samples[0]
	i := slices.IndexFunc(first.Steps, func(s schedule.Step) bool { _, ok := s.(schedule.Split); return ok })
	group := slices.Clone(first.Steps[i : i+3])
	operands := operandsOf(tensorProduct(first), 0, group)
	for _, c := range list {
		for axis, lengths := range [][]int64{{1, c.m[0], c.m[1], 16}, {1, c.n[0], c.n[1], 8}, {c.k, depth}} {
			sp := group[axis].(schedule.Split)
			sp.Lengths = lengths
			group[axis] = sp
		}
		if got := a.suitsTensor(group, operands); got != c.want {
			t.Errorf("%s: %d, want %d", c.why, got, c.want)
		}
	}
}

// A tile whose operands take longer to be read than to be multiplied fits up to twice as long, and is balanced
// only if they do not.
func TestSuitsTensor(t *testing.T) {
	testSuitsTensor(t, ",dtype=f16", 16, []tensorSuit{
		{[2]int64{2, 4}, [2]int64{2, 4}, 2, balanced, "128x64 in 4 warps of 64x32, which read as long as they multiply"},
		{[2]int64{2, 2}, [2]int64{2, 4}, 2, fits, "64x64 in 4 warps of 32x32, which read longer: one operand by 16 bits"},
		{[2]int64{2, 4}, [2]int64{4, 4}, 2, fits, "128x128 in 8 warps of 64x32: 64 blocks"},
		{[2]int64{2, 8}, [2]int64{8, 2}, 2, misfit, "256x128: 32 blocks"},
		{[2]int64{1, 4}, [2]int64{2, 8}, 4, balanced, "64x128 in 2 warps, for 64 steps"},
		{[2]int64{2, 4}, [2]int64{2, 8}, 1, fits, "16 steps"},
		{[2]int64{1, 4}, [2]int64{1, 8}, 2, fits, "one warp"},
		{[2]int64{4, 2}, [2]int64{4, 4}, 2, fits, "16 warps"},
		{[2]int64{4, 2}, [2]int64{8, 2}, 2, misfit, "32 warps"},
		{[2]int64{2, 2}, [2]int64{2, 2}, 2, fits, "warps of 32x16 read half as long again"},
		{[2]int64{2, 1}, [2]int64{2, 1}, 2, misfit, "one tile a warp"},
		{[2]int64{2, 8}, [2]int64{1, 8}, 2, misfit, "256 accumulators"},
		{[2]int64{4, 4}, [2]int64{4, 8}, 2, misfit, "128 accumulators of 512 threads"},
		{[2]int64{2, 4}, [2]int64{2, 8}, 16, misfit, "128 KB of copies"},
	})
}

// Of float32 a tile has half the steps, of twice the bytes: with half the steps in a copy it suits
// as well as one of 16-bit elements that lie along the steps, wherever its own lie.
func TestSuitsTensorRounded(t *testing.T) {
	testSuitsTensor(t, "", 8, []tensorSuit{
		{[2]int64{2, 4}, [2]int64{2, 4}, 2, balanced, "128x64 in 4 warps of 64x32, for 16 steps"},
		{[2]int64{2, 4}, [2]int64{2, 4}, 4, balanced, "for 32 steps"},
		{[2]int64{2, 2}, [2]int64{2, 4}, 8, fits, "64x64 for 64 steps"},
		{[2]int64{2, 4}, [2]int64{2, 8}, 1, fits, "for 8 steps"},
		{[2]int64{2, 2}, [2]int64{2, 4}, 2, balanced, "64x64 in 4 warps of 32x32: single elements are read as fast as pairs"},
		{[2]int64{2, 1}, [2]int64{2, 1}, 2, misfit, "one tile a warp"},
		{[2]int64{2, 4}, [2]int64{2, 8}, 16, misfit, "128 KB of copies"},
	})
}
