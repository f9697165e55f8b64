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

// Quantized has operators of quantized numbers that ONNX has for real ones. A scale and a zero point, which may be left
// out, follow each operand.
var Quantized = []op.Row{
	quantized{onnx: "Add", operands: []int{0, 3}, to: 6}.row("QLinearAdd", "T:I -:F T:I? T:I -:F T:I? -:F T:I?"),
	quantized{onnx: "Mul", operands: []int{0, 3}, to: 6}.row("QLinearMul", "T:I -:F T:I? T:I -:F T:I? -:F T:I?"),
	quantized{onnx: "Where", first: 1, operands: []int{1, 4}, to: 7}.row("QLinearWhere",
		"B:B T:I -:F T:I T:I -:F T:I -:F T:I"),
	quantized{onnx: "Concat", to: 0}.row("QLinearConcat", "-:F T:I -:A*"),
	quantized{onnx: "Sigmoid", operands: []int{0}, to: 3}.row("QLinearSigmoid", "T:I -:F T:I? -:F T:I?"),
	quantized{onnx: "LeakyRelu", operands: []int{0}, to: 3}.row("QLinearLeakyRelu", "T:I -:F T:I? -:F T:I?"),
	quantized{onnx: "Softmax", operands: []int{0}, to: 3}.row("QLinearSoftmax", "T:I -:F T:I? -:F T:I"),
	quantized{onnx: "AveragePool", operands: []int{0}, to: 3}.row("QLinearAveragePool", "T:I -:F T:I? -:F T:I?"),
	quantized{onnx: "GlobalAveragePool", operands: []int{0}, to: 3}.row("QLinearGlobalAveragePool", "T:I -:F T:I -:F T:I"),
}

// quantized says how an operator of quantized numbers computes: as one of ONNX's does of the numbers that they stand
// for. Both forms of it name the operator; its program and its reference share nothing.
type quantized struct {
	onnx     string
	first    int   // inputs before the first operand that are as they are
	operands []int // nil: every third input from 2 on
	to       int   // the scale of the result
}

func (q quantized) row(name, in string) op.Row {
	return row(domain+name, in, q.decompose, q.eval)
}

// places are the inputs that are operands.
func (q quantized) places(n *graph.Node) []int {
	list := q.operands
	for i := 2; q.operands == nil && i+1 < len(n.Inputs); i += 3 {
		list = append(list, i)
	}
	return list
}

// attrs are those of ONNX's operator, and its version: softmaxes were other ones before version 13.
func (q quantized) attrs(n *graph.Node) (version int, attrs []graph.Attr) {
	if q.onnx == "Softmax" {
		return int(n.Int("opset", op.Newest)), []graph.Attr{graph.IntAttr("axis", n.Int("axis", -1))}
	}
	return op.Newest, only(n, append([]string{"alpha", "axis"}, convAttrs...))
}

func (q quantized) decompose(d *op.Decomposer) error {
	if q.onnx == "GlobalAveragePool" && len(d.Input(0).Shape) > 2 && q.sumsBytes(d) {
		return nil
	}
	in := slices.Clone(d.Node.Inputs[:q.first])
	places := q.places(d.Node)
	if len(places) == 0 {
		return fmt.Errorf("%d inputs: a scale and a zero point follow each operand", len(d.Node.Inputs))
	}
	for _, i := range places {
		x := d.Apply("DequantizeLinear", []*graph.Value{d.Input(i), d.Input(i + 1), d.Input(i + 2)})
		first, _ := channels(d.Node, len(x.Shape)) // operands that broadcast may have fewer dimensions
		in = append(in, d.Transpose(x, first))
	}
	version, attrs := q.attrs(d.Node)
	y := d.ApplyAt(version, q.onnx, 1, in, attrs...)[0]
	_, back := channels(d.Node, len(y.Shape))
	zero := d.Input(q.to + 1)
	if zero == nil {
		zero = d.Number(d.Input(places[0]), 0)
	}
	d.Output(d.Apply("QuantizeLinear", []*graph.Value{d.Transpose(y, back), d.Input(q.to), zero}))
	return nil
}

// sumsBytes averages images of bytes by sums of int32, which are exact, and reports whether it did: a sum of so many
// bytes must fit.
func (q quantized) sumsBytes(d *op.Decomposer) bool {
	x := d.Input(0)
	last := len(x.Shape) - 1
	axes := []int64{}
	for a := 2; a <= last; a++ {
		axes = append(axes, int64(a)-d.Node.Int("channels_last", 0))
	}
	count := int64(1)
	for _, a := range axes {
		count *= x.Shape[a]
	}
	if x.Type.Bits() != 8 || count < 1 || count > math.MaxInt32/256 || len(d.Input(2).Shape) > 0 {
		return false
	}
	sum := d.Apply("ReduceSum", []*graph.Value{d.Cast(x, tir.I32), d.Const(graph.Ints(axes...))})
	zero := d.Cast(d.Input(2), tir.I32)
	sum = d.Two("Sub", sum, d.Two("Mul", zero, d.Number(zero, float64(count))))
	mean := d.Two("Mul", d.Cast(sum, d.Input(1).Type), d.Input(1))
	mean = d.Two("Div", mean, d.Number(mean, float64(count)))
	d.Output(d.Apply("QuantizeLinear", []*graph.Value{mean, d.Input(q.to), d.Input(q.to + 1)}))
	return true
}

