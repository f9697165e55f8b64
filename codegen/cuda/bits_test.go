package cuda_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// An exprCase is an expression of the variable of a loop, and its text.
type exprCase struct {
	name  string
	value func(i *tir.Var) tir.Expr
	want  string
}

func exprTexts(t *testing.T, params []*tir.Buffer, cases []exprCase) {
	t.Helper()
	for _, c := range cases {
		value := tir.Expr(nil)
		loop := serial(8, func(i *tir.Var) tir.Stmt {
			value = c.value(i)
			return set(&tir.Buffer{Name: "out", Type: value.DType(), Shape: []int64{8}}, value, i)
		})
		out := loop.Body.(*tir.Store).Buffer
		text := emit(t, fn(loop, append(slices.Clone(params), out)...))
		_, got, _ := strings.Cut(text, "out[i] = ")
		got, _, _ = strings.Cut(got, ";\n")
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestBitsText holds the text of integers without a sign and of operators on bits.
func TestBitsText(t *testing.T) {
	f32 := floats("X", "", 8)
	u8 := &tir.Buffer{Name: "U", Type: tir.U8, Shape: []int64{8}}
	u16 := &tir.Buffer{Name: "W", Type: tir.U16, Shape: []int64{8}}
	i64 := &tir.Buffer{Name: "L", Type: tir.I64, Shape: []int64{8}}
	u64 := &tir.Buffer{Name: "Q", Type: tir.U64, Shape: []int64{8}}
	exprTexts(t, []*tir.Buffer{f32, u8, u16, i64, u64}, []exprCase{
		{"wraps at 16 bits", func(i *tir.Var) tir.Expr {
			return tir.Bin(tir.Mul, get(u16, i), get(u16, i))
		}, "(unsigned short)((unsigned)W[i] * (unsigned)W[i])"},
		{"unsigned", func(i *tir.Var) tir.Expr {
			return tir.Bin(tir.LT, get(u64, i), &tir.IntImm{Value: -1, Type: tir.U64})
		}, "Q[i] < 18446744073709551615ull"},
		{"unsigned of a float", func(i *tir.Var) tir.Expr {
			return &tir.Cast{X: get(f32, i), To: tir.U64}
		}, "float_to_u64<float>(X[i])"},
		{"bits of a float", func(i *tir.Var) tir.Expr {
			return &tir.Bitcast{X: get(f32, i), To: tir.U32}
		}, "(unsigned)__float_as_int(X[i])"},
		{"bits as a double", func(i *tir.Var) tir.Expr {
			return &tir.Bitcast{X: get(u64, i), To: tir.F64}
		}, "__longlong_as_double((long long)Q[i])"},
		{"shift", func(i *tir.Var) tir.Expr {
			return tir.Bin(tir.Shr, get(u16, i), tir.Const(tir.U16, 3))
		}, "shift_right<unsigned short>(W[i], 3)"},
		{"bits", func(i *tir.Var) tir.Expr {
			u := get(u8, i)
			return tir.Bin(tir.EQ, tir.Bin(tir.BitOr, tir.Bin(tir.BitXor, u, u), tir.Bin(tir.BitAnd, u, u)), u)
		}, "(U[i] ^ U[i] | U[i] & U[i]) == U[i]"},
		{"bits of indices", func(i *tir.Var) tir.Expr { return tir.Bin(tir.BitAnd, i, get(i64, i)) }, "i & L[i]"},
	})
}
