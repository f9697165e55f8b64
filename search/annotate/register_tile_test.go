package annotate

import (
	"fmt"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
)

// tileOf is the group of splits of a product: rows, columns and the reduction of 64.
func tileOf(rows, columns [3]int64, k int64) []schedule.Step {
	return []schedule.Step{
		schedule.Split{At: 3, Iter: 0, Extent: 64, Lengths: rows[:], InnerToOuter: true},
		schedule.Split{At: 3, Iter: 4, Extent: 64, Lengths: columns[:], InnerToOuter: true},
		schedule.Split{At: 3, Iter: 8, Extent: 64, Lengths: []int64{k}, InnerToOuter: true},
	}
}

// product is what rows times columns reads: of each its own.
var product = []operand{{{true, false, true}}, {{false, true, true}}}

// whole are the grains of axes that nothing divides.
var whole = []int64{1, 1, 1}

func TestSuits(t *testing.T) {
	for _, c := range []struct {
		what          string
		rows, columns int64 // of the innermost tile
		between       int64 // rows of the tile around it
		k             int64
		avx2, avx512  suit
	}{
		{"a good tile", 4, 16, 2, 16, balanced, fits},
		{"12 of 13 registers", 6, 16, 2, 16, balanced, fits},
		{"as many in long vectors", 4, 32, 2, 16, misfit, balanced},
		{"more than there are", 8, 16, 2, 16, misfit, fits},
		{"too few", 1, 16, 2, 16, misfit, misfit},
		{"half of a vector", 8, 12, 2, 16, misfit, misfit},
		{"few", 2, 16, 2, 16, fits, misfit},
		{"a row: more read than multiplied", 1, 64, 2, 16, fits, fits},
		{"a column: the same", 8, 8, 2, 16, fits, misfit},
		{"stored after few steps", 4, 16, 2, 8, fits, fits},
		{"never stored in between", 4, 16, 1, 8, balanced, fits},
	} {
		group := tileOf([3]int64{1, c.between, c.rows}, [3]int64{1, 1, c.columns}, c.k)
		if got := sampler(t, 32, 2).suits(group, product, whole); got != c.avx2 {
			t.Errorf("%s: %d with AVX2, want %d", c.what, got, c.avx2)
		}
		if got := sampler(t, 64, 2).suits(group, product, whole); got != c.avx512 {
			t.Errorf("%s: %d with AVX-512, want %d", c.what, got, c.avx512)
		}
	}
}

