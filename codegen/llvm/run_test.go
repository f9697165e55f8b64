package llvm_test

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestRun compares compiled code with the interpreter on programs that cover
// each way of emitting something.
func TestRun(t *testing.T) {
	x := newExecutor(t)
	for name, programs := range map[string]func() []*tir.Func{
		"elementwise": elementwise, "guards": guards, "accesses": accesses, "loops": loops, "casts": casts,
		"division": division, "intrinsics": intrinsicsPrograms, "memory": memoryPrograms, "vectors": vectorLengths, "halves": halves, "columns": columns,
		"bitcasts": bitcasts,
	} {
		t.Run(name, func(t *testing.T) {
			y := *x
			y.t, y.dir = t, t.TempDir()
			y.compareAll(programs())
		})
	}
}

var (
	integers = []tir.DType{tir.I8, tir.U8, tir.I32, tir.I64, tir.I16, tir.U16, tir.U32, tir.U64}
	numbers  = append(slices.Clone(integers), tir.F32, tir.F64)
)

// each makes a program of a loop of each kind over C[i] = value(i). The serial
// one runs backwards.
func each(name string, size int64, out tir.DType, params []*tir.Buffer, value func(i tir.Expr) tir.Expr) []*tir.Func {
	var list []*tir.Func
	for _, kind := range []tir.ForKind{tir.Serial, tir.Vectorized, tir.Unrolled, tir.Parallel} {
		c, v := buf("C", out, size), v("i")
		i := place(kind, v, size)
		list = append(list, fn(name, 1, loop(kind, v, size, set(c, value(i), i)), append(params[:len(params):len(params)], c)...))
	}
	return list
}

// place is an index for a loop of so many iterations: backwards in serial loops,
// which keeps them scalar.
func place(kind tir.ForKind, i *tir.Var, size int64) tir.Expr {
	if kind == tir.Serial {
		return sub(n(size-1), i)
	}
	return i
}

func elementwise() (list []*tir.Func) {
	for _, t := range numbers {
		a, b := buf("A", t, 37), buf("B", t, 37)
		for _, op := range []tir.BinOp{tir.Add, tir.Sub, tir.Mul, tir.Min, tir.Max} {
			list = append(list, each("arith", 37, t, []*tir.Buffer{a, b}, func(i tir.Expr) tir.Expr { return tir.Bin(op, at(a, i), at(b, i)) })...)
		}
		for _, op := range tir.BinOps() {
			if t.IsInt() && op.IsBits() {
				list = append(list, bits(op, a, b)...)
			}
		}
		for _, op := range []tir.BinOp{tir.EQ, tir.NE, tir.LT, tir.LE, tir.GT, tir.GE} {
			list = append(list, each("compare", 37, tir.Bool, []*tir.Buffer{a, b}, func(i tir.Expr) tir.Expr { return tir.Bin(op, at(a, i), at(b, i)) })[1])
			list = append(list, each("select", 37, t, []*tir.Buffer{a, b}, func(i tir.Expr) tir.Expr {
				cond := tir.Bin(tir.Or, tir.Bin(op, at(a, i), at(b, i)), tir.Bin(tir.And, tir.Bin(tir.GT, i, n(30)), &tir.Not{X: tir.Bin(op, at(b, i), at(a, i))}))
				return &tir.Select{Cond: cond, Then: add(at(a, i), at(b, i)), Else: tir.Const(t, 3)}
			})[1])
		}
	}
	p, q := buf("P", tir.Bool, 37), buf("Q", tir.Bool, 37)
	list = append(list, each("logic", 37, tir.Bool, []*tir.Buffer{p, q}, func(i tir.Expr) tir.Expr {
		return tir.Bin(tir.Or, tir.Bin(tir.And, at(p, i), &tir.Not{X: at(q, i)}), tir.Bin(tir.And, tir.Bin(tir.LT, i, n(5)), at(q, i)))
	})...)
	return list
}

