package llvm_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

func plain(x tir.Expr) tir.Expr { return x }

// TestTileRest: of a tile that is a little larger than the registers, the vectors that do not fit, and one more, are
// loaded and stored each time.
func TestTileRest(t *testing.T) {
	for _, c := range []struct {
		rows, cols int64
		typ        tir.DType
		target     target.Target
		rest       int // vectors
	}{
		{7, 64, tir.F32, avx512(), 2},  // 28 + 4 + 1
		{15, 32, tir.F32, avx512(), 2}, // 30 + 2 + 1
		{10, 48, tir.F32, avx512(), 3}, // 30 + 3 + 1
		{7, 32, tir.F64, avx512(), 2},
		{14, 32, tir.F32, avx512(), 0}, // 28 + 2 + 1
		{8, 64, tir.F32, avx512(), 0},  // 32 + 4 + 1: too much
		{7, 58, tir.F32, avx512(), 2},  // the last vector of a row is not full
		{7, 16, tir.F32, avx2(), 0},    // 14 + 2 + 1 of 16, but so few that they would wait for the rest
	} {
		text := string(emit(t, tiledEnding(c.rows, c.cols, 8, c.typ, plain), c.target))
		loads, stores := strings.Count(text, "load volatile"), strings.Count(text, "store volatile")
		if loads != c.rest || stores != c.rest {
			t.Errorf("%dx%d %s: %d loads and %d stores of what is on the stack, want %d\n%s",
				c.rows, c.cols, c.typ, loads, stores, c.rest, text)
		}
	}
}

// TestTileRestLeavesAlone names tiles of 7x64 that are written as ever.
func TestTileRestLeavesAlone(t *testing.T) {
	a, b, c := buf("A", tir.F32, 15, 8), buf("B", tir.F32, 8, 64), buf("C", tir.F32, 7, 64)
	e := buf("E", tir.F32, 7, 64)
	acc, large := local("acc", tir.F32, 7, 64), local("large", tir.F32, 2, 7, 64)
	i, j, k := v("i"), v("j"), v("k")
	tall, h := local("tall", tir.F32, 15, 32), v("h")
	third := add(mul(i, n(3)), h)
	product := mul(at(a, i, k), at(b, k, j))
	over := func(kind tir.ForKind, body tir.Stmt) tir.Stmt {
		return loop(tir.Serial, k, 8, loop(kind, i, 7, loop(tir.Vectorized, j, 64, body)))
	}
	sum := func(to *tir.Buffer, x tir.Expr, at0 ...tir.Expr) tir.Stmt {
		return set(to, add(at(to, at0...), x), at0...)
	}
	for what, body := range map[string]tir.Stmt{
		"rows in a loop":             over(tir.Serial, sum(acc, product, i, j)),
		"a tile of the caller":       over(tir.Unrolled, sum(c, product, i, j)),
		"a part of a buffer":         over(tir.Unrolled, sum(large, product, n(1), i, j)),
		"a sum of elements":          over(tir.Unrolled, sum(acc, at(e, i, j), i, j)),
		"elements of row and column": over(tir.Unrolled, sum(acc, mul(at(e, i, j), at(b, k, j)), i, j)),
		"one element for all rows":   over(tir.Unrolled, sum(acc, mul(at(a, n(0), k), at(b, k, j)), i, j)),
		"one vector for all, twice":  over(tir.Unrolled, sum(acc, mul(at(b, k, j), at(b, n(0), j)), i, j)),
		"a product of three":         over(tir.Unrolled, sum(acc, mul(product, at(b, k, j)), i, j)),
		"a sum of sums":              over(tir.Unrolled, sum(acc, add(at(a, i, k), at(b, k, j)), i, j)),
		"some rows in a loop": loop(tir.Serial, k, 8, loop(tir.Unrolled, i, 5, loop(tir.Serial, h, 3,
			loop(tir.Vectorized, j, 32, sum(tall, mul(at(a, third, k), at(b, k, j)), third, j))))),
		"an assignment":                 over(tir.Unrolled, set(acc, product, i, j)),
		"a difference":                  over(tir.Unrolled, set(acc, tir.Bin(tir.Sub, at(acc, i, j), product), i, j)),
		"a sum of another tile":         over(tir.Unrolled, set(acc, add(at(e, i, j), product), i, j)),
		"the sum of a row, in one tile": over(tir.Unrolled, sum(acc, product, n(0), j)),
	} {
		copied := loop(tir.Unrolled, v("x"), 1, set(c, at(acc, n(0), n(0)), n(0), n(0)))
		f := fn("alone", 1, alloc(acc, alloc(large, alloc(tall, seq(body, copied)))), a, b, e, c)
		var text bytes.Buffer // not lowered first, which gives sums in memory a tile of their own
		if err := llvm.Emit(&text, f, avx512()); err != nil || strings.Contains(text.String(), "volatile") {
			t.Errorf("%s: something is on the stack, or %v\n%s", what, err, text.String())
		}
	}
}

