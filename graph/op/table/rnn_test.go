package table

import (
	"math/rand/v2"
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

// groupCases have sequences that are computed side by side, some of them in groups that are not full: where groups go
// through time apart, and where the weights are too many for that.
var groupCases = []bodyCase{
	{name: "two groups, odd", op: "LSTM", outs: 3, inputs: []testInput{varying(3, 7, 4), constant(1, 80, 4),
		constant(1, 80, 20), constant(1, 160), lens(3, 0, 2, 1, 3, 2, 3)}},
	{name: "both ways, six groups", op: "LSTM", outs: 3, inputs: []testInput{varying(2, 9, 4), constant(2, 68, 4),
		constant(2, 68, 17)}, attrs: []graph.Attr{graph.StrAttr("direction", "bidirectional"),
		strs("activations", "Sigmoid", "Tanh", "Tanh", "HardSigmoid", "Tanh", "Softsign")}},
	{name: "together", op: "LSTM", outs: 3, inputs: []testInput{varying(2, 5, 2), constant(2, 1056, 2),
		constant(2, 1056, 264), absent(), lens(2, 1, 2, 0, 2)},
		attrs: []graph.Attr{graph.StrAttr("direction", "bidirectional")}},
	{name: "reset before, together", op: "GRU", outs: 2, inputs: []testInput{varying(2, 2, 2), constant(1, 1104, 2),
		constant(1, 1104, 368)}},
	{name: "reset after, late", op: "GRU", outs: 2, inputs: []testInput{varying(2, 6, 2), constant(2, 51, 2),
		constant(2, 51, 17), constant(2, 102)},
		attrs: []graph.Attr{graph.IntAttr("linear_before_reset", 1), graph.StrAttr("direction", "bidirectional")}},
	{name: "wide groups", op: "RNN", outs: 2, inputs: []testInput{varying(2, 17, 3), constant(1, 33, 3), constant(1, 33, 33)},
		attrs: []graph.Attr{graph.StrAttr("direction", "reverse")}},
}

func TestRNNGroups(t *testing.T) {
	for _, c := range groupCases {
		c.inputs[2] = fixed(random(rand.New(rand.NewPCG(2, 3)), tir.F32, -0.1, 0.1, c.inputs[2].shape...))
		t.Run(c.op+" "+c.name, func(t *testing.T) { c.draw().check(t) })
	}
}

// TestBytesLSTM: weights of bytes of both signs, with scales and zero points of a direction and of a column.
func TestBytesLSTM(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for _, c := range []struct {
		directions, batch, width int64
		t                        tir.DType
		columns                  bool
		lens                     *graph.Tensor
	}{
		{1, 1, 24, tir.U8, false, nil}, {2, 3, 20, tir.U8, false, nil}, {1, 1, 32, tir.I8, true, nil},
		{2, 5, 17, tir.U8, true, &graph.Tensor{Type: tir.I32, Shape: []int64{5}, I: []int64{3, 1, 0, 2, 3}}},
		{1, 2, 9, tir.I8, false, nil}, {1, 2, 516, tir.U8, false, nil},
	} {
		lo, hi := 0.0, 255.0
		if c.t == tir.I8 {
			lo, hi = -128, 127
		}
		by := []int64{c.directions}
		if c.columns {
			by = append(by, 4*c.width)
		}
		state := random(rng, tir.F32, -1, 1, c.directions, c.batch, c.width)
		in := []*graph.Tensor{random(rng, tir.F32, -2, 3, 3, c.batch, 5),
			random(rng, c.t, lo, hi, c.directions, 5, 4*c.width), random(rng, c.t, lo, hi, c.directions, c.width, 4*c.width),
			random(rng, tir.F32, -1, 1, c.directions, 8*c.width), c.lens, state, state,
			random(rng, tir.F32, -1, 1, c.directions, 3*c.width),
			random(rng, tir.F32, 0.005, 0.01, by...), random(rng, c.t, 3, 90, by...),
			random(rng, tir.F32, 0.001, 0.002, by...), random(rng, c.t, 3, 90, by...)}
		attrs := []graph.Attr{graph.StrAttr("direction", []string{"forward", "bidirectional"}[c.directions-1])}
		for _, fixed := range [][]int{nil, {1, 2, 3, 7, 8, 9, 10, 11}} {
			checkNode(t, "com.microsoft.DynamicQuantizeLSTM", 1, 3, in, fixed, attrs...)
		}
	}
}

// TestBytesLSTMShapes: scales are of a direction, or of a column.
func TestBytesLSTMShapes(t *testing.T) {
	f, b := tir.F32, tir.U8
	in := []*graph.Tensor{graph.NewTensor(f, 3, 1, 5), graph.NewTensor(b, 1, 5, 16), graph.NewTensor(b, 1, 4, 16), nil, nil,
		nil, nil, nil, graph.NewTensor(f, 3), graph.NewTensor(b, 1), graph.NewTensor(f, 1), graph.NewTensor(b, 1)}
	err := inferOnly(nodeCase{op: "com.microsoft.DynamicQuantizeLSTM", version: 1, in: in, outputs: 3}.node())
	if err == nil || err.Error() != "input 8 has shape [3]: it must be [1] or [1 16]" {
		t.Error(err)
	}
}
