package llvm_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

func quotient(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Div, x, y) }

// TestReciprocal names the divisions that become products, and those that stay.
func TestReciprocal(t *testing.T) {
	for _, c := range []struct {
		what     string
		f        *tir.Func
		product  string // that the text must hold
		division string // that it must not
	}{
		{"a vector by a number", along(24, tir.F32, func(i tir.Expr, a, _ *tir.Buffer) tir.Expr { return quotient(at(a, i), at(a, n(3))) }),
			"fmul <8 x float>", "fdiv <"},
		{"a vector by a constant", along(24, tir.F32, func(i tir.Expr, a, _ *tir.Buffer) tir.Expr { return quotient(at(a, i), tir.Const(tir.F32, 3)) }),
			"fmul <8 x float>", "fdiv <"},
		{"in float64", along(24, tir.F64, func(i tir.Expr, a, _ *tir.Buffer) tir.Expr { return quotient(at(a, i), tir.Const(tir.F64, 3)) }),
			"fdiv <4 x double>", "fmul"},
		{"the floor of a quotient", along(24, tir.F32, func(i tir.Expr, a, _ *tir.Buffer) tir.Expr {
			return &tir.Call{Fn: tir.Floor, Args: []tir.Expr{quotient(at(a, i), tir.Const(tir.F32, 49))}}
		}), "fdiv <8 x float>", "fmul"},
		{"an integer of a quotient", along(24, tir.F32, func(i tir.Expr, a, _ *tir.Buffer) tir.Expr {
			return &tir.Cast{X: &tir.Cast{X: quotient(at(a, i), tir.Const(tir.F32, 49)), To: tir.I32}, To: tir.F32}
		}), "fdiv <8 x float>", "fmul"},
		{"a compared quotient", along(24, tir.F32, func(i tir.Expr, a, _ *tir.Buffer) tir.Expr {
			return &tir.Select{Cond: tir.Bin(tir.LT, quotient(at(a, i), tir.Const(tir.F32, 49)), tir.Const(tir.F32, 2)), Then: at(a, i), Else: tir.Const(tir.F32, 1)}
		}), "fdiv <8 x float>", "fmul"},
		{"a vector by a vector", along(24, tir.F32, func(i tir.Expr, a, b *tir.Buffer) tir.Expr { return quotient(at(a, i), at(b, n(0), i)) }),
			"fdiv <8 x float>", "fmul"},
		{"a number by a vector", along(24, tir.F32, func(i tir.Expr, a, _ *tir.Buffer) tir.Expr { return quotient(at(a, n(3)), at(a, i)) }),
			"fdiv <8 x float>", "fmul"},
	} {
		if text := string(emit(t, c.f, avx2())); !strings.Contains(text, c.product) || strings.Contains(text, c.division) {
			t.Errorf("%s: want %q and no %q, got\n%s", c.what, c.product, c.division, text)
		}
	}
}

// TestReciprocalRuns holds that quotients are what the interpreter computes, but
// for 1.5 units in the last place.
func TestReciprocalRuns(t *testing.T) {
	x := newExecutor(t)
	var list []*tir.Func
	for _, typ := range []tir.DType{tir.F32, tir.F64} {
		for _, extent := range []int64{4, 8, 23, 64, 301} {
			list = append(list, along(extent, typ, func(i tir.Expr, a, b *tir.Buffer) tir.Expr {
				return tir.Bin(tir.Add, quotient(at(b, n(0), i), add(mul(at(a, n(1)), at(a, n(1))), tir.Const(typ, 1))), quotient(at(a, i), tir.Const(typ, 3)))
			}))
		}
	}
	x.compareAll(list)
}
