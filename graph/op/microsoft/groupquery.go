package microsoft

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// A groupQuery has the sizes of a GroupQueryAttention.
type groupQuery struct {
	batch, length, heads, keyHeads, size int64
	total, past, keys                    int64 // of all keys that are seen, of the past's memory, of the present's
	packed, prompt                       bool
	left, right                          int64 // of the window of a query, -1 without a bound
}

func groupQueryOf(n *graph.Node) (*groupQuery, error) {
	q := n.Inputs[0].Shape
	g := &groupQuery{heads: n.Int("num_heads", 0), keyHeads: n.Int("kv_num_heads", 0), packed: n.Input(1) == nil}
	parts := g.heads
	if g.packed {
		parts += 2 * g.keyHeads
	}
	if err := ranks(n, 3, 3, 3, 4, 4, -1, -1, 2, 2); err != nil {
		return nil, err
	}
	if g.packed != (n.Input(2) == nil) || g.heads < 1 || g.keyHeads < 1 || g.heads%g.keyHeads != 0 || q[2]%parts != 0 {
		return nil, fmt.Errorf("query of shape %v in %d heads, and %d of keys", q, g.heads, g.keyHeads)
	}
	g.batch, g.length, g.size = q[0], q[1], q[2]/parts
	for i, name := range []string{"head_sink", "k_scale", "v_scale", "q_norm_weight", "k_norm_weight"} {
		if n.Input(11+i) != nil {
			return nil, lacks(n, "input "+name, "export the model without it, for processors, with a cache of floats")
		}
	}
	if n.Int("smooth_softmax", 0) > 0 || n.Int("sliding_window_cache", 0) != 0 || n.Output(3) != nil {
		return nil, lacks(n, "smooth_softmax, sliding_window_cache or output_qk", "export the model without them")
	}
	total, err := op.Integers(n, 6)
	if err != nil {
		return nil, err
	}
	if len(total) != 1 {
		return nil, fmt.Errorf("total_sequence_length is %s: it must be one number", n.Inputs[6])
	}
	g.total = total[0]
	if p := n.Input(3); p != nil {
		if n.Input(4) == nil || len(p.Shape) != 4 || !slices.Equal(p.Shape, n.Inputs[4].Shape) {
			return nil, fmt.Errorf("past_key is %s: past_value must be like it, of 4 dimensions", p)
		}
		g.past = p.Shape[2]
	}
	g.keys, g.prompt = max(g.total, g.past), g.length == g.total
	g.left, g.right = -1, -1
	if w := n.Int("local_window_size", -1); w > 0 {
		g.left = w - 1
	}
	if n.Int("causal", 1) != 0 {
		g.right = 0
	}
	return g, nil
}

