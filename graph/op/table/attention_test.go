package table

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

var attentionCases = []bodyCase{
	{name: "plain", op: "Attention", inputs: []testInput{varying(2, 2, 3, 4), varying(2, 2, 5, 4),
		varying(2, 2, 5, 6)}},
	{name: "flat heads, shared keys, past", op: "Attention", outs: 4,
		inputs: []testInput{varying(2, 3, 16), varying(2, 2, 8), varying(2, 2, 6), absent(), varying(2, 2, 4, 4),
			varying(2, 2, 4, 3)},
		attrs: []graph.Attr{graph.IntAttr("q_num_heads", 4), graph.IntAttr("kv_num_heads", 2),
			graph.IntAttr("is_causal", 1),
			graph.FloatAttr("softcap", 2), graph.IntAttr("qk_matmul_output_mode", 1)}},
	{name: "all hidden", op: "Attention", outs: 4, inputs: []testInput{varying(2, 2, 3, 4), varying(2, 2, 5, 4),
		varying(2, 2, 5, 6),
		given(&graph.Tensor{Type: tir.Bool, Shape: []int64{3, 4}, I: []int64{0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0}})},
		attrs: []graph.Attr{graph.IntAttr("qk_matmul_output_mode", 3)}},
	{name: "mask of integers that is shorter than the keys", op: "Attention", inputs: []testInput{varying(2, 2, 3, 4),
		varying(2, 2, 5, 4), varying(2, 2, 5, 6),
		given(&graph.Tensor{Type: tir.U8, Shape: []int64{3, 4}, I: []int64{0, 1, 2, 0, 1, 0, 1, 1, 0, 1, 1, 0}})}},
	{name: "window and lengths", op: "Attention", inputs: []testInput{varying(2, 2, 3, 4), varying(2, 2, 5, 4),
		varying(2, 2, 5, 6),
		varying(3, 5), absent(), absent(), given(graph.Ints(2, 4))},
		attrs: []graph.Attr{graph.IntAttr("left_window_size", 1), graph.IntAttr("right_window_size", 0)}},
}

func TestAttentionBodies(t *testing.T) { checkAll(t, attentionCases) }

// hidden are scores of which a row, and parts of others, are minus infinity or so low that their weights are denormal.
var hidden = given(&graph.Tensor{Type: tir.F32, Shape: []int64{2, 2, 3}, F: []float64{
	math.Inf(-1), math.Inf(-1), math.Inf(-1), 1, -99, 2, -100, -88, 0, math.Inf(-1), 3, -90}})

var attendCases = []bodyCase{
	{name: "rows", op: "wmtune.Attend", inputs: []testInput{varying(2, 3, 4, 5), varying(2, 3, 5, 6)}},
	{name: "transposed values", op: "wmtune.Attend", inputs: []testInput{varying(4, 5), varying(6, 5)},
		attrs: []graph.Attr{graph.IntAttr("transB", 1)}},
	{name: "hidden rows", op: "wmtune.Attend", inputs: []testInput{hidden, varying(2, 3, 4)},
		attrs: []graph.Attr{graph.IntAttr("masked", 1)}},
	{name: "half", op: "wmtune.Attend", inputs: []testInput{{t: tir.F16, shape: []int64{4, 5}},
		{t: tir.F16, shape: []int64{5, 6}}}},
	{name: "softmax without denormals", op: "wmtune.AttentionSoftmax", inputs: []testInput{given(&graph.Tensor{
		Type: tir.F32, Shape: []int64{2, 3}, F: []float64{-100, 0, 1, -88, -86, -300}})}},
	{name: "masked softmax", op: "wmtune.MaskedSoftmax", inputs: []testInput{hidden}},
}

func TestAttendBodies(t *testing.T) { checkAll(t, attendCases) }

