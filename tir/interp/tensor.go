package interp

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/wmtune/wmtune/tir"
)

// A Tensor is the contents of a buffer as kernels see it: little-endian
// elements, row-major unless the buffer has strides. A Bool is one byte.
type Tensor struct {
	Type tir.DType
	Data []byte
}

// NewTensor returns zeros for b.
func NewTensor(b *tir.Buffer) *Tensor {
	return &Tensor{Type: b.Type, Data: make([]byte, b.Bytes())}
}

// NewTensors returns zeros for each of the buffers.
func NewTensors(buffers []*tir.Buffer) []*Tensor {
	list := make([]*Tensor, len(buffers))
	for i, b := range buffers {
		list[i] = NewTensor(b)
	}
	return list
}

// Len returns the number of elements.
func (t *Tensor) Len() int { return len(t.Data) / t.Type.Bytes() }

// Clone returns a copy.
func (t *Tensor) Clone() *Tensor {
	return &Tensor{Type: t.Type, Data: append([]byte(nil), t.Data...)}
}

// Float returns element i as a float64, whatever its type.
func (t *Tensor) Float(i int) float64 {
	if t.Type.IsFloat() {
		return loadFloat(t.Type, t.Data, i)
	}
	return t.Type.Number(loadInt(t.Type, t.Data, i))
}

// SetFloat sets element i to v, rounded to the type; integers truncate and
// wrap around.
func (t *Tensor) SetFloat(i int, v float64) {
	if t.Type.IsFloat() {
		storeFloat(t.Type, t.Data, i, v)
		return
	}
	storeInt(t.Type, t.Data, i, t.Type.Truncate(v))
}

// Int returns element i of a Bool or integer tensor, of a uint64 the int64 of the same bits.
func (t *Tensor) Int(i int) int64 { return loadInt(t.Type, t.Data, i) }

// SetInt sets element i of a Bool or integer tensor; the value wraps around.
func (t *Tensor) SetInt(i int, v int64) { storeInt(t.Type, t.Data, i, v) }

func loadInt(t tir.DType, data []byte, i int) int64 {
	switch t {
	case tir.Bool, tir.U8:
		return int64(data[i])
	case tir.I8:
		return int64(int8(data[i]))
	case tir.I16, tir.U16:
		return t.Wrap(int64(binary.LittleEndian.Uint16(data[2*i:])))
	case tir.I32, tir.U32:
		return t.Wrap(int64(binary.LittleEndian.Uint32(data[4*i:])))
	case tir.I64, tir.U64:
		return int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
	panic(fmt.Sprintf("BUG: interp: %s is not an integer type", t))
}

func storeInt(t tir.DType, data []byte, i int, v int64) {
	switch t {
	case tir.Bool:
		data[i] = 0
		if v != 0 {
			data[i] = 1
		}
	case tir.U8, tir.I8:
		data[i] = byte(v)
	case tir.I16, tir.U16:
		binary.LittleEndian.PutUint16(data[2*i:], uint16(v))
	case tir.I32, tir.U32:
		binary.LittleEndian.PutUint32(data[4*i:], uint32(v))
	case tir.I64, tir.U64:
		binary.LittleEndian.PutUint64(data[8*i:], uint64(v))
	default:
		panic(fmt.Sprintf("BUG: interp: %s is not an integer type", t))
	}
}

func loadFloat(t tir.DType, data []byte, i int) float64 {
	switch t {
	case tir.F32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
	case tir.F64:
		return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	case tir.F16:
		return f16Value(binary.LittleEndian.Uint16(data[2*i:]))
	case tir.BF16:
		return bf16Value(binary.LittleEndian.Uint16(data[2*i:]))
	}
	panic(fmt.Sprintf("BUG: interp: %s is not a float type", t))
}

func storeFloat(t tir.DType, data []byte, i int, v float64) {
	switch t {
	case tir.F32:
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(float32(v)))
	case tir.F64:
		binary.LittleEndian.PutUint64(data[8*i:], math.Float64bits(v))
	case tir.F16:
		binary.LittleEndian.PutUint16(data[2*i:], f16Bits(v))
	case tir.BF16:
		binary.LittleEndian.PutUint16(data[2*i:], bf16Bits(v))
	default:
		panic(fmt.Sprintf("BUG: interp: %s is not a float type", t))
	}
}

// roundFloat returns v as a value of float type t.
func roundFloat(t tir.DType, v float64) float64 {
	switch t {
	case tir.F32:
		return float64(float32(v))
	case tir.F16:
		return f16Value(f16Bits(v))
	case tir.BF16:
		return bf16Value(bf16Bits(v))
	}
	return v
}

// f16Bits rounds v to the nearest IEEE half, ties to even.
func f16Bits(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign = 0x8000
	}
	a := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return sign | 0x7e00
	case a >= 65520: // halfway between the largest half, 65504, and the next step
		return sign | 0x7c00
	case a < 0x1p-14: // subnormal: a multiple of 2^-24
		return sign | uint16(math.RoundToEven(a*0x1p24))
	}
	frac, exp := math.Frexp(a) // a = frac * 2^exp, frac in [0.5, 1)
	m := math.RoundToEven(frac * 0x1p11)
	if m == 0x1p11 {
		m, exp = 0x1p10, exp+1
	}
	return sign | uint16(exp+14)<<10 | (uint16(m) & 0x3ff)
}

// f16Value returns the number that the bits of an IEEE half stand for.
func f16Value(b uint16) float64 {
	exp, m := int(b>>10&0x1f), float64(b&0x3ff)
	var v float64
	switch {
	case exp == 0:
		v = m * 0x1p-24
	case exp == 31 && m == 0:
		v = math.Inf(1)
	case exp == 31:
		v = math.NaN()
	default:
		v = math.Ldexp(1+m/1024, exp-15)
	}
	if b&0x8000 != 0 {
		v = -v
	}
	return v
}

// bf16Bits rounds v to the nearest bfloat16, ties to even. Programs cast from
// float32, so v is one.
func bf16Bits(v float64) uint16 {
	b := math.Float32bits(float32(v))
	if v != v {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + (b >> 16 & 1)) >> 16)
}

// bf16Value returns the number that the bits of a bfloat16 stand for.
func bf16Value(b uint16) float64 { return float64(math.Float32frombits(uint32(b) << 16)) }
