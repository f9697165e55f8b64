package sketch

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
)

// TestTilePhases: a transposed convolution with a stride is made in phases, in what reads it behind the bias. Phases
// and taps are whole, outside of tiles, and phases inside the loops over these; the reader's loops follow.
func TestTilePhases(t *testing.T) {
	w, err := op.Parse("conv2d_transpose:h=16,w=16,ci=8,co=32,k=3,s=2,p=1,out_pad=1,epilogue=bias+relu")
	if err != nil {
		t.Fatal(err)
	}
	list, err := generate(t, cpu(2), w.DAG)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 {
		t.Errorf("%d sketches, want one for each level that phases can be computed at", len(list))
	}
	const want = `[["CI", 5], ["PH", 3], ["CI", 4], ["SP", 3, 0, 1, [0, 0, 0], 1], ["SP", 3, 4, 16, [0, 0, 0], 1], ` +
		`["SP", 3, 9, 16, [0, 0, 0], 1], ["SP", 3, 14, 32, [0, 0, 0], 1], ["SP", 3, 20, 8, [0], 1], ` +
		`["RE", 3, [0, 4, 9, 14, 8, 13, 1, 5, 10, 15, 18, 19, 20, 2, 6, 11, 16, 21, 3, 7, 12, 17]], ["SP", 7, 1, 32, [2], 1], ` +
		`["SP", 7, 3, 32, [2], 1], ["FSP", 7, 0, 3, 1], ["FSP", 7, 2, 4, 1], ["FSP", 7, 5, 5, 1], ["FSP", 7, 8, 6, 1], ` +
		`["RE", 7, [0, 2, 5, 8, 4, 7, 1, 3, 6, 9]], ["CA", 3, 7, 5]]`
	if got := string(schedule.FormatSteps(list[0].Steps)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestNoPhases: the other rules make sketches of what has no zeros, and in the spaces that have only AutoScheduler's
// steps.
func TestNoPhases(t *testing.T) {
	own := cpu(2)
	own.Policy = AutoScheduler
	for _, c := range []struct {
		g    *Generator
		text string
	}{{cpu(2), "conv2d_transpose:h=16,w=16,ci=8,co=32,k=3"}, {own, "conv2d_transpose:h=16,w=16,ci=8,co=32,k=3,s=2"},
		{direct(cpu(2)), "conv2d_transpose:h=16,w=16,ci=8,co=32,k=3,s=2"}} {
		w, err := op.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		list, err := generate(t, c.g, w.DAG)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if phases, _ := ReadsPhases(s, len(s.Stages)-1); phases >= 0 || strings.Contains(string(schedule.FormatSteps(s.Steps)), "PH") {
				t.Errorf("%s: %s", c.text, schedule.FormatSteps(s.Steps))
			}
		}
	}
}

// TestPhasesWithoutReader: what reads the sum otherwise than element by element reads what puts the phases together,
// in which they are computed.
func TestPhasesWithoutReader(t *testing.T) {
	d, err := compute.Parse(`input x: float32[5, 8]
input w: float32[3, 8, 16]
d(i: 11, c: 8) = if_then_else(i >= 1 && i < 10 && floormod(i - 1, 2) == 0, x[floordiv(i - 1, 2), c], 0f)
y(o: 9, c: 16) = sum(k: 3, rc: 8) d[o + k, rc]*w[2 - k, rc, c]
    layout_free w
z(c: 16) = sum(k: 9) y[k, c]
output z
`)
	if err != nil {
		t.Fatal(err)
	}
	list, err := generate(t, cpu(2), d)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if phases, _ := ReadsPhases(s, 4); phases != 3 || s.Stages[4].Op.Name != "y" {
			t.Errorf("phases %d are computed in %s: %s", phases, s.Stages[4].Op.Name, schedule.FormatSteps(s.Steps))
		}
	}
}
