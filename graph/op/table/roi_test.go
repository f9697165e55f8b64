package table

import (
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
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
	{name: "channels last", op: "RoiAlign", inputs: []testInput{varying(2, 20, 6, 5), given(rois(4)),
		given(graph.Ints(1, 0, 1))},
		attrs: []graph.Attr{graph.IntAttr("output_height", 2), graph.IntAttr("output_width", 3),
			graph.FloatAttr("spatial_scale", 0.5)}},
	{name: "old, channels last", op: "RoiAlign", ver: 10, inputs: []testInput{varying(2, 5, 6, 5), given(rois(4)),
		given(graph.Ints(1, 0, 1))},
		attrs: []graph.Attr{graph.IntAttr("output_height", 3), graph.IntAttr("sampling_ratio", 2)}},
	{name: "max, channels last", op: "RoiAlign", inputs: []testInput{varying(2, 17, 6, 5), given(rois(4)),
		given(graph.Ints(1, 0, 1))},
		attrs: []graph.Attr{graph.IntAttr("output_width", 3), graph.StrAttr("mode", "max"),
			graph.IntAttr("sampling_ratio", 3)}},
	{name: "many regions, channels last", op: "RoiAlign", inputs: []testInput{varying(2, 6, 6, 5),
		given(repeated(rois(4), 6)), given(repeated(graph.Ints(1, 0, 1), 6))},
		attrs: []graph.Attr{graph.IntAttr("output_height", 5), graph.IntAttr("output_width", 4)}},
	{name: "max, no point", op: "RoiAlign", inputs: []testInput{varying(1, 6, 6, 5),
		given(array.Reshaped(floats(2, 2, 2, 3), []int64{1, 4})), given(graph.Ints(0))},
		attrs: []graph.Attr{graph.IntAttr("output_height", 2), graph.IntAttr("output_width", 5),
			graph.StrAttr("mode", "max")}},
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

// repeated is a tensor several times, along its first dimension.
func repeated(t *graph.Tensor, times int) *graph.Tensor {
	r := &graph.Tensor{Type: t.Type, Shape: slices.Clone(t.Shape), F: slices.Repeat(t.F, times), I: slices.Repeat(t.I, times)}
	r.Shape[0] *= int64(times)
	return r
}

func TestRoiPrograms(t *testing.T) { checkAll(t, roiCases) }

// TestUnboundedRegions: regions that are not finite, or would have too many points, are errors of the reference and the
// program.
func TestUnboundedRegions(t *testing.T) {
	const mostPoints = 4096 // as roi.go has it
	inf := math.Inf(1)
	for _, x := range []struct {
		sampling int64
		region   []float64
		ok       bool
	}{
		{0, []float64{0, 0, 4, 4}, true},
		{0, []float64{0, 0, 20, 2 * mostPoints}, true},
		{0, []float64{0, 0, 20, 2.1 * mostPoints}, false},
		{0, []float64{-2e4, 0, 2e4, 4}, false},
		{0, []float64{0, 0, 3e38, 4}, false},
		{0, []float64{-3e38, 0, 3e38, 4}, false},
		{0, []float64{0, 0, inf, 4}, false},
		{0, []float64{nan, 0, 4, 4}, false},
		{2, []float64{0, 0, 3e38, 4}, true},
		{2, []float64{0, -inf, 4, 4}, false},
		{2, []float64{0, 0, 4, nan}, false},
	} {
		region := floats(x.region...)
		region.Shape = []int64{1, 4}
		in := []*graph.Tensor{graph.NewTensor(tir.F32, 1, 1, 6, 5), region, graph.Ints(0)}
		attrs := []graph.Attr{graph.IntAttr("output_height", 2), graph.IntAttr("sampling_ratio", x.sampling)}
		last := []*graph.Tensor{graph.NewTensor(tir.F32, 1, 6, 5, 1), region, in[2]}
		for _, c := range []nodeCase{{op: "wmtune.RoiAlign", in: in, attrs: attrs},
			{op: "wmtune.RoiAlign", in: last, attrs: append(attrs, graph.IntAttr("last", 1))}} {
			n := c.node()
			n.Outputs[0].Type, n.Outputs[0].Shape, n.Outputs[0].Ranked = tir.F32, []int64{1, 1, 2, 1}, true
			if got := !faults(t, n, c.in...); got != x.ok {
				t.Errorf("sampling %d, region %v: the program runs: %v", x.sampling, x.region, got)
			}
		}
		n := nodeCase{op: "RoiAlign", version: 16, in: in, attrs: attrs}.node()
		if _, err := evalOf("RoiAlign", 16)(&graph.Call{Context: t.Context()}, n, in); (err == nil) != x.ok {
			t.Errorf("sampling %d, region %v: the reference: %v", x.sampling, x.region, err)
		}
	}
}
