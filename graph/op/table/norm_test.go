package table

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// spread are positive numbers: variances.
func spread(n int64) testInput {
	t := graph.NewTensor(tir.F32, n)
	for i := range t.F {
		t.F[i] = 0.5 + float64(i)
	}
	return fixed(t)
}

var normCases = []bodyCase{
	{name: "constant", op: "BatchNormalization",
		inputs: []testInput{varying(2, 3, 4, 5), constant(3), constant(3), constant(3), spread(3)}},
	{name: "variable", op: "BatchNormalization", ver: 9,
		inputs: []testInput{varying(2, 3, 4), varying(3), varying(3), varying(3), given(spread(3).data)}},
	{name: "matrix", op: "BatchNormalization",
		inputs: []testInput{varying(4, 3), constant(3), constant(3), constant(3), spread(3)}},
	{name: "half", op: "BatchNormalization", attrs: []graph.Attr{graph.FloatAttr("epsilon", 0.25)},
		inputs: []testInput{varying(4, 3, 2).of(tir.F16), constant(3), constant(3), constant(3), spread(3)}},
	{name: "plain", op: "InstanceNormalization", inputs: []testInput{varying(2, 3, 4, 5), constant(3), varying(3)}},
	{name: "per group", op: "GroupNormalization", ver: 18, inputs: []testInput{varying(2, 4, 3, 2), constant(2),
		varying(2)},
		attrs: []graph.Attr{graph.IntAttr("num_groups", 2)}},
	{name: "per channel", op: "GroupNormalization", inputs: []testInput{varying(2, 4, 3, 2), constant(4), varying(4)},
		attrs: []graph.Attr{graph.IntAttr("num_groups", 2)}},
	{name: "half of an image", op: "InstanceNormalization", inputs: []testInput{varying(2, 3, 4, 5).of(tir.F16),
		constant(3).of(tir.F16), varying(3).of(tir.F16)}},
	{name: "a line", op: "InstanceNormalization", inputs: []testInput{varying(2, 3, 5), constant(3), varying(3)}},
	{name: "three dimensions", op: "InstanceNormalization",
		inputs: []testInput{varying(1, 3, 2, 3, 2), constant(3), varying(3)}},
	{name: "three dimensions in groups", op: "GroupNormalization",
		inputs: []testInput{varying(1, 6, 2, 3, 2), constant(6), varying(6)},
		attrs:  []graph.Attr{graph.IntAttr("num_groups", 3)}},
	{name: "a line in groups", op: "GroupNormalization", inputs: []testInput{varying(2, 6, 5), constant(6), varying(6)},
		attrs: []graph.Attr{graph.IntAttr("num_groups", 3)}},
	{name: "last", op: "LayerNormalization", inputs: []testInput{varying(3, 8), constant(8), constant(8)}},
	{name: "without bias", op: "LayerNormalization", inputs: []testInput{varying(2, 3, 8), constant(8)}},
	{name: "two dimensions", op: "LayerNormalization", outs: 3, inputs: []testInput{varying(2, 3, 8), constant(3, 8),
		constant(8)},
		attrs: []graph.Attr{graph.IntAttr("axis", 1)}},
	{name: "all", op: "LayerNormalization", outs: 2, inputs: []testInput{varying(2, 3), constant(1), constant(2, 3)},
		attrs: []graph.Attr{graph.IntAttr("axis", -2)}},
	{name: "half", op: "LayerNormalization", outs: 3,
		inputs: []testInput{varying(3, 8).of(tir.F16), constant(8).of(tir.F16), constant(8).of(tir.F16)}},
	{name: "last", op: "RMSNormalization", inputs: []testInput{varying(2, 3, 8), constant(8)}},
	{name: "two dimensions", op: "RMSNormalization", inputs: []testInput{varying(2, 3, 8), constant(3, 1)},
		attrs: []graph.Attr{graph.IntAttr("axis", 1), graph.FloatAttr("epsilon", 0.5)}},
	{name: "two types", op: "RMSNormalization", inputs: []testInput{varying(2, 3, 8).of(tir.F16), constant(8)}},
}

func TestNormBodies(t *testing.T) { checkAll(t, normCases) }

// TestStatisticsAlone: a LayerNormalization must make its first output.
func TestStatisticsAlone(t *testing.T) {
	x, scale := graph.NewTensor(tir.F32, 2, 3), graph.NewTensor(tir.F32, 3)
	n := nodeCase{op: "LayerNormalization", version: 17, outputs: 2, in: []*graph.Tensor{x, scale}}.node()
	n.Outputs[0] = nil
	if _, err := op.InferNode(t.Context(), n); err == nil || !strings.Contains(err.Error(), "output 0, the normalised") {
		t.Error(err)
	}
}
