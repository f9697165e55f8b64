package product

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Attentions has the operators of transformers. Attention becomes products, wmtune.AttentionMask, which writes minus
// infinity where a query must not see a key, and wmtune.MaskedSoftmax, which gives zeros for a query that sees none.
var Attentions = []op.Row{
	{Op: "Attention", Since: 23, In: "T1:F T1:F T2:F U:A? T1:F? T2:F? | 24 T1:F T1:F T2:F U:A? T1:F? T2:F? -:I?",
		Class: op.ComplexOut, Infer: inferAttention, Eval: op.EvalBy(attentionOf, evalAttention),
		Decompose: decomposeAttention},
	{Op: "wmtune.AttentionMask", Class: op.Injective, Infer: inferAttentionMask, Eval: evalAttentionMask,
		Body: bodyAttentionMask},
	{Op: "ai.onnx.preview.FlexAttention", In: "T1:F T1:F T1:F", Class: op.ComplexOut, Enter: enterFlexAttention,
		Infer: inferFlexAttention,
		Eval:  op.EvalBy(attentionOf, evalFlexAttention), Decompose: decomposeFlexAttention},
}

// An attention has the sizes of an Attention.
type attention struct {
	batch, heads, keyHeads int64
	queries, past, keys    int64 // keys includes past
	size, valueSize        int64 // of a head
	flat                   bool  // heads stand in the last dimension
	scale                  float64
	version                int
}

// perKeyHead is the number of heads of queries that share a head of keys.
func (a *attention) perKeyHead() int64 { return a.heads / a.keyHeads }

func attentionOf(n *graph.Node) (*attention, error) {
	q, k, v := n.Inputs[0].Shape, n.Inputs[1].Shape, n.Inputs[2].Shape
	a := &attention{version: n.Version}
	if a.flat = len(q) == 3; a.flat {
		var err error
		a.heads, a.keyHeads = n.Int("q_num_heads", 0), n.Int("kv_num_heads", 0)
		if q, err = withHeads(q, a.heads, err); err != nil {
			return nil, err
		}
		k, err = withHeads(k, a.keyHeads, err)
		if v, err = withHeads(v, a.keyHeads, err); err != nil {
			return nil, err
		}
	}
	if len(q) != 4 || len(k) != 4 || len(v) != 4 {
		return nil, fmt.Errorf("inputs of %d, %d and %d dimensions: they must have 3 or 4 each", len(q), len(k), len(v))
	}
	a.batch, a.heads, a.queries, a.size = q[0], q[1], q[2], q[3]
	a.keyHeads, a.keys, a.valueSize = k[1], k[2], v[3]
	if !slices.Equal(k, []int64{a.batch, a.keyHeads, a.keys, a.size}) || !slices.Equal(v[:3], k[:3]) ||
		a.keyHeads < 1 ||
		a.heads%a.keyHeads != 0 {
		return nil, fmt.Errorf("queries %v, keys %v and values %v (batch, heads, length, size) do not fit each other",
			q, k, v)
	}
	pastKey, pastValue := n.Input(4), n.Input(5)
	if n.Op == "Attention" && (pastKey == nil) != (pastValue == nil) {
		return nil, fmt.Errorf("past_key and past_value must be there together")
	}
	if pastKey != nil {
		if s := pastKey.Shape; len(s) == 4 {
			a.past = s[2]
		}
		if !slices.Equal(pastKey.Shape, []int64{a.batch, a.keyHeads, a.past, a.size}) ||
			!slices.Equal(pastValue.Shape, []int64{a.batch, a.keyHeads, a.past, a.valueSize}) {
			return nil, fmt.Errorf("past keys %v and values %v do not fit keys %v and values %v", pastKey.Shape,
				pastValue.Shape, k, v)
		}
		a.keys += a.past
	}
	a.scale = n.Float("scale", 1/math.Sqrt(float64(a.size)))
	return a, nil
}

// withHeads splits the last of three dimensions by heads: batch, heads, length, size.
func withHeads(shape []int64, heads int64, err error) ([]int64, error) {
	switch {
	case err != nil:
		return nil, err
	case heads < 1 || len(shape) != 3 || shape[2]%heads != 0:
		return nil, fmt.Errorf("%d heads in an input of shape %v: they must divide the last of 3 dimensions", heads,
			shape)
	}
	return []int64{shape[0], heads, shape[1], shape[2] / heads}, nil
}