// eval computes with numbers that are rounded as float32 is: one that is halfway between two integers must come out on
// the same side.
func (q quantized) eval(r *reference) []*graph.Tensor {
	round := func(v float64) float64 { return float64(float32(v)) }
	in := slices.Clone(r.in[:q.first])
	places := q.places(r.Node)
	for _, i := range places {
		x := r.one("DequantizeLinear", []*graph.Tensor{r.in[i], r.in[i+1], r.input(i + 2)})
		first, _ := channels(r.Node, len(x.Shape))
		in = append(in, r.transposed(mapped(x, round), first))
	}
	version, attrs := q.attrs(r.Node)
	y := mapped(r.doAt(version, q.onnx, in, attrs...)[0], round)
	_, back := channels(r.Node, len(y.Shape))
	y = r.transposed(y, back)
	zero := r.input(q.to + 1)
	if zero == nil {
		zero = graph.NewTensor(r.in[places[0]].Type)
	}
	return r.do("QuantizeLinear", []*graph.Tensor{y, r.in[q.to], zero})
}

// Products has products of quantized matrices whose results are real numbers, or quantized.
var Products = []op.Row{
	row(domain+"QGemm", "TA:I T:F TA:I TB:I T:F TB:I TC:I? T:F? TY:I?", decomposeQGemm, evalQGemm),
	row(domain+"MatMulIntegerToFloat", "T1:I T2:I T3:F T3:F T1:I? T2:I? T3:F?", func(d *op.Decomposer) error {
		scale := d.Two("Mul", d.Input(2), d.Input(3))
		d.Output(sum(d, realProduct(d, d.Input(0), d.Input(4), d.Input(1), d.Input(5), nil, scale), d.Input(6)))
		return nil
	}, func(r *reference) []*graph.Tensor {
		p := scaled(r.product(r.in[0], r.input(4), r.in[1], r.input(5)), r.in[2])
		return []*graph.Tensor{added(scaled(p, r.in[3]), r.input(6))}
	}),
	row(domain+"DynamicQuantizeMatMul", "T1:F T2:I T1:F T2:I? T1:F?", func(d *op.Decomposer) error {
		x := d.ApplyN("DynamicQuantizeLinear", 3, []*graph.Value{d.Input(0)})
		scale := d.Two("Mul", x[1], d.Input(2))
		d.Output(sum(d, realProduct(d, x[0], x[2], d.Input(1), d.Input(3), nil, scale), d.Input(4)))
		return nil
	}, func(r *reference) []*graph.Tensor {
		x := r.do("DynamicQuantizeLinear", r.in[:1])
		p := scaled(r.product(x[0], x[2], r.in[1], r.input(3)), x[1])
		return []*graph.Tensor{added(scaled(p, r.in[2]), r.input(4))}
	}),
}

// realProduct multiplies integers, adds a bias of integers, which may be nil, and multiplies by a scale.
func realProduct(d *op.Decomposer, a, aZero, b, bZero, bias, scale *graph.Value) *graph.Value {
	product := d.Apply("MatMulInteger", []*graph.Value{a, b, aZero, bZero})
	return d.Two("Mul", d.Cast(sum(d, product, bias), scale.Type), scale)
}

// product returns the product of integers less their zero points, which may be nil, as float32: exact in the
// reference.
func (r *reference) product(a, aZero, b, bZero *graph.Tensor) *graph.Tensor {
	whole := func(x, zero *graph.Tensor) *graph.Tensor {
		y := array.Convert(x, tir.F32)
		for i := 0; zero != nil && i < len(y.F); i++ {
			y.F[i] -= zero.At(i % zero.Len())
		}
		return y
	}
	return r.one("MatMul", []*graph.Tensor{whole(a, aZero), whole(b, bZero)})
}

// operandsOf returns the order of dimensions in which operands A and B of a QGemm are multiplied.
func operandsOf(n *graph.Node) (a, b []int64) {
	order := [][]int64{{0, 1}, {1, 0}}
	return order[n.Int("transA", 0)&1], order[n.Int("transB", 0)&1]
}

func decomposeQGemm(d *op.Decomposer) error {
	n := d.Node
	first, second := operandsOf(n)
	scale := d.Two("Mul", d.Input(1), d.Input(4))
	if alpha := n.Float("alpha", 1); alpha != 1 {
		scale = d.Two("Mul", scale, d.Number(scale, alpha))
	}
	if to := d.Input(7); to != nil {
		scale = d.Two("Div", scale, to)
	}
	a, b := d.Transpose(d.Input(0), first), d.Transpose(d.Input(3), second)
	y := realProduct(d, a, d.Input(2), b, d.Input(5), d.Input(6), scale)
	if zero := d.Input(8); zero != nil {
		y = d.Apply("QuantizeLinear", []*graph.Value{y, d.Number(y, 1), d.Reshape(zero)})
	}
	d.Output(y)
	return nil
}

func evalQGemm(r *reference) []*graph.Tensor {
	first, second := operandsOf(r.Node)
	p := r.product(r.transposed(r.in[0], first), r.in[2], r.transposed(r.in[3], second), r.in[5])
	if c := r.input(6); c != nil {
		p = added(p, array.Convert(c, tir.F64))
	}
	to := float32(1)
	if t := r.input(7); t != nil {
		to = float32(t.F[0])
	}
	y := scaled(p, mapped(r.in[4], func(v float64) float64 {
		return float64(float32(float32(r.in[1].F[0]*v)*float32(r.Float("alpha", 1))) / to)
	}))
	if zero := r.input(8); zero != nil {
		return r.do("QuantizeLinear", []*graph.Tensor{y, graph.Scalar(tir.F32, 1), array.Reshaped(zero, nil)})
	}
	return []*graph.Tensor{y}
}
