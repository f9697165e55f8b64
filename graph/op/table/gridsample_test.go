package table

import (
	"fmt"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

func TestGridSampleBodies(t *testing.T) {
	for _, mode := range []string{"nearest", "linear", "cubic"} {
		for _, padding := range []string{"zeros", "border", "reflection"} {
			for align := range int64(2) {
				attrs := []graph.Attr{graph.StrAttr("mode", mode), graph.StrAttr("padding_mode", padding),
					graph.IntAttr("align_corners", align)}
				name := fmt.Sprint(mode, padding, align)
				checkAll(t, []bodyCase{
					{name: name, op: "GridSample", inputs: []testInput{varying(2, 2, 4, 5), varying(2, 6, 7, 2)},
						attrs: attrs},
					{name: name + " volume", op: "GridSample", inputs: []testInput{varying(1, 2, 3, 1, 4),
						varying(1, 2, 3, 1, 3)},
						attrs: attrs},
				})
			}
		}
	}
	checkAll(t, []bodyCase{
		{name: "half", op: "GridSample", inputs: []testInput{varying(1, 2, 6).of(tir.F16), varying(1, 5, 1)}},
		{name: "plane", op: "AffineGrid", inputs: []testInput{varying(2, 2, 3), fixed(graph.Ints(2, 3, 4, 5))}},
		{name: "volume", op: "AffineGrid", inputs: []testInput{varying(2, 3, 4), fixed(graph.Ints(2, 3, 2, 1, 3))},
			attrs: []graph.Attr{graph.IntAttr("align_corners", 1)}},
	})
}

// TestGridSampleOfNaN: a coordinate that is NaN reads the image somewhere, in programs and in the reference.
func TestGridSampleOfNaN(t *testing.T) {
	grid := floats(nan, 0.25, 0.5, nan, nan, nan, 0.1, -0.1)
	grid.Shape = []int64{1, 2, 2, 2}
	x := floats(1, 2, 3, 4, 5, 6)
	x.Shape = []int64{1, 1, 2, 3}
	for _, mode := range []string{"nearest", "linear", "cubic"} {
		for _, padding := range []string{"zeros", "border", "reflection"} {
			checkNode(t, "GridSample", 20, 1, []*graph.Tensor{x, grid}, nil, graph.StrAttr("mode", mode),
				graph.StrAttr("padding_mode", padding))
		}
	}
}