// TestTileRestRuns holds that tiles with something on the stack compute what the interpreter does.
func TestTileRestRuns(t *testing.T) {
	x := newExecutor(t)
	var list []*tir.Func
	for _, typ := range []tir.DType{tir.F32, tir.F64} {
		for _, size := range [][2]int64{{7, 64}, {15, 32}, {10, 48}, {7, 32}, {15, 16}, {7, 58}} {
			list = append(list, tiledEnding(size[0], size[1], 9, typ, plain))
		}
	}
	x.compareAll(list)
}

// sliding is a convolution of one dimension, whose tile meets elements again in steps of the reduction that are so
// far apart, in a kind of loop over the steps. If they are 0 apart, it is a product, which meets none again.
func sliding(rows, cols, depth, step int64, kind tir.ForKind, typ tir.DType) *tir.Func {
	const steps = 3
	length := (rows - 1) + (steps-1)*step + 1
	a, b, c := buf("A", typ, 4, length, depth), buf("B", typ, steps, depth, cols), buf("C", typ, 4, rows, cols)
	acc := local("acc", typ, rows, cols)
	p, r, k := v("p"), v("r"), v("k")
	over := func(body func(i, j tir.Expr) tir.Stmt) tir.Stmt {
		i, j := v("i"), v("j")
		return loop(tir.Unrolled, i, rows, loop(tir.Vectorized, j, cols, body(i, j)))
	}
	return fn("sliding", 1, loop(tir.Parallel, p, 4, alloc(acc, seq(
		over(func(i, j tir.Expr) tir.Stmt { return set(acc, tir.Const(typ, 0), i, j) }),
		loop(tir.Serial, k, depth, loop(kind, r, steps, over(func(i, j tir.Expr) tir.Stmt {
			element := at(a, p, add(i, mul(r, n(step))), k)
			if step == 0 {
				element = at(a, p, i, r)
			}
			return set(acc, add(at(acc, i, j), mul(element, at(b, r, k, j))), i, j)
		}))),
		over(func(i, j tir.Expr) tir.Stmt { return set(c, at(acc, i, j), p, i, j) })))), a, b, c)
}

// beside is a product whose elements are in a temporary first, depth of a row at a time.
func beside(rows, cols, depth int64) *tir.Func {
	a, b, c := buf("A", tir.F32, rows, 5*depth), buf("B", tir.F32, 5*depth, cols), buf("C", tir.F32, rows, cols)
	acc, row := local("acc", tir.F32, rows, cols), local("row", tir.F32, rows, depth)
	k, q, g, h := v("k"), v("q"), v("g"), v("h")
	over := func(body func(i, j tir.Expr) tir.Stmt) tir.Stmt {
		i, j := v("i"), v("j")
		return loop(tir.Unrolled, i, rows, loop(tir.Vectorized, j, cols, body(i, j)))
	}
	at0 := add(mul(k, n(depth)), q)
	return fn("beside", 1, alloc(acc, seq(
		over(func(i, j tir.Expr) tir.Stmt { return set(acc, tir.Const(tir.F32, 0), i, j) }),
		loop(tir.Serial, k, 5, alloc(row, seq(
			loop(tir.Unrolled, g, rows, loop(tir.Vectorized, h, depth,
				set(row, at(a, g, add(mul(k, n(depth)), h)), g, h))),
			loop(tir.Unrolled, q, depth, over(func(i, j tir.Expr) tir.Stmt {
				return set(acc, add(at(acc, i, j), mul(at(row, i, q), at(b, at0, j))), i, j)
			}))))),
		over(func(i, j tir.Expr) tir.Stmt { return set(c, at(acc, i, j), i, j) }))), a, b, c)
}

// around has two tiles in a parallel loop, whose elements are in a temporary around it.
func around() *tir.Func {
	a, b, c := buf("A", tir.F32, 7, 18), buf("B", tir.F32, 18, 64), buf("C", tir.F32, 2, 7, 64)
	acc, row := local("acc", tir.F32, 7, 64), local("row", tir.F32, 7, 18)
	p, g, h := v("p"), v("g"), v("h")
	over := func(body func(i, j tir.Expr) tir.Stmt) tir.Stmt {
		i, j := v("i"), v("j")
		return loop(tir.Unrolled, i, 7, loop(tir.Vectorized, j, 64, body(i, j)))
	}
	step := func(from int64) tir.Stmt {
		q := v("q")
		k := add(q, n(from))
		return loop(tir.Unrolled, q, 9, over(func(i, j tir.Expr) tir.Stmt {
			return set(acc, add(at(acc, i, j), mul(at(row, i, k), at(b, k, j))), i, j)
		}))
	}
	return fn("around", 1, alloc(row, seq(
		loop(tir.Serial, g, 7, loop(tir.Vectorized, h, 18, set(row, at(a, g, h), g, h))),
		loop(tir.Parallel, p, 2, alloc(acc, seq(
			over(func(i, j tir.Expr) tir.Stmt { return set(acc, tir.Const(tir.F32, 0), i, j) }), step(0), step(9),
			over(func(i, j tir.Expr) tir.Stmt { return set(c, at(acc, i, j), p, i, j) })))))), a, b, c)
}

