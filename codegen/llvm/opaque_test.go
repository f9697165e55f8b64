package llvm_test

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestOpaque compares compiled code with the interpreter on programs that no schedule gives: written by hand, with
// places, lengths of loops and conditions that depend on elements.
func TestOpaque(t *testing.T) {
	x := newExecutor(t)
	for name, programs := range opaque {
		t.Run(name, func(t *testing.T) {
			y := *x
			y.t, y.dir = t, t.TempDir()
			y.compareAll(programs())
		})
	}
}

var opaque = map[string]func() []*tir.Func{
	"gather": gathering, "scatter": scattering, "sort": sorting, "prefix": prefixes, "until": until, "nonzero": nonZeros, "lanes": gathers,
	"tables": byteTables, "differences": differences, "lengths": lengths, "mode": modes, "scratch": scratch, "flags": flags, "repeat": repeats,
}

func index(e tir.Expr) tir.Expr { return &tir.Cast{X: e, To: tir.Index} }

func to(t tir.DType, e tir.Expr) tir.Expr { return &tir.Cast{X: e, To: t} }

func less(x, y tir.Expr) tir.Expr { return tir.Bin(tir.LT, x, y) }

func when(cond tir.Expr, then tir.Stmt) tir.Stmt { return &tir.If{Cond: cond, Then: then} }

func mod(x tir.Expr, k int64) tir.Expr { return tir.Bin(tir.FloorMod, x, n(k)) }

func clamped(x tir.Expr, lo, hi int64) tir.Expr {
	return tir.Bin(tir.Max, tir.Bin(tir.Min, x, n(hi)), n(lo))
}

// next returns what adds to an element.
func next(b *tir.Buffer, by tir.Expr, place ...tir.Expr) tir.Stmt {
	return set(b, add(at(b, place...), by), place...)
}

// gathering reads rows at places that are clamped, or count from the end.
func gathering() (list []*tir.Func) {
	for _, typ := range []tir.DType{tir.I32, tir.I64, tir.U8, tir.U32} {
		for _, kind := range []tir.ForKind{tir.Serial, tir.Vectorized, tir.Parallel} {
			data, where, out := buf("D", tir.F32, 13, 21), buf("I", typ, 9), buf("C", tir.F32, 9, 21)
			i, j := v("i"), v("j")
			inner := tir.Serial
			if kind == tir.Vectorized {
				kind, inner = inner, kind
			}
			k := index(at(where, i))
			body := func(row tir.Expr) tir.Stmt {
				return loop(kind, i, 9, loop(inner, j, 21, set(out, at(data, row, j), i, j)))
			}
			list = append(list, fn("clamp", 1, body(clamped(k, 0, 12)), data, where, out))
			i, j = v("i"), v("j")
			k = clamped(index(at(where, i)), -13, 12)
			negative := tir.IfThenElse(less(k, n(0)), add(k, n(13)), k)
			list = append(list, fn("from the end", 1, body(negative), data, where, out))
		}
	}
	return list
}

// byteTables reads tables of bytes at the bytes of lanes, of one or several vectors, some behind the last, and under a
// condition; and at a byte that all lanes share.
func byteTables() (list []*tir.Func) {
	for _, typ := range []tir.DType{tir.U8, tir.I8} {
		for _, count := range []int64{1, 5, 16, 37, 64, 200} {
			table, x, out := buf("T", typ, tir.TableSize), buf("X", tir.U8, 3, count), buf("C", typ, 3, count)
			i, j := v("i"), v("j")
			read := func(place ...tir.Expr) tir.Expr { return at(table, index(at(x, place...))) }
			list = append(list, fn("lanes", 1, loop(tir.Serial, i, 3, loop(tir.Vectorized, j, count,
				set(out, read(i, j), i, j))), table, x, out))
			i, j = v("i"), v("j")
			some := tir.IfThenElse(less(j, n(count/2)), read(i, j), tir.Const(typ, 3))
			list = append(list, fn("some", 1, loop(tir.Serial, i, 3, loop(tir.Vectorized, j, count,
				set(out, some, i, j))), table, x, out))
			i, j = v("i"), v("j")
			list = append(list, fn("shared", 1, loop(tir.Serial, i, 3, loop(tir.Vectorized, j, count,
				set(out, read(i, n(0)), i, j))), table, x, out))
			i, j = v("i"), v("j")
			floats := buf("F", tir.F32, 3, count)
			q := tir.Bin(tir.Min, tir.Bin(tir.Max, mul(at(floats, i, j), tir.Const(tir.F32, 99)), tir.Const(tir.F32, 0)),
				tir.Const(tir.F32, 255))
			list = append(list, fn("quantized", 1, loop(tir.Serial, i, 3, loop(tir.Vectorized, j, count,
				set(out, at(table, index(to(tir.U8, q))), i, j))), table, floats, out))
		}
	}
	return list
}

