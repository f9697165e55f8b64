package llvm_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/tir"
)

// An ending is what is done with a tile of a product: C[i, j] = value(T[i, j], ...) in loops over mr rows and nr
// columns.
type ending func(x tir.Expr) tir.Expr

func sigmoidOf(x tir.Expr) tir.Expr { return mul(x, intrinsic(tir.Sigmoid, x)) }

// tiledEnding is a product of 4 rows and 3 columns of tiles, each of which is summed up in registers, written to a tile
// in memory, and ended from there.
func tiledEnding(mr, nr, depth int64, t tir.DType, end ending) *tir.Func {
	a, b, bias, c := buf("A", t, 4*mr, depth), buf("B", t, depth, 3*nr), buf("bias", t, 3*nr), buf("C", t, 4*mr, 3*nr)
	acc, tile := local("acc", t, mr, nr), local("T", t, mr, nr)
	io, jo, k := v("i.0"), v("j.0"), v("k")
	row := func(i tir.Expr) tir.Expr { return add(mul(io, n(mr)), i) }
	col := func(j tir.Expr) tir.Expr { return add(mul(jo, n(nr)), j) }
	over := func(kind tir.ForKind, body func(i, j tir.Expr) tir.Stmt) tir.Stmt {
		i, j := v("i"), v("j")
		return loop(kind, i, mr, loop(tir.Vectorized, j, nr, body(i, j)))
	}
	return fn("ending", 1, loop(tir.Parallel, io, 4, loop(tir.Serial, jo, 3, alloc(tile, alloc(acc, seq(
		over(tir.Unrolled, func(i, j tir.Expr) tir.Stmt { return set(acc, tir.Const(t, 0), i, j) }),
		loop(tir.Serial, k, depth, over(tir.Unrolled, func(i, j tir.Expr) tir.Stmt {
			return set(acc, add(at(acc, i, j), mul(at(a, row(i), k), at(b, k, col(j)))), i, j)
		})),
		over(tir.Unrolled, func(i, j tir.Expr) tir.Stmt { return set(tile, at(acc, i, j), i, j) }),
		over(tir.Serial, func(i, j tir.Expr) tir.Stmt {
			return set(c, end(add(at(tile, i, j), at(bias, col(j)))), row(i), col(j))
		})))))), a, b, bias, c)
}

// TestEpilogue names what is computed in a function of its own, and how many rows abreast.
func TestEpilogue(t *testing.T) {
	squared := func(x tir.Expr) tir.Expr { return mul(x, x) }
	for _, c := range []struct {
		what    string
		rows    int64
		cols    int64
		end     ending
		apart   bool
		abreast int // calls that begin before the first one ends
	}{
		{"a function", 6, 16, sigmoidOf, true, 2},
		{"a function of short rows", 6, 8, sigmoidOf, true, 4},
		{"of three rows", 3, 8, sigmoidOf, true, 3},
		{"of rows that are long enough", 6, 32, sigmoidOf, true, 1},
		{"no function", 6, 16, squared, false, 0},
		{"an instruction", 6, 16, func(x tir.Expr) tir.Expr { return intrinsic(tir.Sqrt, x) }, false, 0},
	} {
		text := string(emit(t, tiledEnding(c.rows, c.cols, 8, tir.F32, c.end), avx2()))
		_, own, found := strings.Cut(text, "define internal void @kernel.epilogue.1(")
		if found != c.apart || strings.Contains(text, "call void @kernel.epilogue.1(") != found ||
			strings.Contains(text, ") noinline #0 {") != found {
			t.Errorf("%s: apart is %v, want %v\n%s", c.what, found, c.apart, text)
			continue
		}
		if !found {
			continue
		}
		own, _, _ = strings.Cut(own, "\n}\n")
		before, _, _ := strings.Cut(own, "fdiv")
		if abreast := strings.Count(before, "@llvm.fabs"); abreast != c.abreast {
			t.Errorf("%s: %d rows abreast, want %d\n%s", c.what, abreast, c.abreast, own)
		}
	}
}