func inferAttention(n *graph.Node) ([]op.Type, error) {
	a, err := attentionOf(n)
	if err != nil {
		return nil, err
	}
	scores := []int64{a.batch, a.heads, a.queries, a.keys}
	if m := n.Input(3); m != nil {
		padded := slices.Clone(m.Shape)
		if len(padded) > 0 && padded[len(padded)-1] < a.keys {
			padded[len(padded)-1] = a.keys
		}
		if s, err := array.Broadcast(padded, scores); err != nil || !slices.Equal(s, scores) {
			return nil, fmt.Errorf("a mask of shape %v does not broadcast to %v", m.Shape, scores)
		}
	}
	if l := n.Input(6); l != nil && (l.Type != tir.I64 || !slices.Equal(l.Shape, []int64{a.batch})) {
		return nil, fmt.Errorf("input 6 is %s: it must be int64[%d]", l, a.batch)
	}
	y := []int64{a.batch, a.heads, a.queries, a.valueSize}
	if a.flat {
		y = []int64{a.batch, a.queries, a.heads * a.valueSize}
	}
	t, v := n.Inputs[0].Type, n.Inputs[2].Type
	return []op.Type{{DType: t, Shape: y}, {DType: t, Shape: []int64{a.batch, a.keyHeads, a.keys, a.size}},
		{DType: v, Shape: []int64{a.batch, a.keyHeads, a.keys, a.valueSize}}, {DType: t, Shape: scores}}, nil
}

func decomposeAttention(d *op.Decomposer) error {
	n := d.Node
	a, err := attentionOf(n)
	if err != nil {
		return err
	}
	q, k, v := d.Input(0), d.Input(1), d.Input(2)
	if a.flat {
		q, k, v = splitHeads(d, q, a.heads), splitHeads(d, k, a.keyHeads), splitHeads(d, v, a.keyHeads)
	}
	if past := d.Input(4); past != nil {
		k = d.Apply("Concat", []*graph.Value{past, k}, graph.IntAttr("axis", 2))
		v = d.Apply("Concat", []*graph.Value{d.Input(5), v}, graph.IntAttr("axis", 2))
	}
	scores := scores(d, a, q, k)
	shown := scores
	if c := n.Float("softcap", 0); c > 0 {
		scores = d.Two("Mul", scores, d.Number(scores, 1/c))
		scores = d.Two("Mul", d.Apply("Tanh", []*graph.Value{scores}), d.Number(scores, c))
	}
	mode := n.Int("qk_matmul_output_mode", 0)
	if mode == 1 {
		shown = scores
	}
	scores, masked := attentionMask(d, a, scores)
	if mode == 2 {
		shown = scores
	}
	precision := scores.Type
	if p := n.Int("softmax_precision", 0); p != 0 {
		if precision, err = op.ElementType(p); err != nil {
			return err
		}
	}
	p := d.Cast(scores, precision)
	if masked {
		p = d.Apply("wmtune.MaskedSoftmax", []*graph.Value{p})
	} else {
		p = d.Apply("Softmax", []*graph.Value{p}, graph.IntAttr("axis", -1))
	}
	p = d.Cast(p, q.Type)
	if mode == 3 {
		shown = p
	}
	y := weighted(d, a, p, v)
	if a.flat {
		y = d.Apply("Transpose", []*graph.Value{y}, graph.IntsAttr("perm", 0, 2, 1, 3))
		y = d.Reshape(y, a.batch, a.queries, a.heads*a.valueSize)
	}
	d.Output([]*graph.Value{y, k, v, shown}[:len(n.Outputs)]...)
	return nil
}

// splitHeads turns [batch, length, heads*size] into [batch, heads, length, size].
func splitHeads(d *op.Decomposer, x *graph.Value, heads int64) *graph.Value {
	x = d.Reshape(x, x.Shape[0], x.Shape[1], heads, x.Shape[2]/heads)
	return d.Apply("Transpose", []*graph.Value{x}, graph.IntsAttr("perm", 0, 2, 1, 3))
}

// scores returns the products of queries and keys, scaled. Queries whose heads share one of keys stand below each
// other.
func scores(d *op.Decomposer, a *attention, q, k *graph.Value) *graph.Value {
	q = d.Reshape(q, a.batch*a.keyHeads, a.perKeyHead()*a.queries, a.size)
	k = d.Reshape(k, a.batch*a.keyHeads, a.keys, a.size)
	s := d.Apply("wmtune.MatMul", []*graph.Value{q, k}, graph.IntAttr("transB", 1))
	s = d.Two("Mul", s, d.Number(s, a.scale))
	return d.Reshape(s, a.batch, a.heads, a.queries, a.keys)
}

// weighted returns the sums of values weighted by p.
func weighted(d *op.Decomposer, a *attention, p, v *graph.Value) *graph.Value {
	p = d.Reshape(p, a.batch*a.keyHeads, a.perKeyHead()*a.queries, a.keys)
	v = d.Reshape(v, a.batch*a.keyHeads, a.keys, a.valueSize)
	return d.Reshape(d.Two("MatMul", p, d.Cast(v, p.Type)), a.batch, a.heads, a.queries, a.valueSize)
}

