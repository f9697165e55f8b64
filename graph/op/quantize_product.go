package op

import (
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// A product of quantized operands takes the zero points off, as int32, and multiplies int32.

// inferIntegerProduct is Infer of MatMulInteger and ConvInteger.
func inferIntegerProduct(n *graph.Node) ([]Type, error) {
	if err := need(n, 2); err != nil {
		return nil, err
	}
	s, err := productShape(n, n.Op == "ConvInteger", n.Inputs[0], n.Inputs[1])
	return []Type{{DType: tir.I32, Shape: s}}, err
}

// inferQLinear is Infer of QLinearMatMul and QLinearConv.
func inferQLinear(n *graph.Node) ([]Type, error) {
	if err := need(n, 8); err != nil {
		return nil, err
	}
	s, err := productShape(n, n.Op == "QLinearConv", n.Inputs[0], n.Inputs[3])
	return []Type{{DType: n.Inputs[7].Type, Shape: s}}, err
}

// productShape returns the shape of the product or the convolution of two operands.
func productShape(n *graph.Node, conv bool, x, w *graph.Value) ([]int64, error) {
	for _, v := range []*graph.Value{x, w} {
		if !v.Type.IsInt() || v.Type.Bytes() != 1 {
			return nil, Unsupported("an operand of type %s", v.Type)
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
	r, err := Find(k)
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
func (d *Decomposer) shifted(x, zero *graph.Value, along int) *graph.Value {
	wide := d.cast(x, tir.I32)
	if zero == nil {
		return wide
	}
	return d.Apply("Sub", []*graph.Value{wide, d.along(d.cast(zero, tir.I32), len(x.Shape), along)})
}

// along returns a vector as a tensor of a rank that has it along a dimension, and everything else as it is.
func (d *Decomposer) along(v *graph.Value, rank, dimension int) *graph.Value {
	if len(v.Shape) != 1 || v.Shape[0] == 1 {
		return v
	}
	shape := ones(rank)
	shape[dimension] = v.Shape[0]
	return d.reshape(v, shape...)
}

// lastBut returns a dimension counted from the end, of a tensor that has it.
func lastBut(v *graph.Value, k int) int { return max(len(v.Shape)-1-k, 0) }

func decomposeMatMulInteger(d *Decomposer) error {
	d.Output(d.integerMatMul(d.Input(0), d.Input(2), d.Input(1), d.Input(3)))
	return nil
}

func (d *Decomposer) integerMatMul(a, aZero, b, bZero *graph.Value) *graph.Value {
	return d.Apply("MatMul", []*graph.Value{d.shifted(a, aZero, lastBut(a, 1)), d.shifted(b, bZero, lastBut(b, 0))})
}

func decomposeConvInteger(d *Decomposer) error {
	d.Output(d.integerConv(d.Input(0), d.Input(2), d.Input(1), d.Input(3), nil))
	return nil
}

func (d *Decomposer) integerConv(x, xZero, w, wZero, bias *graph.Value) *graph.Value {
	in := []*graph.Value{d.shifted(x, xZero, 1), d.shifted(w, wZero, 0)}
	if bias != nil {
		in = append(in, bias)
	}
	return d.Apply("Conv", in, d.Node.Attrs...)
}

func decomposeQLinearMatMul(d *Decomposer) error {
	a, b := d.Input(0), d.Input(3)
	product := d.integerMatMul(a, d.Input(2), b, d.Input(5))
	rank := len(product.Shape)
	scale := d.Apply("Mul", []*graph.Value{
		d.along(d.Input(1), rank, max(rank-2, 0)), d.along(d.Input(4), rank, max(rank-1, 0)),
	})
	d.Output(d.requantized(product, scale))
	return nil
}

func decomposeQLinearConv(d *Decomposer) error {
	product := d.integerConv(d.Input(0), d.Input(2), d.Input(3), d.Input(5), d.Input(8))
	scale := d.Apply("Mul", []*graph.Value{d.Input(1), d.along(d.Input(4), len(product.Shape), 1)})
	d.Output(d.requantized(product, scale))
	return nil
}

// requantized returns a product times a scale, quantized by inputs 6 and 7 of the node.
func (d *Decomposer) requantized(product, scale *graph.Value) *graph.Value {
	to := d.Input(6)
	factor := d.Apply("Div", []*graph.Value{d.cast(scale, tir.F32), d.cast(to, tir.F32)})
	x := d.Apply("Mul", []*graph.Value{d.cast(product, tir.F32), factor})
	one := d.Const(&graph.Tensor{Type: tir.F32, F: []float64{1}})
	return d.Apply("QuantizeLinear", []*graph.Value{x, one, d.Input(7)})
}