// differences makes bfloat16 of differences of bytes, which rounds those of different types.
func differences() (list []*tir.Func) {
	for _, types := range [][2]tir.DType{{tir.U8, tir.U8}, {tir.I8, tir.I8}, {tir.U8, tir.I8}, {tir.U8, tir.U16}} {
		x, y, out := buf("X", types[0], 37), buf("Y", types[1], 37), buf("C", tir.F32, 37)
		j := v("j")
		wide := tir.Bin(tir.Sub, to(tir.I32, at(x, j)), to(tir.I32, at(y, j)))
		list = append(list, fn("difference", 1, loop(tir.Vectorized, j, 37,
			set(out, to(tir.F32, to(tir.BF16, to(tir.F32, wide))), j)), x, y, out))
		j = v("j")
		list = append(list, fn("plain", 1, loop(tir.Vectorized, j, 37,
			set(out, to(tir.F32, to(tir.BF16, to(tir.F32, to(tir.I32, at(y, j))))), j)), x, y, out))
	}
	return list
}

// scattering copies and then stores or adds at places that elements say, some of them more than once.
func scattering() (list []*tir.Func) {
	for _, typ := range []tir.DType{tir.F32, tir.I64, tir.U16} {
		for _, adds := range []bool{false, true} {
			data, where, by, out := buf("D", typ, 17), buf("I", tir.I64, 40), buf("U", typ, 40), buf("C", typ, 17)
			i, j := v("i"), v("j")
			place := mod(at(where, j), 17)
			store := set(out, at(by, j), place)
			if adds {
				store = next(out, at(by, j), place)
			}
			list = append(list, fn("scatter", 1, seq(loop(tir.Vectorized, i, 17, set(out, at(data, i), i)),
				loop(tir.Serial, j, 40, store)), data, where, by, out))
		}
	}
	// A histogram in an int32 of which one row at a time is counted.
	x, out := buf("X", tir.U8, 6, 50), buf("C", tir.I32, 6, 4)
	o, z, k := v("o"), v("z"), v("k")
	bin := index(tir.Bin(tir.BitAnd, at(x, o, k), tir.Const(tir.U8, 3)))
	return append(list, fn("histogram", 1, loop(tir.Parallel, o, 6,
		loop(tir.Serial, z, 4, set(out, tir.Const(tir.I32, 0), o, z)),
		loop(tir.Serial, k, 50, next(out, tir.Const(tir.I32, 1), o, bin))), x, out))
}

// sorting sorts rows, with their places, in buffers of a row: by exchange of neighbours, and by selection.
func sorting() (list []*tir.Func) {
	for _, typ := range []tir.DType{tir.F32, tir.I64, tir.I8} {
		for _, kind := range []tir.ForKind{tir.Serial, tir.Parallel} {
			x, values, places := buf("X", typ, 5, 19), buf("V", typ, 5, 19), buf("P", tir.I64, 5, 19)
			row, from := local("row", typ, 19), buf("from", tir.I64, 19)
			keep, keepAt := local("keep", typ), buf("keepAt", tir.I64)
			o, a, i, j, b := v("o"), v("a"), v("i"), v("j"), v("b")
			j1 := add(j, n(1))
			swap := seq(set(keep, at(row, j)), set(row, at(row, j1), j), set(row, at(keep), j1),
				set(keepAt, at(from, j)), set(from, at(from, j1), j), set(from, at(keepAt), j1))
			bubble := &tir.For{Var: i, Extent: n(18), Body: &tir.For{Var: j, Extent: sub(n(18), i),
				Body: when(less(at(row, j1), at(row, j)), swap)}}
			list = append(list, fn("bubble", 2, loop(kind, o, 5, alloc(row, alloc(from, alloc(keep, alloc(keepAt,
				loop(tir.Serial, a, 19, seq(set(row, at(x, o, a), a), set(from, a, a))), bubble,
				loop(tir.Serial, b, 19, set(values, at(row, b), o, b), set(places, at(from, b), o, b))))))), x, values, places))
			list = append(list, selection(kind, typ))
		}
	}
	return list
}

