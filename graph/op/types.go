package op

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// An inferFunc is Infer of a Row.
type inferFunc func(n *graph.Node) ([]Type, error)

// inferBy is Infer of operators that find their sizes first.
func inferBy[S any](of func(n *graph.Node) (S, error), infer func(s S, n *graph.Node) ([]Type, error)) inferFunc {
	return func(n *graph.Node) ([]Type, error) {
		s, err := of(n)
		if err != nil {
			return nil, err
		}
		return infer(s, n)
	}
}

// shapeBy is inferBy of operators whose sizes tell the shape of the one result, which has the type of input 0.
func shapeBy[S interface{ Output() []int64 }](of func(n *graph.Node) (S, error)) inferFunc {
	return inferBy(of, func(s S, n *graph.Node) ([]Type, error) {
		return []Type{{DType: n.Inputs[0].Type, Shape: s.Output()}}, nil
	})
}

// evalBy is Eval of operators that find their sizes first.
func evalBy[S any](of func(n *graph.Node) (S, error),
	eval func(s S, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error)) graph.EvalFunc {
	return func(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		s, err := of(n)
		if err != nil {
			return nil, err
		}
		return eval(s, call, n, in)
	}
}

// bodyBy is Body of operators that find their sizes first.
func bodyBy[S any](of func(n *graph.Node) (S, error), body func(s S, b *Body) error) func(b *Body) error {
	return func(b *Body) error {
		s, err := of(b.Node)
		if err != nil {
			return err
		}
		return body(s, b)
	}
}

// single returns an error unless inputs, where they are there, have one element.
func single(n *graph.Node, inputs ...int) error {
	for _, i := range inputs {
		if v := n.Input(i); v != nil && v.Elems() != 1 {
			return fmt.Errorf("input %d is %s: it must be one number", i, v)
		}
	}
	return nil
}

func isBool(t tir.DType) bool { return t == tir.Bool }

// toBool is infer with results of type bool.
func toBool(infer inferFunc) inferFunc {
	return func(n *graph.Node) ([]Type, error) {
		t, err := infer(n)
		for i := range t {
			t[i].DType = tir.Bool
		}
		return t, err
	}
}

// inferSame is Infer of operators whose result is like the first operand.
func inferSame(n *graph.Node) ([]Type, error) {
	return []Type{{DType: n.Inputs[0].Type, Shape: n.Inputs[0].Shape}}, nil
}

// inferBroadcast is Infer of operators whose operands, of which there may be any number, broadcast to the result.
func inferBroadcast(n *graph.Node) ([]Type, error) {
	var shapes [][]int64
	for i, v := range n.Inputs {
		if v == nil {
			return nil, fmt.Errorf("input %d is missing", i)
		}
		shapes = append(shapes, v.Shape)
	}
	s, err := broadcast(shapes...)
	return []Type{{DType: n.Inputs[0].Type, Shape: s}}, err
}

// Wrap returns the low bits of v as a number of integer type t, and 0 or 1 for a bool.
func Wrap(t tir.DType, v int64) int64 {
	if t == tir.Bool && v != 0 {
		return 1
	}
	return t.Wrap(v)
}
