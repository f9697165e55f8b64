package interp

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// A scalarCase is an expression without variables and its value.
type scalarCase struct {
	e    tir.Expr
	want float64
}

func evaluates(t *testing.T, cases []scalarCase) {
	t.Helper()
	for _, tc := range cases {
		out := buffer("C", tc.e.DType())
		f := function(1, store(out, tc.e), out)
		if err := tir.Check(f); err != nil {
			t.Errorf("%s: %v", tc.e, err)
			continue
		}
		args := NewTensors(f.Params)
		if err := Run(f, args, Options{}); err != nil {
			t.Errorf("%s: %v", tc.e, err)
			continue
		}
		if got := args[0].Float(0); !equal([]float64{got}, []float64{tc.want}) {
			t.Errorf("%s = %v, want %v", tc.e, got, tc.want)
		}
	}
}

func u64(v int64) tir.Expr { return &tir.IntImm{Value: v, Type: tir.U64} }

// TestIntegers evaluates with integers that were added after the first ones: without a sign, and of 16 bits.
func TestIntegers(t *testing.T) {
	f64 := func(v float64) tir.Expr { return tir.Float(tir.F64, v) }
	cast := func(x tir.Expr, to tir.DType) tir.Expr { return &tir.Cast{X: x, To: to} }
	evaluates(t, []scalarCase{
		{tir.Bin(tir.Mul, tir.Const(tir.U16, 65535), tir.Const(tir.U16, 65535)), 1},
		{tir.Bin(tir.Add, tir.Const(tir.I16, 32767), tir.Const(tir.I16, 1)), -32768},
		{tir.Bin(tir.Sub, tir.Const(tir.U32, 0), tir.Const(tir.U32, 1)), 0x1p32 - 1},
		{tir.Bin(tir.Div, u64(-1), u64(1<<62)), 3},
		{tir.Bin(tir.FloorDiv, u64(-1), u64(1<<62)), 3},
		{tir.Bin(tir.FloorMod, u64(-1), u64(10)), 5},
		{tir.Bin(tir.Min, u64(-1), u64(10)), 10},
		{tir.Bin(tir.Max, u64(-1), u64(10)), 0x1p64},
		{tir.Bin(tir.LT, u64(10), u64(-1)), 1},
		{cast(u64(-1), tir.F64), 0x1p64},
		{cast(u64(1<<62+1<<38-1), tir.F32), 0x1p62},
		{cast(u64(-1), tir.U32), 0x1p32 - 1},
		{cast(f64(0x1.8p63), tir.U64), 0x1.8p63},
		{cast(f64(-1), tir.U64), 0x1p64},
		{cast(f64(-1), tir.U16), 65535},
	})
}

// TestBits evaluates operators on bits, and reads bits as other types.
func TestBits(t *testing.T) {
	i8 := func(v float64) tir.Expr { return tir.Const(tir.I8, v) }
	u8 := func(v float64) tir.Expr { return tir.Const(tir.U8, v) }
	i32 := func(v float64) tir.Expr { return tir.Const(tir.I32, v) }
	f32 := func(v float64) tir.Expr { return tir.Float(tir.F32, v) }
	evaluates(t, []scalarCase{
		{&tir.Bitcast{X: f32(-0.5), To: tir.I32}, -1090519040},
		{&tir.Bitcast{X: f32(-0.5), To: tir.U32}, 0xbf000000},
		{&tir.Bitcast{X: i32(0x40400000), To: tir.F32}, 3},
		{&tir.Bitcast{X: u64(-1 << 62), To: tir.F64}, -2},
		{&tir.Bitcast{X: i8(-1), To: tir.U8}, 255},
		{&tir.Bitcast{X: tir.Const(tir.U16, 0xc000), To: tir.F16}, -2},
		{&tir.Bitcast{X: &tir.Cast{X: f32(1), To: tir.F16}, To: tir.BF16}, 0.0078125},
		{tir.Bin(tir.BitAnd, i8(-2), i8(7)), 6},
		{tir.Bin(tir.BitOr, u8(0xf0), u8(0x1f)), 0xff},
		{tir.Bin(tir.BitXor, u8(0xf0), tir.Const(tir.U8, 0xff)), 0x0f},
		{tir.Bin(tir.BitXor, i32(5), i32(-1)), -6},
		{tir.Bin(tir.Shl, u8(0x81), u8(1)), 2},
		{tir.Bin(tir.Shl, u8(0x81), u8(8)), 0},
		{tir.Bin(tir.Shl, i8(1), i8(7)), -128},
		{tir.Bin(tir.Shl, i8(1), i8(-1)), 0},
		{tir.Bin(tir.Shr, u8(0x81), u8(1)), 0x40},
		{tir.Bin(tir.Shr, i8(-127), i8(1)), -64},
		{tir.Bin(tir.Shr, i8(-127), i8(100)), -1},
		{tir.Bin(tir.Shr, i8(127), i8(-1)), 0},
		{tir.Bin(tir.Shr, u64(-1), u64(63)), 1},
		{tir.Bin(tir.Shr, u64(-1), u64(64)), 0},
	})
}