// selection gives the 4 largest of each row in order, the first of equal ones first, and marks those that are taken.
func selection(kind tir.ForKind, typ tir.DType) *tir.Func {
	x, values, places := buf("X", typ, 5, 19), buf("V", typ, 5, 4), buf("P", tir.I64, 5, 4)
	taken, best := buf("taken", tir.Bool, 19), buf("best", tir.I64, 1)
	o, a, k, i := v("o"), v("a"), v("k"), v("i")
	better := tir.Bin(tir.And, &tir.Not{X: at(taken, i)},
		tir.Bin(tir.Or, less(at(best, n(0)), n(0)), less(at(x, o, clamped(at(best, n(0)), 0, 18)), at(x, o, i))))
	return fn("selection", 2, loop(kind, o, 5, alloc(taken, alloc(best,
		loop(tir.Vectorized, a, 19, set(taken, tir.BoolImm(false), a)),
		loop(tir.Serial, k, 4, seq(set(best, n(-1), n(0)),
			loop(tir.Serial, i, 19, when(better, set(best, i, n(0)))),
			set(taken, tir.BoolImm(true), at(best, n(0))),
			set(values, at(x, o, at(best, n(0))), o, k), set(places, at(best, n(0)), o, k)))))), x, values, places)
}

// prefixes add up along an axis, and read what they wrote before.
func prefixes() (list []*tir.Func) {
	for _, typ := range []tir.DType{tir.F32, tir.I32, tir.F64, tir.U64} {
		x, out := buf("X", typ, 23, 6), buf("C", typ, 23, 6)
		i, j, k := v("i"), v("j"), v("k")
		list = append(list, fn("down", 1, seq(loop(tir.Vectorized, j, 6, set(out, at(x, n(0), j), n(0), j)),
			loop(tir.Serial, i, 22, loop(tir.Vectorized, k, 6,
				set(out, add(at(out, i, k), at(x, add(i, n(1)), k)), add(i, n(1)), k)))), x, out))
		y, sums := buf("X", typ, 7, 23), buf("C", typ, 7, 23)
		o, p := v("o"), v("p")
		back := sub(n(22), p)
		list = append(list, fn("reverse, exclusive", 1, loop(tir.Parallel, o, 7, loop(tir.Serial, p, 23,
			&tir.If{Cond: tir.Bin(tir.EQ, p, n(0)), Then: set(sums, tir.Const(typ, 0), o, back),
				Else: set(sums, add(at(sums, o, add(back, n(1))), at(y, o, add(back, n(1)))), o, back)})), y, sums))
	}
	return list
}

// until are loops with a bound that stop when a flag says so: of a condition that is calculated inside, by a Bool and
// by an integer.
func until() (list []*tir.Func) {
	x, steps, value := buf("X", tir.F32, 1), buf("N", tir.I32, 1), buf("V", tir.F32, 1)
	going := buf("going", tir.Bool, 1)
	i := v("i")
	zero := n(0)
	list = append(list, fn("double", 2, alloc(going,
		set(going, tir.BoolImm(true), zero), set(steps, tir.Const(tir.I32, 0), zero),
		set(value, add(tir.Bin(tir.Max, at(x, zero), tir.Const(tir.F32, 0)), tir.Const(tir.F32, 0.125)), zero),
		loop(tir.Serial, i, 100, when(at(going, zero), seq(set(value, mul(at(value, zero), tir.Const(tir.F32, 2)), zero),
			next(steps, tir.Const(tir.I32, 1), zero),
			set(going, less(at(value, zero), tir.Const(tir.F32, 1000)), zero))))), x, steps, value))
	// The greatest common divisor of each pair.
	a, b, c := buf("A", tir.I64, 30), buf("B", tir.U32, 30), buf("C", tir.I64, 30)
	big, small, rest := buf("big", tir.I64), buf("small", tir.I64), buf("rest", tir.I64)
	o, k := v("o"), v("k")
	positive := func(e tir.Expr) tir.Expr { return add(mod(e, 1000), n(1)) }
	list = append(list, fn("divisor", 1, loop(tir.Parallel, o, 30, alloc(big, alloc(small, alloc(rest,
		set(big, positive(at(a, o))), set(small, positive(index(at(b, o)))),
		loop(tir.Serial, k, 64, when(tir.Bin(tir.GT, at(small), n(0)), seq(
			set(rest, sub(at(big), mul(tir.Bin(tir.Div, at(big), at(small)), at(small)))),
			set(big, at(small)), set(small, at(rest))))),
		set(c, at(big), o))))), a, b, c))
	return list
}

