package llvm_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
)

// TestHalfConversions converts every value of the 16-bit types to float, and
// floats around every value and every midpoint of two back, with and without
// the processor's instructions.
func TestHalfConversions(t *testing.T) {
	x := newExecutor(t)
	const size = 1 << 16
	for _, half := range []tir.DType{tir.F16, tir.BF16} {
		bits := interp.NewTensor(buf("", half, size))
		for i := range size {
			binary.LittleEndian.PutUint16(bits.Data[2*i:], uint16(i))
		}
		for _, width := range []int{16, 64} {
			wide := x.convert(half, tir.F32, bits, width)
			want := interp.NewTensor(buf("", tir.F32, size))
			for i := range size {
				want.SetFloat(i, bits.Float(i))
			}
			same(t, wide, want)

			near := interp.NewTensor(buf("", tir.F32, 6*size))
			for i := range size - 1 {
				a, b := bits.Float(i), bits.Float(i+1)
				mid := float32((a + b) / 2)
				for j, f := range []float32{float32(a), mid, math.Nextafter32(mid, 1e38), math.Nextafter32(mid, -1e38), math.Nextafter32(float32(a), 1e38), float32(i) * 1e-10} {
					near.SetFloat(6*i+j, float64(f))
				}
			}
			got := x.convert(tir.F32, half, near, width)
			back := interp.NewTensor(buf("", half, 6*size))
			for i := range 6 * size {
				back.SetFloat(i, near.Float(i))
			}
			same(t, got, back)
		}
	}
}

// TestDoubleToHalf holds that there is one rounding, not two.
func TestDoubleToHalf(t *testing.T) {
	x := newExecutor(t)
	var list []float64
	for _, h := range []float64{1, 1024, 0x1p-14, 0x1p-24, 65504, -3} {
		ulp := math.Nextafter32(float32(h), 1e38) - float32(h)
		mid := h + float64(ulp)*0x1p12 // between two values of the type
		for _, tiny := range []float64{0, 0x1p-40, -0x1p-40, 0x1p-50, -0x1p-50} {
			list = append(list, h*(1+tiny), mid*(1+tiny), -mid*(1+tiny))
		}
	}
	list = append(list, math.Inf(1), math.Inf(-1), math.NaN(), 1e300, -1e300, 1e-300, 65520, 65519.99999999999)
	src := interp.NewTensor(buf("", tir.F64, int64(len(list))))
	want := interp.NewTensor(buf("", tir.F16, int64(len(list))))
	for i, f := range list {
		src.SetFloat(i, f)
		want.SetFloat(i, f)
	}
	for _, width := range []int{16, 64} {
		same(t, x.convert(tir.F64, tir.F16, src, width), want)
	}
}

// TestHalfConstants: a constant is rounded once, not to a float before.
func TestHalfConstants(t *testing.T) {
	x := newExecutor(t)
	for _, f := range []float64{1 + 0x1p-11 + 0x1p-40, -1 - 0x1p-11 - 0x1p-40, 1 + 0x3p-11 - 0x1p-40, 65519.99999999999,
		65520, 0x1p-25 + 0x1p-60, 0x1p-25, 1.0 / 3, math.Inf(-1), math.NaN()} {
		c, i := buf("C", tir.F16, 16), v("i")
		kernel, _ := x.load(fn("constant", 1, loop(tir.Serial, i, 16, set(c, tir.Float(tir.F16, f), i)), c), x.host(64))
		got, want := alignedBytes(c.Bytes()), interp.NewTensor(c)
		for e := range want.Len() {
			want.SetFloat(e, f)
		}
		call(kernel, [][]byte{got})
		same(t, &interp.Tensor{Type: tir.F16, Data: got}, want)
	}
}

// convert runs a program that casts src.
func (x *executor) convert(from, to tir.DType, src *interp.Tensor, width int) *interp.Tensor {
	a, c, i := buf("A", from, int64(src.Len())), buf("C", to, int64(src.Len())), v("i")
	f := fn("convert", 1, loop(tir.Vectorized, i, a.Shape[0], set(c, &tir.Cast{X: at(a, i), To: to}, i)), a, c)
	kernel, _ := x.load(f, x.host(width))
	in, out := alignedBytes(a.Bytes()), alignedBytes(c.Bytes())
	copy(in, src.Data)
	call(kernel, [][]byte{in, out})
	return &interp.Tensor{Type: to, Data: out}
}

