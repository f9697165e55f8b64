package op

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// An InferFunc is Infer of a Row.
type InferFunc func(n *graph.Node) ([]Type, error)

// InferBy is Infer of operators that find their sizes first.
func InferBy[S any](of func(n *graph.Node) (S, error), infer func(s S, n *graph.Node) ([]Type, error)) InferFunc {
	return func(n *graph.Node) ([]Type, error) {
		s, err := of(n)
		if err != nil {
			return nil, err
		}
		return infer(s, n)
	}
}

// ShapeBy is inferBy of operators whose sizes tell the shape of the one result, which has the type of input 0.
func ShapeBy[S interface{ Output() []int64 }](of func(n *graph.Node) (S, error)) InferFunc {
	return InferBy(of, func(s S, n *graph.Node) ([]Type, error) {
		return []Type{{DType: n.Inputs[0].Type, Shape: s.Output()}}, nil
	})
}

// SumType is the type of the sums of a product: float32 if attribute wide is 1, else int32 of integers of 8 bits, and
// else that of input 0, in which sums are also computed if wide is -1: else those of 16 bits are in float32.
func SumType(n *graph.Node) tir.DType {
	switch t := n.Inputs[0].Type; {
	case n.Int("wide", 0) > 0:
		return tir.F32
	case t == tir.U8 || t == tir.I8:
		return tir.I32
	default:
		return t
	}
}

// ProductBy is ShapeBy of products: the type is SumType.
func ProductBy[S interface{ Output() []int64 }](of func(n *graph.Node) (S, error)) InferFunc {
	return InferBy(of, func(s S, n *graph.Node) ([]Type, error) {
		return []Type{{DType: SumType(n), Shape: s.Output()}}, nil
	})
}

// EvalBy is Eval of operators that find their sizes first.
func EvalBy[S any](of func(n *graph.Node) (S, error),
	eval func(s S, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error)) graph.EvalFunc {
	return func(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		s, err := of(n)
		if err != nil {
			return nil, err
		}
		return eval(s, call, n, in)
	}
}

// BodyBy is Body of operators that find their sizes first.
func BodyBy[S any](of func(n *graph.Node) (S, error), body func(s S, b *Body) error) func(b *Body) error {
	return func(b *Body) error {
		s, err := of(b.Node)
		if err != nil {
			return err
		}
		return body(s, b)
	}
}

// Single returns an error unless inputs, where they are there, have one element.
func Single(n *graph.Node, inputs ...int) error {
	for _, i := range inputs {
		if v := n.Input(i); v != nil && v.Elems() != 1 {
			return fmt.Errorf("input %d is %s: it must be one number", i, v)
		}
	}
	return nil
}

func isBool(t tir.DType) bool { return t == tir.Bool }

// ToBool is infer with results of type bool.
func ToBool(infer InferFunc) InferFunc {
	return func(n *graph.Node) ([]Type, error) {
		t, err := infer(n)
		for i := range t {
			t[i].DType = tir.Bool
		}
		return t, err
	}
}

// InferSame is Infer of operators whose result is like the first operand.
func InferSame(n *graph.Node) ([]Type, error) {
	return []Type{{DType: n.Inputs[0].Type, Shape: n.Inputs[0].Shape}}, nil
}

// InferBroadcast is Infer of operators whose operands, of which there may be any number, broadcast to the result.
func InferBroadcast(n *graph.Node) ([]Type, error) {
	var shapes [][]int64
	for i, v := range n.Inputs {
		if v == nil {
			return nil, fmt.Errorf("input %d is missing", i)
		}
		shapes = append(shapes, v.Shape)
	}
	s, err := array.Broadcast(shapes...)
	return []Type{{DType: n.Inputs[0].Type, Shape: s}}, err
}

// ElementType returns the type of a number of ONNX.
func ElementType(number int64) (tir.DType, error) {
	e, ok := graph.ElementOf(number)
	switch {
	case !ok:
		return tir.Invalid, fmt.Errorf("ONNX has no type %d", number)
	case e.Type == tir.Invalid:
		return tir.Invalid, Unsupported("type %s", e.Name)
	}
	return e.Type, nil
}

// ElementNumber returns the number that ONNX gives a type.
func ElementNumber(t tir.DType) int64 {
	for i, e := range graph.Elements {
		if e.Type == t && t != tir.Invalid {
			return int64(i)
		}
	}
	panic(fmt.Sprintf("BUG: ONNX has no type %s", t))
}

// Integers returns the elements of an operand that is a list of integers, or nil for one that is left out. It is an
// *OpenError if they are not known ahead of time.
func Integers(n *graph.Node, i int) ([]int64, error) {
	v := n.Input(i)
	if v == nil {
		return nil, nil
	}
	if !v.Type.IsInt() || len(v.Shape) > 1 {
		return nil, fmt.Errorf("input %d is %s: it must be a list of integers", i, v)
	}
	if v.Elems() == 0 {
		return []int64{}, nil
	}
	if v.Const == nil {
		return nil, &OpenError{Input: i}
	}
	return v.Const.Tensor().I, nil
}

// ElementAttr returns the type that an attribute says, which may be narrow, or another if it is left out.
func ElementAttr(n *graph.Node, name string, missing tir.DType) (Type, error) {
	t, err := TypeAttr(n, name, missing)
	e, _ := graph.ElementOf(n.Int(name, 0))
	return Type{DType: t, Narrow: e.Narrow()}, err
}

// TypeAttr returns the type that an attribute says, or another if it is left out.
func TypeAttr(n *graph.Node, name string, missing tir.DType) (tir.DType, error) {
	if number := n.Int(name, 0); number != 0 {
		return ElementType(number)
	}
	return missing, nil
}

// Known reports whether the elements of an input are known ahead of time: it is a constant, has none, or is left out.
func Known(n *graph.Node, i int) bool {
	v := n.Input(i)
	return v == nil || v.Const != nil || v.Elems() == 0
}
