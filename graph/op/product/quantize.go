package product

import (
	"context"
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Quantizing has conversions between real numbers and integers that stand for them by a scale and a zero point, and the
// products of such integers, which are of int32. A quotient by a scale is rounded to the even number, before the zero
// point is added. What is no number becomes the least integer, as in ONNX Runtime. The products of domain wmtune have
// one more input, a bias of int32.
var Quantizing = []op.Row{
	{Op: "QuantizeLinear", Since: 10, In: "T1:N -:N T2:N? | 19 T1:N T1:N T2:N? | 23 T1:N T2:N T3:N?", Infer: inferQuantize,
		Eval: evalQuantize, Body: bodyQuantize},
	{Op: "DequantizeLinear", Since: 10, In: "T:I -:F T:I? | 19 T1:N T2:F T1:N?", Infer: inferDequantize,
		Eval: evalDequantize, Body: bodyDequantize},
	{Op: "wmtune.DequantizeLinear", In: "T1:N T2:F T3:N", Infer: inferDequantize, Eval: evalDequantize,
		Body: bodyDequantize},
	{Op: "MatMulInteger", Since: 10, In: "T1:I T2:I T1:I? T2:I?", Infer: inferIntegerProduct, Eval: evalIntegerProduct,
		Decompose: decomposeInteger},
	{Op: "ConvInteger", Since: 10, In: "T1:I T2:I T1:I? T2:I?", Infer: inferIntegerProduct, Eval: evalIntegerProduct,
		Decompose: decomposeInteger},
	{Op: "wmtune.ConvInteger", In: "T1:I T2:I T1:I? T2:I? T3:I?", Infer: inferIntegerProduct, Eval: evalIntegerProduct,
		Decompose: decomposeInteger},
	{Op: "QLinearMatMul", Since: 10,
		In: "T1:I -:F T1:I T2:I -:F T2:I -:F T3:I | 21 T1:I TS:F T1:I T2:I TS:F T2:I TS:F T3:I", Infer: inferQLinear,
		Eval:      evalQLinear,
		Decompose: decomposeQLinearMatMul},
	{Op: "QLinearConv", Since: 10, In: "T1:I -:F T1:I T2:I -:F T2:I -:F T3:I T4:I?", Infer: inferQLinear,
		Eval: evalQLinear, Decompose: decomposeQLinearConv},
}

// A grain says which element of a scale is for an element of a tensor.
type grain struct {
	axis  int   // -1: one scale for all
	block int64 // of elements along the axis that have one scale; 0: the scale is a vector along the axis
}

// grainOf returns the grain of a node's scale.
func grainOf(n *graph.Node, x, scale []int64) (grain, error) {
	if graph.Elems(scale) == 1 && len(scale) <= 1 {
		return grain{axis: -1}, nil
	}
	d, err := array.Axis(n.Int("axis", 1), len(x))
	if err != nil && len(x) == 1 {
		d, err = 0, nil
	}
	if err != nil {
		return grain{}, err
	}
	block := n.Int("block_size", 0)
	if len(scale) == 1 && block == 0 {
		if scale[0] != x[d] {
			return grain{}, fmt.Errorf("a scale of %d elements for axis %d of %v", scale[0], d, x)
		}
		return grain{axis: d}, nil
	}
	ok := block > 0 && len(scale) == len(x)
	for i := range scale {
		want := int64(0)
		if ok {
			if want = x[i]; i == d {
				want = (want + block - 1) / block
			}
		}
		ok = ok && scale[i] == want
	}
	if !ok {
		return grain{}, fmt.Errorf("a scale of shape %v for an operand of shape %v in blocks of %d along axis %d", scale, x,
			block, d)
	}
	return grain{axis: d, block: block}, nil
}

// at returns where the scale, of so many dimensions, is read for a position of the tensor.
func (g grain) at(rank int, at []tir.Expr) []tir.Expr {
	switch {
	case g.axis < 0:
		return Zeros(rank)
	case g.block == 0:
		return []tir.Expr{at[g.axis]}
	}
	index := append([]tir.Expr(nil), at...)
	index[g.axis] = tir.Bin(tir.FloorDiv, at[g.axis], tir.Int(g.block))
	return index
}

// grainPart is how many elements a goroutine takes at a time.
const grainPart = 1 << 14

// runs calls do for runs of elements from..to-1 of a tensor of a shape, for many at once. The first element of a run
// has the scale at offset at, and the others follow in steps of 0 or 1.
func (g grain) runs(ctx context.Context, x, scale []int64, do func(from, to, at, step int)) error {
	count, n, scales, inner, block := int(graph.Elems(x)), 1, 1, 1, 1
	if g.axis >= 0 {
		n, inner = int(x[g.axis]), int(graph.Elems(x[g.axis+1:]))
	}
	if g.block > 0 {
		block, scales = int(g.block), int(scale[g.axis])
	}
	return array.Parallel(ctx, (count+grainPart-1)/grainPart, func(part int) {
		for i, end := part*grainPart, min((part+1)*grainPart, count); i < end; {
			outer, p, rest := i/inner/n, i/inner%n, i%inner
			to, at, step := end, p, 0
			switch {
			case g.axis < 0:
				at = 0
			case g.block > 0 && inner == 1:
				at, to = outer*scales+p/block, i+min(block-p%block, n-p)
			case g.block > 0:
				at, to, step = (outer*scales+p/block)*inner+rest, i+inner-rest, 1
			case inner == 1:
				to, step = i+n-p, 1
			default:
				to = i + inner - rest
			}
			to = min(to, end)
			do(i, to, at, step)
			i = to
		}
	})
}

// checkScale checks the scale and the zero point of a node, which are inputs 1 and 2.
func checkScale(n *graph.Node) error {
	scale, zero := n.Inputs[1], n.Input(2)
	if !scale.Type.IsFloat() {
		return op.Unsupported("a scale of type %s", scale.Type)
	}
	if zero != nil && fmt.Sprint(zero.Shape) != fmt.Sprint(scale.Shape) && (zero.Elems() != 1 || scale.Elems() != 1) {
		return fmt.Errorf("the scale has shape %v, and the zero point %v", scale.Shape, zero.Shape)
	}
	_, err := grainOf(n, n.Inputs[0].Shape, scale.Shape)
	return err
}

func inferQuantize(n *graph.Node) ([]op.Type, error) {
	if err := checkScale(n); err != nil {
		return nil, err
	}
	t, err := op.ElementAttr(n, "output_dtype", tir.U8)
	if zero := n.Input(2); zero != nil {
		t = op.Type{DType: zero.Type, Narrow: zero.Narrow}
	}
	if err == nil && t.Narrow == nil && (!t.DType.IsInt() || t.DType.Bytes() > 2) {
		err = op.Unsupported("a quantization to %s", t.DType)
	}
	t.Shape = n.Inputs[0].Shape
	return []op.Type{t}, err
}

// precision is the type in which a QuantizeLinear divides.
func precision(n *graph.Node, scale tir.DType) (tir.DType, error) {
	return op.TypeAttr(n, "precision", scale)
}

func evalQuantize(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, scale := in[0], in[1]
	g, err := grainOf(n, x.Shape, scale.Shape)
	if err != nil {
		return nil, err
	}
	p, err := precision(n, scale.Type)
	if err != nil {
		return nil, err
	}
	t, err := op.ElementAttr(n, "output_dtype", tir.U8)
	if err != nil {
		return nil, err
	}
	zero := array.Argument(in, 2)
	if zero != nil {
		t = op.Type{DType: zero.Type, Narrow: zero.Narrow}
	}
	r := graph.NewTensor(t.DType, x.Shape...)
	r.Narrow = t.Narrow
	saturate := n.Int("saturate", 1) != 0
	low, high, _ := Limits(t.DType) // of at most 16 bits
	if t.Narrow != nil && t.Narrow.Float == nil {
		l, h := t.Narrow.Range()
		low, high = float64(l), float64(h)
	}
	values, s, z := floats(x), rounded(p, scale.F), zeroPoints(zero, scale)
	return []*graph.Tensor{r}, g.runs(call.Context, x.Shape, scale.Shape, func(from, to, at, step int) {
		for i := from; i < to; i, at = i+1, at+step {
			var q float64
			if p == tir.F32 { // the quotient is the same, and takes half the time
				q = float64(float32(values[i]) / float32(s[at]))
			} else {
				q = tir.Rounded(p, tir.Rounded(p, values[i])/s[at])
			}
			if r.F != nil {
				r.F[i] = t.Narrow.Round(q, saturate)
				continue
			}
			q = math.RoundToEven(q) + z[at]
			if !(q > low) { // or no number
				q = low
			} else if q > high {
				q = high
			}
			r.I[i] = int64(q)
		}
	})
}

// floats returns the elements of a tensor as float64.
func floats(x *graph.Tensor) []float64 {
	if x.F != nil {
		return x.F
	}
	f := make([]float64, len(x.I))
	for i := range f {
		f[i] = x.At(i)
	}
	return f
}

// rounded returns numbers rounded to a type.
func rounded(t tir.DType, list []float64) []float64 {
	r := make([]float64, len(list))
	for i, v := range list {
		r[i] = tir.Rounded(t, v)
	}
	return r
}

// zeroPoints returns the zero point for each element of a scale.
func zeroPoints(zero, scale *graph.Tensor) []float64 {
	if zero == nil {
		return make([]float64, scale.Len())
	}
	return floats(zero)
}

// narrowed is x rounded to type t, in the type that t is computed in.
func narrowed(x tir.Expr, t tir.DType) tir.Expr { return Cast(Cast(x, t), Register(t)) }

func bodyQuantize(b *op.Body) error {
	x, scale := b.Node.Inputs[0], b.Node.Inputs[1]
	g, err := grainOf(b.Node, x.Shape, scale.Shape)
	if err != nil {
		return err
	}
	p, err := precision(b.Node, scale.Type)
	if err != nil {
		return err
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		place := g.at(len(scale.Shape), at)
		v := narrowed(b.Read(0, at...), p)
		if one, ok := b.Scalar(1); !ok || one != 1 {
			v = narrowed(Quo(v, narrowed(b.Parameter(1, place...), p)), p)
		}
		narrow := b.Node.Outputs[0].Narrow
		if narrow != nil && narrow.Float != nil {
			return NarrowTo(v, narrow, b.Node.Int("saturate", 1) != 0)
		}
		q := Fn(tir.RoundEven, v)
		if zero := b.Node.Input(2); zero != nil {
			if len(zero.Shape) != len(scale.Shape) {
				place = Zeros(len(zero.Shape))
			}
			q = Add(q, Cast(b.Parameter(2, place...), q.DType()))
		}
		t := b.Node.Outputs[0].Type
		low, high, _ := Limits(t)
		if narrow != nil {
			least, most := narrow.Range()
			low, high = float64(least), float64(most)
		}
		return Clamped(q, t, low, high)
	})
	return nil
}

