package table

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

func floats(v ...float64) *graph.Tensor {
	t := graph.NewTensor(tir.F32, int64(len(v)))
	for i, x := range v {
		t.F[i] = float64(float32(x))
	}
	return t
}

// TestResize compares the reference, nodes of constant operands, and the function that reads its operands, for all
// modes and transformations.
func TestResize(t *testing.T) {
	for _, mode := range []string{"nearest", "linear", "cubic"} {
		for _, transform := range []string{"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
			"asymmetric",
			"tf_crop_and_resize", "tf_half_pixel_for_nn"} {
			for i, scales := range [][]float64{{1, 2, 3}, {1, 0.6, 1.3}, {0.5, 0.3, 2.5}} {
				attrs := []graph.Attr{graph.StrAttr("mode", mode), graph.StrAttr("coordinate_transformation_mode",
					transform),
					graph.FloatAttr("extrapolation_value", 7), graph.IntAttr("exclude_outside", int64(i%2)),
					graph.StrAttr("nearest_mode", []string{"round_prefer_floor", "ceil", "round_prefer_ceil"}[i])}
				if mode != "nearest" {
					attrs = append(attrs, graph.IntAttr("antialias", int64(i)/2))
				}
				roi := floats(0, 0.1, -0.2, 1, 0.9, 1.1)
				testResize(t, varying(2, 5, 4), attrs, roi, floats(scales...), nil)
			}
		}
	}
	sizes := []graph.Attr{graph.StrAttr("mode", "linear"), graph.IntsAttr("axes", 2, 1)}
	testResize(t, varying(2, 5, 4), sizes, nil, nil, graph.Ints(6, 3))
	testResize(t, varying(2, 5, 4), append(sizes, graph.StrAttr("keep_aspect_ratio_policy", "not_larger")), nil, nil,
		graph.Ints(6, 3))
	testResize(t, varying(2, 5, 4), append(sizes, graph.StrAttr("keep_aspect_ratio_policy", "not_smaller")), nil, nil,
		graph.Ints(6, 3))
	testResize(t, varying(2, 5, 4).of(tir.I8), sizes, nil, nil,
		graph.Ints(8, 10)) // weights of which float32 has the sums
	testResize(t, varying(2, 5, 4).of(tir.F16), sizes, nil, nil, graph.Ints(7, 7))
	testResize(t, varying(2, 5, 4).of(tir.U8), nil, nil, nil, graph.Ints(2, 10, 7))
}

// TestResizeLengths: lengths are those that ONNX Runtime has, which multiplies in float32.
func TestResizeLengths(t *testing.T) {
	for _, c := range []struct {
		in, out int64
		scale   float64
	}{{10, 7, 0.7}, {30, 100, 10.0 / 3}, {7, 4, 0.6}, {33, 33, 1}, {10, 6, 0.69}} {
		testResize(t, varying(c.in), nil, nil, floats(c.scale), nil)
		k := bodyCase{op: "Resize", inputs: []testInput{varying(c.in), absent(), fixed(floats(c.scale))}}
		d := k.draw()
		if out, err := reference(d.node(), d.in); err != nil || out[0].Shape[0] != c.out {
			t.Errorf("%d by %v gives %v (%v), want %d", c.in, c.scale, out[0].Shape, err, c.out)
		}
	}
}

// TestResizeCropLengths: a region of interest says what is read, and not how long an output is.
func TestResizeCropLengths(t *testing.T) {
	crop := graph.StrAttr("coordinate_transformation_mode", "tf_crop_and_resize")
	for _, c := range []struct {
		in, out           int64
		start, end, scale float64
	}{{3, 5, 0.1, 0.7, 1.7}, {2, 5, 0.2, 1.3, 2.6}, {10, 7, -1, 2, 0.7}, {6, 6, 0.5, 0.5, 1}} {
		roi, scales := floats(c.start, c.end), floats(c.scale)
		for _, mode := range []string{"nearest", "linear"} {
			testResize(t, varying(c.in), []graph.Attr{crop, graph.StrAttr("mode", mode)}, roi, scales, nil)
		}
		k := bodyCase{op: "Resize", attrs: []graph.Attr{crop}, inputs: []testInput{varying(c.in), fixed(roi), fixed(scales)}}
		d := k.draw()
		if out, err := reference(d.node(), d.in); err != nil || out[0].Shape[0] != c.out {
			t.Errorf("%+v gives %v (%v)", c, out[0].Shape, err)
		}
	}
}

