package lower_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
)

// TestSimplifyUnread: a temporary that nothing reads goes, with what is stored to it and the loops of that. One stays
// that a value, an index, a condition or a length reads.
func TestSimplifyUnread(t *testing.T) {
	a, c, g := buf("A", tir.F32, 8), buf("C", tir.F32, 8), buf("G", tir.I64, 8)
	tmp, i, j := local("T", tir.I64, 8), v("i"), v("j")
	for what, use := range map[string]tir.Stmt{
		"! nothing": set(c, at(a, j), j),
		"a value":   set(c, &tir.Cast{X: at(tmp, j), To: tir.F32}, j),
		"an index":  set(c, at(a, tir.Bin(tir.FloorMod, at(tmp, j), n(8))), j),
		"a condition": seq(set(c, at(a, j), j),
			&tir.If{Cond: tir.Bin(tir.LT, at(tmp, j), n(3)), Then: set(c, tir.Const(tir.F32, 0), j)}),
		"a length": seq(set(c, at(a, j), j), &tir.For{Var: v("k"), Extent: at(tmp, j), Body: set(c, at(a, n(0)), j)}),
	} {
		body := seq(loop(tir.Serial, i, 8, set(tmp, at(g, i), i)), loop(tir.Serial, j, 8, use))
		text := lower.Simplify(fn("f", 1, alloc(tmp, body), a, g, c)).String()
		kept := strings.Contains(text, "alloc T") && strings.Contains(text, "T[i] = G[i]")
		gone := !strings.Contains(text, "T[") && !strings.Contains(text, "alloc T") && !strings.Contains(text, "for i")
		if unread := strings.HasPrefix(what, "!"); kept == unread || gone != unread {
			t.Errorf("%s:\n%s", what, text)
		}
	}
}

// TestSimplifyData: of int64 elements, which wrap around, the same is computed before and after; an index among them,
// clamped or guarded, is simplified as others are.
func TestSimplifyData(t *testing.T) {
	numbers := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 62, -1, 0, 1, 5, 1 << 61, 1<<62 + 3, math.MaxInt64}
	count := int64(len(numbers))
	x, table, i, j, op := buf("X", tir.I64, count), buf("T", tir.I64, 6, 4), v("i"), v("j"), tir.Bin
	e := at(x, i)
	clamped := op(tir.Min, op(tir.Max, e, n(0)), n(5))
	row := func(index tir.Expr) tir.Expr { return at(table, op(tir.FloorDiv, add(mul(index, n(4)), j), n(4)), j) }
	for want, value := range map[string]tir.Expr{
		"1442695040888963407": op(tir.FloorMod, add(mul(e, n(6364136223846793005)), n(1442695040888963407)), n(1000000)),
		"floordiv((X[i]*4)":   op(tir.FloorDiv, mul(e, n(4)), n(4)),
		"(X[i] + 1) > X[i]":   tir.IfThenElse(op(tir.GT, add(e, n(1)), e), n(1), j),
		"T[min(max(X[i]":      row(clamped),
		"T[X[i], j]":          tir.IfThenElse(op(tir.And, op(tir.GE, e, n(0)), op(tir.LT, e, n(6))), row(e), n(7)),
	} {
		c := buf("C", tir.I64, count, 4)
		f := fn("f", 1, loop(tir.Serial, i, count, loop(tir.Serial, j, 4, set(c, value, i, j))), x, table, c)
		g := lower.Simplify(f)
		if !strings.Contains(g.String(), want) {
			t.Errorf("no %s in\n%s", want, g)
		}
		args := []*interp.Tensor{interp.NewTensor(x), interp.NewTensor(table), interp.NewTensor(c)}
		for k, v := range numbers {
			binary.LittleEndian.PutUint64(args[0].Data[8*k:], uint64(v))
		}
		for k := range args[1].Len() {
			args[1].SetFloat(k, float64(k))
		}
		before := clone(args)
		for _, err := range []error{interp.Run(f, before, interp.Options{}), interp.Run(g, args, interp.Options{})} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(args[2].Data, before[2].Data) {
			t.Errorf("computes something else:\n%s\n%s", f, g)
		}
	}
}

// TestSimplifyTile: what tensor cores add to stays.
func TestSimplifyTile(t *testing.T) {
	tile, halves, c, x := local("T", tir.F32, 4), buf("H", tir.F16, 16, 16), buf("C", tir.F32, 1), v("x")
	o := tir.Operand{First: at(halves, n(0), n(0)).(*tir.Load), Row: []int64{1, 0}, Col: []int64{0, 1}}
	body := loop(tir.Serial, x, 32, &tir.MMA{Buffer: tile, A: o, B: o, Lane: x})
	text := lower.Simplify(fn("f", 1, seq(alloc(tile, body), set(c, tir.Const(tir.F32, 0), n(0))), halves, c)).String()
	if !strings.Contains(text, "alloc T") {
		t.Error(text)
	}
}
