package onnx

import (
	"fmt"
	"slices"

	"gorgonia.org/tensor"
)

// A Tensor is a value: numbers in row-major order, in Floats if its type is Float32,
// else in Ints (of booleans: 0 and 1). No shape means one number. What a Tensor
// holds is not changed once it is made: tensors share memory.
type Tensor struct {
	Type   Type
	Shape  []int
	Floats []float32
	Ints   []int64
}

// FloatTensor returns a tensor of floats, around data.
func FloatTensor(data []float32, shape ...int) Tensor {
	return Tensor{Type: Float32, Shape: shape, Floats: data}
}

// IntTensor returns a tensor of integers, around data.
func IntTensor(data []int64, shape ...int) Tensor {
	return Tensor{Type: Int64, Shape: shape, Ints: data}
}

// maxElements is the largest number of elements of a tensor: a shape that a damaged
// file asks for must not cost the machine its memory.
const maxElements = 1 << 26

// elements is the number of elements of a shape, -1 if there are too many or a
// dimension is negative.
func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 || d > maxElements {
			return -1
		}
		if n *= d; n > maxElements {
			return -1
		}
	}
	return n
}

// check says what is wrong with a tensor that a caller made.
func (t Tensor) check() error {
	n, have := elements(t.Shape), len(t.Ints)
	if t.Type == Float32 {
		have = len(t.Floats)
	}
	if n < 0 || n != have {
		return fmt.Errorf("a tensor of %s of shape %v has %d values", t.Type, t.Shape, have)
	}
	return nil
}

// like returns a tensor of the type of t.
func (t Tensor) like(shape []int) Tensor { return Tensor{Type: t.Type, Shape: shape} }

// reshaped returns the numbers of t in another shape.
func (t Tensor) reshaped(shape []int) Tensor {
	t.Shape = shape
	return t
}

// decoded takes over a tensor of onnx-go.
func decoded(t tensor.Tensor) (Tensor, error) {
	out := Tensor{Shape: slices.Clone([]int(t.Shape()))}
	switch v := t.Data().(type) {
	case []float32:
		out.Type, out.Floats = Float32, v
	case float32:
		out.Type, out.Floats = Float32, []float32{v}
	case []int64:
		out.Type, out.Ints = Int64, v
	case int64:
		out.Type, out.Ints = Int64, []int64{v}
	case []int32:
		out.Type, out.Ints = Int32, widened(v)
	case int32:
		out.Type, out.Ints = Int32, []int64{int64(v)}
	case []bool:
		out.Type = Bool
		for _, b := range v {
			out.Ints = append(out.Ints, truth(b))
		}
	case bool:
		out.Type, out.Ints = Bool, []int64{truth(v)}
	default:
		return out, fmt.Errorf("a tensor of %T", v)
	}
	return out, out.check()
}

func widened(v []int32) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
