package table

import (
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

var deformCases = []bodyCase{
	{name: "plain", op: "DeformConv", inputs: []testInput{varying(1, 2, 4, 4), constant(3, 2, 2, 2),
		varying(1, 8, 3, 3)}},
	{name: "all", op: "DeformConv", inputs: []testInput{varying(2, 4, 5, 4), constant(2, 2, 2, 3), varying(2, 24, 3, 2),
		varying(2),
		varying(2, 12, 3, 2)},
		attrs: []graph.Attr{graph.IntAttr("group", 2), graph.IntAttr("offset_group", 2), ints("pads", 1, 0, 0, 1),
			ints("strides", 2, 2)}},
	{name: "one dimension", op: "DeformConv", inputs: []testInput{varying(1, 2, 6), varying(3, 2, 2),
		varying(1, 2, 5)}},
}

func TestDeformConvBodies(t *testing.T) { checkAll(t, deformCases) }

var lrnCases = []bodyCase{
	{name: "odd", op: "LRN", inputs: []testInput{varying(2, 5, 3, 2)}, attrs: []graph.Attr{graph.IntAttr("size", 3),
		graph.FloatAttr("alpha", 0.5)}},
	{name: "even", op: "LRN", inputs: []testInput{varying(2, 5, 3).of(tir.F16)},
		attrs: []graph.Attr{graph.IntAttr("size", 4),
			graph.FloatAttr("alpha", 0.5), graph.FloatAttr("beta", 0.25), graph.FloatAttr("bias", 2)}},
}

func TestLRNBodies(t *testing.T) { checkAll(t, lrnCases) }

var causalCases = []bodyCase{
	{name: "begin", op: "CausalConvWithState", ver: 27, outs: 2, inputs: []testInput{varying(2, 3, 5),
		constant(3, 1, 4), varying(3)}},
	{name: "short", op: "CausalConvWithState", ver: 27, outs: 2,
		inputs: []testInput{varying(2, 3, 2), constant(3, 1, 4), absent(), varying(2, 3, 3)},
		attrs:  []graph.Attr{graph.StrAttr("activation", "silu")}},
	{name: "pointwise", op: "CausalConvWithState", ver: 27, inputs: []testInput{varying(2, 3, 2), constant(3, 1, 1)}},
}

func TestCausalBodies(t *testing.T) { checkAll(t, causalCases) }

var col2imCases = []bodyCase{
	{name: "overlap", op: "Col2Im", inputs: []testInput{varying(2, 12, 6), fixed(graph.Ints(4, 5)),
		fixed(graph.Ints(2, 3))},
		attrs: []graph.Attr{ints("pads", 0, 0, 1, 0), ints("strides", 2, 1), ints("dilations", 1, 1)}},
	{name: "dilated", op: "Col2Im", inputs: []testInput{varying(1, 4, 3), fixed(graph.Ints(5, 6)),
		fixed(graph.Ints(2, 2))},
		attrs: []graph.Attr{ints("pads", 1, 0, 0, 1), ints("strides", 3, 2), ints("dilations", 3, 2)}},
	{name: "three dimensions", op: "Col2Im", inputs: []testInput{varying(1, 8, 18), fixed(graph.Ints(3, 4, 4)),
		fixed(graph.Ints(2, 2, 2))},
		attrs: []graph.Attr{ints("strides", 1, 1, 1)}},
}

func TestCol2ImBodies(t *testing.T) { checkAll(t, col2imCases) }
