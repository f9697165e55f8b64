package annotate

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// The counts are those of AutoScheduler for extent 512 and an innermost piece
// of at most 64: 210 with three lengths, 7 with one.
func TestTileTableCounts(t *testing.T) {
	var tt tileTable
	tt.draw(512, 3, 64, rand.New(rand.NewPCG(1, 1)))
	for _, c := range []struct {
		extent int64
		n      int
		want   int64
	}{{512, 3, 210}, {512, 1, 7}, {512, 4, 700}, {512, 2, 49}, {1, 3, 1}, {127, 3, 3}, {7, 3, 4}} {
		if got := tt.ways(c.extent, c.n, 64); got != c.want {
			t.Errorf("ways(%d, %d) = %d, want %d", c.extent, c.n, got, c.want)
		}
	}
}

// All tuples are drawn, equally often, and no others.
func TestTileTableIsUniform(t *testing.T) {
	var tt tileTable
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[[2]int64]int{}
	const draws = 20000
	for range draws {
		l := tt.draw(128, 2, 16, rng)
		if l[1] > 16 || 128%(l[0]*l[1]) != 0 {
			t.Fatalf("drew %v", l)
		}
		seen[[2]int64{l[0], l[1]}]++
	}
	want := int(tt.ways(128, 2, 16))
	if len(seen) != want {
		t.Errorf("drew %d tuples of %d", len(seen), want)
	}
	for l, n := range seen {
		if n < draws/want/2 || n > 2*draws/want {
			t.Errorf("drew %v %d times of %d", l, n, draws)
		}
	}
}

// A prime extent gets real tiles, none larger than the extent; an extent with
// many divisors gets only those.
func TestLengths(t *testing.T) {
	a := &Sampler{Policy: CPU}
	rng := rand.New(rand.NewPCG(1, 3))
	tiles := map[int64]bool{}
	for range 1000 {
		l := a.Lengths(331, 3, false, rng)
		p := l[0] * l[1] * l[2]
		if p > 331 || l[2] > a.MaxInner {
			t.Fatalf("331 is split by %v", l)
		}
		tiles[p] = true
		if l := a.Lengths(768, 2, true, rng); 768%(l[0]*l[1]) != 0 {
			t.Fatalf("768 is split by %v", l)
		}
	}
	if len(tiles) < 20 {
		t.Errorf("331 has only tiles of %d sizes", len(tiles))
	}
}

// An extent that is no whole number of vectors is uneven where it becomes vectors, unless it is shorter than one.
func TestUneven(t *testing.T) {
	a := sampler(t, 64, 2)
	for _, c := range []struct {
		extent int64
		vector bool
		want   bool
	}{{1500, true, true}, {1500, false, false}, {1504, true, false}, {12, true, false}, {331, false, true}} {
		if got := a.Uneven(c.extent, c.vector); got != c.want {
			t.Errorf("%d, vectors %v: %v", c.extent, c.vector, got)
		}
	}
	gpu := gpuSampler(t, GPU)
	if gpu.Uneven(50, true) || !gpu.Uneven(331, true) {
		t.Error("threads are no vectors")
	}
	a.Policy = AutoScheduler
	if a.Uneven(1500, true) {
		t.Error("AutoScheduler draws handy sizes of 1500")
	}
	a.Policy = CPU
	whole := 0
	for i := range 200 {
		if l := a.Lengths(1500, 3, true, Rand(1, 8, i)); l[2]%16 == 0 {
			whole++
		}
	}
	if whole < 20 {
		t.Errorf("%d of 200 tiles of 1500 are whole vectors", whole)
	}
}

// A reduction whose extent is no whole number of vectors is divided as before.
func TestReductionsDivide(t *testing.T) {
	a := sampler(t, 64, 2)
	for i := range 100 {
		group := tileOf([3]int64{-1, -1, -1}, [3]int64{-1, -1, -1}, -1)
		sp := group[2].(schedule.Split)
		sp.Extent, sp.Lengths = 500, []int64{schedule.OpenLength}
		group[2] = sp
		(&choice{Sampler: a, rng: Rand(1, 9, i)}).fillGroup(group, len(group))
		if l := group[2].(schedule.Split).Lengths[0]; 500%l != 0 {
			t.Fatalf("a sum over 500 in steps of %d", l)
		}
	}
}

