package table

import (
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

func lens(v ...int64) testInput {
	return given(&graph.Tensor{Type: tir.I32, Shape: []int64{int64(len(v))}, I: v})
}

func strs(name string, v ...string) graph.Attr {
	return graph.Attr{Name: name, Kind: graph.AttrStrings, Strings: v}
}

var rnnCases = []bodyCase{
	{name: "plain", op: "RNN", outs: 2, inputs: []testInput{varying(3, 2, 4), constant(1, 5, 4), constant(1, 5, 5),
		constant(1, 10)}},
	{name: "both", op: "RNN", outs: 2, ver: 7,
		inputs: []testInput{varying(3, 2, 4), varying(2, 5, 4), varying(2, 5, 5), varying(2, 10), lens(3, 1),
			varying(2, 2, 5)},
		attrs: []graph.Attr{graph.StrAttr("direction", "bidirectional"), strs("activations", "Affine", "LeakyRelu"),
			{Name: "activation_alpha", Kind: graph.AttrFloats, Floats: []float64{0.5, 0.25}},
			{Name: "activation_beta", Kind: graph.AttrFloats, Floats: []float64{0.125}}}},
	{name: "reset before", op: "GRU", outs: 2,
		inputs: []testInput{varying(3, 2, 4), constant(1, 15, 4), constant(1, 15, 5), constant(1, 30)}},
	{name: "reset after", op: "GRU", outs: 2,
		inputs: []testInput{varying(3, 2, 4), constant(1, 15, 4), constant(1, 15, 5), constant(1, 30)},
		attrs: []graph.Attr{graph.IntAttr("linear_before_reset", 1), graph.StrAttr("direction", "reverse"),
			graph.FloatAttr("clip", 1.5)}},
	{name: "batch first", op: "GRU", outs: 2,
		inputs: []testInput{varying(2, 3, 4), constant(2, 15, 4), constant(2, 15, 5), absent(), lens(2, 3),
			varying(2, 2, 5)},
		attrs: []graph.Attr{graph.IntAttr("layout", 1), graph.StrAttr("direction", "bidirectional")}},
	{name: "plain", op: "LSTM", outs: 3, inputs: []testInput{varying(3, 2, 4), constant(1, 20, 4), constant(1, 20, 5)}},
	{name: "one sequence, wide", op: "LSTM", outs: 1,
		inputs: []testInput{varying(2, 1, 3), constant(1, 512, 3), constant(1, 512, 128), constant(1, 1024)}},
	{name: "all", op: "LSTM", outs: 3, inputs: []testInput{varying(2, 3, 4), constant(2, 20, 4), constant(2, 20, 5),
		constant(2, 40),
		lens(3, 2), varying(2, 2, 5), varying(2, 2, 5), constant(2, 15)},
		attrs: []graph.Attr{graph.IntAttr("layout", 1), graph.StrAttr("direction", "bidirectional"),
			graph.FloatAttr("clip", 2)}},
	{name: "coupled", op: "LSTM", outs: 3, inputs: []testInput{varying(3, 2, 4), constant(1, 20, 4), constant(1, 20, 5),
		absent(),
		absent(), absent(), varying(1, 2, 5), constant(1, 15)},
		attrs: []graph.Attr{graph.IntAttr("input_forget", 1), strs("activations", "HardSigmoid", "Softsign",
			"ScaledTanh")}},
}

func TestRNNBodies(t *testing.T) { checkAll(t, rnnCases) }