// bits computes with the bits of integers; counts of shifts are small, too large, and negative.
func bits(op tir.BinOp, a, b *tir.Buffer) []*tir.Func {
	return each("bits", 37, a.Type, []*tir.Buffer{a, b}, func(i tir.Expr) tir.Expr {
		count := at(b, i)
		if op == tir.Shl || op == tir.Shr {
			some := tir.Bin(tir.FloorMod, at(b, i), tir.Const(a.Type, 67))
			count = &tir.Select{Cond: tir.Bin(tir.LT, i, n(30)), Then: some, Else: at(b, i)}
		}
		return tir.Bin(op, at(a, i), count)
	})[:2]
}

// guards reads with padding: in rows and columns, in front and behind.
func guards() (list []*tir.Func) {
	between := func(lo int64, x tir.Expr, hi int64) tir.Expr {
		return tir.Bin(tir.And, tir.Bin(tir.GE, x, n(lo)), tir.Bin(tir.LT, x, n(hi)))
	}
	for _, t := range []tir.DType{tir.F32, tir.F16, tir.U8, tir.I64, tir.Bool} {
		a := buf("A", t, 29)
		list = append(list, each("pad", 37, t, []*tir.Buffer{a}, func(i tir.Expr) tir.Expr {
			return tir.IfThenElse(between(4, i, 33), at(a, sub(i, n(4))), tir.Const(t, 1))
		})...)
		list = append(list, each("reverse", 37, t, []*tir.Buffer{a}, func(i tir.Expr) tir.Expr {
			return tir.IfThenElse(between(4, i, 33), at(a, sub(n(32), i)), tir.Const(t, 0))
		})...)
		list = append(list, each("nested", 37, t, []*tir.Buffer{a}, func(i tir.Expr) tir.Expr {
			x := tir.IfThenElse(tir.Bin(tir.LT, i, n(33)), at(a, sub(i, n(4))), tir.Const(t, 0))
			return tir.IfThenElse(tir.Bin(tir.GE, i, n(4)), x, tir.Const(t, 1))
		})...)
		list = append(list, each("other branch", 37, t, []*tir.Buffer{a}, func(i tir.Expr) tir.Expr {
			return tir.IfThenElse(tir.Bin(tir.GE, i, n(29)), at(a, sub(i, n(29))), at(a, i))
		})...)
	}
	// Rows guarded as a whole, columns per lane; the guard may sit on a store.
	for _, kind := range []tir.ForKind{tir.Serial, tir.Vectorized} {
		a, c := buf("A", tir.F32, 5, 20), buf("C", tir.F32, 7, 22)
		i, j := v("i"), v("j")
		cond := tir.Bin(tir.And, between(1, i, 6), between(1, j, 21))
		list = append(list, fn("pad2", 1, loop(tir.Serial, i, 7, loop(kind, j, 22,
			set(c, tir.IfThenElse(cond, at(a, sub(i, n(1)), sub(j, n(1))), tir.Const(tir.F32, 0)), i, j))), a, c))

		// No column is guarded; they do not fill a vector.
		f, h := buf("F", tir.F32, 5, 11), buf("H", tir.F32, 7, 11)
		for _, other := range []float64{0, 3} {
			row := tir.IfThenElse(between(1, i, 6), at(f, sub(i, n(1)), j), tir.Const(tir.F32, other))
			list = append(list, fn("rows", 1, loop(tir.Serial, i, 7, loop(kind, j, 11, set(h, row, i, j))), f, h))
		}

		d, io, ii := buf("D", tir.F32, 37), v("io"), v("ii")
		at37 := add(mul(io, n(16)), ii)
		e := buf("E", tir.F32, 37)
		guard := &tir.If{Cond: tir.Bin(tir.LT, at37, n(37)), Then: set(e, add(at(d, at37), tir.Const(tir.F32, 1)), at37)}
		list = append(list, fn("tail", 1, loop(tir.Serial, io, 3, loop(kind, ii, 16, guard)), d, e))
		g := buf("G", tir.I32, 37)
		both := &tir.If{Cond: tir.Bin(tir.LT, at37, n(37)), Then: &tir.If{Cond: tir.Bin(tir.LT, tir.Bin(tir.FloorMod, at37, n(3)), n(1)),
			Then: set(g, tir.Const(tir.I32, 7), sub(n(36), at37)), Else: set(g, &tir.Cast{X: at37, To: tir.I32}, sub(n(36), at37))}}
		list = append(list, fn("else", 1, loop(tir.Serial, io, 3, loop(kind, ii, 16, both)), g))
	}
	return list
}

