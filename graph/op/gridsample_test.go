package op

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