// attentionMask applies all masks of an Attention, and reports whether a query may be left without keys.
func attentionMask(d *op.Decomposer, a *attention, scores *graph.Value) (*graph.Value, bool) {
	n := d.Node
	masked := false
	if m := d.Input(3); m != nil {
		masked = true
		if m.Type == tir.Bool {
			m = paddedMask(d, a, m)
			scores = d.Apply("Where", []*graph.Value{m, scores, d.Number(scores, math.Inf(-1))})
		} else { // before it is padded: integers have no infinity
			scores = d.Two("Add", scores, paddedMask(d, a, d.Cast(m, scores.Type)))
		}
	}
	left, right := windowOf(n)
	if lengths := d.Input(6); lengths != nil || left >= 0 || right >= 0 {
		masked = masked || lengths != nil || left >= 0
		inputs := []*graph.Value{scores}
		if lengths != nil {
			inputs = append(inputs, lengths)
		}
		scores = d.Apply("wmtune.AttentionMask", inputs, graph.IntAttr("left", left), graph.IntAttr("right", right),
			graph.IntAttr("past", a.past))
	}
	return scores, masked
}

// windowOf returns how many keys before and after its own position a query of an Attention sees, -1 for all.
func windowOf(n *graph.Node) (left, right int64) {
	left, right = n.Int("left_window_size", -1), n.Int("right_window_size", -1)
	if n.Int("is_causal", 0) != 0 {
		right = 0
	}
	return left, right
}

// hides reports whether a mask hides key i since it is too short. One of one column is for all keys in version 23;
// version 24 pads it.
func (a *attention) hides(mask []int64, i int64) bool {
	columns := mask[len(mask)-1]
	return i >= columns && (a.version > 23 || columns > 1)
}

// paddedMask makes a mask as long as there are keys, if it hides those that it does not have.
func paddedMask(d *op.Decomposer, a *attention, m *graph.Value) *graph.Value {
	last := len(m.Shape) - 1
	if last < 0 || !a.hides(m.Shape, a.keys-1) {
		return m
	}
	shape := slices.Clone(m.Shape)
	shape[last] = a.keys - shape[last]
	rest := graph.NewTensor(m.Type, shape...)
	for i := range rest.F {
		rest.F[i] = math.Inf(-1)
	}
	return d.Apply("Concat", []*graph.Value{m, d.Const(rest)}, graph.IntAttr("axis", int64(last)))
}

// inferAttentionMask is that of wmtune.AttentionMask: scores [batch, heads, queries, keys], and the numbers of keys of
// each batch that are not padding, if they are data. Attributes left and right are the window of a query, -1 without a
// bound, around its position: its number, plus past, or, with lengths, so that the last query is at the last key.
func inferAttentionMask(n *graph.Node) ([]op.Type, error) {
	if len(n.Inputs[0].Shape) != 4 {
		return nil, fmt.Errorf("scores of %d dimensions: they must have 4", len(n.Inputs[0].Shape))
	}
	return op.InferSame(n)
}

func evalAttentionMask(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	y := &graph.Tensor{Type: in[0].Type, Shape: in[0].Shape, F: slices.Clone(in[0].F)}
	left, right := n.Int("left", -1), n.Int("right", -1)
	i := 0
	array.WalkIndex(y.Shape, func(at []int64) {
		position := at[2] + n.Int("past", 0)
		seen := true
		if len(in) > 1 {
			position = at[2] + in[1].I[at[0]] - y.Shape[2]
			seen = at[3] < in[1].I[at[0]]
		}
		seen = seen && (left < 0 || at[3] >= position-left) && (right < 0 || at[3] <= position+right)
		if !seen {
			y.F[i] = math.Inf(-1)
		}
		i++
	})
	return []*graph.Tensor{y}, nil
}

func bodyAttentionMask(b *op.Body) error {
	n := b.Node
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		x := b.Read(0, at...)
		position := Plus(at[2], n.Int("past", 0))
		var seen []tir.Expr
		if n.Input(1) != nil {
			length := b.Read(1, at[0])
			position = Sub(Add(at[2], length), tir.Int(n.Inputs[0].Shape[2]))
			seen = append(seen, Lt(at[3], length))
		}
		if left := n.Int("left", -1); left >= 0 {
			seen = append(seen, Ge(at[3], Plus(position, -left)))
		}
		if right := n.Int("right", -1); right >= 0 {
			seen = append(seen, Le(at[3], Plus(position, right)))
		}
		return Sel(tir.AllOf(seen...), x, Num(x, math.Inf(-1)))
	})
	return nil
}

// softmaxOf returns the softmax of a row, zeros if all of it is minus infinity.
func softmaxOf(row []float64) []float64 {
	r := make([]float64, len(row))
	most := array.LargestOf(row)
	if math.IsInf(most, -1) {
		return r
	}
	sum := 0.0
	for i, v := range row {
		r[i] = math.Exp(v - most)
		sum += r[i]
	}
	for i := range r {
		r[i] /= sum
	}
	return r
}