// TestMaskOfOneColumn: it is for all keys in version 23, and hides all but the first from version 24 on.
func TestMaskOfOneColumn(t *testing.T) {
	inf := math.Inf(-1)
	column := &graph.Tensor{Type: tir.F32, Shape: []int64{2, 1}, F: []float64{0.5, inf}}
	for version, row := range map[int][]float64{23: {0.5, 0.5, 0.5}, 24: {0.5, inf, inf}} {
		rng := rand.New(rand.NewPCG(7, 7))
		in := []*graph.Tensor{random(rng, tir.F32, -1, 1, 1, 1, 2, 4), random(rng, tir.F32, -1, 1, 1, 1, 3, 4),
			random(rng, tir.F32, -1, 1, 1, 1, 3, 4), column}
		short := nodeCase{op: "Attention", version: version, in: in}.check(t)
		whole := slices.Clone(in)
		whole[3] = &graph.Tensor{Type: tir.F32, Shape: []int64{2, 3}, F: append(slices.Clone(row), inf, inf, inf)}
		if err := same(short[0], nodeCase{op: "Attention", version: version, in: whole}.check(t)[0], 1e-7); err != nil {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// TestNoDenormalWeights: the program of attention's softmax makes 0 of a weight that is no normal number, where that of
// Softmax keeps it.
func TestNoDenormalWeights(t *testing.T) {
	x := &graph.Tensor{Type: tir.F32, Shape: []int64{1, 3}, F: []float64{0, -100, -86}}
	for _, c := range []struct {
		domain, op string
		zero       bool
	}{{"", "Softmax", false}, {"wmtune", "AttentionSoftmax", true}, {"wmtune", "MaskedSoftmax", true}} {
		in := &graph.Value{Name: "x", Type: x.Type, Shape: x.Shape, Ranked: true}
		n := &graph.Node{Domain: c.domain, Op: c.op, Version: 13, Inputs: []*graph.Value{in},
			Outputs: []*graph.Value{{Name: "y"}}}
		if _, err := op.InferNode(context.Background(), n); err != nil {
			t.Fatal(err)
		}
		y, err := compiled(n, []*graph.Tensor{x})
		if err != nil {
			t.Fatal(err)
		}
		if zero := y[0].F[1] == 0; zero != c.zero || y[0].F[2] == 0 {
			t.Errorf("%s: weights %v", c.op, y[0].F)
		}
		// e^-87 is normal, half of it is not.
		halves := &graph.Tensor{Type: tir.F32, Shape: x.Shape, F: []float64{0, 0, -87}}
		if y, err = compiled(n, []*graph.Tensor{halves}); err != nil || (y[0].F[2] == 0) != c.zero {
			t.Errorf("%s: weights %v, %v", c.op, y[0].F, err)
		}
	}
}

// TestAttendShapes: what the scores and values must be.
func TestAttendShapes(t *testing.T) {
	for _, shapes := range [][2][]int64{{{4, 5}, {4, 6}}, {{5}, {5, 6}}, {{2, 4, 5}, {5, 6}}, {{2, 4, 5}, {3, 5, 6}}} {
		n := &graph.Node{Domain: "wmtune", Op: "Attend", Version: 1, Outputs: []*graph.Value{{Name: "y"}}}
		for _, s := range shapes {
			n.Inputs = append(n.Inputs, &graph.Value{Name: "x", Type: tir.F32, Shape: s, Ranked: true})
		}
		if _, err := op.InferNode(context.Background(), n); err == nil {
			t.Errorf("scores of %v and values of %v are taken", shapes[0], shapes[1])
		}
	}
}

var rotaryCases = []bodyCase{
	{name: "halves", op: "RotaryEmbedding", inputs: []testInput{varying(2, 3, 4, 6), varying(8, 3), varying(8, 3),
		given(&graph.Tensor{Type: tir.I64, Shape: []int64{2, 4}, I: []int64{0, 3, 7, 1, 2, 2, 5, 6}})}},
	{name: "pairs of a part", op: "RotaryEmbedding", inputs: []testInput{varying(2, 4, 15), varying(2, 4, 2),
		varying(2, 4, 2)},
		attrs: []graph.Attr{graph.IntAttr("num_heads", 3), graph.IntAttr("interleaved", 1),
			graph.IntAttr("rotary_embedding_dim", 4)}},
	{name: "half of a part", op: "RotaryEmbedding", inputs: []testInput{varying(2, 4, 15), varying(2, 4, 1),
		varying(2, 4, 1)},
		attrs: []graph.Attr{graph.IntAttr("num_heads", 3), graph.IntAttr("rotary_embedding_dim", 2)}},
}

func TestRotaryBodies(t *testing.T) { checkAll(t, rotaryCases) }

var linearAttentionCases = []bodyCase{
	{name: "linear", op: "LinearAttention", ver: 27, outs: 2, inputs: []testInput{varying(2, 3, 8), varying(2, 3, 4),
		varying(2, 3, 6)},
		attrs: []graph.Attr{graph.IntAttr("q_num_heads", 4), graph.IntAttr("kv_num_heads", 2),
			graph.StrAttr("update_rule", "linear")}},
	{name: "gated delta", op: "LinearAttention", ver: 27, outs: 2, inputs: []testInput{varying(2, 3, 8),
		varying(2, 3, 8),
		varying(2, 3, 32), varying(2, 2, 4, 16), varying(2, 3, 8), varying(2, 3, 1)},
		attrs: []graph.Attr{graph.IntAttr("q_num_heads", 2), graph.IntAttr("kv_num_heads", 2),
			graph.FloatAttr("scale", 0.5)}},
	{name: "delta, without state", op: "LinearAttention", ver: 27, inputs: []testInput{varying(2, 3, 8),
		varying(2, 3, 4),
		varying(2, 3, 16), absent(), absent(), varying(2, 3, 1)},
		attrs: []graph.Attr{graph.IntAttr("q_num_heads", 2), graph.IntAttr("kv_num_heads", 1),
			graph.StrAttr("update_rule", "delta")}},
}

func TestLinearAttentionBodies(t *testing.T) { checkAll(t, linearAttentionCases) }
