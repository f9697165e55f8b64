package pass

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// integers has products of dequantized numbers multiply the bytes, and values between kernels be bytes:
//
//	a = DequantizeLinear(x, s, z); y = Conv(a, DequantizeLinear(w, t), DequantizeLinear(b, s*t))
//	=>
//	a = Conv(x, w, b - z*sum(w)): int32; y = Mul(Cast(a), s*t)
//
// Scales must be constant, that of x one number, and w constant, with one scale, or one for each channel of the result.
// A QuantizeLinear of such a product multiplies by s*t and its own scale at once, as ONNX Runtime does. Nodes that move
// elements, and maxima, move bytes. Signed bytes of activations become unsigned ones where they are made.
func integers(ctx context.Context, g *graph.Graph) error {
	e := edit(ctx, g, "integers")
	if err := e.each(e.integer); err != nil {
		return err
	}
	own := edit(ctx, g, "own")
	readers := g.Readers()
	if err := own.each(func(n *graph.Node) bool { own.dequantizeOwn(n, readers); return false }); err != nil {
		return err
	}
	return unused(ctx, g)
}

// integer reports whether it has replaced n.
func (e *editor) integer(n *graph.Node) bool {
	if n.Domain != "" || len(n.Outputs) != 1 || n.Outputs[0].Extents != nil {
		return false
	}
	switch n.Op {
	case "Conv", "MatMul", "Gemm":
		return e.multiplyBytes(n)
	case "QuantizeLinear":
		return e.quantizeBytes(n)
	case "DequantizeLinear":
		x := e.unsigned(n.Inputs[0])
		return x != nil && e.becomes(n, e.like(n, []*graph.Value{x, n.Inputs[1], e.flipped(n, n.Input(2), tir.U8)}))
	case "Cast":
		y := e.floatSums(n.Inputs[0], n.Outputs[0].Type)
		return y != nil && e.becomes(n, y)
	case "BitwiseXor":
		x := e.unsigned(e.castOf(n.Inputs[0], tir.U8))
		return x != nil && n.Inputs[1].Const != nil && n.Inputs[1].Elems() == 1 && n.Inputs[1].Const.Tensor().I[0] == 128 &&
			slices.Equal(x.Shape, n.Outputs[0].Shape) && e.becomes(n, x)
	}
	return movesBytes[n.Op] && e.moveBytes(n)
}

// movesBytes has the operators that give elements of their operand as they are.
var movesBytes = map[string]bool{"MaxPool": true, "Reshape": true, "Flatten": true, "Squeeze": true, "Unsqueeze": true,
	"Transpose": true, "Slice": true, "Concat": true, "DepthToSpace": true, "SpaceToDepth": true}

// moveBytes has a node work on bytes before they are dequantized, or before they get a sign.
func (e *editor) moveBytes(n *graph.Node) bool {
	count := 1
	if n.Op == "Concat" {
		count = len(n.Inputs)
	}
	inputs := slices.Clone(n.Inputs)
	first := e.made[inputs[0]]
	signs := e.unsigned(inputs[0]) != nil
	for i, v := range inputs[:count] {
		d := e.made[v]
		switch x := e.unsigned(v); {
		case signs && x != nil:
			inputs[i] = x
		case !signs && dequantizes(d) && e.dequantizesAlike(d, first):
			inputs[i] = d.Inputs[0]
		default:
			return false
		}
	}
	y := e.like(n, inputs)
	if signs {
		return e.becomes(n, e.signedAs(n, y, tir.I8))
	}
	return e.becomes(n, e.like(first, append([]*graph.Value{y}, first.Inputs[1:]...)))
}

// quantizedBy is a scale and a zero point that are constant numbers. The scale is positive, and so is its reciprocal.
type quantizedBy struct {
	scale float32
	zero  int64
}

