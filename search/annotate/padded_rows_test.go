package annotate

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// window is a convolution of an image of 1 channel with so many rows and columns, over windows of 5x5, with as many rows
// of padding as a text says. The last stage is number 3.
func window(t *testing.T, rows, columns int64, padded string) *compute.DAG {
	t.Helper()
	d, err := compute.Parse(fmt.Sprintf(`input x: float32[%[1]d, %[2]d]
input w: float32[5, 5, 16]
pad(i: %[3]d, j: %[4]d) = if_then_else(%[5]s, x[min(max(i - 2, 0), %[1]d - 1), min(max(j - 2, 0), %[2]d - 1)], 0f)
conv(i: %[1]d, j: %[2]d, c: 16) = sum(r: 5, s: 5) pad[i + r, j + s]*w[r, s, c]
output conv
`, rows, columns, rows+4, columns+4, fmt.Sprintf(padded, rows+2, columns+2)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// windowTile are the open splits of a tile of the last stage of window.
func windowTile(rows, columns int64) []schedule.Step {
	var list []schedule.Step
	at := 0
	for i, extent := range []int64{rows, columns, 16, 5, 5} {
		n := 3
		if i > 2 {
			n = 1
		}
		list = append(list, schedule.Split{At: 3, Iter: at, Extent: extent, InnerToOuter: true,
			Lengths: slices.Repeat([]int64{schedule.OpenLength}, n)})
		at += n + 1
	}
	return list
}

const (
	bothPadded = "(i >= 2) && (i < %d) && (j >= 2) && (j < %d)"
	columnsIn  = "(i >= 2) && (i < %d) && (%d > j) && (j > 1)"
)

// TestRowsApart: tiles have one row of an image where the window of much padding meets it, and no mutation changes
// that.
func TestRowsApart(t *testing.T) {
	for _, c := range []struct {
		rows, columns int64
		padded        string
		want          string // grains
	}{
		{4, 64, bothPadded, "row 1 1 1 1"},
		{4, 64, columnsIn, "row 1 1 1 1"},
		{64, 4, bothPadded, "1 row 1 1 1"},
		{17, 16, "(i >= 2) && (i < %d) && (j >= 5) && (j < %d)", "1 row 1 1 1"}, // the axis with more padding
		{64, 64, bothPadded, "1 1 1 1 1"},                                       // little padding
		{4, 15, bothPadded, "1 1 1 1 1"},                                        // no other axis for the rows of a tile
		{4, 64, "(i == 2) && (i != %d) && (j < %d)", "1 1 1 1 1"},
		{4, 64, "(i + j >= 2) && (i*2 + j < %d) && (j < %d)", "1 1 1 1 1"},
	} {
		d := window(t, c.rows, c.columns, c.padded)
		a, group := sampler(t, 64, 2), windowTile(c.rows, c.columns)
		grains := a.grainsOf(d.Ops, d.Ops[3], 0, group)
		if got := grainText(grains); got != c.want {
			t.Errorf("%dx%d, %s: the grains are %s, not %s", c.rows, c.columns, c.padded, got, c.want)
			continue
		}
		at := slices.Index(grains, oneRow)
		if at < 0 {
			continue
		}
		for i := range 50 {
			group := windowTile(c.rows, c.columns)
			(&choice{Sampler: a, rng: Rand(1, 5, i)}).fillTile(group, len(group), operandsOf(d.Ops[3], 0, group), grains)
			sp := group[at].(schedule.Split)
			if sp.Lengths[1]*sp.Lengths[2] != 1 {
				t.Fatalf("%dx%d: a tile has %v rows", c.rows, c.columns, sp.Lengths)
			}
			sp.Lengths = []int64{1, 1, 2}
			more := slices.Clone(group)
			more[at] = sp
			if !a.Spoils(d, group, more, at) {
				t.Fatalf("%dx%d: a mutation gives tiles two rows: %v", c.rows, c.columns, group)
			}
		}
	}
	d := window(t, 4, 64, bothPadded)
	if got := grainText(gpuSampler(t, GPU).grainsOf(d.Ops, d.Ops[3], 0, windowTile(4, 64))); got != "1 1 1 1 1" {
		t.Errorf("on a GPU the grains are %s", got)
	}
	a := sampler(t, 64, 2)
	a.Policy = AutoScheduler
	if got := grainText(a.grainsOf(d.Ops, d.Ops[3], 0, windowTile(4, 64))); got != "1 1 1 1 1" {
		t.Errorf("AutoScheduler's grains are %s", got)
	}
}

func grainText(grains []int64) string {
	text := ""
	for i, g := range grains {
		if i > 0 {
			text += " "
		}
		if g == oneRow {
			text += "row"
		} else {
			text += fmt.Sprint(g)
		}
	}
	return text
}

// TestWindowSteps counts the steps of a window that do not meet padding alone, by tiles of so many rows.
func TestWindowSteps(t *testing.T) {
	d := window(t, 4, 64, bothPadded)
	list := windowAxes(d.Ops, d.Ops[3], 0, windowTile(4, 64))
	if len(list) != 2 || list[0].split != 0 || list[1].split != 1 {
		t.Fatalf("the axes with padding: %v", list)
	}
	for tile, want := range map[int64]int64{1: 14, 2: 16, 4: 20, 8: 20} {
		if got := list[0].steps(tile); got != want {
			t.Errorf("tiles of %d rows have %d steps, not %d", tile, got, want)
		}
	}
}
