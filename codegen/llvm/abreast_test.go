package llvm_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

func intrinsic(fn tir.Intrinsic, args ...tir.Expr) tir.Expr { return &tir.Call{Fn: fn, Args: args} }

// along is C[i] = value over a vector loop.
func along(extent int64, typ tir.DType, value func(i tir.Expr, a, b *tir.Buffer) tir.Expr) *tir.Func {
	a, b, c, i := buf("A", typ, extent), buf("B", typ, extent, extent), buf("C", typ, extent), v("i")
	return fn("along", 1, loop(tir.Vectorized, i, extent, set(c, value(i, a, b), i)), a, b, c)
}

func expOf(i tir.Expr, a, _ *tir.Buffer) tir.Expr { return intrinsic(tir.Exp, at(a, i)) }

// TestAbreast names the longest vector of arithmetic that loops become.
func TestAbreast(t *testing.T) {
	for _, c := range []struct {
		extent int64
		typ    tir.DType
		want   string
	}{
		{8, tir.F32, "<8 x float>"}, {24, tir.F32, "<16 x float>"}, {32, tir.F32, "<32 x float>"}, {100, tir.F32, "<32 x float>"},
		{1000, tir.F32, "<32 x float>"}, {16, tir.F64, "<16 x double>"}, {12, tir.F64, "<8 x double>"},
	} {
		text := string(emit(t, along(c.extent, c.typ, expOf), avx2()))
		longer := strings.Replace(c.want, "<", "<"+"2", 1)
		if !strings.Contains(text, "fmul "+c.want) || strings.Contains(text, "fmul "+longer) {
			t.Errorf("%d of %s: want products of %s, got\n%s", c.extent, c.typ, c.want, text)
		}
	}
	text := string(emit(t, along(64, tir.F32, expOf), avx512()))
	if !strings.Contains(text, "fmul <64 x float>") {
		t.Errorf("avx512: got\n%s", text)
	}
}

// TestAbreastLeavesAlone names what keeps vectors one after the other.
func TestAbreastLeavesAlone(t *testing.T) {
	zero := tir.Const(tir.F32, 0)
	a, c, i := buf("A", tir.F32, 64), buf("C", tir.F32, 64), v("i")
	some := &tir.If{Cond: tir.Bin(tir.LT, i, n(60)), Then: set(c, intrinsic(tir.Exp, at(a, i)), i)}
	masked := fn("masked", 1, loop(tir.Vectorized, i, 64, some), a, c)
	j := v("j")
	inside := fn("inside", 1, seq(loop(tir.Serial, v("z"), 1, set(c, zero, n(0))), loop(tir.Vectorized, i, 64,
		loop(tir.Serial, j, 3, set(c, intrinsic(tir.Exp, at(a, i)), i)))), a, c)
	for what, f := range map[string]*tir.Func{
		"no function":    along(64, tir.F32, func(i tir.Expr, a, _ *tir.Buffer) tir.Expr { return mul(at(a, i), at(a, i)) }),
		"an instruction": along(64, tir.F32, func(i tir.Expr, a, _ *tir.Buffer) tir.Expr { return intrinsic(tir.Sqrt, at(a, i)) }),
		"no neighbours":  along(64, tir.F32, func(i tir.Expr, _, b *tir.Buffer) tir.Expr { return intrinsic(tir.Exp, at(b, i, n(3))) }),
		"a select": along(64, tir.F32, func(i tir.Expr, a, b *tir.Buffer) tir.Expr {
			return tir.IfThenElse(tir.Bin(tir.LT, i, n(60)), expOf(i, a, b), zero)
		}),
		"a condition":      masked,
		"a loop":           inside,
		"fewer than twice": along(15, tir.F32, expOf),
	} {
		if text := string(emit(t, f, avx2())); strings.Contains(text, "<16 x float>") || strings.Contains(text, "<32 x float>") {
			t.Errorf("%s: got\n%s", what, text)
		}
	}
}

// TestAbreastRuns holds that functions abreast compute what the interpreter does.
func TestAbreastRuns(t *testing.T) {
	x := newExecutor(t)
	var list []*tir.Func
	for _, typ := range []tir.DType{tir.F32, tir.F64} {
		for _, fn := range []tir.Intrinsic{tir.Exp, tir.Tanh, tir.Erf, tir.Sigmoid} {
			for _, extent := range []int64{7, 8, 16, 24, 33, 64, 100, 301} {
				list = append(list, along(extent, typ, func(i tir.Expr, a, b *tir.Buffer) tir.Expr {
					return intrinsic(fn, mul(at(a, i), at(b, n(3), i)))
				}))
			}
		}
	}
	x.compareAll(list)
}