// quantizedBy returns the scale and the zero point of a QuantizeLinear or DequantizeLinear of bytes and float32.
func quantizedByOf(n *graph.Node) (q quantizedBy, ok bool) {
	s, z := n.Inputs[1], n.Input(2)
	if s.Const == nil || s.Elems() != 1 || s.Type != tir.F32 || z != nil && (z.Const == nil || z.Elems() != 1) ||
		n.Inputs[0].Narrow != nil || n.Outputs[0].Narrow != nil ||
		n.Inputs[0].Type.Bytes() != 1 && n.Outputs[0].Type.Bytes() != 1 || n.Attr("precision") != nil ||
		n.Inputs[0].Type != tir.F32 && n.Outputs[0].Type != tir.F32 {
		return q, false
	}
	if q.scale = float32(s.Const.Tensor().F[0]); z != nil {
		q.zero = z.Const.Tensor().I[0]
	}
	return q, normal(q.scale)
}

// normal reports whether x is a positive float32 that is as exact as others are, and its reciprocal, too.
func normal(x float32) bool { return x >= 0x1p-100 && x <= 0x1p100 }

func (e *editor) dequantizesAlike(n, like *graph.Node) bool {
	a, ok := quantizedByOf(n)
	b, same := quantizedByOf(like)
	return ok && same && a == b && n.Inputs[0].Type == like.Inputs[0].Type
}

// quantizeBytes has a QuantizeLinear of what was dequantized alike be the bytes; one of a product of bytes multiplies
// once; and one to int8 makes uint8.
func (e *editor) quantizeBytes(n *graph.Node) bool {
	q, ok := quantizedByOf(n)
	if !ok {
		return false
	}
	x, t := n.Inputs[0], n.Outputs[0].Type
	stored := q // as unsigned bytes
	if t == tir.I8 {
		stored.zero += 128
	}
	if d := e.made[x]; dequantizes(d) && d.Inputs[0].Type == tir.U8 {
		if by, ok := quantizedByOf(d); ok && by == stored {
			return e.becomes(n, e.signedAs(n, d.Inputs[0], t))
		}
	}
	inputs := append(slices.Clone(n.Inputs), nil)[:3]
	relu := e.made[x]
	if relu != nil && relu.Op == "Relu" && relu.Domain == "" {
		x = relu.Inputs[0]
	} else {
		relu = nil
	}
	if y := e.divided(x, float64(q.scale)); y != nil {
		inputs[0] = y
		inputs[1] = e.constant(n, "scale", graph.Scalar(tir.F32, 1))
		if lo := array.Wrap(t, 1<<7); relu != nil && q.zero != min(lo, 0) { // else the least byte is 0 already
			inputs[0] = e.apply(n, "Relu", []*graph.Value{inputs[0]})
		}
	}
	if t == tir.I8 {
		inputs[2] = e.constant(n, "zero", graph.Scalar(tir.U8, float64(stored.zero)))
	} else if inputs[0] == n.Inputs[0] {
		return false
	}
	k := &graph.Node{Name: n.Name, Op: n.Op, Version: n.Version, Inputs: inputs}
	return e.becomes(n, e.signedAs(n, e.make(n, k, nil), t))
}

// divided returns v divided by a scale, where that needs no division: v is a product of bytes, dequantized, or the sum,
// difference or product of two such values, or of one and a constant. It is nil if v is something else.
func (e *editor) divided(v *graph.Value, scale float64) *graph.Value {
	if y := e.rescaled(v, scale); y != nil {
		return y()
	}
	n := e.made[v]
	if n == nil || n.Domain != "" || n.Op != "Add" && n.Op != "Sub" && n.Op != "Mul" || n.Outputs[0].Extents != nil {
		return nil
	}
	x, y := e.rescaled(n.Inputs[0], scale), e.rescaled(n.Inputs[1], scale)
	if x == nil || y == nil {
		return nil
	}
	if n.Op == "Mul" {
		return e.like(n, []*graph.Value{x(), n.Inputs[1]})
	}
	return e.like(n, []*graph.Value{x(), y()})
}