// nonZeros lists the places of elements that are not zero, and counts them.
func nonZeros() (list []*tir.Func) {
	for _, typ := range []tir.DType{tir.Bool, tir.F32, tir.U8} {
		x, places, count := buf("X", typ, 4, 9), buf("P", tir.I64, 2, 36), buf("N", tir.I32, 1)
		z, i, j := v("z"), v("i"), v("j")
		zero := n(0)
		isSet := to(tir.Bool, at(x, i, j))
		if typ != tir.Bool {
			isSet = tir.Bin(tir.GT, at(x, i, j), tir.Const(typ, 0.25))
		}
		list = append(list, fn("nonzero", 2, seq(
			loop(tir.Serial, z, 36, seq(set(places, n(-1), zero, z), set(places, n(-1), n(1), z))),
			set(count, tir.Const(tir.I32, 0), zero),
			loop(tir.Serial, i, 4, loop(tir.Serial, j, 9, when(isSet, seq(
				set(places, i, zero, index(at(count, zero))), set(places, j, n(1), index(at(count, zero))),
				next(count, tir.Const(tir.I32, 1), zero)))))), x, places, count))
	}
	return list
}

// lengths are loops whose lengths are elements, a part of them negative, or depend on other loops.
func lengths() (list []*tir.Func) {
	for _, kind := range []tir.ForKind{tir.Serial, tir.Parallel} {
		x, count, out := buf("X", tir.F32, 8, 20), buf("N", tir.I32, 8), buf("C", tir.F32, 8)
		i, j := v("i"), v("j")
		length := tir.Bin(tir.Min, index(at(count, i)), n(20))
		list = append(list, fn("rows", 1, loop(kind, i, 8, seq(set(out, tir.Const(tir.F32, 0), i),
			&tir.For{Var: j, Extent: length, Body: set(out, add(at(out, i), at(x, i, j)), i)})), x, count, out))
	}
	// Rows of a length that all vectors share.
	x, count, out := buf("X", tir.F32, 20, 33), buf("N", tir.U8, 1), buf("C", tir.F32, 33)
	z, i, j := v("z"), v("i"), v("j")
	list = append(list, fn("columns", 1, seq(loop(tir.Vectorized, z, 33, set(out, tir.Const(tir.F32, 0), z)),
		&tir.For{Var: i, Extent: mod(index(at(count, n(0))), 21), Body: loop(tir.Vectorized, j, 33,
			set(out, add(at(out, j), at(x, i, j)), j))}), x, count, out))
	// A parallel loop of such a length, and one inside of a vector loop.
	y, m, c := buf("X", tir.I32, 40), buf("N", tir.I64, 1), buf("C", tir.I32, 40)
	a, b := v("a"), v("b")
	list = append(list, fn("parallel", 1, seq(loop(tir.Vectorized, a, 40, set(c, tir.Const(tir.I32, 7), a)),
		&tir.For{Var: b, Kind: tir.Parallel, Extent: mod(at(m, n(0)), 41), Body: set(c, at(y, b), b)}), y, m, c))
	w, k, d := buf("X", tir.F32, 12, 40), buf("N", tir.I64, 1), buf("C", tir.F32, 40)
	p, q := v("p"), v("q")
	list = append(list, fn("inside", 1, loop(tir.Vectorized, p, 40, seq(set(d, tir.Const(tir.F32, 1), p),
		&tir.For{Var: q, Extent: mod(at(k, n(0)), 13), Body: set(d, add(at(d, p), at(w, q, p)), p)})), w, k, d))
	return list
}

