package microsoft

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// Attentions has the attentions of encoders and decoders. They become ONNX's Attention of four dimensions: batch,
// heads, length, size of a head.
var Attentions = []op.Row{
	row(domain+"Attention", "T:F T:F T:F? M:I? T:F? T:F? M:I?", decomposeAttention, evalAttention),
	row(domain+"MultiHeadAttention", "T:F T:F? T:F? T:F? M:I? T:F? T:F? T:F? M:I? M:I?", decomposeMultiHead,
		evalMultiHead),
	row(domain+"GroupQueryAttention", "T:F T:F? T:F? C:A? C:A? M:I M:I T:F? T:F? P:I? T:F? T:F? S:F? S:F? T:F? T:F?",
		decomposeGroupQuery, evalGroupQuery),
	row(domain+"RotaryEmbedding", "T:F M:I T:F T:F", decomposeRotary, evalRotary),
}

// split turns [batch, length, heads*size] into [batch, heads, length, size], and leaves what has four dimensions.
func split(d *op.Decomposer, x *graph.Value, heads int64) *graph.Value {
	if len(x.Shape) == 4 {
		return x
	}
	x = d.Reshape(x, x.Shape[0], x.Shape[1], heads, x.Shape[2]/heads)
	return d.Transpose(x, []int64{0, 2, 1, 3})
}

// joined is the inverse of split.
func joined(d *op.Decomposer, x *graph.Value) *graph.Value {
	s := x.Shape
	return d.Reshape(d.Transpose(x, []int64{0, 2, 1, 3}), s[0], s[2], s[1]*s[3])
}

// attend applies ONNX's Attention to operands of four dimensions; the mask is added to the scores, past keys and values
// stand before k and v. Any after v may be nil.
func attend(d *op.Decomposer, q, k, v, mask, pastKey, pastValue, lengths *graph.Value, attrs ...graph.Attr,
) []*graph.Value {
	if scale := d.Node.Float("scale", 0); scale != 0 {
		attrs = append(attrs, graph.FloatAttr("scale", scale))
	}
	y := d.ApplyN("Attention", 3, []*graph.Value{q, k, v, mask, pastKey, pastValue, lengths}, attrs...)
	y[0] = joined(d, y[0])
	return y
}

// attendMasked is attend of operands of any dimensions under masks of ONNX Runtime; see maskOf.
func attendMasked(d *op.Decomposer, q, k, v, mask, bias, pastKey, pastValue *graph.Value) ([]*graph.Value, error) {
	heads := d.Node.Int("num_heads", 0)
	for _, x := range []*graph.Value{q, k, v} {
		if len(x.Shape) != 3 && len(x.Shape) != 4 {
			return nil, fmt.Errorf("%s of %d dimensions: queries, keys and values must have 3 or 4", x, len(x.Shape))
		}
	}
	q, k, v = split(d, q, heads), split(d, k, heads), split(d, v, heads)
	keys := k.Shape[2]
	if pastKey != nil && len(pastKey.Shape) == 4 {
		keys += pastKey.Shape[2]
	}
	mask, err := maskOf(d, mask, bias, q, q.Shape[0], keys)
	if err != nil {
		return nil, err
	}
	causal := graph.IntAttr("is_causal", d.Node.Int("unidirectional", 0))
	return attend(d, q, k, v, mask, pastKey, pastValue, nil, causal), nil
}

// maskOf returns what is added to scores: mask_filter_value for keys that a mask hides, and a bias. The mask says which
// keys are seen, [batch, keys] or [batch, queries, keys], or where those of a batch end, and then where they begin. All
// may be nil.
func maskOf(d *op.Decomposer, mask, bias *graph.Value, like *graph.Value, batch, keys int64) (*graph.Value, error) {
	if mask == nil {
		return bias, nil
	}
	var seen *graph.Value
	switch s := mask.Shape; {
	case len(s) == 1 && (s[0] == batch || s[0] == 2*batch):
		places := graph.NewTensor(mask.Type, keys)
		copy(places.I, array.UpTo(keys))
		at := d.Const(places)
		seen = d.Two("Less", at, d.Reshape(d.Cut(mask, 0, 0, batch), batch, 1, 1, 1))
		if s[0] == 2*batch {
			begin := d.Reshape(d.Cut(mask, 0, batch, 2*batch), batch, 1, 1, 1)
			seen = d.Two("And", seen, d.Two("GreaterOrEqual", at, begin))
		}
	case len(s) == 2 && s[0] == batch && s[1] == keys:
		seen = d.Two("Greater", d.Reshape(mask, batch, 1, 1, keys), d.Number(mask, 0))
	case len(s) == 3 && s[0] == batch && s[2] == keys:
		seen = d.Two("Greater", d.Reshape(mask, batch, 1, s[1], keys), d.Number(mask, 0))
	default:
		return nil, lacks(d.Node, fmt.Sprintf("a mask of shape %v for %d keys", s, keys),
			"give a mask of shape [batch, keys]")
	}
	hidden := d.Number(like, d.Node.Float("mask_filter_value", -10000))
	added := d.Apply("Where", []*graph.Value{seen, d.Number(like, 0), hidden})
	return sum(d, added, bias), nil
}

