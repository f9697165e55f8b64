package lower_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// fusedColumns takes the largest element of each column of some matrices, by one loop over all columns.
func fusedColumns(kind tir.ForKind, matrices, rows, columns int64) *tir.Func {
	x, out := buf("x", tir.F32, matrices, rows, columns), buf("out", tir.F32, matrices, columns)
	most := local("most", tir.F32, 1)
	f, k := v("f"), v("k")
	which, column := tir.Bin(tir.FloorDiv, f, n(columns)), tir.Bin(tir.FloorMod, f, n(columns))
	return fn("most", 1, loop(kind, f, matrices*columns, alloc(most,
		set(most, tir.Const(tir.F32, -1e9), n(0)),
		loop(tir.Serial, k, rows, set(most, tir.Bin(tir.Max, at(most, n(0)), at(x, which, k, column)), n(0))),
		set(out, at(most, n(0)), which, column))), x, out)
}

func TestWidenDigits(t *testing.T) {
	for _, c := range []struct {
		columns int64
		want    string
	}{
		{64, `  parallel f in 256:
    alloc most: float32[1, 32] local
    vectorize f_1 in 32:
      most[0, f_1] = -1e+09f
    for k in 5:
      vectorize f_2 in 32:
        most[0, f_2] = max(most[0, f_2], x[floordiv(f, 2), k, ((floormod(f, 2)*32) + f_2)])
    vectorize f_3 in 32:
      out[floordiv(f, 2), ((floormod(f, 2)*32) + f_3)] = most[0, f_3]
`},
		{49, `  parallel f in 128:
    for f_1 in 3:
      alloc most: float32[1, 16] local
      vectorize f_2 in 16:
        most[0, f_2] = -1e+09f
      for k in 5:
        vectorize f_3 in 16:
          most[0, f_3] = max(most[0, f_3], x[f, k, ((f_1*16) + f_3)])
      vectorize f_4 in 16:
        out[f, ((f_1*16) + f_4)] = most[0, f_4]
    alloc most_1: float32[1] local
    most_1[0] = -1e+09f
    for k_1 in 5:
      most_1[0] = max(most_1[0], x[f, k_1, 48])
    out[f, 48] = most_1[0]
`},
	} {
		got := lower.Widen(fusedColumns(tir.Parallel, 128, 5, c.columns), target.Generic(32, 2)).String()
		if !strings.Contains(got, c.want) {
			t.Errorf("%d columns: got\n%s", c.columns, got)
		}
	}
}

// TestWidenDigitsLeavesAlone names what keeps a fused loop as it is.
func TestWidenDigitsLeavesAlone(t *testing.T) {
	for what, f := range map[string]*tir.Func{
		"few parts, that are no vectors": fusedColumns(tir.Parallel, 4, 5, 49),
		"few columns":                    fusedColumns(tir.Parallel, 128, 5, 3),
		"rows": func() *tir.Func {
			x, out := buf("x", tir.F32, 64, 64), buf("out", tir.F32, 64, 64)
			i := v("i")
			return fn("f", 1, loop(tir.Parallel, i, 4096,
				set(out, at(x, tir.Bin(tir.FloorMod, i, n(64)), tir.Bin(tir.FloorDiv, i, n(64))),
					tir.Bin(tir.FloorDiv, i, n(64)), tir.Bin(tir.FloorMod, i, n(64)))), x, out)
		}(),
	} {
		if got := lower.Widen(f, target.Generic(32, 2)).String(); strings.Contains(got, "vectorize") {
			t.Errorf("%s: got\n%s", what, got)
		}
	}
}

// TestWidenDigitsRuns holds that such loops compute what the interpreter does.
func TestWidenDigitsRuns(t *testing.T) {
	var list []*tir.Func
	for _, columns := range []int64{3, 8, 16, 24, 33, 49, 64, 128} {
		for _, kind := range []tir.ForKind{tir.Serial, tir.Unrolled, tir.Parallel} {
			list = append(list, fusedColumns(kind, 9, 3, columns))
		}
	}
	sameResults(t, list, lower.Widen)
}
