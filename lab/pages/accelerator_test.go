package pages

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/vdla"
)

// TestAcceleratorPage: utilizations are shares of products in cycles, the last row has the highest ones, and the
// drawing has a point for each program.
func TestAcceleratorPage(t *testing.T) {
	run := func(cycles, products int64) vdla.Stats {
		return vdla.Stats{Cycles: cycles, Products: products, Moved: 64 * products}
	}
	page := AcceleratorPage([]Layer{
		{Name: "C2", FLOPs: 512 * 700, Runs: [2]vdla.Stats{run(1000, 700), run(800, 700)}},
		{Name: "C3", FLOPs: 512 * 100, Runs: [2]vdla.Stats{run(400, 100), run(200, 100)}},
	}, []string{"a fact"})
	var got []string
	for _, row := range page.Tables[0].Rows {
		got = append(got, strings.Join(row, " "))
	}
	if want := "C2 1000 800 1.25 70.0 87.5, C3 400 200 2.00 25.0 50.0, peak    70.0 87.5"; strings.Join(got, ", ") != want {
		t.Errorf("got %q", got)
	}
	svg := page.Pictures[0].SVG
	wellFormed(t, svg)
	if strings.Count(svg, "<circle") != 4 || strings.Count(svg, ">C2<") != 2 {
		t.Error(svg)
	}
}