// An operand counts as often as the tile reads it: rows of a batch have all their
// own, and in a depthwise convolution one does not count.
func TestSuitsByOperands(t *testing.T) {
	a := sampler(t, 32, 2)
	split := func(iter int, extent int64, lengths ...int64) schedule.Step {
		return schedule.Split{At: 3, Iter: iter, Extent: extent, Lengths: lengths, InnerToOuter: true}
	}
	batch := func(b, rows, columns int64) []schedule.Step {
		return []schedule.Step{split(0, 12, 1, 1, b), split(4, 64, 1, 1, rows), split(8, 64, 1, 1, columns), split(12, 64, 64)}
	}
	x, y := operand{{true, true, false, true}}, operand{{true, false, true, true}}
	image, kernel := operand{{true, true, true, true}}, operand{{false, false, true, true}}
	for _, c := range []struct {
		what     string
		group    []schedule.Step
		operands []operand
		want     suit
	}{
		{"rows of one product", batch(1, 4, 16), []operand{x, y}, balanced},
		{"rows of four products", batch(4, 1, 16), []operand{x, y}, fits},
		{"pixels", batch(4, 1, 16), []operand{image, kernel}, balanced},
		{"channels", batch(1, 1, 64), []operand{image, kernel}, fits},
	} {
		if got := a.suits(c.group, c.operands, []int64{1, 1, 1, 1}); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}

// The splits of a convolution know their axes.
func TestOperandsOf(t *testing.T) {
	s := conv(8, 8)
	op := s.Stages[3].Op
	var group []schedule.Step
	for i, iter := range []int{0, 4, 8, 10} {
		lengths := make([]int64, 3)
		if i > 1 {
			lengths = lengths[:1]
		}
		group = append(group, schedule.Split{At: 3, Iter: iter, Extent: 8, Lengths: lengths, InnerToOuter: true})
	}
	if got := fmt.Sprint(operandsOf(op, 0, group)); got != "[[[true false true false] [false false false true]] [[false false true false] [false false false true] [false true false false]]]" {
		t.Errorf("%s reads %s", op.Name, got)
	}
}

// The innermost tile of most samples of a reduction is balanced on its target, of
// some it fits, and some are as they fall.
func TestFillTile(t *testing.T) {
	for _, vectorBytes := range []int{16, 32, 64} {
		a := sampler(t, vectorBytes, 2)
		const draws = 400
		var seen [balanced + 1]int
		for i := range draws {
			group := tileOf([3]int64{}, [3]int64{}, schedule.OpenLength)
			(&choice{Sampler: a, rng: Rand(1, 5, i)}).fillTile(group, len(group), product, whole)
			for _, step := range group {
				if isOpen(step) {
					t.Fatalf("%s is open", step)
				}
			}
			seen[a.suits(group, product, whole)]++
		}
		if seen[balanced] < draws*4/10 || seen[fits] < draws/10 || seen[misfit] < draws/50 {
			t.Errorf("vectors of %d bytes: %d misfit, %d fit, %d are balanced", vectorBytes, seen[misfit], seen[fits], seen[balanced])
		}
	}
}

// Where nothing suits as wanted, what fits is taken; a target without registers,
// as a GPU, takes what falls.
func TestFillTileTakesTheSecondBest(t *testing.T) {
	open := func() []schedule.Step {
		group := tileOf([3]int64{}, [3]int64{}, schedule.OpenLength)
		columns := group[1].(schedule.Split)
		columns.Extent = 8
		group[1] = columns
		return group
	}
	a := sampler(t, 32, 2)
	count := 0
	for i := range 200 {
		group := open()
		(&choice{Sampler: a, rng: Rand(1, 6, i)}).fillTile(group, len(group), product, whole)
		switch a.suits(group, product, whole) {
		case balanced:
			t.Fatalf("one vector of columns is balanced: %v", group)
		case fits:
			count++
		}
	}
	if count < 150 {
		t.Errorf("only %d of 200 tiles of one vector fit", count)
	}
	a.Target.Hardware.VectorRegisters = 0
	group := open()
	(&choice{Sampler: a, rng: Rand(1, 6, 0)}).fillTile(group, len(group), product, whole)
	if isOpen(group[0]) {
		t.Error("no lengths without registers")
	}
}

func TestWorsens(t *testing.T) {
	a := sampler(t, 32, 2)
	tile := func(rows, columns int64) []schedule.Step {
		return append(tileOf([3]int64{1, 2, rows}, [3]int64{1, 1, columns}, 64), schedule.Annotate{At: 3, Iter: 0, Ann: schedule.Parallel})
	}
	d := conv(64, 64).DAG
	for _, c := range []struct {
		what          string
		before, after []schedule.Step
		want          bool
	}{
		{"fewer rows", tile(4, 16), tile(2, 16), true},
		{"more rows", tile(2, 16), tile(4, 16), false},
		{"as good", tile(4, 16), tile(2, 32), false},
		{"too many", tile(4, 16), tile(4, 32), true},
		{"from bad to bad", tile(1, 8), tile(1, 4), false},
	} {
		for i := range 3 {
			if got := a.Worsens(d, c.before, c.after, i); got != c.want {
				t.Errorf("%s, seen from step %d: %v", c.what, i, got)
			}
		}
	}
	plain := []schedule.Step{schedule.Split{At: 4, Iter: 0, Extent: 64, Lengths: []int64{8}, InnerToOuter: true}}
	if a.Worsens(d, plain, plain, 0) {
		t.Error("a split that is no tile")
	}
	a.Target.Hardware.VectorRegisters = 0
	if a.Worsens(d, tile(4, 16), tile(2, 16), 0) {
		t.Error("a target without registers")
	}
}

// TestAutoSchedulerTiles: the policy of AutoScheduler draws tiles as they fall, few of
// which suit the register file, and refuses no change of them.
func TestAutoSchedulerTiles(t *testing.T) {
	good := func(p Policy) int {
		a := sampler(t, 32, 2)
		a.Policy = p
		count := 0
		for i := range 200 {
			group := tileOf([3]int64{-1, -1, -1}, [3]int64{-1, -1, -1}, -1)
			for k, step := range group {
				sp := step.(schedule.Split)
				for l := range sp.Lengths {
					sp.Lengths[l] = schedule.OpenLength
				}
				group[k] = sp
			}
			(&choice{Sampler: a, rng: Rand(1, 7, i)}).fillTile(group, len(group), product, whole)
			if a.suits(group, product, whole) != misfit {
				count++
			}
		}
		return count
	}
	plain, ours := good(AutoScheduler), good(CPU)
	if plain > 100 || ours < 150 {
		t.Errorf("of 200 tiles %d fit as AutoScheduler draws them, %d as we do", plain, ours)
	}
	a := sampler(t, 32, 2)
	a.Policy = AutoScheduler
	tile := func(rows, columns int64) []schedule.Step {
		return append(tileOf([3]int64{1, 2, rows}, [3]int64{1, 1, columns}, 64), schedule.Annotate{At: 3, Iter: 0, Ann: schedule.Parallel})
	}
	if a.Worsens(conv(64, 64).DAG, tile(4, 16), tile(2, 16), 0) {
		t.Error("a change of a tile is refused")
	}
}
