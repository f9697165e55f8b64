package lower_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// rowSums is C[i, j] += A[i, k] * B[k, j], for rows rows and cols columns at a
// time, inside a serial loop over k.
func rowSums(rows, cols int64) *tir.Func {
	a, b, c := buf("A", tir.F32, 8, 16), buf("B", tir.F32, 16, 64), buf("C", tir.F32, 8, 64)
	o, i, j, k := v("o"), v("i"), v("j"), v("k")
	row := add(mul(o, n(rows)), i)
	store := set(c, add(at(c, row, j), mul(at(a, row, k), at(b, k, j))), row, j)
	z, y := v("z"), v("y")
	return fn("sums", 1, seq(
		loop(tir.Serial, z, 8, loop(tir.Vectorized, y, 64, set(c, tir.Const(tir.F32, 0), z, y))),
		loop(tir.Serial, o, 8/rows, loop(tir.Serial, k, 16, loop(tir.Unrolled, i, rows, loop(tir.Vectorized, j, cols, store))))), a, b, c)
}

func TestPromote(t *testing.T) {
	got := lower.Promote(rowSums(2, 16), target.Generic(32, 2)).String()
	const want = `func sums(A: float32[8, 16], B: float32[16, 64], out C: float32[8, 64]):
  for z in 8:
    vectorize y in 64:
      C[z, y] = 0f
  for o in 4:
    alloc C.acc: float32[2, 16] local
    unroll i in 2:
      vectorize j in 16:
        C.acc[i, j] = C[((o*2) + i), j]
    for k in 16:
      unroll i_1 in 2:
        vectorize j_1 in 16:
          C.acc[i_1, j_1] = (C.acc[i_1, j_1] + (A[((o*2) + i_1), k]*B[k, j_1]))
    unroll i_2 in 2:
      vectorize j_2 in 16:
        C[((o*2) + i_2), j_2] = C.acc[i_2, j_2]
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// initialised is a program in which the tile's initialisation stands before the
// loop, over the elements that init says.
func initialised(initRows int64, value func(c *tir.Buffer) tir.Expr) *tir.Func {
	a, c := buf("A", tir.F32, 4, 16, 8), buf("C", tir.F32, 4, 8)
	o, i, j, k, p, q, z, y := v("o"), v("i"), v("j"), v("k"), v("p"), v("q"), v("z"), v("y")
	row := func(x tir.Expr) tir.Expr { return add(mul(o, n(2)), x) }
	return fn("sums", 1, seq(
		loop(tir.Serial, z, 4, loop(tir.Serial, y, 8, set(c, tir.Const(tir.F32, 1), z, y))),
		loop(tir.Serial, o, 2, seq(
			loop(tir.Unrolled, p, initRows, loop(tir.Vectorized, q, 8, set(c, value(c), row(p), q))),
			loop(tir.Serial, k, 16, loop(tir.Unrolled, i, 2, loop(tir.Vectorized, j, 8, set(c, add(at(c, row(i), j), at(a, row(i), k, j)), row(i), j))))))), a, c)
}

func zero(*tir.Buffer) tir.Expr { return tir.Const(tir.F32, 0) }

func TestPromoteInitialisation(t *testing.T) {
	got := lower.Promote(initialised(2, zero), target.Generic(32, 2)).String()
	const want = `func sums(A: float32[4, 16, 8], out C: float32[4, 8]):
  for z in 4:
    for y in 8:
      C[z, y] = 1f
  for o in 2:
    alloc C.acc: float32[2, 8] local
    unroll p in 2:
      vectorize q in 8:
        C.acc[p, q] = 0f
    for k in 16:
      unroll i in 2:
        vectorize j in 8:
          C.acc[i, j] = (C.acc[i, j] + A[((o*2) + i), k, j])
    unroll i_1 in 2:
      vectorize j_1 in 8:
        C[((o*2) + i_1), j_1] = C.acc[i_1, j_1]
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
	for name, f := range notInitialised() {
		if got := lower.Promote(f, target.Generic(32, 2)).String(); !strings.Contains(got, "] = C[") {
			t.Errorf("%s: no copy into the temporary\n%s", name, got)
		}
	}
}

// TestPromoteWholeTemporary: a temporary that a loop runs over elsewhere is in
// memory, and the loop that accumulates it has to have values.
func TestPromoteWholeTemporary(t *testing.T) {
	whole, c, one := local("T", tir.F32, 4), buf("C", tir.F32, 4), tir.Const(tir.F32, 1)
	p, q, r, o := v("p"), v("q"), v("r"), v("o")
	f := fn("f", 1, alloc(whole, loop(tir.Unrolled, p, 4, set(whole, one, p)),
		loop(tir.Serial, q, 3, loop(tir.Unrolled, r, 4, set(whole, add(at(whole, r), one), r))),
		loop(tir.Serial, o, 4, set(c, at(whole, o), o))), c)
	if got := lower.Promote(f, target.Generic(32, 2)).String(); !strings.Contains(got, "T.acc[r] = (T.acc[r] + 1f)") {
		t.Errorf("got\n%s", got)
	}
	sameResults(t, []*tir.Func{f}, lower.Promote)
}