// Splits whose innermost piece becomes a vector mostly fill the registers; the
// others are drawn as they come.
func TestFillTileSizeFillsVectors(t *testing.T) {
	a := sampler(t, 32, 2)
	s := conv(64, 64)
	open := []schedule.Step{
		schedule.Split{At: 3, Iter: 0, Extent: 64, Lengths: make([]int64, 3), InnerToOuter: true},
		schedule.Split{At: 3, Iter: 4, Extent: 64, Lengths: make([]int64, 3), InnerToOuter: true},
		schedule.Split{At: 3, Iter: 8, Extent: 3, Lengths: make([]int64, 1), InnerToOuter: true},
		schedule.Split{At: 3, Iter: 10, Extent: 64, Lengths: make([]int64, 1), InnerToOuter: true},
	}
	const draws = 400
	full := make([]int, len(open))
	for i := range draws {
		sketch := apply1(t, s, open...)
		got, err := fillTileSize(&choice{Sampler: a, rng: Rand(1, 4, i)}, sketch)
		if err != nil {
			t.Fatal(err)
		}
		for k, step := range got.Steps {
			if a.fillsVectors(step.(schedule.Split)) {
				full[k]++
			}
		}
	}
	if full[1] < draws/2 {
		t.Errorf("only %d of %d vectors fill the registers", full[1], draws)
	}
	if full[0] > draws/2 {
		t.Errorf("%d of %d pieces that are no vectors have such sizes", full[0], draws)
	}
	if full[3] > draws*3/4 { // four of seven divisors have
		t.Errorf("%d of %d pieces of a reduction have such sizes", full[3], draws)
	}
}

// TestColumnsBehind: where a split that is not open divides the columns, the last open one divides rows.
func TestColumnsBehind(t *testing.T) {
	a := sampler(t, 64, 2)
	steps := func() []schedule.Step {
		return []schedule.Step{
			schedule.Split{At: 3, Iter: 0, Extent: 36, Lengths: make([]int64, 1), InnerToOuter: true},
			schedule.Split{At: 3, Iter: 2, Extent: 196, Lengths: make([]int64, 1), InnerToOuter: true},
			schedule.Split{At: 3, Iter: 4, Extent: 64, Lengths: []int64{16}, InnerToOuter: true},
		}
	}
	for i := range 100 {
		list := steps()
		(&choice{Sampler: a, rng: Rand(1, 10, i)}).fillGroup(list, 2)
		if l := list[1].(schedule.Split).Lengths[0]; 196%l != 0 {
			t.Fatalf("196 rows in tiles of %d", l)
		}
	}
}

// TestThrees: a third of the row loops of a reduction have three or six rows in a tile where 16 registers hold 13 sums,
// also if these do not divide the loop. More registers, a loop that three divides, a short one and a loop that is no
// tile of a reduction have divisors only.
func TestThrees(t *testing.T) {
	tile := func(rows int64) []schedule.Step {
		return []schedule.Step{
			schedule.Split{At: 1, Extent: rows, Lengths: make([]int64, 3)},
			schedule.Split{At: 1, Extent: 256, Lengths: make([]int64, 3)},
			schedule.Split{At: 1, Extent: 64, Lengths: make([]int64, 1)},
		}
	}
	for name, c := range map[string]struct {
		rows      int64
		registers int
		group     int // steps of the tile
		want      bool
	}{
		"few registers": {128, 16, 3, true}, "many registers": {128, 32, 3, false}, "divisors": {96, 16, 3, false},
		"short": {23, 16, 3, false}, "no reduction": {128, 16, 2, false},
	} {
		a := New(CPU, target.Generic(32, 2))
		a.Target.Hardware.VectorRegisters = c.registers
		choice := &choice{Sampler: a, rng: rand.New(rand.NewPCG(7, 1))}
		const draws = 3000
		uneven := 0
		for range draws {
			group := tile(c.rows)[:c.group]
			choice.fillGroup(group, len(group))
			l := group[0].(schedule.Split).Lengths
			if product := l[0] * l[1] * l[2]; product > c.rows || product < 1 {
				t.Fatalf("%s: drew %v", name, l)
			}
			if l[2]%3 == 0 && c.rows%3 != 0 {
				uneven++
			}
		}
		if c.want != (uneven > draws/4 && uneven < draws/2) || !c.want && uneven > 0 && c.rows != 23 {
			t.Errorf("%s: %d of %d tiles have three or six rows", name, uneven, draws)
		}
	}
}
