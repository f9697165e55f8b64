package op

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
)

var roiCases = []bodyCase{
	{name: "average", op: "RoiAlign", inputs: []testInput{varying(2, 3, 6, 5), given(rois(4)),
		given(graph.Ints(1, 0, 1))},
		attrs: []graph.Attr{graph.IntAttr("output_height", 2), graph.IntAttr("output_width", 3),
			graph.FloatAttr("spatial_scale", 0.5)}},
	{name: "old average", op: "RoiAlign", ver: 10, inputs: []testInput{varying(2, 3, 6, 5), given(rois(4)),
		given(graph.Ints(1, 0, 1))},
		attrs: []graph.Attr{graph.IntAttr("output_height", 2), graph.IntAttr("sampling_ratio", 2)}},
	{name: "max", op: "RoiAlign", inputs: []testInput{varying(2, 3, 6, 5), given(rois(4)), given(graph.Ints(1, 0, 1))},
		attrs: []graph.Attr{graph.IntAttr("output_width", 3), graph.StrAttr("mode", "max"),
			graph.IntAttr("sampling_ratio", 3)}},
	{name: "NaN", op: "RoiAlign", inputs: []testInput{varying(2, 3, 6, 5), given(nanRois()), given(graph.Ints(1, 0, 1))},
		attrs: []graph.Attr{graph.IntAttr("output_width", 3), graph.IntAttr("sampling_ratio", 2)}},
	{name: "max", op: "MaxRoiPool", inputs: []testInput{varying(2, 3, 6, 5), given(rois(5))},
		attrs: []graph.Attr{ints("pooled_shape", 3, 2), graph.FloatAttr("spatial_scale", 0.75)}},
}

// rois are three regions, of so many coordinates.
func rois(columns int) *graph.Tensor {
	t := floats(0.5, 1, 3.25, 4.5, -2, 0, 9, 11, 4, 3, 1, 2)
	if columns == 5 {
		t = floats(1, 0.5, 1, 3.25, 4.5, 0, -2, 0, 9, 11, 1, 4, 3, 1, 2)
	}
	t.Shape = []int64{3, int64(columns)}
	return t
}

// nanRois are three regions, of which one has a NaN, and one nothing else.
func nanRois() *graph.Tensor {
	t := rois(4)
	t.F = append(slices.Clone(t.F[:4]), nan, 0, 9, 11, nan, nan, nan, nan)
	return t
}

func TestRoiPrograms(t *testing.T) { checkAll(t, roiCases) }