// accesses are places that are affine, folded by division, or looked up.
func accesses() (list []*tir.Func) {
	for _, t := range []tir.DType{tir.F32, tir.U8} {
		a := buf("A", t, 6, 40)
		index := buf("I", tir.I64, 40)
		for _, place := range []func(i tir.Expr) (row, col tir.Expr){
			func(i tir.Expr) (tir.Expr, tir.Expr) { return n(3), i },
			func(i tir.Expr) (tir.Expr, tir.Expr) { return n(3), n(7) },
			func(i tir.Expr) (tir.Expr, tir.Expr) { return tir.Bin(tir.FloorDiv, i, n(8)), i },
			func(i tir.Expr) (tir.Expr, tir.Expr) {
				return tir.Bin(tir.FloorDiv, i, n(16)), tir.Bin(tir.FloorMod, i, n(16))
			},
			func(i tir.Expr) (tir.Expr, tir.Expr) {
				return tir.Bin(tir.FloorDiv, i, n(7)), mul(tir.Bin(tir.FloorMod, i, n(7)), n(2))
			},
			func(i tir.Expr) (tir.Expr, tir.Expr) {
				return tir.Bin(tir.FloorMod, at(index, i), n(6)), tir.Bin(tir.FloorMod, sub(at(index, i), i), n(40))
			},
			func(i tir.Expr) (tir.Expr, tir.Expr) { return tir.Bin(tir.Min, i, n(5)), tir.Bin(tir.Max, i, n(20)) },
		} {
			list = append(list, each("access", 40, t, []*tir.Buffer{a, index}, func(i tir.Expr) tir.Expr { r, c := place(i); return at(a, r, c) })...)
		}
		// Stores to places that are not neighbours.
		for _, kind := range []tir.ForKind{tir.Serial, tir.Vectorized, tir.Unrolled} {
			b, c, i, j := buf("B", t, 8, 19), buf("C", t, 19, 8), v("i"), v("j")
			list = append(list, fn("transpose", 1, loop(tir.Serial, i, 8, loop(kind, j, 19, set(c, at(b, i, j), j, i))), b, c))
			d, e, k := buf("D", t, 35), buf("E", t, 5, 7), v("k")
			list = append(list, fn("fused", 1, loop(kind, k, 35, set(e, at(d, k), tir.Bin(tir.FloorDiv, k, n(7)), tir.Bin(tir.FloorMod, k, n(7)))), d, e))
		}
	}
	// Every second element, also to the very end of a buffer, and with one lane too many for that.
	for _, t := range []tir.DType{tir.F32, tir.F64, tir.U8} {
		for _, width := range []int64{16, 17, 32} {
			b, c, i, j := buf("B", t, 5, 2*width), buf("C", t, 5, width), v("i"), v("j")
			list = append(list, fn("second", 1, loop(tir.Serial, i, 5, loop(tir.Vectorized, j, width,
				set(c, at(b, i, add(mul(j, n(2)), n(width%2))), i, j))), b, c))
		}
	}
	// Columns of rows of any length, some at a time: the last ones end the buffer.
	for _, t := range []tir.DType{tir.F32, tir.F64} {
		for _, k := range [][2]int64{{1, 4}, {1, 5}, {2, 7}, {3, 6}, {5, 26}, {4, 3}, {1, 1}} {
			steps := k[0] * k[1]
			w, c, ko, ki, j := buf("W", t, 8, steps), buf("C", t, steps, 8), v("ko"), v("ki"), v("j")
			column := add(mul(ko, n(k[1])), ki)
			list = append(list, fn("columns", 1, loop(tir.Serial, ko, k[0], loop(tir.Serial, ki, k[1],
				loop(tir.Vectorized, j, 8, set(c, at(w, j, column), column, j)))), w, c))
		}
	}
	padded := &tir.Buffer{Name: "P", Type: tir.F32, Shape: []int64{5, 9}, Strides: []int64{13, 1}, Scope: tir.Local}
	a, c, i, j, k, l := buf("A", tir.F32, 5, 9), buf("C", tir.F32, 9, 5), v("i"), v("j"), v("k"), v("l")
	list = append(list, fn("strides", 1, alloc(padded,
		loop(tir.Serial, i, 5, loop(tir.Vectorized, j, 9, set(padded, at(a, i, j), i, j))),
		loop(tir.Serial, k, 9, loop(tir.Vectorized, l, 5, set(c, at(padded, l, k), k, l)))), a, c))
	return list
}