// parts cuts the last dimension of a tensor in three.
func parts(d *op.Decomposer, x *graph.Value, sizes []int64) (list [3]*graph.Value) {
	from, last := int64(0), int64(len(x.Shape)-1)
	for i, size := range sizes {
		list[i] = d.Cut(x, last, from, from+size)
		from += size
	}
	return list
}

// sizesOf returns the sizes of queries, keys and values in the product of an Attention.
func sizesOf(n *graph.Node, width int64) ([]int64, error) {
	sizes := n.Ints("qkv_hidden_sizes")
	if len(sizes) == 0 {
		sizes = []int64{width / 3, width / 3, width / 3}
	}
	heads := n.Int("num_heads", 0)
	if len(sizes) != 3 || sizes[0]+sizes[1]+sizes[2] != width || sizes[0] != sizes[1] || heads < 1 ||
		sizes[0]%heads != 0 || sizes[2]%heads != 0 {
		return nil, fmt.Errorf("qkv_hidden_sizes %v and num_heads %d for weights of %d columns", sizes, heads, width)
	}
	return sizes, nil
}

func decomposeAttention(d *op.Decomposer) error {
	n := d.Node
	if n.Int("do_rotary", 0) != 0 || n.Int("past_present_share_buffer", 0) != 0 || d.Input(6) != nil {
		return lacks(n, "do_rotary or past_present_share_buffer", "save the model with neither, for processors")
	}
	x := d.Input(0)
	if err := ranks(n, 3, 2, 1, -1, 5); err != nil {
		return err
	}
	sizes, err := sizesOf(n, d.Input(1).Shape[1])
	if err != nil {
		return err
	}
	qkv := parts(d, sum(d, d.Two("MatMul", x, d.Input(1)), d.Input(2)), sizes)
	var pastKey, pastValue *graph.Value
	if past := d.Input(4); past != nil {
		pastKey = d.Reshape(d.Cut(past, 0, 0, 1), past.Shape[1:]...)
		pastValue = d.Reshape(d.Cut(past, 0, 1, 2), past.Shape[1:]...)
	}
	y, err := attendMasked(d, qkv[0], qkv[1], qkv[2], d.Input(3), d.Input(5), pastKey, pastValue)
	if err != nil {
		return err
	}
	out := y[:1]
	if len(n.Outputs) > 1 {
		pair := make([]*graph.Value, 2)
		for i, p := range y[1:] {
			pair[i] = d.Reshape(p, append([]int64{1}, p.Shape...)...)
		}
		out = []*graph.Value{y[0], d.Apply("Concat", pair, graph.IntAttr("axis", 0))}
	}
	d.Output(out...)
	return nil
}

func decomposeMultiHead(d *op.Decomposer) error {
	n := d.Node
	if d.Input(8) != nil || d.Input(9) != nil || n.Output(3) != nil {
		return lacks(n, "past_sequence_length, cache_indirection or output qk",
			"export the model without buffers that past and present share, and without qk")
	}
	q, k, v, heads := d.Input(0), d.Input(1), d.Input(2), n.Int("num_heads", 0)
	if k == nil || v == nil {
		return lacks(n, "key and value in one operand",
			"optimize the model with disable_packed_qkv and disable_packed_kv, as for processors")
	}
	if err := ranks(n, -1, -1, -1, 1); err != nil {
		return err
	}
	if len(q.Shape) != 3 || heads < 1 || q.Shape[2]%heads != 0 {
		return fmt.Errorf("num_heads is %d for query %s: it must divide the last of 3 dimensions", heads, q)
	}
	if bias := d.Input(3); bias != nil {
		width := q.Shape[2]
		list := parts(d, bias, []int64{width, width, bias.Elems() - 2*width})
		if q = d.Two("Add", q, list[0]); len(k.Shape) == 3 {
			k, v = d.Two("Add", k, list[1]), d.Two("Add", v, list[2])
		}
	}
	y, err := attendMasked(d, q, k, v, d.Input(4), d.Input(5), d.Input(6), d.Input(7))
	if err == nil {
		d.Output(y...)
	}
	return err
}

// split is that of the decomposition.
func (r *reference) split(x *graph.Tensor, heads int64) *graph.Tensor {
	if len(x.Shape) == 4 {
		return x
	}
	s := []int64{x.Shape[0], x.Shape[1], heads, x.Shape[2] / heads}
	return r.transposed(array.Reshaped(x, s), []int64{0, 2, 1, 3})
}

