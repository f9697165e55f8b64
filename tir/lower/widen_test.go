package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// columnMeans is the mean of each column, in a temporary for each.
func columnMeans(kind tir.ForKind, columns, rows int64) *tir.Func {
	x, out, sum := buf("x", tir.F32, rows, columns), buf("avg", tir.F32, columns), local("sum", tir.F32, 1)
	c, k := v("c"), v("k")
	return fn("means", 1, loop(kind, c, columns, alloc(sum,
		set(sum, tir.Const(tir.F32, 0), n(0)),
		loop(tir.Serial, k, rows, set(sum, add(at(sum, n(0)), at(x, k, c)), n(0))),
		set(out, mul(at(sum, n(0)), tir.Const(tir.F32, 0.5)), c))), x, out)
}

func TestWiden(t *testing.T) {
	got := lower.Widen(columnMeans(tir.Parallel, 65, 49), target.Generic(32, 2)).String()
	const want = `func means(x: float32[49, 65], out avg: float32[65]):
  parallel c in 2:
    alloc sum: float32[1, 32] local
    vectorize c_1 in 32:
      sum[0, c_1] = 0f
    for k in 49:
      vectorize c_2 in 32:
        sum[0, c_2] = (sum[0, c_2] + x[k, ((c*32) + c_2)])
    vectorize c_3 in 32:
      avg[((c*32) + c_3)] = (sum[0, c_3]*0.5f)
  for c_4 in 1:
    alloc sum_1: float32[1] local
    sum_1[0] = 0f
    for k_1 in 49:
      sum_1[0] = (sum_1[0] + x[k_1, (c_4 + 64)])
    avg[(c_4 + 64)] = (sum_1[0]*0.5f)
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// behind is the elements of x up to a number, and those of y behind them.
func behind(i *tir.Var, first int64, x, y *tir.Buffer) tir.Expr {
	return tir.IfThenElse(tir.Bin(tir.LT, i, n(first)), at(x, i), at(y, sub(i, n(first))))
}

// before is the same, asked the other way.
func before(i *tir.Var, first int64, x, y *tir.Buffer) tir.Expr {
	return tir.IfThenElse(tir.Bin(tir.GE, i, n(first)), at(y, sub(i, n(first))), at(x, i))
}

// widths are programs with loops that may be widened.
func widths() map[string]*tir.Func {
	a, b, c, e := buf("A", tir.F32, 64), buf("B", tir.F32, 64, 64), buf("C", tir.F32, 64), buf("E", tir.F32, 128)
	big, joined := local("T", tir.F32, 4096), buf("J", tir.F32, 96)
	i, j, z := v("i"), v("j"), v("z")
	over := func(kind tir.ForKind, body ...tir.Stmt) *tir.Func {
		return fn("f", 1, loop(kind, i, 64, body...), a, b, c)
	}
	zeroed := func(body tir.Stmt) *tir.Func {
		return fn("f", 1, seq(loop(tir.Vectorized, z, 128, set(e, tir.Const(tir.F32, 0), z)), loop(tir.Serial, i, 64, body)), a, b, e)
	}
	gather := buf("G", tir.I64, 64)
	chosen := &tir.Select{Cond: tir.Bin(tir.EQ, &tir.Cast{X: at(a, n(0)), To: tir.I64}, i),
		Then: tir.Const(tir.F32, 1), Else: at(a, i)}
	first5 := &tir.Select{Cond: tir.Bin(tir.LT, i, n(5)), Then: tir.Const(tir.F32, 1), Else: at(a, i)}
	return map[string]*tir.Func{
		"serial":   over(tir.Serial, set(c, at(a, i), i)),
		"unrolled": over(tir.Unrolled, set(c, add(at(a, i), at(a, n(3))), i)),
		"parallel": over(tir.Parallel, set(c, at(a, i), i)),
		"two stores": over(tir.Serial, set(c, at(a, i), i),
			loop(tir.Serial, j, 5, set(c, add(at(c, i), at(b, j, i)), i))),
		"condition": over(tir.Serial, loop(tir.Serial, j, 5,
			&tir.If{Cond: tir.Bin(tir.LT, j, n(3)), Then: set(c, at(b, j, i), i), Else: set(c, at(a, i), i)})),
		"one behind the other":  fn("f", 1, loop(tir.Serial, i, 96, set(joined, behind(i, 64, a, c), i)), a, c, joined),
		"in front of the other": fn("f", 1, loop(tir.Serial, i, 96, set(joined, before(i, 64, a, c), i)), a, c, joined),
		"a vector, then more":   fn("f", 1, loop(tir.Serial, i, 96, set(joined, behind(i, 40, a, c), i)), a, c, joined),
		"! a part of a vector":  fn("f", 1, loop(tir.Serial, i, 96, set(joined, behind(i, 62, a, c), i)), a, c, joined),
		"one of them chosen":    over(tir.Serial, set(c, chosen, i)),
		"! chosen by a bound":   over(tir.Serial, set(c, first5, i)),
		"! guarded":             over(tir.Serial, set(c, tir.IfThenElse(tir.Bin(tir.EQ, i, n(3)), at(b, n(0), i), at(a, i)), i)),
		"matmul row":            zeroed(loop(tir.Serial, j, 64, set(e, add(at(e, i), mul(at(a, j), at(b, j, i))), i))),
		"! backwards":           over(tir.Serial, set(c, at(a, sub(n(63), i)), sub(n(63), i))),
		"! reads a column":      over(tir.Serial, set(c, at(b, i, n(0)), i)),
		"! reads backwards":     over(tir.Serial, set(c, at(a, sub(n(63), i)), i)),
		"! carries a value":     zeroed(set(e, add(at(e, i), at(a, i)), add(i, n(1)))),
		"! the variable":        over(tir.Serial, set(c, &tir.Cast{X: i, To: tir.F32}, i)),
		"! a condition on it":   over(tir.Serial, &tir.If{Cond: tir.Bin(tir.LT, i, n(70)), Then: set(c, at(a, i), i)}),
		"! a condition on data": over(tir.Serial, set(c, at(a, i), i),
			&tir.If{Cond: tir.Bin(tir.LT, at(a, n(0)), tir.Const(tir.F32, 0)), Then: set(c, at(a, n(1)), i)}),
		"! a length on it": zeroed(&tir.For{Var: j, Extent: i, Body: set(e, add(at(e, i), at(a, j)), i)}),
		"! overlaps":       zeroed(loop(tir.Serial, j, 9, set(e, mul(at(a, i), at(a, j)), add(i, mul(j, n(2)))))),
		"! of unknown length": zeroed(&tir.For{Var: j, Extent: add(&tir.Cast{X: at(a, n(0)), To: tir.I64}, n(3)),
			Body: set(e, at(a, i), add(i, mul(j, n(64))))}),
		"! one element":       zeroed(set(e, add(at(e, n(0)), at(a, i)), n(0))),
		"! has a vector loop": over(tir.Serial, loop(tir.Vectorized, j, 8, set(c, at(a, i), i))),
		"! looks up":          fn("f", 1, loop(tir.Serial, i, 64, set(c, at(a, at(gather, i)), i)), a, gather, c),
		"! large temporary": over(tir.Serial, alloc(big,
			loop(tir.Serial, j, 4096, set(big, at(a, i), sub(n(4095), j))), set(c, at(big, n(5)), i))),
		"! temporary by place":  over(tir.Serial, alloc(big, set(big, at(a, i), i), set(c, at(big, i), i))),
		"half a vector":         fn("f", 1, loop(tir.Serial, i, 7, set(c, at(a, i), i)), a, c),
		"half, or few are left": fn("f", 1, loop(tir.Parallel, i, 15, set(c, at(a, i), i)), a, c),
		"! short":               fn("f", 1, loop(tir.Serial, i, 3, set(c, at(a, i), i)), a, c),
		"! few are left":        fn("f", 1, loop(tir.Parallel, i, 7, set(c, at(a, i), i)), a, c),
	}
}

// TestWidenWhat holds which loops become vectors: all but those marked with "!".
func TestWidenWhat(t *testing.T) {
	for name, f := range widths() {
		before := strings.Count(f.String(), "vectorize")
		got := lower.Widen(f, target.Generic(32, 2)).String()
		if wider := strings.Count(got, "vectorize") > before; wider == strings.HasPrefix(name, "!") {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

// TestWidenRuns holds that wide loops compute what the interpreter does.
func TestWidenRuns(t *testing.T) {
	var list []*tir.Func
	for _, columns := range []int64{4, 7, 8, 16, 33, 64, 100, 1281} {
		for _, kind := range []tir.ForKind{tir.Serial, tir.Unrolled, tir.Parallel} {
			list = append(list, columnMeans(kind, columns, 5))
		}
	}
	for name, f := range widths() {
		switch name { // elements are left unwritten, or indices leave the buffer
		case "half a vector", "half, or few are left", "! short", "! few are left", "! looks up", "! of unknown length":
			continue
		}
		list = append(list, f)
	}
	sameResults(t, list, lower.Widen)
}

// TestWidenFar: more columns are read at once where rows are far apart, unless there are several sums.
func TestWidenFar(t *testing.T) {
	for _, c := range []struct{ columns, sums, want int64 }{{256, 1, 32}, {512, 1, 128}, {512, 2, 32}} {
		x, out := buf("x", tir.F32, 9, c.columns), buf("y", tir.F32, 2, c.columns)
		j, k := v("j"), v("k")
		var sums []tir.Stmt
		outs := []*tir.Buffer{out, buf("z", tir.F32, 2, c.columns)}
		for _, y := range outs[:c.sums] {
			sums = append(sums, set(y, add(at(y, n(0), j), at(x, k, j)), n(0), j))
		}
		f := fn("sums", 2, loop(tir.Serial, j, c.columns, loop(tir.Serial, k, 9, sums...)), append([]*tir.Buffer{x}, outs...)...)
		got := lower.Widen(f, target.Generic(32, 2)).String()
		if want := fmt.Sprintf("vectorize j_1 in %d:", c.want); !strings.Contains(got, want) {
			t.Errorf("want %s, got\n%s", want, got)
		}
	}
}
