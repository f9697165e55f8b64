package product

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// Products of quantized operands.

// inferIntegerProduct is Infer of MatMulInteger and ConvInteger.
func inferIntegerProduct(n *graph.Node) ([]op.Type, error) {
	s, err := productShape(n, n.Op == "ConvInteger", n.Inputs[0], n.Inputs[1])
	if err == nil {
		err = fitOperands(n.Op == "ConvInteger", operand{n.Inputs[0], n.Input(2)}, operand{n.Inputs[1], n.Input(3)})
	}
	return []op.Type{{DType: tir.I32, Shape: s}}, err
}

// inferQLinear is Infer of QLinearMatMul and QLinearConv.
func inferQLinear(n *graph.Node) ([]op.Type, error) {
	s, err := productShape(n, n.Op == "QLinearConv", n.Inputs[0], n.Inputs[3])
	for i := 1; i < 3 && err == nil; i++ { // scale and zero point
		err = fitOperands(n.Op == "QLinearConv", operand{n.Inputs[0], n.Inputs[i]}, operand{n.Inputs[3], n.Inputs[3+i]})
	}
	for i, v := range n.Inputs[:8] { // scales and zero points that ONNX has as vectors, too, but the program has not
		if single := i > 5 || i == 1 && n.Op == "QLinearConv"; single && v.Elems() != 1 && err == nil {
			err = op.Unsupported("input %d, %s, which is not one number,", i, v)
		}
	}
	return []op.Type{{DType: n.Inputs[7].Type, Shape: s}}, err
}

// An operand is an operand of a product, and its zero point or its scale, which may be nil.
type operand struct{ x, by *graph.Value }

// fitOperands returns an error if a zero point or a scale is neither one number, nor a vector along the rows of x or
// the columns of w (of a convolution: along its channels), nor of a shape that broadcasts to its operand's.
func fitOperands(conv bool, x, w operand) error {
	fits := func(o operand, dimension int) error {
		if o.by == nil || o.by.Elems() == 1 || len(o.by.Shape) == 1 && len(o.x.Shape) > dimension &&
			o.by.Shape[0] == o.x.Shape[dimension] {
			return nil
		}
		if s, err := array.Broadcast(o.x.Shape, o.by.Shape); err == nil && len(o.by.Shape) > 1 && slices.Equal(s, o.x.Shape) {
			return nil
		}
		return fmt.Errorf("%s does not fit %s: it must be one number, or one for each row or channel", o.by, o.x)
	}
	if conv {
		return cmp.Or(fits(x, 1), fits(w, 0))
	}
	rows, columns := len(x.x.Shape)-2, len(w.x.Shape)-1
	if rows < 0 {
		rows = len(x.x.Shape) // a vector has no rows, and one by a vector no columns
	}
	if columns == 0 {
		columns = 1
	}
	return cmp.Or(fits(x, rows), fits(w, columns))
}

// productShape returns the shape of the product or the convolution of two operands.
func productShape(n *graph.Node, conv bool, x, w *graph.Value) ([]int64, error) {
	for _, v := range []*graph.Value{x, w} {
		if !v.Type.IsInt() || v.Type.Bytes() != 1 {
			return nil, op.Unsupported("an operand of type %s", v.Type)
		}
	}
	k := &graph.Node{Op: "MatMul", Version: 13, Attrs: n.Attrs}
	if conv {
		k.Op = "Conv"
	}
	for _, v := range []*graph.Value{x, w} {
		k.Inputs = append(k.Inputs, &graph.Value{Name: v.Name, Type: tir.F32, Shape: v.Shape, Ranked: true})
	}
	k.Outputs = []*graph.Value{{Name: "product"}}
	r, err := op.Find(k)
	if err != nil {
		return nil, err
	}
	t, err := r.Infer(k)
	if err != nil {
		return nil, err
	}
	return t[0].Shape, nil
}

// shapedAlong returns a vector as a tensor of a rank that has it along a dimension, and everything else as it is.
func shapedAlong(d *op.Decomposer, v *graph.Value, rank, dimension int) *graph.Value {
	if len(v.Shape) != 1 || v.Elems() == 1 {
		return v
	}
	shape := array.Ones(rank)
	shape[dimension] = v.Shape[0]
	return d.Reshape(v, shape...)
}

// lastBut returns a dimension counted from the end, of a tensor that has it.
func lastBut(v *graph.Value, k int) int { return max(len(v.Shape)-1-k, 0) }