// rescaled makes a constant, a product of bytes, or what dequantizes bytes, divided by a scale: the constant or the
// scales are divided. What multiplies or divides such a value by a number is part of its scale. It is nil for others.
func (e *editor) rescaled(v *graph.Value, scale float64) func() *graph.Value {
	if v.Const != nil && v.Type == tir.F32 {
		if c := quotients(v, scale, finite); c != nil {
			return func() *graph.Value { return graph.Constant(e.name(v.Name+".scaled"), c) }
		}
		return nil
	}
	if x, by := e.unscaledBy(v); x != v {
		return e.rescaled(x, scale/by)
	}
	m := e.made[v]
	if m == nil || m.Domain != "" || v.Type != tir.F32 {
		return nil
	}
	if fits := m.Op == "Mul" && e.sumsOf(m.Inputs[0]); !fits {
		if fits = dequantizes(m); fits {
			_, fits = quantizedByOf(m)
		}
		if !fits {
			return nil
		}
	}
	if m.Inputs[1].Const == nil {
		return nil
	}
	c := quotients(m.Inputs[1], scale, normal)
	if c == nil {
		return nil
	}
	return func() *graph.Value {
		inputs := slices.Clone(m.Inputs)
		inputs[1] = e.constant(m, "scale", c)
		return e.like(m, inputs)
	}
}

// quotients returns a constant divided by a number, or nil if a quotient does not fit.
func quotients(v *graph.Value, by float64, fits func(float32) bool) *graph.Tensor {
	x := v.Const.Tensor()
	c := graph.NewTensor(tir.F32, x.Shape...)
	for i, x := range x.F {
		c.F[i] = float64(float32(x / by))
		if !fits(float32(c.F[i])) {
			return nil
		}
	}
	return c
}

func finite(x float32) bool { return x-x == 0 }

// unscaledBy returns what v multiplies or divides by a constant number, and the number or its reciprocal; v and 1 if it
// does no such thing.
func (e *editor) unscaledBy(v *graph.Value) (*graph.Value, float64) {
	n := e.made[v]
	if n == nil || n.Domain != "" || n.Op != "Mul" && n.Op != "Div" || v.Type != tir.F32 || v.Extents != nil {
		return v, 1
	}
	x, by := n.Inputs[0], n.Inputs[1]
	if n.Op == "Mul" && by.Const == nil {
		x, by = by, x
	}
	if by.Const == nil || by.Elems() != 1 || x.Const != nil || !slices.Equal(x.Shape, v.Shape) || e.sumsOf(x) {
		return v, 1
	}
	c := by.Const.Tensor().At(0)
	if !normal(float32(c)) {
		return v, 1
	}
	if n.Op == "Div" {
		c = 1 / c
	}
	return x, c
}

// sumsOf reports whether v is the sums of a product of bytes, as float32.
func (e *editor) sumsOf(v *graph.Value) bool {
	x, n := e.castOf(v, tir.F32), e.made[v]
	return x != nil && x.Type == tir.I32 || n != nil && (multipliesBytes(n) || multipliesWhole(n))
}

// floatSums returns v, if it is the sums of a convolution of bytes, channel by channel, as floats, if float32 has all
// of them, and those with the bias, exactly: they are computed as floats anyway. Else it is nil.
func (e *editor) floatSums(v *graph.Value, t tir.DType) *graph.Value {
	n := e.made[v]
	if n == nil || t != tir.F32 || n.Domain != "" || n.Op != "Conv" || !multipliesBytes(n) || v.Type != tir.I32 ||
		n.Int("group", 1) == 1 || n.Inputs[1].Shape[1] != 1 {
		return nil
	}
	inputs, most := slices.Clone(n.Inputs), graph.Elems(n.Inputs[1].Shape[1:])*255*128
	if b := n.Input(2); b != nil {
		if b.Const == nil {
			return nil
		}
		largest := int64(0)
		for _, x := range b.Const.Tensor().I {
			largest = max(largest, x, -x)
		}
		most += largest
		inputs[2] = e.apply(n, "Cast", []*graph.Value{b}, graph.IntAttr("to", op.ElementNumber(tir.F32)))
	}
	if most > 1<<24 {
		return nil
	}
	return e.like(n, inputs, graph.IntAttr("wide", 1))
}

