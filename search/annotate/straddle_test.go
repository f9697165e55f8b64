package annotate

import (
	"fmt"
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
	if got := fmt.Sprint(grainsOf(op, 0, groupedTile(1, 8))); got != "[1 8 1]" {
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
