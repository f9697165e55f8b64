package lower_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// rowReduction is C[i] = C[i] op value over the last dimension of A.
func rowReduction(op tir.BinOp, typ tir.DType, extent int64, kind tir.ForKind, value func(a tir.Expr) tir.Expr) *tir.Func {
	a, c := buf("A", typ, 6, extent), buf("C", typ, 6)
	z, i, k := v("z"), v("i"), v("k")
	store := set(c, tir.Bin(op, at(c, i), value(at(a, i, k))), i)
	return fn("rows", 1, seq(
		loop(tir.Serial, z, 6, set(c, tir.Const(typ, 0), z)),
		loop(tir.Parallel, i, 6, loop(kind, k, extent, store))), a, c)
}

func itself(a tir.Expr) tir.Expr { return a }

// dots is a tile of dot products: C[j] += A[k]*B[j, k] with a loop over j inside
// and one over another part of the reduction outside.
func dots(tile, extent int64) *tir.Func {
	a, b, c := buf("A", tir.F32, 3, extent), buf("B", tir.F32, 24, 3, extent), buf("C", tir.F32, 24)
	z, o, r, k, j := v("z"), v("o"), v("r"), v("k"), v("j")
	row := add(mul(o, n(tile)), j)
	store := set(c, add(at(c, row), mul(at(a, r, k), at(b, row, r, k))), row)
	return fn("dots", 1, seq(
		loop(tir.Serial, z, 24, set(c, tir.Const(tir.F32, 0), z)),
		loop(tir.Serial, o, 24/tile, loop(tir.Serial, r, 3, loop(tir.Serial, k, extent, loop(tir.Unrolled, j, tile, store))))), a, b, c)
}

func TestLanewise(t *testing.T) {
	for _, c := range []struct {
		f    *tir.Func
		want string
	}{
		{rowReduction(tir.Max, tir.F32, 19, tir.Serial, itself), `  parallel i in 6:
    alloc C.lanes: float32[16] local
    vectorize l in 16:
      C.lanes[l] = -inff
    vectorize l_1 in 16:
      C.lanes[l_1] = max(C.lanes[l_1], A[i, l_1])
    vectorize l_2 in 8:
      C.lanes[l_2] = max(C.lanes[l_2], C.lanes[(l_2 + 8)])
    vectorize l_3 in 4:
      C.lanes[l_3] = max(C.lanes[l_3], C.lanes[(l_3 + 4)])
    vectorize l_4 in 2:
      C.lanes[l_4] = max(C.lanes[l_4], C.lanes[(l_4 + 2)])
    vectorize l_5 in 2:
      C.lanes[l_5] = max(C.lanes[l_5], A[i, (l_5 + 16)])
    vectorize l_6 in 1:
      C.lanes[l_6] = max(C.lanes[l_6], C.lanes[(l_6 + 1)])
    vectorize l_7 in 1:
      C.lanes[l_7] = max(C.lanes[l_7], A[i, (l_7 + 18)])
    C[i] = max(C[i], C.lanes[0])
`},
		{dots(3, 16), `  for o in 8:
    alloc C.lanes: float32[3, 16] local
    unroll j in 3:
      vectorize l in 16:
        C.lanes[j, l] = -0f
    for r in 3:
      unroll j_1 in 3:
        vectorize l_1 in 16:
          C.lanes[j_1, l_1] = (C.lanes[j_1, l_1] + (A[r, l_1]*B[((o*3) + j_1), r, l_1]))
    unroll j_2 in 3:
      vectorize l_2 in 8:
        C.lanes[j_2, l_2] = (C.lanes[j_2, l_2] + C.lanes[j_2, (l_2 + 8)])
    unroll j_3 in 3:
      vectorize l_3 in 4:
        C.lanes[j_3, l_3] = (C.lanes[j_3, l_3] + C.lanes[j_3, (l_3 + 4)])
    unroll j_4 in 3:
      vectorize l_4 in 2:
        C.lanes[j_4, l_4] = (C.lanes[j_4, l_4] + C.lanes[j_4, (l_4 + 2)])
    unroll j_5 in 3:
      vectorize l_5 in 1:
        C.lanes[j_5, l_5] = (C.lanes[j_5, l_5] + C.lanes[j_5, (l_5 + 1)])
    unroll j_6 in 3:
      C[((o*3) + j_6)] = (C[((o*3) + j_6)] + C.lanes[j_6, 0])
`},
	} {
		got := lower.Lanewise(c.f, target.Generic(32, 2)).String()
		if !strings.HasSuffix(got, c.want) {
			t.Errorf("got\n%s", got)
		}
	}
}