func (e *editor) constant(like *graph.Node, what string, t *graph.Tensor) *graph.Value {
	return graph.Constant(e.name(first(like).Name+"."+what), t)
}

// castOf returns what v is a Cast of, or nil.
func (e *editor) castOf(v *graph.Value, to tir.DType) *graph.Value {
	if n := e.made[v]; n != nil && n.Op == "Cast" && n.Domain == "" && v.Type == to {
		return n.Inputs[0]
	}
	return nil
}

// signedAs returns unsigned bytes as they are, or less 128, as int8.
func (e *editor) signedAs(like *graph.Node, v *graph.Value, t tir.DType) *graph.Value {
	if t == v.Type {
		return v
	}
	return e.flipped(like, v, t)
}

// flipped returns bytes as those of the other sign, 128 more or less; nil stands for an int8 of 0.
func (e *editor) flipped(like *graph.Node, v *graph.Value, t tir.DType) *graph.Value {
	if v == nil {
		v = e.constant(like, "zero", graph.Scalar(tir.I8, 0))
	}
	sign := e.constant(like, "sign", graph.Scalar(t, float64(array.Wrap(t, 128))))
	to := graph.IntAttr("to", op.ElementNumber(t))
	k := &graph.Node{Name: like.Name, Op: "BitwiseXor", Version: 18,
		Inputs: []*graph.Value{e.apply(like, "Cast", []*graph.Value{v}, to), sign}}
	return e.make(like, k, nil)
}

// unsigned returns the bytes that signedAs has made v of, or nil.
func (e *editor) unsigned(v *graph.Value) *graph.Value {
	if n := e.made[v]; n != nil && n.Op == "BitwiseXor" && v.Type == tir.I8 {
		if x := e.castOf(n.Inputs[0], tir.I8); x != nil && x.Type == tir.U8 && n.Inputs[1].Const != nil &&
			n.Inputs[1].Elems() == 1 && n.Inputs[1].Const.Tensor().I[0] == -128 {
			return x
		}
	}
	return nil
}

// A bytesProduct is a product of dequantized bytes.
type bytesProduct struct {
	x, w   *graph.Node  // what dequantizes the operands
	by     quantizedBy  // of x
	scales []float64    // of products: one, or one for each channel
	zero   *graph.Value // of w
}

