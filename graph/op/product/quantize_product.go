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

// A product of quantized operands takes the zero points off, as int32, and multiplies int32.

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

// shifted returns a quantized operand less its zero point, as int32. A zero point that is a vector lies along an axis
// of the operand.
func shifted(d *op.Decomposer, x, zero *graph.Value, along int) *graph.Value {
	wide := d.Cast(x, tir.I32)
	if zero == nil {
		return wide
	}
	return d.Apply("Sub", []*graph.Value{wide, shapedAlong(d, d.Cast(zero, tir.I32), len(x.Shape), along)})
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

func decomposeMatMulInteger(d *op.Decomposer) error {
	product := integerMatMul(d, d.Input(0), d.Input(2), d.Input(1), d.Input(3))
	d.Output(d.Reshape(product, d.Node.Outputs[0].Shape...))
	return nil
}

func integerMatMul(d *op.Decomposer, a, aZero, b, bZero *graph.Value) *graph.Value {
	return d.Apply("MatMul", []*graph.Value{shifted(d, a, aZero, lastBut(a, 1)), shifted(d, b, bZero, lastBut(b, 0))})
}

func decomposeConvInteger(d *op.Decomposer) error {
	d.Output(integerConv(d, d.Input(0), d.Input(2), d.Input(1), d.Input(3), nil))
	return nil
}

func integerConv(d *op.Decomposer, x, xZero, w, wZero, bias *graph.Value) *graph.Value {
	in := []*graph.Value{shifted(d, x, xZero, 1), shifted(d, w, wZero, 0)}
	if bias != nil {
		in = append(in, bias)
	}
	return d.Apply("Conv", in, d.Node.Attrs...)
}

func decomposeQLinearMatMul(d *op.Decomposer) error {
	a, b := d.Input(0), d.Input(3)
	product := integerMatMul(d, a, d.Input(2), b, d.Input(5))
	rank := len(product.Shape)
	scale := d.Apply("Mul", []*graph.Value{
		shapedAlong(d, d.Input(1), rank, max(rank-2, 0)), shapedAlong(d, d.Input(4), rank, max(rank-1, 0)),
	})
	d.Output(d.Reshape(requantized(d, product, scale), d.Node.Outputs[0].Shape...))
	return nil
}

func decomposeQLinearConv(d *op.Decomposer) error {
	product := integerConv(d, d.Input(0), d.Input(2), d.Input(3), d.Input(5), d.Input(8))
	scale := d.Apply("Mul", []*graph.Value{d.Input(1), shapedAlong(d, d.Input(4), len(product.Shape), 1)})
	d.Output(requantized(d, product, scale))
	return nil
}

// requantized returns a product times a scale, quantized by inputs 6 and 7 of the node.
func requantized(d *op.Decomposer, product, scale *graph.Value) *graph.Value {
	to := d.Input(6)
	factor := d.Apply("Div", []*graph.Value{d.Cast(scale, tir.F32), d.Cast(to, tir.F32)})
	x := d.Apply("Mul", []*graph.Value{d.Cast(product, tir.F32), factor})
	one := d.Const(&graph.Tensor{Type: tir.F32, F: []float64{1}})
	return d.Apply("QuantizeLinear", []*graph.Value{x, one, d.Input(7)})
}