// TestLanewiseLanes is about how many lanes hold the partial sums.
func TestLanewiseLanes(t *testing.T) {
	for _, c := range []struct {
		f    *tir.Func
		want string
	}{
		{rowReduction(tir.Add, tir.F32, 8, tir.Serial, itself), "float32[8]"},
		{rowReduction(tir.Add, tir.F32, 49, tir.Unrolled, itself), "float32[16]"},
		{rowReduction(tir.Add, tir.F32, 31, tir.Serial, itself), "float32[8]"},
		{rowReduction(tir.Add, tir.F32, 768, tir.Serial, itself), "float32[32]"},
		{rowReduction(tir.Min, tir.F64, 768, tir.Serial, itself), "float64[16]"},
		{dots(1, 64), "float32[1, 32]"},
		{dots(1, 60), "float32[1, 8]"}, // what more lanes leave would repeat the loop around
		{rowReduction(tir.Add, tir.F32, 60, tir.Serial, itself), "float32[16]"},
		{dots(4, 64), "float32[4, 16]"}, // 12 registers
		{dots(12, 64), "float32[12, 8]"},
	} {
		if got := lower.Lanewise(c.f, target.Generic(32, 2)).String(); !strings.Contains(got, "alloc C.lanes: "+c.want+" local") {
			t.Errorf("want %s, got\n%s", c.want, got)
		}
	}
}

// TestLanewiseMask is about what is left of less than a vector: one part with a mask where several would each go
// through another loop of the sum.
func TestLanewiseMask(t *testing.T) {
	const want = `    for r_1 in 3:
      unroll j_2 in 2:
        vectorize l_2 in 8:
          C.lanes[j_2, l_2] = (C.lanes[j_2, l_2] + tir.if_then_else(((l_2 + 24) < 29), (A[r_1, (l_2 + 24)]*B[((o*2) + j_2), r_1, (l_2 + 24)]), -0f))
`
	generic := target.Generic(32, 2)
	if got := lower.Lanewise(dots(2, 29), generic).String(); !strings.Contains(got, want) {
		t.Errorf("got\n%s", got)
	}
	masked := func(f *tir.Func, on target.Target) bool {
		return strings.Contains(lower.Lanewise(f, on).String(), "if_then_else")
	}
	chosen := dots(2, 29)
	chosen.Body = tir.MapStmt(chosen.Body, nil, func(e tir.Expr) tir.Expr {
		return tir.MapExpr(e, func(e tir.Expr) tir.Expr {
			if p, ok := e.(*tir.Binary); ok && p.Op == tir.Mul && e.DType() == tir.F32 {
				return mul(p.X, &tir.Select{Cond: tir.BoolImm(true), Then: p.Y, Else: p.Y})
			}
			return e
		})
	})
	for what, c := range map[string]struct {
		f  *tir.Func
		on target.Target
	}{
		"one part":      {dots(2, 28), generic},
		"whole vectors": {dots(2, 32), generic},
		"one loop":      {rowReduction(tir.Add, tir.F32, 29, tir.Serial, itself), generic},
		"small vectors": {dots(2, 27), target.Generic(16, 2)},
		"a choice":      {chosen, generic},
	} {
		if !strings.Contains(lower.Lanewise(c.f, c.on).String(), "C.lanes") {
			t.Errorf("%s: not along lanes", what)
		}
		if masked(c.f, c.on) {
			t.Errorf("%s: has a mask", what)
		}
	}
}

