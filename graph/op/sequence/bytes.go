package sequence

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// decomposeBytes is Decompose of DynamicQuantizeLSTM, which multiplies bytes: all of the input is quantized at once,
// and the state before each step. ONNX Runtime finds the range of the state of all sequences that a thread has; here it
// is that of one.
func decomposeBytes(d *op.Decomposer) error {
	a, err := rnnOf(d.Node)
	if err != nil {
		return err
	}
	rows := a.gates * a.width
	x := d.ApplyN("DynamicQuantizeLinear", 3, []*graph.Value{timeFirst(d, a, d.Input(0))})
	w := d.Reshape(d.Transpose(d.Input(1), []int64{1, 0, 2}), a.features, a.directions*rows)
	scale, zero := columns(d, a, d.Input(8)), columns(d, a, d.Input(9))
	product := d.Apply("MatMulInteger", []*graph.Value{d.Reshape(x[0], a.time*a.batch, a.features), w, x[2], zero})
	y := d.Two("Mul", d.Cast(product, scale.Type), d.Two("Mul", x[1], scale))
	if bias, _ := biases(d, a); bias != nil {
		y = d.Two("Add", y, bias)
	}
	r, zero := signed(d, d.Transpose(d.Input(2), []int64{0, 2, 1})), d.Cast(columns(d, a, d.Input(11)), tir.I32)
	if d.Input(2).Type == tir.U8 {
		zero = d.Two("Sub", zero, d.Number(zero, 128))
	}
	total := d.Apply("ReduceSum", []*graph.Value{d.Cast(r, tir.I32), d.Const(graph.Ints(2))}, graph.IntAttr("keepdims", 0))
	shape := func(v *graph.Value) *graph.Value { return d.Reshape(v, a.directions, rows) }
	recur(d, a, [Given]*graph.Value{inX: y, inR: packed(d, a, r, a.gates, 4),
		inScale: shape(columns(d, a, d.Input(10))), inZero: shape(zero),
		inTotal: d.Two("Sub", total, d.Two("Mul", shape(zero), d.Number(zero, float64(a.width))))})
	return nil
}

// columns returns a vector with an element for each column of weights, of one that may have one a direction.
func columns(d *op.Decomposer, a *rnn, v *graph.Value) *graph.Value {
	if rows := a.gates * a.width; v.Elems() == a.directions {
		return d.Repeated(v, rows)
	}
	return d.Reshape(v, v.Elems())
}

// signed returns bytes as int8: those without a sign less 128.
func signed(d *op.Decomposer, v *graph.Value) *graph.Value {
	if v.Type == tir.I8 {
		return v
	}
	wide := d.Cast(v, tir.I32)
	return d.Cast(d.Two("Sub", wide, d.Number(wide, 128)), tir.I8)
}

// evalBytes is the reference of DynamicQuantizeLSTM: that of an LSTM of the numbers that the bytes stand for.
func evalBytes(a *rnn, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	in = slices.Clone(in)
	x := graph.NewTensor(in[0].Type, in[0].Shape...)
	x.F = asBytes(in[0].F)
	in[0] = x
	for i := 1; i < 3; i++ {
		w, scale, zero := in[i], in[6+2*i], in[7+2*i]
		steps, rows := w.Shape[1], w.Shape[2]
		real := graph.NewTensor(x.Type, a.directions, rows, steps)
		for at := range w.Len() {
			d, k, row := int64(at)/(steps*rows), int64(at)/rows%steps, int64(at)%rows
			of := int(d*rows+row) / (int(a.directions*rows) / scale.Len())
			z := int(d*rows+row) / (int(a.directions*rows) / zero.Len())
			real.F[(d*rows+row)*steps+k] = (w.At(at) - zero.At(z)) * scale.F[of]
		}
		in[i] = real
	}
	return evalRNN(a, call, n, in[:8])
}