// decomposeInteger multiplies the bytes as they are, and corrects the sums by the zero points:
//
//	y = MatMulInteger(x: uint8, w: int8, zx, zw)
//	=>
//	p = MatMul(x, w): int32; y = p - zx*sum(w - zw) - sum(x)*zw
//
// The kernel of the product takes these off; what is constant is one vector. Bytes of x that have a sign, and bytes of
// w that have none, are moved by 128, and so are their zero points: instructions for sums of bytes multiply uint8 by
// int8. Images are padded with their zero point, so the sums are those of whole windows.
func decomposeInteger(d *op.Decomposer) error {
	x, w, bias := operand{d.Input(0), d.Input(2)}, operand{d.Input(1), d.Input(3)}, d.Input(4)
	switch conv := d.Node.Op == "ConvInteger"; {
	case !conv && len(x.x.Shape) > 1 && len(w.x.Shape) > 1 && x.simple() && w.simple():
		d.Output(integerMatMul(d, x, w))
	case !conv:
		y := d.Two("MatMul", shifted(d, x, lastBut(x.x, 1)), shifted(d, w, lastBut(w.x, 0)))
		d.Output(d.Reshape(y, d.Node.Outputs[0].Shape...))
	default:
		y := (*graph.Value)(nil)
		if (x.by == nil || x.by.Elems() == 1) && w.simple() {
			y = integerConv(d, x, w, bias)
		}
		if y == nil {
			y = d.Apply("Conv", []*graph.Value{shifted(d, x, 1), shifted(d, w, 0), bias}, d.Node.Attrs...)
		}
		d.Output(y)
	}
	return nil
}

// simple reports whether an operand has one zero point, or a vector of them.
func (o operand) simple() bool { return o.by == nil || len(o.by.Shape) <= 1 }

// constantly reports whether v is a constant of one number, or is left out, which is 0.
func constantly(number int64, v *graph.Value) bool {
	return v == nil && number == 0 || v != nil && v.Const != nil &&
		!slices.ContainsFunc(v.Const.Tensor().I, func(x int64) bool { return x != number })
}

// shifted returns an operand less its zero point, as int32. A zero point that is a vector lies along a dimension.
func shifted(d *op.Decomposer, o operand, along int) *graph.Value {
	wide := d.Cast(o.x, tir.I32)
	if constantly(0, o.by) {
		return wide
	}
	return d.Two("Sub", wide, shapedAlong(d, d.Cast(o.by, tir.I32), len(o.x.Shape), along))
}

// signed returns x as uint8 and w as int8, with zero points alike. Constant weights less their zero points have none,
// if int8 holds them.
func signed(d *op.Decomposer, x, w operand, along int) (operand, operand) {
	flip := func(v *graph.Value, t tir.DType) *graph.Value {
		return d.Two("BitwiseXor", d.Cast(v, t), d.Const(graph.Scalar(t, float64(array.Wrap(t, 128)))))
	}
	move := func(o operand, t tir.DType) operand {
		if o.by == nil {
			o.by = d.Const(graph.Scalar(o.x.Type, 0))
		}
		if o.x.Type != t {
			o = operand{flip(o.x, t), flip(o.by, t)}
		}
		return o
	}
	if w.x.Const != nil && (w.by == nil || w.by.Const != nil) && !(w.x.Type == tir.I8 && constantly(0, w.by)) {
		less := shifted(d, w, along).Const.Tensor()
		if !slices.ContainsFunc(less.I, func(v int64) bool { return v < -128 || v > 127 }) {
			less.Type = tir.I8
			w = operand{x: d.Const(less)}
		}
	}
	return move(x, tir.U8), move(w, tir.I8)
}

// wide returns a zero point as int32.
func (o operand) wide(d *op.Decomposer) *graph.Value { return d.Cast(o.by, tir.I32) }

// sums adds up what an operand less its zero point has along dimensions, as int32.
func sums(d *op.Decomposer, o operand, along int, dimensions ...int64) *graph.Value {
	if o.x.Const != nil && constantly(0, o.by) {
		return d.Const(sumsOfBytes(o.x.Const, int(dimensions[0]), len(dimensions)))
	}
	return d.ApplyAt(13, "ReduceSum", 1, []*graph.Value{shifted(d, o, along), d.Const(graph.Ints(dimensions...))})[0]
}

// sumsOfBytes adds up a constant of int8 or uint8 along n neighbouring dimensions, which become 1.
func sumsOfBytes(c *graph.Const, first, n int) *graph.Tensor {
	shape := slices.Clone(c.Shape)
	count, inner := int(graph.Elems(shape[first:first+n])), int(graph.Elems(shape[first+n:]))
	copy(shape[first:], array.Ones(n))
	r := graph.NewTensor(tir.I32, shape...)
	for at := 0; at < len(c.Data); at += inner { // a run of neighbours is added to one of sums
		to := r.I[at/(count*inner)*inner:][:inner]
		for i, b := range c.Data[at : at+inner] {
			if c.Type == tir.I8 {
				to[i] += int64(int8(b))
			} else {
				to[i] += int64(b)
			}
		}
	}
	return r
}

