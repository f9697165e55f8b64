package annotate

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// TestAlongLanes: where a sum goes along lanes, its last loop is whole and tiles are balanced, and mutations keep both.
func TestAlongLanes(t *testing.T) {
	product := func(x, xi string, columns, k int64) *compute.DAG {
		d, err := compute.Parse(fmt.Sprintf("input x: float32["+x+"]\ninput w: float32[3, %[2]d, %[1]d]\n"+
			"c(i: 62, j: %[1]d) = sum(r: 3, k: %[2]d) x["+xi+"]*w[r, k, j]\n    layout_free w\noutput c\n",
			columns, k))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	open := slices.Repeat([]int64{schedule.OpenLength}, 3)
	tile := func(columns, k int64) []schedule.Step {
		return []schedule.Step{
			schedule.Split{At: 2, Iter: 0, Extent: 62, Lengths: open, InnerToOuter: true},
			schedule.Split{At: 2, Iter: 4, Extent: columns, Lengths: open, InnerToOuter: true},
			schedule.Split{At: 2, Iter: 8, Extent: 3, Lengths: open[:1], InnerToOuter: true},
			schedule.Split{At: 2, Iter: 10, Extent: k, Lengths: open[:1], InnerToOuter: true},
		}
	}
	for what, c := range map[string]struct {
		x, xi      string
		columns, k int64
	}{
		"several columns":      {"64, %[2]d", "i + r, k", 2, 13},
		"half of the lanes":    {"64, %[2]d", "i + r, k", 8, 128},
		"too short for lanes":  {"64, %[2]d", "i + r, k", 1, 7},
		"too long to be whole": {"64, %[2]d", "i + r, k", 1, 300},
		"lanes apart":          {"%[2]d, 64", "k, i + r", 1, 13},
	} {
		d := product(c.x, c.xi, c.columns, c.k)
		if isAlongLanes(sampler(t, 64, 2).grainsOf(d.Ops, d.Ops[2], 0, tile(c.columns, c.k))) {
			t.Errorf("%s: goes along lanes", what)
		}
	}
	five := product("64, %[2]d", "i + r, k", 5, 128)
	if got := sampler(t, 64, 2).grainsOf(five.Ops, five.Ops[2], 0, tile(5, 128)); !isAlongLanes(got) || got[1] != oneByOne {
		t.Errorf("five columns: the grains are %d", got)
	}
	d := product("64, %[2]d", "i + r, k", 1, 13)
	a := sampler(t, 64, 2)
	grains := a.grainsOf(d.Ops, d.Ops[2], 0, tile(1, 13))
	if !isAlongLanes(grains) {
		t.Fatalf("the grains are %d", grains)
	}
	operands := operandsOf(d.Ops[2], 0, tile(1, 13))
	for i := range 50 {
		group := tile(1, 13)
		(&choice{Sampler: a, rng: Rand(1, 3, i)}).fillTile(group, len(group), operands, grains)
		if k := group[3].(schedule.Split).Lengths[0]; k != 13 || a.suits(group, operands, grains) != balanced {
			t.Fatalf("a tile does not suit lanes: %v", group)
		}
		for at, lengths := range map[int][]int64{0: {1, 1, 1}, 3: {8}} {
			worse := slices.Clone(group)
			sp := group[at].(schedule.Split)
			sp.Lengths = lengths
			if worse[at] = sp; !a.Spoils(d, group, worse, at) {
				t.Fatalf("a mutation leads from %v to %v", group, worse)
			}
		}
	}
}