// notInitialised has a program for each reason why the statement before the
// loop is not the initialisation of the tile.
func notInitialised() map[string]*tir.Func {
	return map[string]*tir.Func{
		"other extents": initialised(1, zero),
		"reads":         initialised(2, func(c *tir.Buffer) tir.Expr { return at(c, n(0), n(0)) }),
	}
}

// TestPromoteNot has a program for each reason to leave a loop alone.
func TestPromoteNot(t *testing.T) {
	c := buf("C", tir.F32, 8, 64)
	programs := notPromoted(c)
	for name, f := range programs {
		if got := lower.Promote(f, target.Generic(32, 2)).String(); strings.Contains(got, ".acc") {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

func notPromoted(c *tir.Buffer) map[string]*tir.Func {
	one := tir.Const(tir.F32, 1)
	i, j, k := v("i"), v("j"), v("k")
	clear := func() tir.Stmt {
		p, q := v("p"), v("q")
		return loop(tir.Serial, p, 8, loop(tir.Vectorized, q, 64, set(c, tir.Const(tir.F32, 0), p, q)))
	}
	program := func(s tir.Stmt) *tir.Func { return fn("f", 1, seq(clear(), s), c) }
	bump := func(row, col tir.Expr) tir.Stmt { return set(c, add(at(c, row, col), one), row, col) }
	whole := local("T", tir.F32, 4)
	p, q, r := v("p"), v("q"), v("r")
	return map[string]*tir.Func{
		"the tile does not fit":      rowSums(4, 64),
		"two indices":                program(loop(tir.Serial, k, 3, seq(bump(n(0), n(0)), bump(n(1), n(0))))),
		"the loop's own variable":    program(loop(tir.Serial, i, 8, loop(tir.Vectorized, j, 64, bump(i, j)))),
		"a store under a condition":  program(loop(tir.Serial, k, 8, &tir.If{Cond: tir.Bin(tir.LT, k, n(5)), Then: bump(n(0), n(0))})),
		"a loop of unknown length":   program(loop(tir.Serial, i, 8, loop(tir.Serial, k, 2, &tir.For{Var: j, Extent: add(i, n(1)), Body: bump(n(0), j)}))),
		"a parallel loop":            program(loop(tir.Serial, k, 2, loop(tir.Parallel, i, 8, bump(i, n(0))))),
		"not read":                   program(loop(tir.Serial, k, 2, set(c, one, n(0), n(0)))),
		"an index that is looked up": program(loop(tir.Serial, k, 2, bump(&tir.Cast{X: at(c, n(1), n(1)), To: tir.I64}, n(0)))),
		// Found by fuzzing: the fused loop is at each element twice.
		"a loop that is fused": program(loop(tir.Serial, k, 3, loop(tir.Serial, i, 16, bump(tir.Bin(tir.FloorDiv, i, n(2)), n(0))))),
		"overlapping rows":     program(loop(tir.Serial, k, 3, loop(tir.Serial, i, 4, loop(tir.Serial, j, 4, bump(n(0), add(i, j)))))),
		"a temporary that is written first, if at all": program(alloc(whole, loop(tir.Serial, i, 3,
			&tir.For{Var: k, Extent: i, Body: seq(set(whole, one, n(0)), set(c, at(whole, n(0)), i, k))}))),
		"a whole temporary": program(alloc(whole, loop(tir.Unrolled, p, 4, set(whole, one, p)),
			loop(tir.Serial, q, 3, loop(tir.Unrolled, r, 4, set(whole, add(at(whole, r), one), r))), set(c, at(whole, n(2)), n(1), n(1)))),
	}
}

// TestPromoteRuns holds that programs with and without temporaries compute
// what the interpreter does, with several reduction loops and reduced tiles.
func TestPromoteRuns(t *testing.T) {
	list := []*tir.Func{rowSums(2, 16), rowSums(1, 64), rowSums(4, 64)}
	for _, f := range notPromoted(buf("C", tir.F32, 8, 64)) {
		list = append(list, f)
	}
	list = append(list, initialised(2, zero))
	for _, f := range notInitialised() {
		list = append(list, f)
	}
	a, s, m := buf("A", tir.F32, 6, 40), buf("S", tir.F32, 6), buf("M", tir.F32, 6)
	i, j, k := v("i"), v("j"), v("k")
	least := tir.Const(tir.F32, -1e30)
	list = append(list, fn("two", 2, loop(tir.Parallel, i, 6, set(s, tir.Const(tir.F32, 0), i), set(m, least, i),
		loop(tir.Serial, j, 5, loop(tir.Serial, k, 8,
			set(s, add(at(s, i), at(a, i, add(mul(j, n(8)), k))), i),
			set(m, tir.Bin(tir.Max, at(m, i), at(a, i, add(mul(j, n(8)), k))), i)))), a, s, m))
	if got := lower.Promote(list[len(list)-1], target.Generic(32, 2)).String(); strings.Count(got, "alloc") != 2 {
		t.Errorf("got\n%s", got)
	}
	sameResults(t, list, lower.Promote)
}