// loops nest the kinds of loops, with extents that are not constant.
func loops() (list []*tir.Func) {
	a, c := buf("A", tir.F32, 13, 17), buf("C", tir.F32, 13, 17)
	i, j, io, ii := v("i"), v("j"), v("io"), v("ii")
	row := add(mul(io, n(4)), ii)
	extent := tir.Bin(tir.Min, n(4), sub(n(13), mul(io, n(4))))
	for _, kind := range []tir.ForKind{tir.Serial, tir.Parallel} {
		list = append(list, fn("ragged", 1, loop(kind, io, 4, &tir.For{Var: ii, Extent: extent, Body: loop(tir.Vectorized, j, 17, set(c, at(a, row, j), row, j))}), a, c))
	}
	// A triangle: some rows are empty.
	zero := loop(tir.Serial, v("z"), 1, loop(tir.Parallel, i, 13, loop(tir.Vectorized, j, 17, set(c, tir.Const(tir.F32, 0), i, j))))
	i2, j2 := v("i"), v("j")
	list = append(list, fn("triangle", 1, seq(zero, loop(tir.Parallel, i2, 13, &tir.For{Var: j2, Extent: i2, Body: set(c, at(a, i2, j2), i2, j2)})), a, c))
	// The body of a parallel loop uses variables and temporaries around it.
	tmp, x, y, z := buf("T", tir.F32, 17), v("x"), v("y"), v("z")
	list = append(list, fn("captured", 1, loop(tir.Serial, x, 13, alloc(tmp,
		loop(tir.Parallel, y, 17, set(tmp, add(at(a, x, y), tir.Const(tir.F32, 1)), y)),
		loop(tir.Parallel, z, 17, set(c, mul(at(tmp, sub(n(16), z)), at(a, x, z)), x, z)))), a, c))
	// Sums over rows and columns into the output itself.
	s, p, q, r := buf("S", tir.F32, 17), v("p"), v("q"), v("r")
	list = append(list, fn("columns", 1, seq(loop(tir.Vectorized, r, 17, set(s, tir.Const(tir.F32, 0), r)),
		loop(tir.Serial, p, 13, loop(tir.Vectorized, q, 17, set(s, add(at(s, q), mul(at(a, p, q), at(a, p, q))), q)))), a, s))
	s2, p2, q2 := buf("S", tir.F32, 13), v("p"), v("q")
	list = append(list, fn("rows", 1, loop(tir.Parallel, p2, 13, set(s2, tir.Const(tir.F32, 0), p2),
		loop(tir.Unrolled, q2, 17, set(s2, tir.Bin(tir.Max, at(s2, p2), at(a, p2, q2)), p2))), a, s2))
	big, w := buf("B", tir.I32, 5000), v("w")
	list = append(list, fn("long", 1, loop(tir.Unrolled, w, 5000, set(big, &tir.Cast{X: w, To: tir.I32}, w)), big))
	scalar := buf("R", tir.F32)
	list = append(list, fn("scalar", 1, set(scalar, at(a, n(3), n(4))), a, scalar))
	return list
}

