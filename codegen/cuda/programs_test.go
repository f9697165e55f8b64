package cuda_test

import "github.com/wmtune/wmtune/tir"

type writtenProgram struct {
	name string
	f    *tir.Func
}

func vectorize(n int64, body func(v *tir.Var) tir.Stmt) *tir.For {
	l := serial(n, body)
	l.Kind = tir.Vectorized
	return l
}

func plus(x, y tir.Expr) tir.Expr        { return tir.Bin(tir.Add, x, y) }
func times(x tir.Expr, n int64) tir.Expr { return tir.Bin(tir.Mul, x, tir.Int(n)) }

// writtenPrograms are programs for what no schedule of the golden files needs.
func writtenPrograms() []writtenProgram {
	a, c, s := floats("A", "", 16), floats("C", "", 8), floats("S", tir.Shared, 8)
	wide := floats("C", "", 16)
	odd := floats("C", "", 17)
	few, many := floats("few", tir.Local, 8), floats("many", tir.Local, 512)
	big := floats("C", "", 512)
	table, idx := floats("A", "", 100), &tir.Buffer{Name: "idx", Type: tir.I32, Shape: []int64{16}}
	gathered, fetched := floats("S", tir.Shared, 16), floats("F", tir.Shared, 16)
	return []writtenProgram{
		// Threads that wait for each other between two loops, the second over a part.
		{"part", fn(bind("blockIdx.x", 2, func(b *tir.Var) tir.Stmt {
			return &tir.Alloc{Buffer: s, Body: tir.Sequence(
				bind("threadIdx.x", 8, func(v *tir.Var) tir.Stmt { return set(s, get(a, plus(times(b, 8), v)), v) }),
				bind("threadIdx.x", 4, func(v *tir.Var) tir.Stmt {
					return set(c, plus(get(s, v), get(s, tir.Bin(tir.Sub, tir.Int(7), v))), plus(times(b, 4), v))
				}),
			)}
		}), a, c)},
		// Lanes of which not all may load.
		{"masked", fn(serial(4, func(i *tir.Var) tir.Stmt {
			return vectorize(4, func(j *tir.Var) tir.Stmt {
				at := plus(times(i, 4), j)
				return set(wide, plus(tir.IfThenElse(tir.Bin(tir.GE, at, tir.Int(4)), get(a, tir.Bin(tir.Sub, at, tir.Int(4))), tir.Float(tir.F32, 1)), get(a, at)), at)
			})
		}), a, wide)},
		// Lanes that begin at no multiple of a vector, or have others between them.
		{"shifted", fn(tir.Sequence(set(odd, tir.Float(tir.F32, 1), tir.Int(0)), serial(4, func(i *tir.Var) tir.Stmt {
			return vectorize(4, func(j *tir.Var) tir.Stmt {
				return set(odd, get(a, plus(times(i, 4), j)), plus(plus(times(i, 4), j), tir.Int(1)))
			})
		})), a, odd)},
		{"spread", fn(serial(4, func(i *tir.Var) tir.Stmt {
			return vectorize(4, func(j *tir.Var) tir.Stmt {
				return set(wide, plus(get(a, plus(times(i, 4), j)), get(a, times(j, 4))), plus(times(j, 4), i))
			})
		}), a, wide)},
		// Lanes that load neighbouring indices of elements that are none: at once, and asynchronously.
		{"asyncgather", fn(&tir.Alloc{Buffer: gathered, Body: &tir.Alloc{Buffer: fetched, Body: bind("threadIdx.x", 4, func(
			t *tir.Var) tir.Stmt {
			lanes := func(body func(at tir.Expr) tir.Stmt) tir.Stmt {
				return vectorize(4, func(j *tir.Var) tir.Stmt { return body(plus(times(t, 4), j)) })
			}
			return tir.Sequence(
				lanes(func(at tir.Expr) tir.Stmt {
					return set(gathered, get(table, &tir.Cast{X: get(idx, at), To: tir.I64}), at)
				}),
				lanes(func(at tir.Expr) tir.Stmt {
					return &tir.Store{
						Buffer: fetched, Index: []tir.Expr{at}, Value: get(table, &tir.Cast{X: get(idx, at), To: tir.I64}), Async: true,
					}
				}),
				&tir.Wait{},
				lanes(func(at tir.Expr) tir.Stmt { return set(wide, plus(get(gathered, at), get(fetched, at)), at) }),
			)
		})}}, table, idx, wide)},
		// Loops over arrays that fit into registers, and over some that do not.
		{"registers", fn(&tir.Alloc{Buffer: few, Body: &tir.Alloc{Buffer: many, Body: tir.Sequence(
			serial(8, func(i *tir.Var) tir.Stmt { return set(few, get(a, i), i) }),
			serial(512, func(i *tir.Var) tir.Stmt { return set(many, tir.Float(tir.F32, 1), i) }),
			serial(512, func(i *tir.Var) tir.Stmt {
				return serial(8, func(k *tir.Var) tir.Stmt { return set(many, plus(get(many, i), get(few, k)), i) })
			}),
			serial(512, func(i *tir.Var) tir.Stmt { return set(big, get(many, i), i) }),
		)}}, a, big)},
		// A sum with another element than the one that it replaces.
		{"shiftsum", fn(tir.Sequence(
			serial(17, func(i *tir.Var) tir.Stmt { return set(odd, tir.Float(tir.F32, 1), i) }),
			serial(16, func(i *tir.Var) tir.Stmt {
				return set(odd, plus(get(odd, i), get(a, i)), plus(i, tir.Int(1)))
			}),
		), a, odd)},
		{"tensorodd", oddTiles(tir.BF16, func(e tir.Expr) tir.Expr { return e })},
		// Thirds have more bits than tensor cores keep.
		{"tensorround", oddTiles(tir.F32, func(e tir.Expr) tir.Expr { return tir.Bin(tir.Div, e, tir.Float(tir.F32, 3)) })},
	}
}