// decomposeGroupQuery puts the new keys and values behind those of the past, at a place that is data, and attends to
// what is there then. seqlens_k is the place of the last key of each batch.
func decomposeGroupQuery(d *op.Decomposer) error {
	n := d.Node
	g, err := groupQueryOf(n)
	if err != nil {
		return err
	}
	q, k, v := d.Input(0), d.Input(1), d.Input(2)
	if g.packed {
		list := parts(d, q, []int64{g.heads * g.size, g.keyHeads * g.size, g.keyHeads * g.size})
		q, k, v = list[0], list[1], list[2]
	}
	q, k, v = split(d, q, g.heads), split(d, k, g.keyHeads), split(d, v, g.keyHeads)
	one := d.Const(graph.Ints(1))
	lengths := d.Two("Add", d.Cast(d.Reshape(d.Input(5), g.batch), tir.I64), one)
	var first *graph.Value // place of the first new key; nil is 0
	if !g.prompt {
		first = d.Two("Sub", lengths, d.Const(graph.Ints(g.length)))
	}
	if n.Int("do_rotary", 0) != 0 {
		if d.Input(7) == nil || d.Input(8) == nil {
			return fmt.Errorf("do_rotary needs inputs cos_cache and sin_cache")
		}
		at := d.Const(&graph.Tensor{Type: tir.I64, Shape: []int64{1, g.length}, I: array.UpTo(g.length)})
		if first != nil {
			at = d.Two("Add", at, d.Reshape(first, g.batch, 1))
		}
		at = d.Apply("Where", []*graph.Value{d.Two("Less", at, d.Reshape(lengths, g.batch, 1)), at, one})
		if p := d.Input(9); p != nil {
			at = p
		}
		q, k = turn(d, q, at, d.Input(7), d.Input(8), "rotary_interleaved"),
			turn(d, k, at, d.Input(7), d.Input(8), "rotary_interleaved")
	}
	k, v = g.present(d, d.Input(3), k, first), g.present(d, d.Input(4), v, first)
	shown := lengths
	if g.prompt && g.right == 0 {
		shown = nil
	}
	attrs := []graph.Attr{graph.IntAttr("left_window_size", g.left), graph.IntAttr("right_window_size", g.right),
		graph.FloatAttr("softcap", n.Float("softcap", 0))}
	y := attend(d, q, k, v, d.Input(10), nil, nil, shown, attrs...)
	d.Output(y[0], k, v)
	return nil
}

// present returns the past, as long as the present is, with x written from a place on.
func (g *groupQuery) present(d *op.Decomposer, past, x, first *graph.Value) *graph.Value {
	if g.past == 0 && g.keys == g.length {
		return x
	}
	if g.past < g.keys {
		rest := d.Two("Expand", d.Number(x, 0), d.Const(graph.Ints(g.batch, g.keyHeads, g.keys-g.past, g.size)))
		if g.past == 0 {
			past = rest
		} else {
			past = d.Apply("Concat", []*graph.Value{past, rest}, graph.IntAttr("axis", 2))
		}
	}
	in := []*graph.Value{past, x}
	if first != nil {
		in = append(in, first)
	}
	return d.Apply("TensorScatter", in, graph.IntAttr("axis", 2))
}

// turn applies ONNX's RotaryEmbedding to an operand of three or four dimensions.
func turn(d *op.Decomposer, x, positions, cos, sin *graph.Value, interleaved string) *graph.Value {
	shape := []int64{x.Shape[0], x.Shape[len(x.Shape)-2]}
	positions = d.Cast(positions, tir.I64)
	if !slices.Equal(positions.Shape, shape) {
		positions = d.Apply("Expand", []*graph.Value{positions, d.Const(graph.Ints(shape...))})
	}
	turned, heads := 2*cos.Shape[1], d.Node.Int("num_heads", 0)
	if heads == 0 {
		heads = x.Shape[len(x.Shape)-1] / turned
	}
	return d.Apply("RotaryEmbedding", []*graph.Value{x, cos, sin, positions}, graph.IntAttr("num_heads", heads),
		graph.IntAttr("rotary_embedding_dim", turned), graph.IntAttr("interleaved", d.Node.Int(interleaved, 0)))
}

// decomposeRotary is that of RotaryEmbedding, whose positions may be one number, that of the first element.
func decomposeRotary(d *op.Decomposer) error {
	x, at := d.Input(0), d.Input(1)
	if d.Node.Int("is_packed_batching", 0) != 0 || d.Node.Float("scale", 1) != 1 {
		return lacks(d.Node, "is_packed_batching or scale", "export the model without them")
	}
	if len(x.Shape) < 3 || len(d.Input(2).Shape) != 2 || d.Input(2).Shape[1] == 0 {
		return fmt.Errorf("input %s and cosines %s: they must have 3 or 4, and 2 dimensions", x, d.Input(2))
	}
	if at.Elems() == 1 {
		length := x.Shape[len(x.Shape)-2]
		at = d.Two("Add", d.Reshape(at, 1, 1), d.Const(&graph.Tensor{Type: at.Type, Shape: []int64{1, length},
			I: array.UpTo(length)}))
	}
	d.Output(turn(d, x, at, d.Input(2), d.Input(3), "interleaved"))
	return nil
}

