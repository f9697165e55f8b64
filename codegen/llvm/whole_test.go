package llvm

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestWholeFloat: what is quantized and dequantized again stays a float, if it is clamped to the bytes, rounded, and
// its zero is positive.
func TestWholeFloat(t *testing.T) {
	x := &tir.Buffer{Name: "x", Type: tir.F32, Shape: []int64{1}}
	z := &tir.Buffer{Name: "z", Type: tir.U8, Shape: []int64{1}}
	at := []tir.Expr{tir.Int(0)}
	load := func(b *tir.Buffer) tir.Expr { return &tir.Load{Buffer: b, Index: at} }
	cast := func(e tir.Expr, to tir.DType) tir.Expr { return &tir.Cast{X: e, To: to} }
	float := func(v float64) tir.Expr { return tir.Float(tir.F32, v) }
	round := &tir.Call{Fn: tir.RoundEven, Args: []tir.Expr{load(x)}}
	clamp := func(e tir.Expr, op tir.BinOp, low, high float64) tir.Expr {
		return tir.Bin(tir.Min, &tir.Select{Cond: tir.Bin(op, e, float(low)), Then: e, Else: float(low)}, float(high))
	}
	q := clamp(tir.Bin(tir.Add, round, cast(load(z), tir.F32)), tir.GT, 0, 255)
	less := func(e tir.Expr) tir.Expr { return tir.Bin(tir.Sub, cast(e, tir.I32), cast(load(z), tir.I32)) }
	for _, c := range []struct {
		name string
		e    tir.Expr
		want bool
	}{
		{"a byte", cast(q, tir.U8), true},
		{"less a zero point", less(cast(q, tir.U8)), true},
		{"what is not rounded", cast(clamp(load(x), tir.GT, 0, 255), tir.U8), false},
		{"beyond bytes", cast(clamp(round, tir.GT, 0, 256), tir.U8), false},
		{"a limit that is not whole", cast(clamp(round, tir.GT, 0, 2.5), tir.U8), false},
		{"a negative zero", cast(clamp(round, tir.GE, 0, 255), tir.U8), false},
		{"below zero", cast(clamp(round, tir.GT, -1, 255), tir.U8), false},
		{"a byte of memory", less(load(z)), false},
		{"bytes with a sign", cast(q, tir.I8), false},
	} {
		got, ok := wholeFloat(c.e)
		if ok != c.want || ok && got.DType() != tir.F32 {
			t.Errorf("%s: %v, want %v", c.name, ok, c.want)
		}
	}
}
