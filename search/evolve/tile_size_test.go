package evolve

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// One move reaches exactly the tuples that differ by one factor moved from one
// piece to another, with an innermost piece of at most 64.
func TestMoveFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	sp := schedule.Split{Extent: 256, Lengths: []int64{2, 32}}
	seen := map[[2]int64]bool{}
	for range 5000 {
		l := moveFactor(sp, 64, rng)
		if l == nil {
			t.Fatal("no factor moved")
		}
		seen[[2]int64{l[0], l[1]}] = true
	}
	want := map[[2]int64]bool{}
	for _, f := range []int64{2, 4, 8, 16, 32} {
		if f <= 4 { // from the outermost piece, 4
			want[[2]int64{2 * f, 32}] = true
		}
		if f <= 2 { // to the innermost: from the outermost and from the middle
			want[[2]int64{2, 32 * f}] = true
			want[[2]int64{2 / f, 32 * f}] = true
		}
		if f <= 2 { // from the middle to the outermost
			want[[2]int64{2 / f, 32}] = true
		}
		want[[2]int64{2, 32 / f}] = true     // from the innermost to the outermost
		want[[2]int64{2 * f, 32 / f}] = true // and to the middle
	}
	for l := range seen {
		if !want[l] {
			t.Errorf("reached %v", l)
		}
	}
	for l := range want {
		if !seen[l] {
			t.Errorf("never reached %v", l)
		}
	}
	if l := moveFactor(schedule.Split{Extent: 1, Lengths: []int64{1, 1}}, 64, rng); l != nil {
		t.Errorf("extent 1 became %v", l)
	}
}

// Most mutations of a good tile that would spoil it are refused, some are kept.
func TestMutateTileSizeKeepsTiles(t *testing.T) {
	s := replayed(t, paddedProduct(64, 64, 64), split(3, 0, 64, 4, 2, 4), split(3, 4, 64, 2, 1, 16), split(3, 8, 64, 32))
	a := sampler(t)
	spoiled, refused := 0, 0
	const draws = 600
	for i := range draws {
		child, err := mutateTileSize(a, s, annotate.Rand(1, 9, i))
		switch {
		case errors.Is(err, errWorse):
			refused++
		case err == nil:
			if a.Worsens(s.DAG, s.Steps, schedule.Structure(child.Steps), 0) {
				spoiled++
			}
		}
	}
	if refused < draws/4 || spoiled == 0 || spoiled > refused/2 {
		t.Errorf("%d of %d mutations are refused, %d spoil the tile", refused, draws, spoiled)
	}
}

// TestMutateTileSizeKeepsVectors: a transform of Winograd's tiles stays one of a vector.
func TestMutateTileSizeKeepsVectors(t *testing.T) {
	w, err := op.Parse("conv2d:h=16,w=16,ci=64,co=64,k=3,p=1,epilogue=relu")
	if err != nil {
		t.Fatal(err)
	}
	a, changed := sampler(t), 0
	lanes := host.Hardware.Lanes(4)
	for i, s := range samples(t, schedule.New(w.DAG), 300) {
		child, err := mutateTileSize(a, s, annotate.Rand(1, 2, i))
		if err != nil {
			continue
		}
		changed++
		for stage := range child.Stages {
			at := sketch.VectorSplit(child, stage)
			if at < 0 {
				continue
			}
			if l := child.Steps[at].(schedule.Split).Lengths; len(l) != 1 || l[0] != lanes {
				t.Fatalf("stage %s has vectors of %v: %s", child.Stages[stage].Op.Name, l,
					schedule.FormatSteps(child.Steps))
			}
		}
	}
	if changed < 50 {
		t.Errorf("%d mutations", changed)
	}
}