// turned is the reference of turn; the positions are those of each place of each batch.
func (r *reference) turned(x, cos, sin *graph.Tensor, interleaved string, position func(b, l int64) int64,
) *graph.Tensor {
	length, heads := x.Shape[len(x.Shape)-2], r.Int("num_heads", 0)
	if heads == 0 {
		heads = x.Shape[len(x.Shape)-1] / (2 * cos.Shape[1])
	}
	at := graph.NewTensor(tir.I64, x.Shape[0], length)
	for i := range at.I {
		at.I[i] = position(int64(i)/length, int64(i)%length)
	}
	return r.one("RotaryEmbedding", []*graph.Tensor{x, cos, sin, at}, graph.IntAttr("num_heads", heads),
		graph.IntAttr("rotary_embedding_dim", 2*cos.Shape[1]), graph.IntAttr("interleaved", r.Int(interleaved, 0)))
}

func evalRotary(r *reference) []*graph.Tensor {
	x, at := r.in[0], r.in[1]
	return []*graph.Tensor{r.turned(x, r.in[2], r.in[3], "interleaved", func(b, l int64) int64 {
		if at.Len() == 1 {
			return at.I[0] + l
		}
		return at.I[b*x.Shape[len(x.Shape)-2]+l]
	})}
}

func evalGroupQuery(r *reference) []*graph.Tensor {
	g, err := groupQueryOf(r.Node)
	r.fail(err)
	q, k, v := r.in[0], r.input(1), r.input(2)
	if g.packed {
		wide, narrow := g.heads*g.size, g.keyHeads*g.size
		q, k, v = r.cut(q, 2, 0, wide), r.cut(q, 2, wide, wide+narrow), r.cut(q, 2, wide+narrow, wide+2*narrow)
	}
	q, k, v = r.split(q, g.heads), r.split(k, g.keyHeads), r.split(v, g.keyHeads)
	length := func(b int64) int64 { return r.in[5].I[b] + 1 }
	first := func(b int64) int64 {
		if g.prompt {
			return 0
		}
		return length(b) - g.length
	}
	if r.Int("do_rotary", 0) != 0 {
		position := func(b, l int64) int64 {
			if p := r.input(9); p != nil {
				return p.I[b*g.length+l]
			}
			if first(b)+l >= length(b) {
				return 1
			}
			return first(b) + l
		}
		q = r.turned(q, r.in[7], r.in[8], "rotary_interleaved", position)
		k = r.turned(k, r.in[7], r.in[8], "rotary_interleaved", position)
	}
	present := func(past, x *graph.Tensor) *graph.Tensor {
		y := graph.NewTensor(x.Type, g.batch, g.keyHeads, g.keys, g.size)
		for plane := range g.batch * g.keyHeads {
			if past != nil {
				copy(y.F[plane*g.keys*g.size:], past.F[plane*g.past*g.size:][:g.past*g.size])
			}
			at, err := array.InRange(first(plane/g.keyHeads), g.keys-g.length+1)
			r.fail(err)
			copy(y.F[(plane*g.keys+at)*g.size:], x.F[plane*g.length*g.size:][:g.length*g.size])
		}
		return y
	}
	k, v = present(r.input(3), k), present(r.input(4), v)
	bias := r.input(10)
	y := r.attend(q, k, v, func(b, h, i, j int64) float64 {
		position := first(b) + i
		padding := (!g.prompt || g.right < 0) && j >= length(b) || bias != nil && j >= bias.Shape[3]
		if padding || g.right == 0 && j > position || g.left >= 0 && j < position-g.left {
			return math.Inf(-1)
		}
		return biasAt(bias, b, h, i, j)
	})
	return []*graph.Tensor{y, k, v}
}