// cut returns the elements of x from one place of an axis up to before another.
func (r *reference) cut(x *graph.Tensor, axis, from, to int64) *graph.Tensor {
	return r.one("Slice", []*graph.Tensor{x, graph.Ints(from), graph.Ints(to), graph.Ints(axis)})
}

// attend is ONNX's Attention, [batch, length, heads*size], with a bias of the score of each query and key.
func (r *reference) attend(q, k, v *graph.Tensor, bias func(b, h, i, j int64) float64) *graph.Tensor {
	mask := graph.NewTensor(tir.F64, q.Shape[0], q.Shape[1], q.Shape[2], k.Shape[2])
	at := 0
	array.WalkIndex(mask.Shape, func(p []int64) {
		mask.F[at] = bias(p[0], p[1], p[2], p[3])
		at++
	})
	attrs := []graph.Attr{graph.FloatAttr("softcap", r.Float("softcap", 0))}
	if scale := r.Float("scale", 0); scale != 0 {
		attrs = append(attrs, graph.FloatAttr("scale", scale))
	}
	y := r.transposed(r.one("Attention", []*graph.Tensor{q, k, v, mask}, attrs...), []int64{0, 2, 1, 3})
	return array.Reshaped(y, []int64{y.Shape[0], y.Shape[1], y.Shape[2] * y.Shape[3]})
}

// attendMasked is that of the decomposition. It returns the keys and values, too.
func (r *reference) attendMasked(q, k, v, mask, bias, pastKey, pastValue *graph.Tensor) []*graph.Tensor {
	heads, past, filter := r.Int("num_heads", 1), int64(0), r.Float("mask_filter_value", -10000)
	q, k, v = r.split(q, heads), r.split(k, heads), r.split(v, heads)
	if pastKey != nil {
		past = pastKey.Shape[2]
		k = r.one("Concat", []*graph.Tensor{pastKey, k}, graph.IntAttr("axis", 2))
		v = r.one("Concat", []*graph.Tensor{pastValue, v}, graph.IntAttr("axis", 2))
	}
	batch, queries, keys := q.Shape[0], q.Shape[2], k.Shape[2]
	seen := func(b, i, j int64) bool {
		switch {
		case mask == nil:
			return true
		case len(mask.Shape) == 3:
			return mask.I[(b*queries+i)*keys+j] > 0
		case len(mask.Shape) == 2:
			return mask.I[b*keys+j] > 0
		}
		return j < mask.I[b] && (mask.Shape[0] == batch || j >= mask.I[b+batch])
	}
	y := r.attend(q, k, v, func(b, h, i, j int64) float64 {
		switch {
		case r.Int("unidirectional", 0) != 0 && j > i+past:
			return math.Inf(-1)
		case !seen(b, i, j):
			return filter + biasAt(bias, b, h, i, j)
		}
		return biasAt(bias, b, h, i, j)
	})
	return []*graph.Tensor{y, k, v}
}

// biasAt returns an element of a bias, which may be nil, whose first two dimensions may be 1.
func biasAt(bias *graph.Tensor, b, h, i, j int64) float64 {
	if bias == nil {
		return 0
	}
	s := bias.Shape
	return bias.F[((b%s[0]*s[1]+h%s[1])*s[2]+i)*s[3]+j]
}

func evalAttention(r *reference) []*graph.Tensor {
	sizes, err := sizesOf(r.Node, r.in[1].Shape[1])
	r.fail(err)
	all := added(r.one("MatMul", r.in[:2]), r.input(2))
	var pastKey, pastValue *graph.Tensor
	if p := r.input(4); p != nil {
		pastKey = array.Reshaped(r.cut(p, 0, 0, 1), p.Shape[1:])
		pastValue = array.Reshaped(r.cut(p, 0, 1, 2), p.Shape[1:])
	}
	y := r.attendMasked(r.cut(all, 2, 0, sizes[0]), r.cut(all, 2, sizes[0], 2*sizes[0]),
		r.cut(all, 2, 2*sizes[0], all.Shape[2]), r.input(3), r.input(5), pastKey, pastValue)
	if len(r.Outputs) < 2 {
		return y
	}
	present := graph.NewTensor(y[1].Type, append([]int64{2}, y[1].Shape...)...)
	copy(present.F[copy(present.F, y[1].F):], y[2].F)
	return []*graph.Tensor{y[0], present}
}

func evalMultiHead(r *reference) []*graph.Tensor {
	q, k, v := r.in[0], r.in[1], r.in[2]
	if bias := r.input(3); bias != nil {
		width := q.Shape[2]
		if q = added(q, r.cut(bias, 0, 0, width)); len(k.Shape) == 3 {
			k = added(k, r.cut(bias, 0, width, 2*width))
			v = added(v, r.cut(bias, 0, 2*width, int64(bias.Len())))
		}
	}
	return r.attendMasked(q, k, v, r.input(4), r.input(5), r.input(6), r.input(7))
}