// oddTiles multiplies tiles that begin at odd places, the second one stored by columns, in a loop that
// nobody has unrolled. Of what is copied to shared memory they have what fetched returns.
func oddTiles(typ tir.DType, fetched func(tir.Expr) tir.Expr) *tir.Func {
	operand := func(name string, scope tir.Scope, shape ...int64) *tir.Buffer {
		return &tir.Buffer{Name: name, Type: typ, Shape: shape, Scope: scope}
	}
	depth := tir.MMADepth(typ)
	a, b, c := operand("A", "", 17, depth+2), operand("B", "", 9, depth+1), floats("C", "", 2, 16, 8)
	sa, sb, own := operand("SA", tir.Shared, 17, depth+2), operand("SB", tir.Shared, 9, depth+1), floats("L", tir.Local, 2, 4)
	body := bind("threadIdx.x", 32, func(t *tir.Var) tir.Stmt {
		fetch := func(to, from *tir.Buffer) tir.Stmt {
			return serial(from.Shape[0], func(i *tir.Var) tir.Stmt {
				return &tir.If{Cond: tir.Bin(tir.LT, t, tir.Int(from.Shape[1])), Then: &tir.Block{Name: to.Name, Body: set(to, fetched(get(from, i, t)), i, t)}}
			})
		}
		elems := func(f func(i, e *tir.Var) tir.Stmt) tir.Stmt {
			return serial(2, func(i *tir.Var) tir.Stmt { return serial(4, func(e *tir.Var) tir.Stmt { return f(i, e) }) })
		}
		multiply := serial(2, func(i *tir.Var) tir.Stmt {
			return &tir.MMA{Buffer: own, Index: []tir.Expr{i}, Lane: t,
				A: tir.Operand{First: get(sa, tir.Int(1), plus(i, tir.Int(1))).(*tir.Load), Row: []int64{1, 0}, Col: []int64{0, 1}},
				B: tir.Operand{First: get(sb, tir.Int(1), i).(*tir.Load), Row: []int64{0, 1}, Col: []int64{1, 0}}}
		})
		s := tir.Sequence(elems(func(i, e *tir.Var) tir.Stmt { return set(own, tir.Float(tir.F32, 0), i, e) }),
			fetch(sa, a), fetch(sb, b), &tir.Barrier{Scope: tir.Shared}, multiply,
			elems(func(i, e *tir.Var) tir.Stmt {
				row, col := tir.MMAPlace(t, e)
				return set(c, get(own, i, e), i, row, col)
			}))
		for _, buffer := range []*tir.Buffer{own, sb, sa} {
			s = &tir.Alloc{Buffer: buffer, Body: s}
		}
		return s
	})
	return fn(body, a, b, c)
}
