package annotate

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// grouped is a convolution of 104 channels in groups of 8. The last stage is number 2.
func grouped(t *testing.T) *compute.DAG {
	t.Helper()
	d, err := compute.Parse(`input x: float32[24, 104]
input w: float32[8, 104]
conv(i: 24, c: 104) = sum(r: 8) x[i, floordiv(c, 8)*8 + r]*w[r, c]
output conv
`)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// groupedTile are the splits of its tile, with so many rows and channels; open if these are schedule.OpenLength.
func groupedTile(rows, channels int64) []schedule.Step {
	lengths := func(outer, inner int64) []int64 { return []int64{outer, outer, inner} }
	outer := int64(1)
	if rows == schedule.OpenLength {
		outer = rows
	}
	return []schedule.Step{
		schedule.Split{At: 2, Iter: 0, Extent: 24, Lengths: lengths(outer, rows), InnerToOuter: true},
		schedule.Split{At: 2, Iter: 4, Extent: 104, Lengths: lengths(outer, channels), InnerToOuter: true},
		schedule.Split{At: 2, Iter: 8, Extent: 8, Lengths: []int64{outer}, InnerToOuter: true},
	}
}

func TestGrains(t *testing.T) {
	op := grouped(t).Ops[2]
	if got := fmt.Sprint(sampler(t, 64, 2).grainsOf(nil, op, 0, groupedTile(1, 8))); got != "[1 8 1]" {
		t.Errorf("%s divides its axes by %s", op.Name, got)
	}
}

func TestStraddles(t *testing.T) {
	a := sampler(t, 64, 2)
	for _, c := range []struct {
		tile, grain int64
		want        bool
	}{
		{8, 8, false},
		{4, 8, false},   // a part of a group
		{40, 8, false},  // whole groups
		{16, 24, false}, // half of each vector is a third of a group
		{20, 8, true},
		{26, 8, true},
		{20, 24, true},
		{26, 1, false}, // no groups
		{6, 4, true},
		{6, 2, false}, // groups that are smaller than half of a vector
	} {
		if got := a.straddles(groupedTile(4, c.tile), []int64{1, c.grain, 1}); got != c.want {
			t.Errorf("tiles of %d, groups of %d: %v", c.tile, c.grain, got)
		}
	}
	if a.straddles(groupedTile(20, 8), []int64{8, 1, 1}) {
		t.Error("rows, which are no vectors, straddle")
	}
	if gpuSampler(t, GPU).straddles(groupedTile(4, 21), []int64{1, 8, 1}) {
		t.Error("threads straddle")
	}
}

// TestNoSampleStraddles: neither do samples, nor what mutation makes of them. AutoScheduler's do.
func TestNoSampleStraddles(t *testing.T) {
	d := grouped(t)
	for _, p := range []struct {
		name   string
		policy Policy
		want   bool
	}{{"ours", CPU, false}, {"AutoScheduler's", AutoScheduler, true}} {
		a := sampler(t, 64, 2)
		a.Policy = p.policy
		count := 0
		for i := range 300 {
			group := groupedTile(schedule.OpenLength, schedule.OpenLength)
			operands := operandsOf(d.Ops[2], 0, group)
			(&choice{Sampler: a, rng: Rand(1, 3, i)}).fillTile(group, len(group), operands, []int64{1, 8, 1})
			if a.straddles(group, []int64{1, 8, 1}) {
				count++
			}
		}
		if (count > 0) != p.want {
			t.Errorf("%s: %d of 300 samples straddle", p.name, count)
		}
		if got := a.Spoils(d, groupedTile(4, 8), groupedTile(4, 26), 1); got == p.want {
			t.Errorf("%s: a mutation that has a tile straddle is rejected: %v", p.name, got)
		}
	}
	if sampler(t, 64, 2).Spoils(d, groupedTile(4, 26), groupedTile(4, 52), 1) {
		t.Error("a mutation is rejected where the tile straddled before")
	}
}

// TestGroupsOfAnySize: where groups are no multiple of half a vector, tiles are whole groups, and many suit the
// registers.
func TestGroupsOfAnySize(t *testing.T) {
	d := grouped(t)
	for _, c := range []struct{ channels, grain int64 }{{112, 7}, {116, 58}, {100, 20}, {104, 8}} {
		a, straddle, good := sampler(t, 64, 2), 0, 0
		grains := []int64{1, c.grain, 1}
		for i := range 200 {
			group := groupedTile(schedule.OpenLength, schedule.OpenLength)
			sp := group[1].(schedule.Split)
			sp.Extent = c.channels
			group[1] = sp
			operands := operandsOf(d.Ops[2], 0, group)
			(&choice{Sampler: a, rng: Rand(1, 9, i)}).fillTile(group, len(group), operands, grains)
			if a.straddles(group, grains) {
				straddle++
			}
			if a.suits(group, operands, grains) > misfit {
				good++
			}
		}
		if straddle > 0 || good < 40 {
			t.Errorf("%d channels in groups of %d: of 200 tiles %d straddle, %d suit", c.channels, c.grain, straddle,
				good)
		}
	}
}

// TestFewColumns: a tile has all columns that are fewer than the lanes, unless a long sum goes along lanes.
func TestFewColumns(t *testing.T) {
	for _, c := range []struct {
		ta, tb bool
		n, k   int64
		want   int64
	}{
		{true, true, 9, 3600, wholeColumn},
		{false, false, 4, 1024, wholeColumn},
		{false, true, 10, 768, oneByOne},
		{false, true, 10, 64, 1},
		{false, true, 12, 768, 1},
		{true, true, 16, 3600, 1}, // rows enough for a copy
		{true, false, 100, 3600, 1},
		{false, true, 100, 3600, 1},
		{true, true, 1, 3600, 1},
	} {
		x, y := "input x: float32[512, %[2]d]", "input y: float32[%[2]d, %[1]d]"
		xi, yi := "x[i, r]", "y[r, j]"
		if c.ta {
			x, xi = "input x: float32[%[2]d, 512]", "x[r, i]"
		}
		if c.tb {
			y, yi = "input y: float32[%[1]d, %[2]d]", "y[j, r]"
		}
		d, err := compute.Parse(fmt.Sprintf(x+"\n"+y+"\nc(i: 512, j: %[1]d) = sum(r: %[2]d) "+xi+"*"+yi+"\noutput c\n",
			c.n, c.k))
		if err != nil {
			t.Fatal(err)
		}
		a := sampler(t, 64, 2)
		open := slices.Repeat([]int64{schedule.OpenLength}, 3)
		for i := range 50 {
			group := []schedule.Step{
				schedule.Split{At: 2, Iter: 0, Extent: 512, Lengths: open, InnerToOuter: true},
				schedule.Split{At: 2, Iter: 4, Extent: c.n, Lengths: open, InnerToOuter: true},
				schedule.Split{At: 2, Iter: 8, Extent: c.k, Lengths: open[:1], InnerToOuter: true},
			}
			grains := a.grainsOf(d.Ops, d.Ops[2], 0, group)
			if grains[1] != c.want {
				t.Fatalf("%v: the columns have grain %d", c, grains[1])
			}
			(&choice{Sampler: a, rng: Rand(1, 3, i)}).fillTile(group, len(group), nil, grains)
			got := group[1].(schedule.Split).Lengths[2]
			if c.want == wholeColumn && got != c.n || c.want == oneByOne && got != 1 {
				t.Errorf("%v: a tile has %d columns", c, got)
			}
			if a.straddles(group, grains) {
				t.Errorf("%v: a tile of %d columns straddles", c, got)
			}
			group[1] = schedule.Split{At: 2, Iter: 4, Extent: c.n, Lengths: []int64{1, 1, 3}, InnerToOuter: true}
			if few := c.want > 1; a.straddles(group, grains) != few {
				t.Errorf("%v: a tile of 3 columns straddles: %v", c, !few)
			}
		}
	}
}

// TestColumnsApart: of a product with both operands transposed a tile has whole vectors of columns, steps in blocks, and
// one batch.
func TestColumnsApart(t *testing.T) {
	d, err := compute.Parse(`input x: float32[15, 512, 2]
input y: float32[15, 160, 512]
c(q: 15, i: 2, j: 160) = sum(r: 512) x[q, r, i]*y[q, j, r]
output c
`)
	if err != nil {
		t.Fatal(err)
	}
	tile := func(lengths ...[]int64) []schedule.Step {
		var group []schedule.Step
		for i, extent := range []int64{15, 2, 160, 512} {
			group = append(group, schedule.Split{At: 2, Iter: 4 * i, Extent: extent, Lengths: lengths[i], InnerToOuter: true})
		}
		return group
	}
	open := slices.Repeat([]int64{schedule.OpenLength}, 3)
	a := sampler(t, 64, 2)
	grains := a.grainsOf(d.Ops, d.Ops[2], 0, tile(open, open, open, open[:1]))
	if want := []int64{oneRow, 1, fullVectors, inBlocks}; !slices.Equal(grains, want) {
		t.Fatalf("the grains are %v, want %v", grains, want)
	}
	for i := range 100 {
		group := tile(open, open, open, open[:1])
		(&choice{Sampler: a, rng: Rand(1, 3, i)}).fillTile(group, len(group), nil, grains)
		if a.straddles(group, grains) {
			t.Errorf("sample %d straddles: %v", i, group)
		}
	}
	for _, c := range []struct {
		batch, columns, steps []int64
		want                  bool
	}{
		{[]int64{5, 1, 1}, []int64{2, 1, 16}, []int64{8}, false},
		{[]int64{5, 1, 1}, []int64{1, 5, 16}, []int64{8}, true},
		{[]int64{5, 1, 1}, []int64{1, 1, 160}, []int64{4}, true},
		{[]int64{1, 1, 5}, []int64{2, 1, 16}, []int64{8}, true},
		{[]int64{1, 5, 1}, []int64{2, 1, 16}, []int64{8}, true},
		{[]int64{5, 1, 1}, []int64{2, 1, 8}, []int64{8}, true},
		{[]int64{5, 1, 1}, []int64{2, 1, 16}, []int64{2}, true},
		{[]int64{5, 1, 1}, []int64{2, 1, 16}, []int64{512}, false},
	} {
		if got := a.straddles(tile(c.batch, []int64{1, 1, 2}, c.columns, c.steps), grains); got != c.want {
			t.Errorf("%v: straddles %v", c, got)
		}
	}
	gpu := gpuSampler(t, GPU).grainsOf(d.Ops, d.Ops[2], 0, tile(open, open, open, open[:1]))
	if want := []int64{1, 1, 1, 1}; !slices.Equal(gpu, want) {
		t.Errorf("on a GPU the grains are %v", gpu)
	}
}