func casts() (list []*tir.Func) {
	all := append([]tir.DType{tir.Bool, tir.F16, tir.BF16}, numbers...)
	for _, from := range all {
		for _, to := range all {
			a := buf("A", from, 37)
			list = append(list, each("cast", 37, to, []*tir.Buffer{a}, func(i tir.Expr) tir.Expr {
				x := at(a, i)
				if from.IsFloat() && to != tir.Bool && !to.IsFloat() {
					wide := from
					if wide.Bytes() == 2 {
						wide, x = tir.F32, &tir.Cast{X: x, To: tir.F32}
					}
					x = mul(x, tir.Const(wide, 100))
				}
				if from == to {
					return x
				}
				return &tir.Cast{X: x, To: to}
			})[:2]...)
		}
	}
	for _, from := range []tir.DType{tir.F32, tir.F64} { // beyond what a signed integer holds
		a := buf("A", from, 37)
		list = append(list, each("beyond", 37, tir.U64, []*tir.Buffer{a}, func(i tir.Expr) tir.Expr {
			x := mul(add(at(a, i), tir.Const(from, 1.0625)), tir.Const(from, 0x1p62))
			return &tir.Cast{X: x, To: tir.U64}
		})[:2]...)
	}
	return list
}

// bitcasts read and write the bits of every type as every other one of its width.
func bitcasts() (list []*tir.Func) {
	all := append([]tir.DType{tir.F16, tir.BF16}, numbers...)
	for _, from := range all {
		for _, to := range all {
			if from.Bytes() != to.Bytes() || from == to {
				continue
			}
			a := buf("A", from, 37)
			list = append(list, each("bits", 37, to, []*tir.Buffer{a}, func(i tir.Expr) tir.Expr {
				return &tir.Bitcast{X: at(a, i), To: to}
			})[:2]...)
			list = append(list, each("masked", 37, from, []*tir.Buffer{a}, func(i tir.Expr) tir.Expr {
				if !to.IsInt() {
					return at(a, i)
				}
				bits := tir.Bin(tir.Shl, tir.Bin(tir.Shr, &tir.Bitcast{X: at(a, i), To: to}, tir.Const(to, 3)), tir.Const(to, 3))
				return &tir.Bitcast{X: bits, To: from}
			})[:2]...)
		}
	}
	return list
}

func division() (list []*tir.Func) {
	for _, t := range integers {
		a, b := buf("A", t, 37), buf("B", t, 37)
		positive := func(i tir.Expr) tir.Expr {
			return add(tir.Bin(tir.FloorMod, at(b, i), tir.Const(t, 11)), tir.Const(t, 1))
		}
		for _, op := range []tir.BinOp{tir.Div, tir.FloorDiv, tir.FloorMod} {
			for _, d := range []float64{1, 2, 7, 16} {
				list = append(list, each("constant", 37, t, []*tir.Buffer{a, b}, func(i tir.Expr) tir.Expr { return tir.Bin(op, at(a, i), tir.Const(t, d)) })[:2]...)
			}
			list = append(list, each("variable", 37, t, []*tir.Buffer{a, b}, func(i tir.Expr) tir.Expr { return tir.Bin(op, at(a, i), positive(i)) })[:2]...)
			list = append(list, each("untaken", 37, t, []*tir.Buffer{a, b}, func(i tir.Expr) tir.Expr {
				zero := mul(at(b, i), tir.Const(t, 0))
				return tir.IfThenElse(tir.Bin(tir.GE, i, n(37)), tir.Bin(op, at(a, i), zero), tir.Bin(op, at(a, i), positive(i)))
			})[:2]...)
		}
		list = append(list, each("truncate", 37, t, []*tir.Buffer{a, b}, func(i tir.Expr) tir.Expr {
			return tir.Bin(tir.Div, at(a, i), sub(tir.Const(t, 0), positive(i)))
		})[:2]...)
	}
	return list
}