func integerMatMul(d *op.Decomposer, x, w operand) *graph.Value {
	rows, columns := lastBut(x.x, 1), lastBut(w.x, 0)
	x, w = signed(d, x, w, columns)
	y := d.Two("MatMul", x.x, w.x)
	if !constantly(0, x.by) {
		perColumn := sums(d, w, columns, int64(lastBut(w.x, 1)))
		y = d.Two("Sub", y, d.Two("Mul", shapedAlong(d, x.wide(d), len(x.x.Shape), rows), perColumn))
	}
	if !constantly(0, w.by) {
		perRow := sums(d, operand{x: x.x}, 0, int64(lastBut(x.x, 0)))
		y = d.Two("Sub", y, d.Two("Mul", perRow, shapedAlong(d, w.wide(d), len(w.x.Shape), columns)))
	}
	return y
}

// integerConv is nil if weights of several groups have zero points: no other sums are those of the groups.
func integerConv(d *op.Decomposer, x, w operand, bias *graph.Value) *graph.Value {
	x, w = signed(d, x, w, 0)
	if d.Node.Int("group", 1) > 1 && !constantly(0, w.by) {
		return nil
	}
	in := []*graph.Value{x.x, w.x, bias, d.Reshape(x.by)}
	rank := len(w.x.Shape)
	var perChannel *graph.Value
	if !constantly(0, x.by) {
		perChannel = d.Two("Mul", d.Reshape(x.wide(d)), sums(d, w, 0, array.UpTo(int64(rank))[1:]...))
		perChannel = d.Reshape(perChannel, w.x.Shape[0])
		if perChannel.Const != nil && (bias == nil || bias.Const != nil) {
			if bias == nil {
				bias = d.Number(perChannel, 0)
			}
			in[2], perChannel = d.Two("Sub", bias, perChannel), nil
		}
	}
	y := d.Apply("Conv", in, d.Node.Attrs...)
	if perChannel != nil {
		y = d.Two("Sub", y, shapedAlong(d, perChannel, rank, 1))
	}
	if !constantly(0, w.by) {
		ones := graph.NewTensor(tir.I8, append([]int64{1}, w.x.Shape[1:]...)...)
		for i := range ones.I {
			ones.I[i] = 1
		}
		windows := d.Apply("Conv", []*graph.Value{x.x, d.Const(ones), nil, in[3]}, d.Node.Attrs...)
		y = d.Two("Sub", y, d.Two("Mul", windows, shapedAlong(d, w.wide(d), rank, 1)))
	}
	return y
}

func decomposeQLinearMatMul(d *op.Decomposer) error {
	product := d.Apply("MatMulInteger", []*graph.Value{d.Input(0), d.Input(3), d.Input(2), d.Input(5)})
	rows, columns := d.Input(1), d.Input(4)
	if rank := len(product.Shape); rank > 1 {
		rows, columns = shapedAlong(d, rows, rank, rank-2), shapedAlong(d, columns, rank, rank-1)
	}
	d.Output(d.Reshape(requantized(d, product, d.Two("Mul", rows, columns), lastBut(product, 0)), product.Shape...))
	return nil
}

func decomposeQLinearConv(d *op.Decomposer) error {
	in := []*graph.Value{d.Input(0), d.Input(3), d.Input(2), d.Input(5), d.Input(8)}
	product := d.Apply("wmtune.ConvInteger", in, d.Node.Attrs...)
	scale := d.Two("Mul", d.Input(1), shapedAlong(d, d.Input(4), len(product.Shape), 1))
	d.Output(requantized(d, product, scale, 1))
	return nil
}

// requantized returns a product times a scale, quantized by inputs 6 and 7 of the node. A factor is a vector, which is
// an operand of the kernel, so that layers share it; a number would be a part of its program.
func requantized(d *op.Decomposer, product, scale *graph.Value, channel int) *graph.Value {
	to := d.Input(6)
	factor := d.Apply("Div", []*graph.Value{d.Cast(scale, tir.F32), d.Cast(to, tir.F32)})
	if channel < len(product.Shape) && factor.Elems() == 1 {
		factor = shapedAlong(d, d.Repeated(factor, product.Shape[channel]), len(product.Shape), channel)
	}
	x := d.Apply("Mul", []*graph.Value{d.Cast(product, tir.F32), factor})
	one := d.Const(&graph.Tensor{Type: tir.F32, F: []float64{1}})
	return d.Apply("QuantizeLinear", []*graph.Value{x, one, d.Input(7)})
}
