package table

import (
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

var convTransposeCases = []bodyCase{
	{name: "plain", op: "ConvTranspose", inputs: []testInput{varying(1, 3, 4, 5), constant(3, 2, 3, 3), constant(2)}},
	{name: "stride", op: "ConvTranspose", inputs: []testInput{varying(2, 3, 4, 3), constant(3, 2, 3, 2)},
		attrs: []graph.Attr{ints("strides", 2, 3), ints("pads", 1, 0, 0, 1), ints("output_padding", 1, 2)}},
	{name: "groups", op: "ConvTranspose", inputs: []testInput{varying(1, 4, 3, 3), varying(4, 3, 2, 2), varying(6)},
		attrs: []graph.Attr{graph.IntAttr("group", 2), ints("strides", 2, 2), ints("dilations", 2, 3)}},
	{name: "each channel", op: "ConvTranspose", inputs: []testInput{varying(1, 4, 3, 3), varying(4, 1, 4, 4)},
		attrs: []graph.Attr{graph.IntAttr("group", 4), ints("strides", 2, 2), ints("pads", 1, 1, 1, 1)}},
	{name: "given shape", op: "ConvTranspose", inputs: []testInput{varying(1, 1, 3, 3), varying(1, 2, 3, 3)},
		attrs: []graph.Attr{ints("strides", 3, 2), ints("output_shape", 10, 8), ints("output_padding", 1, 1)}},
	{name: "same", op: "ConvTranspose", inputs: []testInput{varying(1, 1, 3, 3), varying(1, 2, 3, 4)},
		attrs: []graph.Attr{ints("strides", 2, 2), graph.StrAttr("auto_pad", "SAME_UPPER")}},
	{name: "cut beyond the window", op: "ConvTranspose", inputs: []testInput{varying(1, 1, 6, 5), varying(1, 2, 2, 2)},
		attrs: []graph.Attr{ints("pads", 2, 3, 1, 0)}},
	{name: "cut and stride", op: "ConvTranspose", inputs: []testInput{varying(1, 1, 6, 5), varying(1, 2, 2, 1)},
		attrs: []graph.Attr{ints("pads", 3, 3, 1, 0), ints("strides", 2, 3)}},
	{name: "one dimension", op: "ConvTranspose", inputs: []testInput{varying(1, 2, 5), varying(2, 2, 3)}},
	{name: "three dimensions", op: "ConvTranspose", inputs: []testInput{varying(1, 2, 3, 2, 3), varying(2, 2, 2, 3, 2)},
		attrs: []graph.Attr{ints("strides", 1, 2, 2)}},
	{name: "half", op: "ConvTranspose", inputs: []testInput{varying(1, 2, 5).of(tir.F16),
		varying(2, 2, 3).of(tir.F16)}},
}

func TestConvTransposeBodies(t *testing.T) {
	for _, c := range convTransposeCases {
		for _, op := range []string{"ConvTranspose", "wmtune.ConvTranspose"} {
			for i := range c.inputs {
				c.inputs[i].constant = i == 1
			}
			c.op = op
			checkAll(t, []bodyCase{c})
		}
	}
}
