package image

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/window"
	"github.com/wmtune/wmtune/tir"
)

// Unpools has MaxUnpool: zeros, and each element of the input at its index. Indices count the elements of the output.
// Its shape is output_shape, or that of the smallest image that a MaxPool of the node's attributes makes the input of.
var Unpools = []op.Row{
	{Op: "MaxUnpool", Since: 9, In: "T1:F T2:I T2:I?", Class: op.Opaque, Infer: inferUnpool,
		Eval:   op.EvalBy(unpoolShape, evalUnpool),
		Opaque: &op.Function{Make: opaqueUnpool}},
}

// unpoolShape returns the shape of an output without output_shape.
func unpoolShape(n *graph.Node) ([]int64, error) {
	x := n.Inputs[0].Shape
	if len(x) < 3 {
		return nil, fmt.Errorf("an image of shape %v: it needs 3 or more dimensions", x)
	}
	size := n.Ints("kernel_shape")
	if len(size) != len(x)-2 {
		return nil, fmt.Errorf("attribute kernel_shape is %v for an image of shape %v", size, x)
	}
	windows, err := window.WindowsOf(n, x[2:], size)
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(x)
	for d, w := range windows {
		if shape[2+d] = graph.Plus(graph.Times(x[2+d], w.Stride), w.Size-w.Stride, -w.Before, -w.After); shape[2+d] < 1 {
			return nil, fmt.Errorf("dimension %d: %d elements and paddings %d and %d leave nothing", d, x[2+d],
				w.Before, w.After)
		}
	}
	return shape, nil
}

func inferUnpool(n *graph.Node) ([]op.Type, error) {
	if i := n.Inputs[1]; i.Type != tir.I64 || !slices.Equal(i.Shape, n.Inputs[0].Shape) {
		return nil, fmt.Errorf("input 1 is %s%v: it must be int64%v", i.Type, i.Shape, n.Inputs[0].Shape)
	}
	shape, err := unpoolShape(n)
	if err != nil {
		return nil, err
	}
	if v := n.Input(2); v != nil {
		if v.Const == nil {
			return nil, &op.OpenError{Input: 2}
		}
		wanted := v.Const.Tensor().I
		if err := fitsInto(shape, wanted); err != nil {
			return nil, err
		}
		shape = wanted
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: shape}}, nil
}

// fitsInto returns an error unless an image of one shape is part of one of another shape.
func fitsInto(small, large []int64) error {
	ok := len(small) == len(large)
	for d := range small {
		ok = ok && small[d] <= large[d]
	}
	if !ok {
		return fmt.Errorf("input 2 asks for shape %v: it must have %v inside", large, small)
	}
	return nil
}

func evalUnpool(shape []int64, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	large := shape
	if len(in) > 2 && in[2] != nil {
		if large = in[2].I; fitsInto(shape, large) != nil {
			return nil, fitsInto(shape, large)
		}
	}
	y := graph.NewTensor(in[0].Type, large...)
	for i, at := range in[1].I {
		if at < 0 || at >= graph.Elems(large) {
			return nil, fmt.Errorf("index %d is outside of an image of shape %v", at, large)
		}
		array.Put(y, at, in[0], int64(i))
	}
	return []*graph.Tensor{y}, nil
}

// opaqueUnpool clears the output, in parallel, and stores one element after the other. Its error is set by an index
// that is out of range, and by an output_shape that is not the one that was known ahead of time.
func opaqueUnpool(n *graph.Node) (*tir.Func, error) {
	shape, err := unpoolShape(n)
	if err != nil {
		return nil, err
	}
	out := n.Outputs[0]
	if err := fitsInto(shape, out.Shape); err != nil {
		return nil, err
	}
	x, index, y, fault := Flat("x", n.Inputs[0]), Flat("index", n.Inputs[1]), Flat("y", out), ErrorFlag()
	params := []*tir.Buffer{x, index}
	stmts := []tir.Stmt{ClearFault(fault)}
	if v := n.Input(2); v != nil {
		wanted := Parameter("shape", v)
		params = append(params, wanted)
		stmts = append(stmts, WantShape(wanted, out.Shape, fault))
	}
	stmts = append(stmts, Rows([]int64{out.Elems()}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		return Store(y, tir.Const(y.Type, 0), at...)
	}))
	stmts = append(stmts, Loop("k", n.Inputs[0].Elems(), func(k tir.Expr) tir.Stmt {
		at := Load(index, k)
		return &tir.If{Cond: And(Ge(at, tir.Int(0)), Lt(at, tir.Int(out.Elems()))), Then: Store(y, Load(x, k), at),
			Else: SetFault(fault)}
	}))
	return NewFunc("max_unpool", 2, Seq(stmts...), append(params, y, fault)...), nil
}
