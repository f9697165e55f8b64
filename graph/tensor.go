package graph

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/wmtune/wmtune/tir"
)

// A Const is the contents of an initializer: elements in row-major order, little-endian, as TensorIR's buffers have
// them in memory. Data may be mapped from a file, and is never written.
type Const struct {
	Type   tir.DType
	Shape  []int64
	Data   []byte
	Narrow *Element // that the numbers are of; see Value
}

// A Tensor is what the reference evaluator computes with: numbers in row-major order, in F if the type is a float, else
// in I (a bool is 0 or 1, a uint64 the int64 of the same bits). A Tensor is not changed once it is made.
type Tensor struct {
	Type   tir.DType
	Shape  []int64
	F      []float64
	I      []int64
	Narrow *Element // that the numbers are of; see Value
}

// NewTensor returns a tensor of zeros.
func NewTensor(t tir.DType, shape ...int64) *Tensor {
	x := &Tensor{Type: t, Shape: shape}
	if t.IsFloat() {
		x.F = make([]float64, Elems(shape))
	} else {
		x.I = make([]int64, Elems(shape))
	}
	return x
}

// Ints returns a vector of int64.
func Ints(v ...int64) *Tensor { return &Tensor{Type: tir.I64, Shape: []int64{int64(len(v))}, I: v} }

// Scalar returns a tensor without dimensions.
func Scalar(t tir.DType, v float64) *Tensor {
	x := NewTensor(t)
	if t.IsFloat() {
		x.F[0] = v
	} else {
		x.I[0] = int64(v)
	}
	return x
}

// Constant returns a value that holds t.
func Constant(name string, t *Tensor) *Value {
	return &Value{Name: name, Type: t.Type, Shape: t.Shape, Ranked: true, Const: t.Const()}
}

// Len returns the number of elements.
func (t *Tensor) Len() int { return int(Elems(t.Shape)) }

// At returns element i as a float64.
func (t *Tensor) At(i int) float64 {
	if t.Type.IsFloat() {
		return t.F[i]
	}
	if t.Type == tir.U64 {
		return float64(uint64(t.I[i]))
	}
	return float64(t.I[i])
}

// Tensor returns the numbers of c.
func (c *Const) Tensor() *Tensor {
	t := NewTensor(c.Type, c.Shape...)
	c.fill(t)
	return t
}

// fill writes the numbers of c to t, which has its type and its shape.
func (c *Const) fill(t *Tensor) {
	t.Narrow = c.Narrow
	switch c.Type { // of most numbers
	case tir.F32:
		for i := range t.F {
			t.F[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(c.Data[4*i:])))
		}
		return
	case tir.I8:
		for i := range t.I {
			t.I[i] = int64(int8(c.Data[i]))
		}
		return
	case tir.U8:
		for i := range t.I {
			t.I[i] = int64(c.Data[i])
		}
		return
	}
	for i := range t.Len() {
		b := c.Data[i*c.Type.Bytes():]
		switch c.Type {
		case tir.F64:
			t.F[i] = math.Float64frombits(binary.LittleEndian.Uint64(b))
		case tir.F16, tir.BF16:
			t.F[i] = tir.HalfToFloat(c.Type, binary.LittleEndian.Uint16(b))
		case tir.Bool:
			t.I[i] = min(int64(b[0]), 1)
		case tir.I16:
			t.I[i] = int64(int16(binary.LittleEndian.Uint16(b)))
		case tir.U16:
			t.I[i] = int64(binary.LittleEndian.Uint16(b))
		case tir.I32:
			t.I[i] = int64(int32(binary.LittleEndian.Uint32(b)))
		case tir.U32:
			t.I[i] = int64(binary.LittleEndian.Uint32(b))
		case tir.I64, tir.U64:
			t.I[i] = int64(binary.LittleEndian.Uint64(b))
		default:
			panic(fmt.Sprintf("BUG: constant of type %s", c.Type))
		}
	}
}

// Const returns the numbers of t as contents of an initializer, rounded to its type.
func (t *Tensor) Const() *Const {
	c := &Const{Type: t.Type, Shape: t.Shape, Data: make([]byte, t.Len()*t.Type.Bytes()), Narrow: t.Narrow}
	for i := range t.Len() {
		b := c.Data[i*c.Type.Bytes():]
		switch t.Type {
		case tir.F32:
			binary.LittleEndian.PutUint32(b, math.Float32bits(float32(t.F[i])))
		case tir.F64:
			binary.LittleEndian.PutUint64(b, math.Float64bits(t.F[i]))
		case tir.F16, tir.BF16:
			binary.LittleEndian.PutUint16(b, tir.HalfFromFloat(t.Type, t.F[i]))
		case tir.Bool, tir.I8, tir.U8:
			b[0] = byte(t.I[i])
		case tir.I16, tir.U16:
			binary.LittleEndian.PutUint16(b, uint16(t.I[i]))
		case tir.I32, tir.U32:
			binary.LittleEndian.PutUint32(b, uint32(t.I[i]))
		default:
			binary.LittleEndian.PutUint64(b, uint64(t.I[i]))
		}
	}
	return c
}