func inferDequantize(n *graph.Node) ([]op.Type, error) {
	if err := checkScale(n); err != nil {
		return nil, err
	}
	x := n.Inputs[0]
	held := x.Type.IsInt() && x.Type.Bytes() <= 4 || x.Narrow != nil
	if zero := n.Input(2); !held || zero != nil && zero.Type != x.Type && n.Domain == "" {
		return nil, op.Unsupported("a quantized operand of type %s", x.Type)
	}
	t, err := op.TypeAttr(n, "output_dtype", n.Inputs[1].Type)
	if err == nil && !t.IsFloat() {
		err = fmt.Errorf("output_dtype is %s: it must be a type of floats", t)
	}
	return []op.Type{{DType: t, Shape: x.Shape}}, err
}

func evalDequantize(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, scale := in[0], in[1]
	g, err := grainOf(n, x.Shape, scale.Shape)
	if err != nil {
		return nil, err
	}
	t, err := op.TypeAttr(n, "output_dtype", scale.Type)
	if err != nil {
		return nil, err
	}
	r, z := graph.NewTensor(t, x.Shape...), zeroPoints(array.Argument(in, 2), scale)
	return []*graph.Tensor{r}, g.runs(call.Context, x.Shape, scale.Shape, func(from, to, at, step int) {
		if x.F != nil {
			for i := from; i < to; i, at = i+1, at+step {
				r.F[i] = (x.F[i] - z[at]) * scale.F[at]
			}
			return
		}
		for i := from; i < to; i, at = i+1, at+step { // of at most 32 bits
			r.F[i] = (float64(x.I[i]) - z[at]) * scale.F[at]
		}
	})
}

func bodyDequantize(b *op.Body) error {
	x, scale := b.Node.Inputs[0], b.Node.Inputs[1]
	g, err := grainOf(b.Node, x.Shape, scale.Shape)
	if err != nil {
		return err
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		place := g.at(len(scale.Shape), at)
		t := tir.I32
		if z := b.Node.Input(2); x.Type.IsFloat() || z != nil && z.Type.IsFloat() {
			t = tir.F32
		}
		v := Cast(b.Read(0, at...), t)
		if zero := b.Node.Input(2); zero != nil {
			zeros := place
			if len(zero.Shape) != len(scale.Shape) {
				zeros = Zeros(len(zero.Shape))
			}
			v = Sub(v, Cast(b.Parameter(2, zeros...), t))
		}
		if one, ok := b.Scalar(1); ok && one == 1 {
			return Cast(v, Register(scale.Type))
		}
		s := b.Parameter(1, place...)
		return Mul(Cast(v, s.DType()), s)
	})
	return nil
}