// TestMutateTileSizeKeepsRows: what reads a convolution in tiles keeps its tiles, its vector and its rows of tiles.
func TestMutateTileSizeKeepsRows(t *testing.T) {
	w, err := op.Parse("conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=relu")
	if err != nil {
		t.Fatal(err)
	}
	splits := func(s *schedule.State) string {
		var list []schedule.Step
		for stage := range s.Stages {
			for _, k := range sketch.ComputedInTiles(s, stage) {
				list = append(list, s.Steps[k])
			}
		}
		return string(schedule.FormatSteps(list))
	}
	a, inRows := sampler(t), 0
	for i, s := range samples(t, schedule.New(w.DAG), 300) {
		child, err := mutateTileSize(a, s, annotate.Rand(1, 2, i))
		if err != nil {
			continue
		}
		before, after := splits(s), splits(child)
		if before != after {
			t.Fatalf("splits %s became %s", before, after)
		}
		if strings.Count(before, "SP") == 4 {
			inRows++
		}
	}
	if inRows < 20 {
		t.Errorf("%d mutations of some rows at a time", inRows)
	}
}

// gpuSamples returns sampled states of a workload on a GPU.
func gpuSamples(t *testing.T, p annotate.Policy, spec string, n, workers int) (*annotate.Sampler, []*schedule.State) {
	t.Helper()
	w, err := op.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	sketches, err := sketch.Generate(t.Context(), sketch.CUDA, w.DAG, gpu)
	if err != nil {
		t.Fatal(err)
	}
	a := annotate.New(p, gpu)
	states, err := a.Population(t.Context(), sketches, n, 1, 1, workers)
	if err != nil || len(states) == 0 {
		t.Fatalf("%d states, %v", len(states), err)
	}
	return a, states
}

// lengthsOf returns the lengths of all splits.
func lengthsOf(s *schedule.State) (list [][]int64) {
	for _, step := range s.Steps {
		if sp, ok := step.(schedule.Split); ok {
			list = append(list, sp.Lengths)
		}
	}
	return list
}

// A mutation changes one split, and what threads copy at once if that no longer fits;
// nothing else. What comes out can be launched. AutoScheduler's leaves widths as they
// are.
func TestMutateSplit(t *testing.T) {
	for _, c := range []struct {
		name     string
		policy   annotate.Policy
		mutate   Mutator
		anyWidth bool
	}{
		{"gpu", annotate.GPU, GPU[0], false}, {"autoscheduler", annotate.AutoSchedulerGPU, AutoSchedulerGPU[0], true},
	} {
		a, states := gpuSamples(t, c.policy, "conv2d:h=28,w=28,ci=64,co=64,k=3,s=1,p=1,epilogue=relu", 100, 0)
		tiles, widths := 0, 0
		for i, s := range states {
			child, err := c.mutate.Apply(a, s, annotate.Rand(1, 2, i))
			if err != nil {
				continue
			}
			if err := a.Check(child, gpu); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			fetches, changed := annotate.FetchSplits(s.Steps), 0
			for k, step := range child.Steps {
				if step.String() == s.Steps[k].String() {
					continue
				}
				switch sp, ok := step.(schedule.Split); {
				case !ok:
					t.Fatalf("%s: %s became %s", c.name, s.Steps[k], step)
				case slices.Contains(fetches, k):
					widths++
					if may, err := annotate.Widths(child, k); !c.anyWidth && (err != nil || !slices.Contains(may, sp.Lengths[0])) {
						t.Errorf("%s: %d elements at once, of %v, %v", c.name, sp.Lengths[0], may, err)
					}
				default:
					changed++
				}
			}
			if changed > 1 || changed == 0 && !c.anyWidth {
				t.Errorf("%s: %d tiles changed", c.name, changed)
			}
			tiles += changed
		}
		if t.Logf("%s: %d tiles, %d widths", c.name, tiles, widths); tiles == 0 || widths == 0 {
			t.Errorf("%s: %d tiles and %d widths changed", c.name, tiles, widths)
		}
	}
}

// Threads of a loop that is not tiled are drawn anew, among warps.
func TestMutateThreads(t *testing.T) {
	a, states := gpuSamples(t, annotate.GPU, "maxpool2d:h=56,w=56,c=64,k=3,s=2,p=1", 40, 0)
	seen := map[int64]bool{}
	for i, s := range states {
		for k := range 10 {
			if child, err := mutateSplit(a, s, annotate.Rand(1, 3, 10*i+k)); err == nil {
				seen[lengthsOf(child)[0][0]] = true
			}
		}
	}
	if len(seen) != 6 || !seen[32] || !seen[1024] {
		t.Errorf("numbers of threads: %v", seen)
	}
}