// TestTF32: a rounded value has the interpreter's bits, around the middle between two values of all exponents.
func TestTF32(t *testing.T) {
	x := newExecutor(t)
	var list []uint32
	for exponent := range uint32(256) {
		for _, low := range []uint32{0, 0xfff, 0x1000, 0x1001, 0x1fff, 0x3000, 0x7fefff, 0x7ff000, 0x7fffff} {
			list = append(list, exponent<<23|low, 1<<31|exponent<<23|low)
		}
	}
	src := interp.NewTensor(buf("", tir.F32, int64(len(list))))
	for i, bits := range list {
		binary.LittleEndian.PutUint32(src.Data[4*i:], bits)
	}
	a, c, i := buf("A", tir.F32, int64(len(list))), buf("C", tir.F32, int64(len(list))), v("i")
	for _, kind := range []tir.ForKind{tir.Vectorized, tir.Serial} {
		f := fn("round", 1, loop(kind, i, a.Shape[0], set(c, &tir.Call{Fn: tir.TF32, Args: []tir.Expr{at(a, i)}}, i)), a, c)
		want := []*interp.Tensor{src, interp.NewTensor(c)}
		if err := interp.Run(f, want, interp.Options{}); err != nil {
			t.Fatal(err)
		}
		kernel, _ := x.load(f, x.host(64))
		in, out := alignedBytes(a.Bytes()), alignedBytes(c.Bytes())
		copy(in, src.Data)
		call(kernel, [][]byte{in, out})
		same(t, &interp.Tensor{Type: tir.F32, Data: out}, want[1])
	}
}

// same holds that tensors are equal, bit by bit but for the payload of NaNs.
func same(t *testing.T, got, want *interp.Tensor) {
	t.Helper()
	if bytes.Equal(got.Data, want.Data) {
		return
	}
	for i := range want.Len() {
		g, w := got.Float(i), want.Float(i)
		if math.Float64bits(g) != math.Float64bits(w) && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Errorf("%s: element %d is %v, want %v", got.Type, i, g, w)
			return
		}
	}
}

// TestHalvesCompareAsFloats: comparisons and maxima of what was made of binary16 are those of floats, also behind
// selections and functions; what does nothing of that has no fence.
func TestHalvesCompareAsFloats(t *testing.T) {
	x := newExecutor(t)
	const size = 1 << 16
	a := buf("A", tir.F16, size)
	bits := interp.NewTensor(a)
	for i := range size {
		binary.LittleEndian.PutUint16(bits.Data[2*i:], uint16(i))
	}
	wide := func(e tir.Expr) tir.Expr { return &tir.Cast{X: e, To: tir.F32} }
	narrow := func(e tir.Expr) tir.Expr { return &tir.Cast{X: e, To: tir.F16} }
	single := func(v float64) tir.Expr { return tir.Const(tir.F32, v) }
	for _, c := range []struct {
		why    string
		fences bool
		of     func(i, e tir.Expr) tir.Expr
	}{
		{"a maximum", true, func(_, e tir.Expr) tir.Expr { return narrow(tir.Bin(tir.Max, wide(e), single(0))) }},
		{"of what is rounded", true, func(_, e tir.Expr) tir.Expr {
			return narrow(tir.Bin(tir.Max, wide(narrow(tir.Bin(tir.Mul, wide(e), single(3)))), single(0)))
		}},
		{"a comparison", true, func(_, e tir.Expr) tir.Expr {
			return &tir.Select{Cond: tir.Bin(tir.LT, wide(e), single(2)), Then: e, Else: tir.Const(tir.F16, 2)}
		}},
		{"behind a selection", true, func(i, e tir.Expr) tir.Expr {
			padded := tir.IfThenElse(less(i, n(size-7)), wide(e), single(-1))
			return narrow(tir.Bin(tir.Max, padded, single(0)))
		}},
		{"a function", true, func(_, e tir.Expr) tir.Expr {
			return narrow(&tir.Call{Fn: tir.Abs, Args: []tir.Expr{wide(e)}})
		}},
		{"a sum", false, func(_, e tir.Expr) tir.Expr { return narrow(add(wide(e), single(1))) }},
		{"a copy", false, func(_, e tir.Expr) tir.Expr { return e }},
	} {
		f := each("half", size, tir.F16, []*tir.Buffer{a}, func(i tir.Expr) tir.Expr { return c.of(i, at(a, i)) })[1]
		want := []*interp.Tensor{bits, interp.NewTensor(f.Params[1])}
		if err := interp.Run(f, want, interp.Options{}); err != nil {
			t.Fatal(err)
		}
		kernel, ir := x.load(f, x.host(64))
		if fences := strings.Contains(string(ir), "@llvm.arithmetic.fence"); fences != c.fences {
			t.Errorf("%s: has fences is %v\n%s", c.why, fences, ir)
		}
		got := interp.NewTensor(f.Params[1])
		got.Data = alignedBytes(int64(len(got.Data)))
		in := alignedBytes(int64(len(bits.Data)))
		copy(in, bits.Data)
		call(kernel, [][]byte{in, got.Data})
		for i := range size { // either zero may be the larger one
			if g, w := got.Float(i), want[1].Float(i); g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
				t.Fatalf("%s: element %d is %v, want %v\n%s", c.why, i, g, w, ir)
			}
		}
	}
}
