package table

import (
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

var poolCases = []bodyCase{
	{name: "padded", op: "MaxPool", inputs: []testInput{varying(1, 3, 7, 6)}, attrs: windowAttrs(3, 3, 2, 2, 1, 1, 1,
		1)},
	{name: "half", op: "MaxPool", inputs: []testInput{varying(1, 3, 7, 6).of(tir.F16)}, attrs: windowAttrs(3, 3, 2, 2,
		1, 1, 1, 1)},
	{name: "bytes", op: "MaxPool", inputs: []testInput{varying(1, 3, 7, 6).of(tir.I8)}, attrs: windowAttrs(3, 3, 2, 2,
		1, 1, 1, 1)},
	{name: "places", op: "MaxPool", outs: 2, inputs: []testInput{varying(2, 3, 7, 6)}, attrs: windowAttrs(3, 2, 2, 1, 1,
		0, 1, 1)},
	{name: "places by column", op: "MaxPool", outs: 2, inputs: []testInput{varying(2, 3, 7, 6)},
		attrs: append(windowAttrs(3, 2, 2, 1, 1, 0, 1, 1), graph.IntAttr("storage_order", 1))},
	{name: "rounded up", op: "MaxPool", inputs: []testInput{varying(1, 1, 6, 7)},
		attrs: append(windowAttrs(2, 3, 3, 2, 0, 1, 0, 1), graph.IntAttr("ceil_mode", 1))},
	{name: "dilated", op: "MaxPool", inputs: []testInput{varying(1, 1, 6, 7)},
		attrs: append(windowAttrs(2, 3, 1, 2, 0, 1, 0, 1), ints("dilations", 2, 3))},
	{name: "places, dilated", op: "MaxPool", outs: 2, inputs: []testInput{varying(1, 2, 9, 37)},
		attrs: append(windowAttrs(3, 3, 2, 1, 2, 2, 1, 1), ints("dilations", 2, 2))},
	{name: "places of bytes", op: "MaxPool", outs: 2, inputs: []testInput{varying(1, 3, 7, 6).of(tir.I8)},
		attrs: windowAttrs(3, 3, 1, 1, 1, 1, 1, 1)},
	{name: "one dimension", op: "MaxPool", outs: 2, inputs: []testInput{varying(1, 2, 6)},
		attrs: []graph.Attr{ints("kernel_shape", 2)}},
	{name: "three dimensions", op: "MaxPool", inputs: []testInput{varying(1, 2, 4, 4, 5)},
		attrs: []graph.Attr{ints("kernel_shape", 2, 3, 2), graph.StrAttr("auto_pad", "SAME_UPPER")}},
	{name: "padded", op: "wmtune.MaxPool", inputs: []testInput{varying(2, 7, 6, 3)}, attrs: windowAttrs(3, 3, 2, 2, 1,
		1, 1, 1)},
	{name: "places", op: "wmtune.MaxPool", outs: 2, inputs: []testInput{varying(2, 7, 6, 3)},
		attrs: windowAttrs(3, 3, 2, 2, 1, 1, 1, 1)},
	{name: "plain", op: "AveragePool", inputs: []testInput{varying(1, 3, 7, 6)}, attrs: windowAttrs(3, 2, 2, 2, 0, 0, 0,
		0)},
	{name: "padded", op: "AveragePool", inputs: []testInput{varying(1, 3, 7, 6)}, attrs: windowAttrs(3, 2, 2, 2, 2, 0,
		1, 1)},
	{name: "dilated", op: "AveragePool", inputs: []testInput{varying(1, 3, 7, 6)},
		attrs: append(windowAttrs(3, 2, 2, 2, 2, 0, 1, 1), ints("dilations", 2, 3))},
	{name: "padding counts", op: "AveragePool", inputs: []testInput{varying(1, 3, 7, 6)},
		attrs: append(windowAttrs(3, 2, 2, 2, 2, 0, 1, 1), graph.IntAttr("count_include_pad", 1))},
	{name: "padding counts, rounded up", op: "AveragePool", inputs: []testInput{varying(1, 1, 8, 6)},
		attrs: append(windowAttrs(3, 3, 2, 2, 0, 1, 1, 0), graph.IntAttr("count_include_pad", 1),
			graph.IntAttr("ceil_mode", 1),
			ints("dilations", 1, 2))},
	{name: "same", op: "AveragePool", inputs: []testInput{varying(1, 1, 8, 5)},
		attrs: []graph.Attr{ints("kernel_shape", 3, 2), graph.StrAttr("auto_pad", "SAME_LOWER"),
			ints("strides", 3, 1)}},
	{name: "padded", op: "wmtune.AveragePool", inputs: []testInput{varying(1, 7, 6, 3)}, attrs: windowAttrs(3, 2, 2, 2,
		2, 0, 1, 1)},
	{name: "squares", op: "LpPool", inputs: []testInput{varying(1, 3, 7, 6)}, attrs: windowAttrs(3, 2, 2, 2, 2, 0, 1,
		1)},
	{name: "cubes", op: "LpPool", inputs: []testInput{varying(1, 3, 7, 6)},
		attrs: append(windowAttrs(3, 2, 2, 2, 2, 0, 1, 1), graph.IntAttr("p", 3))},
	{name: "plain", op: "GlobalAveragePool", inputs: []testInput{varying(2, 3, 4, 5)}},
	{name: "plain", op: "wmtune.GlobalAveragePool", inputs: []testInput{varying(2, 3, 4, 5)}},
	{name: "plain", op: "GlobalMaxPool", inputs: []testInput{varying(2, 3, 4)}},
	{name: "half", op: "GlobalMaxPool", inputs: []testInput{varying(2, 3, 4).of(tir.F16)}},
	{name: "plain", op: "wmtune.GlobalMaxPool", inputs: []testInput{varying(2, 3, 4, 5)}},
	{name: "absolute", op: "GlobalLpPool", inputs: []testInput{varying(2, 3, 4, 5)},
		attrs: []graph.Attr{graph.IntAttr("p", 1)}},
}

// windowAttrs are attributes of a window in two dimensions.
func windowAttrs(h, w, strideH, strideW, top, left, bottom, right int64) []graph.Attr {
	return []graph.Attr{ints("kernel_shape", h, w), ints("strides", strideH, strideW), ints("pads", top, left, bottom,
		right)}
}

func TestPoolBodies(t *testing.T) { checkAll(t, poolCases) }