func intrinsicsPrograms() (list []*tir.Func) {
	for _, t := range []tir.DType{tir.F32, tir.F64} {
		a := buf("A", t, 19)
		for _, f := range tir.Intrinsics() {
			list = append(list, each("call", 19, t, []*tir.Buffer{a}, func(i tir.Expr) tir.Expr {
				x := mul(at(a, i), tir.Const(t, 3))
				switch f {
				case tir.Log, tir.Sqrt, tir.Rsqrt:
					x = add(x, tir.Const(t, 3.5))
				case tir.Pow:
					return &tir.Call{Fn: f, Args: []tir.Expr{add(x, tir.Const(t, 4)), at(a, sub(n(18), i))}}
				}
				return &tir.Call{Fn: f, Args: []tir.Expr{x}}
			})[:2]...)
		}
	}
	return list
}

// memoryPrograms have temporaries on the stack and on the heap.
func memoryPrograms() (list []*tir.Func) {
	for _, size := range []int64{64, 40000} {
		a, c := buf("A", tir.F32, size), buf("C", tir.F32, size)
		tmp, i, j, k := buf("T", tir.F32, size), v("i"), v("j"), v("k")
		list = append(list, fn("temporary", 1, alloc(tmp,
			loop(tir.Parallel, i, size, set(tmp, mul(at(a, i), tir.Const(tir.F32, 2)), i)),
			loop(tir.Serial, j, size, set(c, at(tmp, sub(n(size-1), j)), j))), a, c))
		per, o, p, q := buf("T", tir.F32, size), v("o"), v("p"), v("q")
		d := buf("D", tir.F32, 5, size)
		list = append(list, fn("per thread", 1, loop(tir.Parallel, o, 5, alloc(per,
			loop(tir.Vectorized, p, size, set(per, at(a, p), p)),
			loop(tir.Serial, q, size, set(d, at(per, sub(n(size-1), q)), o, q)))), a, d))
		_ = k
	}
	return list
}

func vectorLengths() (list []*tir.Func) {
	for _, size := range []int64{1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 100, 300} {
		for _, t := range []tir.DType{tir.F32, tir.U8, tir.F64} {
			a, c, i := buf("A", t, size), buf("C", t, size), v("i")
			list = append(list, fn("length", 1, loop(tir.Vectorized, i, size, set(c, add(at(a, i), at(a, n(0))), i)), a, c))
		}
	}
	return list
}

// halves compute with storage types, by way of float.
func halves() (list []*tir.Func) {
	for _, t := range []tir.DType{tir.F16, tir.BF16} {
		a, b := buf("A", t, 37), buf("B", t, 37)
		f32 := func(e tir.Expr) tir.Expr { return &tir.Cast{X: e, To: tir.F32} }
		for _, scale := range []float64{1, 1e-6, 1e6, 1e30} {
			list = append(list, each("half", 37, t, []*tir.Buffer{a, b}, func(i tir.Expr) tir.Expr {
				return &tir.Cast{X: add(mul(f32(at(a, i)), tir.Const(tir.F32, scale)), f32(at(b, i))), To: t}
			})[:2]...)
		}
	}
	return list
}

// columns are products with a matrix that is stored by columns.
func columns() (list []*tir.Func) {
	for _, t := range []tir.DType{tir.F32, tir.F64, tir.I32, tir.I64} {
		for _, size := range []int64{4, 7, 8, 16, 21, 32} {
			for _, per := range []int64{3, 4, 8} {
				a, w, c := buf("A", t, 24), buf("W", t, size, 24), buf("C", t, size)
				ko, ki, j, z := v("ko"), v("ki"), v("j"), v("z")
				kk := add(mul(ko, n(per)), ki)
				list = append(list, fn("columns", 1, seq(loop(tir.Vectorized, z, size, set(c, tir.Const(t, 0), z)),
					loop(tir.Serial, ko, 24/per, loop(tir.Unrolled, ki, per, loop(tir.Vectorized, j, size,
						set(c, add(at(c, j), mul(at(a, kk), at(w, j, kk))), j))))), a, w, c))
			}
		}
	}
	return list
}
