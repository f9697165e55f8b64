package cuda_test

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestExpr holds the text of expressions, as the value that is stored.
func TestExpr(t *testing.T) {
	f32, f64, f16, bf16 := floats("X", "", 8), &tir.Buffer{Name: "D", Type: tir.F64, Shape: []int64{8}}, &tir.Buffer{Name: "H", Type: tir.F16, Shape: []int64{8}}, &tir.Buffer{Name: "B", Type: tir.BF16, Shape: []int64{8}}
	i32, u8, i64 := &tir.Buffer{Name: "I", Type: tir.I32, Shape: []int64{8}}, &tir.Buffer{Name: "U", Type: tir.U8, Shape: []int64{8}}, &tir.Buffer{Name: "L", Type: tir.I64, Shape: []int64{8}}
	huge := floats("G", "", 1<<20, 1<<14)
	x := func(i *tir.Var) tir.Expr { return get(f32, i) }
	call := func(fn tir.Intrinsic, args ...tir.Expr) tir.Expr { return &tir.Call{Fn: fn, Args: args} }
	add := func(a, b tir.Expr) tir.Expr { return tir.Bin(tir.Add, a, b) }
	one := tir.Float(tir.F32, 1)
	exprTexts(t, []*tir.Buffer{f32, f64, f16, bf16, i32, u8, i64, huge}, []exprCase{
		{"group left", func(i *tir.Var) tir.Expr { return add(add(x(i), one), x(i)) }, "X[i] + 1.0f + X[i]"},
		{"group right", func(i *tir.Var) tir.Expr { return add(one, add(one, x(i))) }, "1.0f + (1.0f + X[i])"},
		{"quotient", func(i *tir.Var) tir.Expr { return tir.Bin(tir.Div, one, tir.Bin(tir.Mul, x(i), x(i))) }, "1.0f / (X[i] * X[i])"},
		{"digits", func(*tir.Var) tir.Expr { return tir.Float(tir.F32, 0.1) }, "0.1f"},
		{"negative", func(i *tir.Var) tir.Expr { return tir.Bin(tir.Sub, x(i), tir.Float(tir.F32, -1e-5)) }, "X[i] - -1e-05f"},
		{"infinite", func(*tir.Var) tir.Expr { return tir.Float(tir.F32, math.Inf(-1)) }, "__int_as_float(0xff800000)"},
		{"infinite double", func(*tir.Var) tir.Expr { return tir.Float(tir.F64, math.Inf(1)) }, "__longlong_as_double(0x7ff0000000000000LL)"},
		{"relu", func(i *tir.Var) tir.Expr { return tir.Bin(tir.Max, x(i), tir.Float(tir.F32, 0)) }, "max_of<float>(0.0f, X[i])"},
		{"greater", func(i *tir.Var) tir.Expr { return tir.Bin(tir.Max, x(i), get(f32, tir.Int(0))) }, "max_of<float>(X[i], X[0])"},
		{"gelu", func(i *tir.Var) tir.Expr { return call(tir.Erf, x(i)) }, "erff(X[i])"},
		{"double", func(i *tir.Var) tir.Expr { return call(tir.Pow, get(f64, i), tir.Float(tir.F64, 2)) }, "pow(D[i], 2.0)"},
		{"sigmoid", func(i *tir.Var) tir.Expr { return call(tir.Sigmoid, add(x(i), one)) }, "1.0f / (1.0f + expf(-(X[i] + 1.0f)))"},
		{"half", func(i *tir.Var) tir.Expr { return &tir.Cast{X: &tir.Cast{X: get(f16, i), To: tir.F32}, To: tir.BF16} }, "float_to_bfloat(half_to_float(H[i]))"},
		{"half to half", func(i *tir.Var) tir.Expr { return &tir.Cast{X: get(bf16, i), To: tir.F16} }, "float_to_half(bfloat_to_float(B[i]))"},
		// Rounded to a float first, both would be 1: the bits after the middle between two float16 would be gone.
		{"double to half", func(i *tir.Var) tir.Expr { return &tir.Cast{X: get(f64, i), To: tir.F16} },
			"double_to_half(D[i])"},
		{"half constant", func(*tir.Var) tir.Expr { return tir.Float(tir.F16, 1+0x1p-11+0x1p-40) },
			"float_to_half(1.0009766f)"},
		{"wraps", func(i *tir.Var) tir.Expr { return tir.Bin(tir.Mul, get(i32, i), get(i32, i)) }, "(int)((unsigned)I[i] * (unsigned)I[i])"},
		{"wraps at 8 bits", func(i *tir.Var) tir.Expr { return add(get(u8, i), get(u8, i)) }, "(unsigned char)(U[i] + U[i])"},
		{"wraps at 64 bits", func(i *tir.Var) tir.Expr { return add(get(i64, i), i) }, "(long long)((unsigned long long)L[i] + (unsigned long long)i)"},
		{"lowest", func(*tir.Var) tir.Expr { return &tir.IntImm{Value: math.MinInt32, Type: tir.I32} }, "-2147483647 - 1"},
		{"lowest of all", func(*tir.Var) tir.Expr { return tir.Int(math.MinInt64) }, "-9223372036854775807LL - 1"},
		{"truncates", func(i *tir.Var) tir.Expr { return &tir.Cast{X: x(i), To: tir.I32} }, "(int)(long long)X[i]"},
		{"truth", func(i *tir.Var) tir.Expr { return &tir.Cast{X: x(i), To: tir.Bool} }, "X[i] != 0"},
		{"logic", func(i *tir.Var) tir.Expr {
			lt := tir.Bin(tir.LT, i, tir.Int(3))
			return tir.Bin(tir.And, &tir.Not{X: lt}, tir.Bin(tir.Or, lt, lt))
		}, "!(i < 3) && (i < 3 || i < 3)"},
		{"choice", func(i *tir.Var) tir.Expr {
			return add(tir.IfThenElse(tir.Bin(tir.LT, i, tir.Int(3)), x(i), one), one)
		}, "(i < 3 ? X[i] : 1.0f) + 1.0f"},
		{"rounded down", func(i *tir.Var) tir.Expr { return tir.Bin(tir.FloorDiv, tir.Bin(tir.Sub, i, tir.Int(9)), tir.Int(2)) }, "floor_div<int>(i - 9, 2)"},
		{"remainder", func(i *tir.Var) tir.Expr { return tir.Bin(tir.FloorMod, i, tir.Int(2)) }, "i % 2"},
		{"far away", func(i *tir.Var) tir.Expr { return get(huge, tir.Bin(tir.Mul, i, tir.Int(100000)), i) }, "G[(long long)i * 1638400001]"},
		{"near by", func(i *tir.Var) tir.Expr { return get(huge, i, i) }, "G[i * 16385]"},
	})
}