// TestEpilogueLeavesAlone names loops with functions that stay where they are.
func TestEpilogueLeavesAlone(t *testing.T) {
	a, c, s, i, k := buf("A", tir.F32, 24), buf("C", tir.F32, 24), buf("S", tir.F32, 8), v("i"), v("k")
	sum := func(e tir.Expr) tir.Stmt {
		j := v("j")
		return loop(tir.Vectorized, j, 8, set(s, add(at(s, j), e), j))
	}
	exps := loop(tir.Vectorized, i, 24, set(c, intrinsic(tir.Exp, at(a, i)), i))
	product := mul(at(a, k), at(a, k))
	for what, f := range map[string]*tir.Func{
		"without a product":     fn("f", 2, loop(tir.Serial, k, 3, seq(exps, sum(at(a, k)))), a, s, c),
		"after the loop of one": fn("f", 2, seq(loop(tir.Serial, k, 3, sum(product)), exps), a, s, c),
		"functions in the product": fn("f", 1,
			loop(tir.Serial, k, 3, sum(mul(intrinsic(tir.Exp, at(a, k)), at(a, k)))), a, s),
	} {
		if text := string(emit(t, f, avx2())); strings.Contains(text, "epilogue") {
			t.Errorf("%s: got\n%s", what, text)
		}
	}
}

// TestEpilogueRuns holds that functions beside products compute what the interpreter does.
func TestEpilogueRuns(t *testing.T) {
	x := newExecutor(t)
	tanh := func(x tir.Expr) tir.Expr { return mul(x, intrinsic(tir.Tanh, mul(x, mul(x, x)))) }
	erf := func(x tir.Expr) tir.Expr { return mul(x, intrinsic(tir.Erf, x)) }
	var list []*tir.Func
	for _, typ := range []tir.DType{tir.F32, tir.F64} {
		for _, end := range []ending{sigmoidOf, tanh, erf} {
			for _, size := range [][2]int64{{1, 8}, {2, 16}, {3, 8}, {5, 24}, {7, 4}, {9, 8}, {4, 48}, {2, 13}} {
				list = append(list, tiledEnding(size[0], size[1], 5, typ, end))
			}
		}
	}
	x.compareAll(list)
}

// TestEpilogueRowsInOrder: rows that read what earlier rows store are computed one after the other.
func TestEpilogueRowsInOrder(t *testing.T) {
	x := newExecutor(t)
	a, c, i, j, k := buf("A", tir.F32, 9, 8), buf("C", tir.F32, 9, 8), v("i"), v("j"), v("k")
	j0, j1, o := v("j"), v("j"), v("o")
	first := loop(tir.Vectorized, j0, 8, set(c, tir.Const(tir.F32, 0), n(0), j0))
	product := loop(tir.Serial, k, 9, loop(tir.Vectorized, j1, 8,
		set(c, add(at(c, n(0), j1), mul(at(a, k, n(3)), at(a, k, j1))), n(0), j1)))
	rows := loop(tir.Serial, i, 8, loop(tir.Vectorized, j, 8,
		set(c, add(intrinsic(tir.Tanh, at(c, i, j)), at(a, i, j)), add(i, n(1)), j)))
	x.compare(fn("chain", 1, loop(tir.Serial, o, 2, seq(first, product, rows)), a, c))
}

// TestEpilogueSpillsNothing: the loop over the depth of a product keeps its accumulators in registers, whatever is done
// with the tile afterwards, and no constant is loaded around it.
func TestEpilogueSpillsNothing(t *testing.T) {
	x := newExecutor(t)
	f := tiledEnding(6, 16, 64, tir.F32, func(x tir.Expr) tir.Expr {
		return mul(mul(x, tir.Const(tir.F32, 0.5)), add(intrinsic(tir.Tanh, mul(tir.Const(tir.F32, 0.7), x)),
			intrinsic(tir.Erf, sigmoidOf(x))))
	})
	on := avx2()
	asm := string(x.compile(emit(t, f, on), build.Options{Form: build.Assembly, CPU: on.CPU, Features: on.Features}))
	product := 0
	for body := range strings.SplitSeq(asm, "\n\t.size") {
		if strings.Count(body, "vfmadd231ps") < 12 || strings.Contains(body, "kernel.epilogue.1:") {
			continue
		}
		product++
		for _, re := range []string{`vmovup?s\t%ymm\d+, \d*\(%rsp`, `%ymm\d+.*Spill`, `\(%rip\), %ymm`} {
			if found := regexp.MustCompile(re).FindString(body); found != "" {
				t.Errorf("beside the product: %s\n%s", found, body)
			}
		}
	}
	if product != 1 {
		t.Error(fmt.Sprintf("%d functions hold a product, want 1\n", product) + asm)
	}
}
