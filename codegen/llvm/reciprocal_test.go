package llvm_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

func quotient(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Div, x, y) }

// An elementOf is an element of what the function below computes.
type elementOf = func(i tir.Expr, a, b, e, s *tir.Buffer) tir.Expr

// within is C[i] = value over a vector loop, where value reads A, B, and what the kernel has computed: a row E, which
// is A, and a number S, which is B[0].
func within(typ tir.DType, value elementOf) *tir.Func {
	a, b, c, i, j := buf("A", typ, 24), buf("B", typ, 24), buf("C", typ, 24), v("i"), v("j")
	e, s := buf("E", typ, 24), buf("S", typ, 1)
	return fn("within", 1, alloc(e, alloc(s, seq(set(s, at(b, n(0)), n(0)),
		loop(tir.Vectorized, j, 24, set(e, at(a, j), j)),
		loop(tir.Vectorized, i, 24, set(c, value(i, a, b, e, s), i))))), a, b, c)
}

// TestReciprocal names the divisions that become products, and those that stay.
func TestReciprocal(t *testing.T) {
	three := tir.Const(tir.F32, 3)
	byOwn := func(i tir.Expr, _, _, e, s *tir.Buffer) tir.Expr { return quotient(at(e, i), at(s, n(0))) }
	for what, value := range map[string]elementOf{
		"an input by an input": func(i tir.Expr, a, b, _, _ *tir.Buffer) tir.Expr {
			return quotient(at(a, i), at(b, n(3)))
		},
		"an input by a constant": func(i tir.Expr, a, _, _, _ *tir.Buffer) tir.Expr { return quotient(at(a, i), three) },
		"an input by a result": func(i tir.Expr, a, _, _, s *tir.Buffer) tir.Expr {
			return quotient(at(a, i), at(s, n(0)))
		},
		"a result by an input": func(i tir.Expr, _, b, e, _ *tir.Buffer) tir.Expr {
			return quotient(at(e, i), at(b, n(3)))
		},
		"a result by a constant": func(i tir.Expr, _, _, e, _ *tir.Buffer) tir.Expr { return quotient(at(e, i), three) },
		"a result by a vector":   func(i tir.Expr, _, b, e, _ *tir.Buffer) tir.Expr { return quotient(at(e, i), at(e, i)) },
		"the floor of a quotient": func(i tir.Expr, a, b, e, s *tir.Buffer) tir.Expr {
			return intrinsic(tir.Floor, byOwn(i, a, b, e, s))
		},
		"an integer of a quotient": func(i tir.Expr, a, b, e, s *tir.Buffer) tir.Expr {
			return &tir.Cast{X: &tir.Cast{X: byOwn(i, a, b, e, s), To: tir.I32}, To: tir.F32}
		},
		"a compared quotient": func(i tir.Expr, a, b, e, s *tir.Buffer) tir.Expr {
			return &tir.Select{Cond: tir.Bin(tir.LT, byOwn(i, a, b, e, s), three), Then: at(a, i), Else: three}
		},
	} {
		if text := string(emit(t, within(tir.F32, value), avx2())); !strings.Contains(text, "fdiv <8 x float>") ||
			strings.Contains(text, "fmul") {
			t.Errorf("%s: want a division and no product, got\n%s", what, text)
		}
	}
	text := string(emit(t, within(tir.F64, byOwn), avx2()))
	if !strings.Contains(text, "fdiv <4 x double>") || strings.Contains(text, "fmul") {
		t.Errorf("in float64: want a division and no product, got\n%s", text)
	}
	text = string(emit(t, within(tir.F32, byOwn), avx2()))
	if !strings.Contains(text, "fmul <8 x float>") || strings.Contains(text, "fdiv <") {
		t.Errorf("a result by a result: want a product and no division, got\n%s", text)
	}
}

// TestReciprocalRuns holds that products with a reciprocal are right but for 1.5 units in the last place, whatever the
// divisor: the reciprocals of some are no normal numbers.
func TestReciprocalRuns(t *testing.T) {
	x := newExecutor(t)
	inf := float32(math.Inf(1))
	numerators := []float32{0, 1, -3, 0x1p-149, 0x1p-126, 0x1p-30, 1e38, math.MaxFloat32, inf, float32(math.NaN()), 0.1, 7}
	divisors := []float32{41, -41, 3, 0.7, 0x1p126, 1e38, 3e38, -3.4e38, 0x1p-126, 0x1p-128, 0x1p-149, 1e-40, 0, inf}
	put := func(to []byte, i int, v float32) { binary.LittleEndian.PutUint32(to[4*i:], math.Float32bits(v)) }
	f := within(tir.F32, func(i tir.Expr, _, _, e, s *tir.Buffer) tir.Expr { return quotient(at(e, i), at(s, n(0))) })
	for _, width := range []int{16, 32, 64} {
		kernel, ir := x.load(f, x.host(width))
		args := [][]byte{alignedBytes(96), alignedBytes(96), alignedBytes(96)}
		for _, d := range divisors {
			list := append(numerators, d, 41*d, 97*d)
			for i, v := range list {
				put(args[0], i, v)
			}
			put(args[1], 0, d)
			call(kernel, args)
			for i, v := range list {
				got, want := math.Float32frombits(binary.LittleEndian.Uint32(args[2][4*i:])), v/d
				ulp := math.Max(math.Abs(float64(want))*0x1p-23, 0x1p-149)
				off := math.Abs(float64(got)-float64(want)) / ulp
				if got != want && !(off <= 1) && !(got != got && want != want) {
					t.Fatalf("width %d: %g/%g is %g, want %g\n%s", width, v, d, got, want, ir)
				}
			}
		}
	}
}