func TestMutateSplitRefuses(t *testing.T) {
	a, states := gpuSamples(t, annotate.GPU, "matmul:m=64,n=64,k=64", 40, 0)
	none := schedule.New(states[0].DAG)
	for _, m := range []Mutator{GPU[0], AutoSchedulerGPU[0]} {
		if _, err := m.Apply(a, none, annotate.Rand(1, 1, 1)); err == nil || !strings.Contains(err.Error(), "no tile size to mutate") {
			t.Errorf("a state without splits: %v", err)
		}
	}
	narrow := annotate.New(annotate.GPU, gpu)
	narrow.Target.Hardware.SharedBytes = 64
	refused := 0
	for i, s := range states {
		if _, err := mutateSplit(narrow, s, annotate.Rand(1, 1, i)); err != nil && strings.Contains(err.Error(), "bytes of shared memory, of which there are 64") {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no mutation is refused by the target")
	}
}

// TestTilesOfReadersStay: mutation leaves the tiles alone that a stage is computed for, and moves it nowhere else.
func TestTilesOfReadersStay(t *testing.T) {
	text := strings.Replace(tirtest.InverseText, "max(bias_add[i0, i1, i2, i3], 0)", "exp(bias_add[i0, i1, i2, i3])", 1)
	d, err := compute.Parse(strings.Replace(text, "output relu",
		"more(i0: 1, i1: 8, i2: 8, i3: 32) = relu[i0, i1, i2, i3]*2f32\noutput more", 1))
	if err != nil {
		t.Fatal(err)
	}
	on := target.Generic(32, 2)
	sketches, err := sketch.Generate(t.Context(), sketch.CPU, d, on)
	if err != nil {
		t.Fatal(err)
	}
	a := annotate.New(annotate.CPU, on)
	for i := range 40 {
		rng := annotate.Rand(1, 6, i)
		s, err := a.Sample(sketches[0], rng)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range CPU {
			child, err := m.Apply(a, s, rng)
			if err != nil {
				if strings.Contains(err.Error(), "step") {
					t.Errorf("%s: %v", m.Name, err)
				}
				continue
			}
			text := string(schedule.FormatSteps(child.Steps))
			if strings.Count(text, ", 8, [4], 1]") != 2 || !strings.Contains(text, ", 32, [8], 1]") ||
				!strings.Contains(text, `["CA", 2, `) {
				t.Errorf("%s: other tiles: %s", m.Name, text)
			}
		}
	}
}

// TestLanesStay: columns that are no more than the lanes of an instruction stay in one piece, whatever is mutated.
func TestLanesStay(t *testing.T) {
	on := target.Generic(64, 2)
	on.CPU, on.Features = "znver5", []string{"avx512vnni"}
	w, err := op.Parse("conv2d:h=22,w=24,ci=64,co=7,k=3,p=1,dtype=i8")
	if err != nil {
		t.Fatal(err)
	}
	sketches, err := sketch.Generate(t.Context(), sketch.CPU, w.DAG, on)
	if err != nil {
		t.Fatal(err)
	}
	a, mutated := annotate.New(annotate.CPU, on), 0
	for seed := range 40 {
		s, err := a.Sample(sketches[0], annotate.Rand(1, 0, seed))
		if err != nil {
			continue
		}
		for range 5 {
			next, err := mutateTileSize(a, s, rand.New(rand.NewPCG(7, uint64(seed))))
			if err != nil {
				continue
			}
			s, mutated = next, mutated+1
			for _, st := range s.Stages {
				lanes := slices.IndexFunc(st.Iters, func(i *schedule.Iterator) bool { return i.Ann == schedule.Vectorize })
				if st.ByInstruction() && st.Iters[lanes].Extent != 7 {
					t.Fatalf("columns in pieces:\n%s", s)
				}
			}
		}
	}
	if mutated < 20 {
		t.Errorf("only %d mutations", mutated)
	}
}
