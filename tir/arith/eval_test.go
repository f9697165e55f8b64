package arith

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestApply: integers are computed as TensorIR defines them.
func TestApply(t *testing.T) {
	for _, c := range []struct {
		op         tir.BinOp
		x, y, want int64
		typ        tir.DType
	}{
		{tir.FloorDiv, -7, 2, -4, tir.I64}, {tir.FloorMod, -7, 2, 1, tir.I64}, {tir.FloorDiv, 7, 2, 3, tir.I64},
		{tir.Div, -7, 2, -3, tir.I64}, {tir.Min, 3, 4, 3, tir.I64}, {tir.LE, 3, 3, 1, tir.I64}, {tir.And, 1, 0, 0, tir.Bool},
		{tir.Add, 127, 1, -128, tir.I8}, {tir.Max, -1, 1, -1, tir.U64}, {tir.GT, -1, 1, 1, tir.U64},
		{tir.FloorMod, -1, 10, 5, tir.U64}, {tir.Div, math.MinInt64, -1, math.MinInt64, tir.I64},
		{tir.Shl, 1, 64, 0, tir.I64}, {tir.Shr, -8, 64, -1, tir.I64}, {tir.Shr, -1, 63, 1, tir.U64},
	} {
		if got, ok := Apply(c.op, c.x, c.y, c.typ); !ok || got != c.want {
			t.Errorf("%d %s %d of %s: %d, want %d", c.x, c.op, c.y, c.typ, got, c.want)
		}
	}
}

// TestEval: what is not evaluated may be unknown.
func TestEval(t *testing.T) {
	at := func(e tir.Expr) (int64, bool) { return 6, e == tir.Expr(vx) }
	fault := tir.Bin(tir.FloorDiv, vx, tir.Int(0))
	for _, e := range []tir.Expr{
		&tir.Select{Cond: tir.Bin(tir.GT, vx, tir.Int(5)), Then: tir.Int(1), Else: fault},
		tir.Bin(tir.Or, tir.Bin(tir.EQ, vx, tir.Int(6)), tir.Bin(tir.EQ, vy, tir.Int(0))),
		&tir.Not{X: tir.Bin(tir.And, tir.Bin(tir.LT, vx, tir.Int(6)), tir.Bin(tir.EQ, fault, tir.Int(0)))},
		&tir.Cast{X: &tir.Cast{X: tir.Bin(tir.Add, vx, tir.Int(250)), To: tir.Bool}, To: tir.I32},
	} {
		if v, ok := Eval(e, at); !ok || v != 1 {
			t.Errorf("%s is %d, %v, want 1", e, v, ok)
		}
	}
	for _, e := range []tir.Expr{fault, vy, &tir.Cast{X: tir.Float(tir.F32, 1), To: tir.I32}} {
		if v, ok := Eval(e, at); ok {
			t.Errorf("%s is %d, want none", e, v)
		}
	}
}
