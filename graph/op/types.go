package op

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// An inferFunc is Infer of a Row.
type inferFunc func(n *graph.Node) ([]Type, error)

// ofFloats is infer for a node whose first inputs must be there, and all of whose inputs have one type: a float.
func ofFloats(inputs int, infer inferFunc) inferFunc {
	return oneType(inputs, "a float", tir.DType.IsFloat, infer)
}

// ofNumbers is ofFloats for integers too.
func ofNumbers(inputs int, infer inferFunc) inferFunc {
	return oneType(inputs, "a number", func(t tir.DType) bool { return t != tir.Bool }, infer)
}

// ofIntegers is ofFloats for integers instead.
func ofIntegers(inputs int, infer inferFunc) inferFunc {
	return oneType(inputs, "an integer", tir.DType.IsInt, infer)
}

// ofBools is ofFloats for bools instead.
func ofBools(inputs int, infer inferFunc) inferFunc {
	return oneType(inputs, "bool", isBool, infer)
}

// ofAny is ofFloats for all types.
func ofAny(inputs int, infer inferFunc) inferFunc {
	return oneType(inputs, "a type", func(tir.DType) bool { return true }, infer)
}

func oneType(inputs int, what string, ok func(tir.DType) bool, infer inferFunc) inferFunc {
	return func(n *graph.Node) ([]Type, error) {
		if err := need(n, inputs); err != nil {
			return nil, err
		}
		for i, v := range n.Inputs {
			switch {
			case v == nil:
			case !ok(v.Type):
				return nil, fmt.Errorf("the type of input %d is %s: it must be %s", i, v.Type, what)
			case v.Type != n.Inputs[0].Type:
				return nil, fmt.Errorf("the type of input %d is %s: it must be %s, that of input 0", i, v.Type, n.Inputs[0].Type)
			}
		}
		return infer(n)
	}
}

// need returns an error unless the first inputs of a node are there.
func need(n *graph.Node, inputs int) error {
	for i := range inputs {
		if n.Input(i) == nil {
			return fmt.Errorf("input %d is missing", i)
		}
	}
	return nil
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

// typed returns an error unless inputs, where they are there, have a type.
func typed(n *graph.Node, what string, ok func(tir.DType) bool, inputs ...int) error {
	for _, i := range inputs {
		if v := n.Input(i); v != nil && !ok(v.Type) {
			return fmt.Errorf("the type of input %d is %s: it must be %s", i, v.Type, what)
		}
	}
	return nil
}

func isBool(t tir.DType) bool { return t == tir.Bool }

// needing is infer for a node whose first inputs must be there.
func needing(inputs int, infer inferFunc) inferFunc {
	return func(n *graph.Node) ([]Type, error) {
		if err := need(n, inputs); err != nil {
			return nil, err
		}
		return infer(n)
	}
}

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
