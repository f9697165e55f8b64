package lower_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
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