// TestResizeToOne: the only element is at position 0 if the coordinates are PyTorch's, as ONNX Runtime has it, whatever
// the scale is.
func TestResizeToOne(t *testing.T) {
	x := floats(10, 20, 30, 40)
	for _, mode := range []string{"nearest", "linear", "cubic"} {
		for _, scale := range []float64{0.3, 0.25} {
			attrs := []graph.Attr{graph.StrAttr("mode", mode),
				graph.StrAttr("coordinate_transformation_mode", "pytorch_half_pixel")}
			testResize(t, given(x), attrs, nil, floats(scale), nil)
			k := bodyCase{op: "Resize", inputs: []testInput{given(x), absent(), fixed(floats(scale))}, attrs: attrs}
			d := k.draw()
			if out, err := reference(d.node(), d.in); err != nil || !slices.Equal(out[0].F, []float64{10}) {
				t.Errorf("%s by %v: %v, %v", mode, scale, out, err)
			}
		}
	}
}

// TestResizeToNothing: a scale may leave no element of a dimension, and a dimension may have none before.
func TestResizeToNothing(t *testing.T) {
	for _, c := range []bodyCase{
		{op: "Resize", inputs: []testInput{varying(1, 1, 3, 3), absent(), fixed(floats(1, 1, 0.2, 0.2))}},
		{op: "Resize", inputs: []testInput{varying(1, 1, 0, 3), absent(), fixed(floats(1, 1, 2, 2))}},
		{op: "Resize", inputs: []testInput{varying(0, 3).of(tir.I8), absent(), fixed(floats(2, 2))},
			attrs: []graph.Attr{graph.StrAttr("mode", "linear")}},
	} {
		out := c.draw().check(t)
		n := c.draw().node()
		if err := inferOnly(n); err != nil {
			t.Fatal(err)
		}
		nodes, values, err := op.Decompose(n)
		if err != nil || len(nodes) > 0 || values[0].Const == nil || out[0].Len() != 0 {
			t.Errorf("%s: %v, %v, %v", nodeText(n), nodes, values, err)
		}
	}
}

func testResize(t *testing.T, x testInput, attrs []graph.Attr, roi, scales, sizes *graph.Tensor) {
	t.Helper()
	for _, constant := range []bool{true, false} {
		inputs := []testInput{x}
		for _, v := range []*graph.Tensor{roi, scales, sizes} {
			inputs = append(inputs, testInput{data: v, absent: v == nil, constant: constant})
		}
		c := bodyCase{name: fmt.Sprint(attrs, scales, sizes), op: "Resize", inputs: inputs, attrs: attrs}
		d := c.draw()
		if !constant {
			want, err := reference(d.node(), d.in)
			if err != nil {
				t.Fatal(err)
			}
			d.declared = [][]int64{want[0].Shape}
		}
		d.check(t)
	}
}

var upsampleCases = []bodyCase{
	{name: "attribute", op: "Upsample", ver: 7, inputs: []testInput{varying(1, 2, 3, 3)},
		attrs: []graph.Attr{{Name: "scales", Kind: graph.AttrFloats, Floats: []float64{1, 1, 2, 3}}}},
	{name: "input", op: "Upsample", ver: 9, inputs: []testInput{varying(1, 2, 3, 3), fixed(floats(1, 1, 2, 1.5))},
		attrs: []graph.Attr{graph.StrAttr("mode", "linear")}},
	{name: "version 10", op: "Resize", ver: 10,
		inputs: []testInput{varying(1, 2, 3, 7), fixed(floats(1, 1, 2, 0.6))}},
}

func TestUpsampleBodies(t *testing.T) { checkAll(t, upsampleCases) }