// TestLanewiseLeavesAlone names what keeps a reduction as it is.
func TestLanewiseLeavesAlone(t *testing.T) {
	a, b, c := buf("A", tir.F32, 64), buf("B", tir.F32, 64, 64), buf("C", tir.F32, 64)
	i, k := v("i"), v("k")
	sum := func(value tir.Expr) tir.Stmt { return set(c, add(at(c, i), value), i) }
	over := func(kind tir.ForKind, body tir.Stmt) *tir.Func {
		z := v("z")
		return fn("f", 1, seq(loop(tir.Serial, z, 64, set(c, tir.Const(tir.F32, 0), z)),
			loop(tir.Serial, i, 64, loop(kind, k, 64, body))), a, b, c)
	}
	unknown := over(tir.Serial, sum(at(a, k)))
	unknown.Body.(*tir.Seq).Stmts[1].(*tir.For).Body.(*tir.For).Extent = i
	z, j := v("z"), v("j")
	vector := fn("f", 1, seq(loop(tir.Serial, z, 64, set(c, tir.Const(tir.F32, 0), z)),
		loop(tir.Vectorized, j, 64, loop(tir.Serial, k, 64, set(c, add(at(c, j), at(b, j, k)), j)))), a, b, c)
	for what, f := range map[string]*tir.Func{
		"too many elements":    dots(24, 64),
		"too short":            rowReduction(tir.Add, tir.F32, 7, tir.Serial, itself),
		"integers":             rowReduction(tir.Add, tir.I32, 64, tir.Serial, itself),
		"another operator":     rowReduction(tir.Mul, tir.F32, 64, tir.Serial, itself),
		"far apart":            over(tir.Serial, sum(at(b, k, i))),
		"two apart":            over(tir.Serial, sum(at(a, tir.Bin(tir.FloorDiv, k, n(2))))),
		"the variable":         over(tir.Serial, sum(mul(at(a, k), &tir.Cast{X: k, To: tir.F32}))),
		"nothing along it":     over(tir.Serial, sum(at(a, i))),
		"reads C":              over(tir.Serial, sum(at(c, k))),
		"two stores":           over(tir.Serial, seq(sum(at(a, k)), set(c, at(c, i), i))),
		"a condition":          over(tir.Serial, &tir.If{Cond: tir.Bin(tir.LT, k, n(9)), Then: sum(at(a, k))}),
		"no reduction":         over(tir.Serial, set(c, at(a, k), i)),
		"an unknown extent":    unknown,
		"inside a vector loop": vector,
	} {
		if got := lower.Lanewise(f, target.Generic(32, 2)).String(); strings.Contains(got, "lanes") {
			t.Errorf("%s: got\n%s", what, got)
		}
	}
}

// TestLanewiseRuns holds that reductions compute what the interpreter does.
func TestLanewiseRuns(t *testing.T) {
	var list []*tir.Func
	square := func(a tir.Expr) tir.Expr { return mul(a, a) }
	exp := func(a tir.Expr) tir.Expr { return &tir.Call{Fn: tir.Exp, Args: []tir.Expr{a}} }
	for _, typ := range []tir.DType{tir.F32, tir.F64} {
		for _, op := range []tir.BinOp{tir.Add, tir.Max, tir.Min} {
			for _, extent := range []int64{1, 2, 4, 7, 8, 9, 16, 19, 24, 49, 64, 100, 128, 769} {
				for _, value := range []func(tir.Expr) tir.Expr{itself, square, exp} {
					list = append(list, rowReduction(op, typ, extent, tir.Serial, value))
				}
				list = append(list, rowReduction(op, typ, extent, tir.Unrolled, square))
			}
		}
	}
	for _, tile := range []int64{1, 2, 3, 4, 6, 12} {
		for _, extent := range []int64{8, 11, 13, 29, 32, 47, 143, 256} {
			list = append(list, dots(tile, extent))
		}
	}
	sameResults(t, list, lower.Lanewise)
}