// modes find the commonest element of rows: a loop over a loop over conditions in conditions.
func modes() (list []*tir.Func) {
	for _, kind := range []tir.ForKind{tir.Serial, tir.Parallel} {
		x, out := buf("X", tir.U16, 6, 25), buf("C", tir.U16, 6)
		most, count := local("most", tir.I32, 1), local("count", tir.I32, 1)
		o, i, j := v("o"), v("i"), v("j")
		zero := n(0)
		key := func(k tir.Expr) tir.Expr { return tir.Bin(tir.BitAnd, at(x, o, k), tir.Const(tir.U16, 7)) }
		more := tir.Bin(tir.GT, at(count, zero), at(most, zero))
		same := tir.Bin(tir.And, tir.Bin(tir.EQ, at(count, zero), at(most, zero)), less(key(i), at(out, o)))
		list = append(list, fn("mode", 1, loop(kind, o, 6, alloc(most, alloc(count, set(most, tir.Const(tir.I32, 0), zero),
			set(out, tir.Const(tir.U16, 0), o),
			loop(tir.Serial, i, 25, seq(set(count, tir.Const(tir.I32, 0), zero),
				loop(tir.Serial, j, 25, when(tir.Bin(tir.EQ, key(i), key(j)), next(count, tir.Const(tir.I32, 1), zero))),
				&tir.If{Cond: more, Then: seq(set(most, at(count, zero), zero), set(out, key(i), o)),
					Else: when(same, set(out, key(i), o))}))))), x, out))
	}
	return list
}

// scratch allocates buffers in serial loops, in parallel ones and in both, of sizes for the stack and for the heap.
func scratch() (list []*tir.Func) {
	both := [][2]tir.ForKind{{tir.Serial, tir.Serial}, {tir.Parallel, tir.Serial}, {tir.Serial, tir.Unrolled}}
	for _, size := range []int64{33, 20000} {
		for _, kinds := range both {
			x, where, out := buf("X", tir.F32, size), buf("I", tir.I64, 8), buf("C", tir.F32, 3, 4)
			once, row := buf("once", tir.F32, size), buf("row", tir.F32, size)
			o, i, a, b, c := v("o"), v("i"), v("a"), v("b"), v("c")
			scale := to(tir.F32, add(o, n(1)))
			body := alloc(once, loop(tir.Vectorized, a, size, set(once, mul(at(x, a), scale), a)),
				loop(kinds[1], i, 4, alloc(row, loop(tir.Serial, b, size, set(row, add(at(once, b), to(tir.F32, i)), b)),
					set(out, tir.Const(tir.F32, 0), o, i),
					loop(tir.Serial, c, 8, next(out, at(row, mod(add(at(where, c), o), size)), o, i)))))
			list = append(list, fn("scratch", 1, loop(kinds[0], o, 3, body), x, where, out))
		}
	}
	return list
}

// repeats have one expression in several places, between which a store changes what it reads.
func repeats() []*tir.Func {
	x, count, out := buf("X", tir.I64, 1), buf("N", tir.I64, 1), buf("C", tir.F32, 8)
	few := less(at(count, n(0)), add(mod(at(x, n(0)), 3), n(2)))
	place := mod(add(at(count, n(0)), n(5)), 8)
	z, i := v("z"), v("i")
	one := tir.Const(tir.F32, 1)
	return []*tir.Func{fn("repeat", 2, seq(
		loop(tir.Serial, z, 8, set(out, tir.Const(tir.F32, 0), z)), set(count, n(0), n(0)),
		loop(tir.Serial, i, 10, when(few, seq(next(out, one, place), next(count, n(1), n(0)), next(out, one, place),
			&tir.If{Cond: few, Then: next(out, tir.Const(tir.F32, 10), place), Else: next(out, tir.Const(tir.F32, 100), place)},
			set(out, tir.IfThenElse(few, add(at(out, place), at(out, n(0))), one), n(0)))))), x, count, out)}
}

// flags compute with Bool buffers and scalars, in vectors and alone.
func flags() (list []*tir.Func) {
	for _, kind := range []tir.ForKind{tir.Serial, tir.Vectorized} {
		x, seen, any, bits := buf("X", tir.I64, 30), buf("S", tir.Bool, 11), buf("any", tir.Bool), buf("B", tir.U64, 1)
		z, i, k := v("z"), v("i"), v("k")
		place := mod(at(x, i), 11)
		list = append(list, fn("seen", 3, seq(loop(kind, z, 11, set(seen, tir.BoolImm(false), z)),
			set(any, tir.BoolImm(false)), set(bits, tir.Const(tir.U64, 0), n(0)),
			loop(tir.Serial, i, 30, when(at(seen, place), set(any, tir.BoolImm(true))), set(seen, tir.BoolImm(true), place)),
			loop(tir.Serial, k, 11, set(bits, tir.Bin(tir.BitOr, at(bits, n(0)),
				tir.Bin(tir.Shl, to(tir.U64, at(seen, k)), to(tir.U64, k))), n(0)))), x, seen, any, bits))
	}
	return list
}