// TestTileCrowded: elements in a temporary are read from memory if the registers do not hold them beside the tile.
func TestTileCrowded(t *testing.T) {
	for _, c := range []struct{ rows, cols, depth, apart int64 }{
		{7, 64, 9, 9},  // 28 + 4 + 7, in 9 steps
		{8, 48, 9, 9},  // 24 + 3 + 8: rows of elements begin a vector each
		{8, 48, 4, 4},  // the same for short ones
		{6, 48, 16, 0}, // 18 + 3 + 6
		{8, 32, 9, 0},  // 16 + 2 + 8
	} {
		text := string(emit(t, beside(c.rows, c.cols, c.depth), avx512()))
		if got := int64(len(apartCall.FindAllString(text, -1))); got != c.apart {
			t.Errorf("%dx%d, %d elements: %d pointers apart, want %d", c.rows, c.cols, c.depth, got, c.apart)
		}
	}
	if text := string(emit(t, around(), avx512())); apartCall.MatchString(text) {
		t.Errorf("a temporary of the function around is read apart:\n%s", text)
	}
	newExecutor(t).compareAll([]*tir.Func{around(), beside(7, 64, 9), beside(8, 48, 9), beside(7, 58, 3)})
}

var apartCall = regexp.MustCompile(`call ptr asm "", "=r,0"\(ptr (\S+)\)`)

// TestTileSlides: steps that meet elements again read them anew where the registers do not hold them beside the tile.
func TestTileSlides(t *testing.T) {
	for _, c := range []struct {
		what       string
		rows, cols int64
		step       int64
		kind       tir.ForKind
		typ        tir.DType
		target     target.Target
		apart      int
	}{
		{"28 + 2 + 14", 14, 32, 1, tir.Unrolled, tir.F32, avx512(), 3},
		{"28 + 2 + 14, of rows of 8", 14, 16, 1, tir.Unrolled, tir.F64, avx512(), 3},
		{"28 + 4 + 7, two on the stack", 7, 64, 1, tir.Unrolled, tir.F32, avx512(), 3},
		{"rows that end with half a vector", 5, 20, 1, tir.Unrolled, tir.F32, avx2(), 0},
		{"steps of two", 14, 32, 2, tir.Unrolled, tir.F32, avx512(), 3},
		{"16 + 2 + 8: they fit", 8, 32, 1, tir.Unrolled, tir.F32, avx512(), 0},
		{"20 + 2 + 10: just", 10, 32, 1, tir.Unrolled, tir.F32, avx512(), 0},
		{"22 + 2 + 11: not quite", 11, 32, 1, tir.Unrolled, tir.F32, avx512(), 3},
		{"steps in a loop", 14, 32, 1, tir.Serial, tir.F32, avx512(), 0},
		{"12 + 2 + 6 of 16", 6, 16, 1, tir.Unrolled, tir.F32, avx2(), 3},
		{"other elements in each step", 14, 32, 0, tir.Unrolled, tir.F32, avx512(), 0},
		{"steps of more than all rows", 14, 32, 14, tir.Unrolled, tir.F32, avx512(), 0},
		{"steps of all rows but one", 14, 32, 13, tir.Unrolled, tir.F32, avx512(), 3},
	} {
		f := sliding(c.rows, c.cols, 5, c.step, c.kind, c.typ)
		text := string(emit(t, f, c.target))
		calls := apartCall.FindAllStringSubmatch(text, -1)
		if len(calls) != c.apart {
			t.Errorf("%s: %d steps read elements anew, want %d\n%s", c.what, len(calls), c.apart, text)
		}
		for _, call := range calls {
			if call[1] != calls[0][1] {
				t.Errorf("%s: a step reads through the pointer of another one: %s", c.what, call[0])
			}
		}
	}
}

// TestTileSlidesRuns holds that they compute what the interpreter does.
func TestTileSlidesRuns(t *testing.T) {
	x := newExecutor(t)
	var list []*tir.Func
	for _, typ := range []tir.DType{tir.F32, tir.F64} {
		for _, size := range [][2]int64{{14, 32}, {7, 64}, {6, 16}, {14, 16}} {
			for step := range int64(3) {
				list = append(list, sliding(size[0], size[1], 5, step, tir.Unrolled, typ))
			}
		}
	}
	x.compareAll(list)
}