// bytesOf returns what a node multiplies, and why it cannot multiply bytes; "" and nil if it reads none.
func (e *editor) bytesOf(n *graph.Node) (p *bytesProduct, why string) {
	x, w := e.made[n.Inputs[0]], n.Inputs[1].Dequantized
	switch {
	case !dequantizes(x) && w == nil && !dequantizes(e.made[n.Inputs[1]]):
		return nil, ""
	case !dequantizes(x):
		return nil, "its first operand is of floats"
	case w == nil:
		return nil, "its second operand is not constant bytes"
	}
	by, ok := quantizedByOf(x)
	channel := 0
	if n.Op == "MatMul" || n.Op == "Gemm" && n.Int("transB", 0) == 0 {
		channel = len(w.Inputs[0].Shape) - 1
	}
	s, z := w.Inputs[1], w.Input(2)
	one := func(v *graph.Value) bool { return v == nil || v.Elems() == 1 && len(v.Shape) <= 1 }
	along := func(v *graph.Value) bool {
		return one(v) || len(v.Shape) == 1 && (w.Int("axis", 1)+int64(len(w.Inputs[0].Shape)))%
			int64(len(w.Inputs[0].Shape)) == int64(channel)
	}
	switch {
	case x.Inputs[1].Const == nil || x.Input(2) != nil && x.Inputs[2].Const == nil:
		return nil, "its scale is not constant"
	case !ok || s.Type != tir.F32 || w.Inputs[0].Type.Bytes() != 1 || w.Inputs[0].Narrow != nil ||
		n.Outputs[0].Type != tir.F32:
		return nil, "it is not of bytes with one normal scale"
	case !along(s) || !along(z):
		return nil, "its weights have scales along another axis than that of its channels"
	case n.Float("alpha", 1) != 1 || n.Float("beta", 1) != 1 || n.Int("transA", 0) != 0:
		return nil, "it has factors of its own"
	}
	p = &bytesProduct{x: x, w: w, by: by, zero: z}
	for _, t := range s.Const.Tensor().F {
		c := float32(by.scale * float32(t))
		if !normal(c) || !normal(float32(t)) {
			return nil, "a scale of its weights is 0, or no normal number"
		}
		p.scales = append(p.scales, float64(c))
	}
	most := int64(math.MaxInt32 / 2 / (255 * 128))
	if !zeros(z) || w.Inputs[0].Type == tir.U8 {
		most /= 2
	}
	if terms := w.Inputs[0].Elems() / max(first(n).Shape[channelOf(n)], 1); terms > most {
		return nil, fmt.Sprintf("a sum of %d products may leave int32", terms)
	}
	return p, ""
}

// zeros reports whether v is a constant of zeros, or nil.
func zeros(v *graph.Value) bool {
	return v == nil || !slices.ContainsFunc(v.Const.Tensor().I, func(x int64) bool { return x != 0 })
}

// channelOf is the dimension of the result that weights have one scale for each element of.
func channelOf(n *graph.Node) int {
	if n.Op == "Conv" {
		return 1
	}
	return len(n.Outputs[0].Shape) - 1
}

// multiplyBytes replaces a product of dequantized bytes.
func (e *editor) multiplyBytes(n *graph.Node) bool {
	p, why := e.bytesOf(n)
	if p == nil {
		if y := e.multiplyWhole(n); y != nil {
			return e.becomes(n, y)
		}
		n.InFloats = why
		return false
	}
	weights, zero := p.w.Inputs[0], p.zero
	if n.Op == "Gemm" && n.Int("transB", 0) != 0 {
		weights = e.transpose(n, weights, []int64{1, 0})
	}
	bias := n.Input(2)
	whole := e.wholeBias(p, bias)
	k := &graph.Node{Name: n.Name, Op: "MatMulInteger", Version: 13, Inputs: []*graph.Value{p.x.Inputs[0], weights,
		p.x.Input(2), zero}, Outputs: []*graph.Value{{Name: e.name(first(n).Name + ".")}}}
	if n.Op == "Conv" {
		k.Domain, k.Op, k.Attrs = "wmtune", "ConvInteger", n.Attrs
		k.Inputs = append(k.Inputs, whole)
	}
	_, err := op.InferNode(e.ctx, k)
	e.check(err)
	e.check(e.decompose(k, 0))
	y := e.now(k.Outputs[0])
	if whole != nil && n.Op != "Conv" {
		y = e.plusBias(n, y, whole)
	}
	if sums := e.floatSums(y, tir.F32); sums != nil {
		y = sums
	} else {
		y = e.apply(n, "Cast", []*graph.Value{y}, graph.IntAttr("to", op.ElementNumber(tir.F32)))
	}
	c := graph.NewTensor(tir.F32, e.alongChannel(n)...)
	for i := range c.F {
		c.F[i] = p.scales[i%len(p.scales)]
	}
	y = e.apply(n, "Mul", []*graph.Value{y, e.constant(n, "scale", c)})
	if bias != nil && whole == nil {
		if n.Op == "Conv" {
			bias = e.reshape(n, bias, e.alongChannel(n))
		}
		y = e.apply(n, "Add", []*graph.Value{y, bias})
	}
	return e.becomes(n, y)
}

