package lower_test

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// A loop that stays inside an unrolled one counts as more than its stores: a compiler took ten seconds for 160 copies
// of two loops.
func TestUnrollCountsLoops(t *testing.T) {
	for _, test := range []struct {
		rows     int64
		unrolled bool
	}{{80, true}, {100, false}} {
		a, c := buf("A", tir.F32, test.rows, 7), buf("C", tir.F32, test.rows)
		i, k := v("i"), v("k")
		f := fn("rows", 1, loop(tir.Unrolled, i, test.rows, seq(
			set(c, tir.Const(tir.F32, 0), i),
			loop(tir.Serial, k, 7, set(c, add(at(c, i), at(a, i, k)), i)))), a, c)
		outer := lower.Unroll(f, target.Generic(32, 2)).Body.(*tir.For)
		if got := outer.Kind == tir.Unrolled; got != test.unrolled {
			t.Errorf("%d rows: unrolled is %v", test.rows, got)
		}
	}
}