// plusBias adds a constant to the sums of a product, or takes it off what zero points take off these.
func (e *editor) plusBias(n *graph.Node, y, bias *graph.Value) *graph.Value {
	if m := e.made[y]; m != nil && m.Op == "Sub" && m.Domain == "" && m.Inputs[1].Const != nil {
		less := e.apply(n, "Sub", []*graph.Value{m.Inputs[1], bias})
		return e.apply(n, "Sub", []*graph.Value{m.Inputs[0], less})
	}
	return e.apply(n, "Add", []*graph.Value{y, bias})
}

// alongChannel is the shape of a vector along the channels of n's result. A vector is an operand of the kernel, so that
// layers share it; a number would be a part of its program.
func (e *editor) alongChannel(n *graph.Node) []int64 {
	out := n.Outputs[0].Shape
	if n.Op != "Conv" {
		return out[len(out)-1:]
	}
	shape := slices.Repeat([]int64{1}, len(out))
	shape[1] = out[1]
	return shape
}

// wholeBias returns the integers that a bias was dequantized from, if their scales are those of the product, up to
// rounding, and the sum stays within int32; else nil.
func (e *editor) wholeBias(p *bytesProduct, bias *graph.Value) *graph.Value {
	if bias == nil || bias.Dequantized == nil {
		return nil
	}
	d := bias.Dequantized
	b, s, z := d.Inputs[0], d.Inputs[1].Const.Tensor(), d.Input(2)
	if b.Type != tir.I32 || len(b.Shape) != 1 || !zeros(z) || s.Len() != 1 && s.Len() != int(b.Elems()) {
		return nil
	}
	numbers := b.Const.Tensor()
	for i := range b.Elems() {
		want := p.scales[min(int(i), len(p.scales)-1)]
		if got := s.At(min(int(i), s.Len()-1)); math.Abs(got-want) > 0x1p-22*want ||
			math.Abs(numbers.At(int(i))) > math.MaxInt32/2 {
			return nil
		}
	}
	return b
}

// dequantizeOwn gives a node that reads dequantized bytes a DequantizeLinear of its own, if others read them, too.
// Products of floats read floats: those of one node.
func (e *editor) dequantizeOwn(n *graph.Node, readers map[*graph.Value][]*graph.Node) {
	if r, err := op.Find(n); err != nil || r.Class == op.ComplexOut {
		return
	}
	for i, v := range n.Inputs {
		if d := e.made[v]; dequantizes(d) && len(readers[v]) > 1 && d.Outputs[0].Extents == nil {
			n.Inputs[i] = e.like(d, d.Inputs)
		}
	}
}

// Products says how many products of a graph multiply bytes, and how many of dequantized numbers multiply floats, and
// why; "" if there are neither.
func Products(g *graph.Graph) string {
	bytes, halves, floats := 0, 0, map[string]int{}
	var reasons []string
	for _, n := range g.Nodes {
		switch {
		case multipliesBytes(n):
			bytes++
		case multipliesWhole(n):
			halves++
		case n.InFloats != "" && slices.Contains([]string{"MatMul", "Gemm", "Conv", "Attend"}, n.Op):
			if floats[n.InFloats]++; floats[n.InFloats] == 1 {
				reasons = append(reasons, n.InFloats)
			}
		}
	}
	if bytes == 0 && len(reasons) == 0 {
		return ""
	}
	list := []string{fmt.Sprintf("%d products in int8", bytes)}
	if halves > 0 {
		list = append(list, fmt.Sprintf("%d in bfloat16", halves))
	}
	for _, why := range reasons {
		list = append(list, fmt.Sprintf("%d in float32: %s", floats[why], why))
	}
	return strings.Join(list, ", ")
}
