package sequence

import (
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// blockUnits is how many of the state's elements a block has: the lanes of a vector.
const blockUnits = 16

// toBytes writes the state of a group as asBytes rounds it.
func (f *recurrence) toBytes(p place) tir.Stmt {
	low, high := Scratch("low", f.t, blockUnits), Scratch("high", f.t, blockUnits)
	sums := Scratch("sums", tir.I32, blockUnits)
	zero, first := tir.Const(f.t, 0), tir.Int(0)
	var stmts []tir.Stmt
	fill := func(b *tir.Buffer) tir.Stmt {
		return Vector("j", blockUnits, func(j tir.Expr) tir.Stmt { return Store(b, tir.Const(b.Type, 0), j) })
	}
	for m := range f.side {
		m := tir.Int(m)
		h := func(j tir.Expr) tir.Expr { return Load(f.h, p.slot, Floormod(p.step, 2), m, j) }
		lanes := func(body func(lane, j tir.Expr) tir.Stmt) tir.Stmt {
			return Chunks("j", f.width, func(base tir.Expr, n int64) tir.Stmt {
				return Vector("j", n, func(lane tir.Expr) tir.Stmt { return body(lane, Add(base, lane)) })
			})
		}
		scale, point := Load(f.scale, p.slot, m), Load(f.point, p.slot, m)
		width := Sub(Load(high, first), Load(low, first))
		stmts = append(stmts, fill(low), fill(high), fill(sums),
			lanes(func(lane, j tir.Expr) tir.Stmt {
				return Seq(Store(low, MinOf(Load(low, lane), h(j)), lane), Store(high, MaxOf(Load(high, lane), h(j)), lane))
			}),
			Loop("j", blockUnits, func(j tir.Expr) tir.Stmt {
				return Seq(Store(low, MinOf(Load(low, first), Load(low, j)), first),
					Store(high, MaxOf(Load(high, first), Load(high, j)), first))
			}),
			Store(f.scale, Sel(Eq(width, zero), Num(width, 1), Quo(width, Num(width, 255))), p.slot, m),
			Store(f.point, Cast(Clamped(Fn(tir.RoundEven, Quo(Neg(Load(low, first)), scale)), tir.U8, 0, 255), tir.I32),
				p.slot, m),
			lanes(func(lane, j tir.Expr) tir.Stmt {
				q := Add(Fn(tir.RoundEven, Quo(h(j), scale)), Cast(point, f.t))
				return Seq(Store(f.q, Clamped(q, tir.U8, 0, 255), p.slot, m, j),
					Store(sums, Add(Load(sums, lane), Cast(Load(f.q, p.slot, m, j), tir.I32)), lane))
			}),
			Store(f.total, tir.Const(tir.I32, 0), p.slot, m),
			Loop("j", blockUnits, func(j tir.Expr) tir.Stmt {
				return Store(f.total, Add(Load(f.total, p.slot, m), Load(sums, j)), p.slot, m)
			}))
	}
	return Allocs(Seq(stmts...), low, high, sums)
}

// A sums has the products of a block of weights with the states of a group.
type sums struct {
	of           *tir.Buffer // [parts*side*gates, blockUnits]
	parts, gates int64
}

// minSums is how many sums are added to by turns, since each addition takes some cycles.
const minSums = 8

// product multiplies a block of packed weights by vectors of a group, of which vector has element k of the m-th, and
// runs what then is to be done.
func (f *recurrence) product(p place, r *tir.Buffer, block tir.Expr, vector func(m int64, k tir.Expr) tir.Expr,
	then func(s sums) tir.Stmt) tir.Stmt {
	s := sums{parts: 1, gates: r.Shape[3]}
	groups, depth := r.Shape[2], r.Shape[5] // of steps that an instruction makes at once
	for s.parts*f.side*s.gates < minSums && groups%(2*s.parts) == 0 {
		s.parts *= 2
	}
	t := f.t
	if r.Type == tir.I8 {
		t = tir.I32
	}
	n := s.parts * f.side * s.gates
	s.of = Scratch("sum", t, n, blockUnits)
	each := func(body func(i, part, m, gate int64, lane tir.Expr) tir.Stmt) tir.Stmt {
		return Vector("u", blockUnits, func(lane tir.Expr) tir.Stmt {
			var stmts []tir.Stmt
			for i := range n {
				stmts = append(stmts, body(i, i/(f.side*s.gates), i/s.gates%f.side, i%s.gates, lane))
			}
			return Seq(stmts...)
		})
	}
	zero := each(func(i, _, _, _ int64, lane tir.Expr) tir.Stmt { return Store(s.of, tir.Const(t, 0), tir.Int(i), lane) })
	add := Loop("k", groups/s.parts, func(k tir.Expr) tir.Stmt {
		return each(func(i, part, m, gate int64, lane tir.Expr) tir.Stmt {
			k := Plus(Times(k, s.parts), part)
			step := func(at tir.Expr) tir.Stmt {
				v, w := vector(m, Add(Times(k, depth), at)), Load(r, p.d, block, k, tir.Int(gate), lane, at)
				return Store(s.of, Add(Load(s.of, tir.Int(i), lane), Mul(Cast(v, t), Cast(w, t))), tir.Int(i), lane)
			}
			if depth == 1 {
				return step(Zero)
			}
			v := tir.NewVar("step")
			return &tir.For{Var: v, Extent: tir.Int(depth), Kind: tir.Tensorized, Body: step(v)}
		})
	})
	return Alloc(s.of, Seq(zero, add, then(s)))
}

// A unit is an element of the state of sequence m of a group, and a lane of its block.
type unit struct {
	place
	m       int64
	j, lane tir.Expr
	t       tir.Expr // time
	sums    sums
}

// units runs a statement for the elements of a block of each sequence that has not ended, with another one after its
// last step.
func (f *recurrence) units(p place, block tir.Expr, s sums, do, last func(u unit) tir.Stmt) tir.Stmt {
	var stmts []tir.Stmt
	whole, rest := f.width/blockUnits, f.width%blockUnits
	for m := range f.side {
		length := f.length(f.row(p, m))
		u := unit{place: p, m: m, sums: s, t: p.step}
		switch back := Sub(Sub(length, tir.Int(1)), p.step); {
		case f.directions == 2:
			u.t = Sel(Eq(p.d, tir.Int(1)), back, u.t)
		case f.reversedFirst:
			u.t = back
		}
		lanes := func(do func(u unit) tir.Stmt) tir.Stmt {
			of := func(n int64) tir.Stmt {
				return Vector("u", n, func(lane tir.Expr) tir.Stmt {
					u.j, u.lane = Add(Times(block, blockUnits), lane), lane
					return do(u)
				})
			}
			switch {
			case rest == 0:
				return of(blockUnits)
			case whole == 0:
				return of(rest)
			}
			return &tir.If{Cond: Lt(block, tir.Int(whole)), Then: of(blockUnits), Else: of(rest)}
		}
		body := lanes(do)
		if last != nil && (f.lastH != nil || f.lastC != nil) {
			body = Seq(body, &tir.If{Cond: Eq(p.step, Sub(length, tir.Int(1))), Then: lanes(last)})
		}
		if f.in[inLengths] != nil {
			body = &tir.If{Cond: Lt(p.step, length), Then: body}
		}
		stmts = append(stmts, body)
	}
	return Seq(stmts...)
}

// turn is where the state of this step is (0), or that of the next one (1).
func (p place) turn(next int64) tir.Expr { return Floormod(Plus(p.step, next), 2) }

func (f *recurrence) ended(u unit) tir.Stmt { return f.lastState(u.place, u.m, u.turn(1), u.j) }

// first makes a step, or its first half: until the state was reset.
func (f *recurrence) first(p place, block tir.Expr) tir.Stmt {
	vector := func(m int64, k tir.Expr) tir.Expr {
		if f.q != nil {
			return Load(f.q, p.slot, tir.Int(m), k)
		}
		return Load(f.h, p.slot, p.turn(0), tir.Int(m), k)
	}
	return f.product(p, f.in[inR], block, vector, func(s sums) tir.Stmt {
		if f.in[inLast] != nil {
			return f.units(p, block, s, func(u unit) tir.Stmt {
				return Seq(Store(f.z, f.apply(u, 0, f.gate(u, 0, 0)), u.slot, tir.Int(u.m), u.j),
					Store(f.reset, Mul(f.apply(u, 0, f.gate(u, 1, 1)), f.state(u)), u.slot, tir.Int(u.m), u.j))
			}, nil)
		}
		return f.units(p, block, s, func(u unit) tir.Stmt {
			switch f.rnn.kind {
			case "LSTM":
				c := Load(f.c, u.slot, tir.Int(u.m), u.j)
				return Seq(Store(f.c, f.lstmCell(u), u.slot, tir.Int(u.m), u.j),
					f.next(u, Mul(f.apply(u, 0, f.peep(u, f.gate(u, 1, 1), 1)), f.functions[u.dir][2].expr(c))))
			case "GRU":
				reset := f.apply(u, 0, f.gate(u, 1, 1))
				v := f.sum(u, 2, 2)
				if late := f.in[inLate]; late != nil {
					v = Add(v, f.read(late, u.d, u.j))
				}
				return f.gruState(u, f.apply(u, 0, f.gate(u, 0, 0)), Add(f.input(u, 2), Mul(reset, v)))
			}
			return f.next(u, f.apply(u, 0, f.gate(u, 0, 0)))
		}, f.ended)
	})
}

// second makes the rest of a step: the product of the state that was reset.
func (f *recurrence) second(p place, block tir.Expr) tir.Stmt {
	vector := func(m int64, k tir.Expr) tir.Expr { return Load(f.reset, p.slot, tir.Int(m), k) }
	return f.product(p, f.in[inLast], block, vector, func(s sums) tir.Stmt {
		return f.units(p, block, s, func(u unit) tir.Stmt {
			return f.gruState(u, Load(f.z, u.slot, tir.Int(u.m), u.j), f.gate(u, 2, 0))
		}, f.ended)
	})
}

// next writes the next state.
func (f *recurrence) next(u unit, v tir.Expr) tir.Stmt {
	h := []tir.Expr{u.slot, u.turn(1), tir.Int(u.m), u.j}
	stmts := []tir.Stmt{Store(f.h, v, h...)}
	if f.y != nil {
		stmts = append(stmts, Store(f.y, Cast(Load(f.h, h...), f.y.Type), u.t, u.d, f.row(u.place, u.m), u.j))
	}
	return Seq(stmts...)
}

func (f *recurrence) state(u unit) tir.Expr { return Load(f.h, u.slot, u.turn(0), tir.Int(u.m), u.j) }

// gruState writes the next state of a GRU, of its gate z and of what goes into its hidden gate.
func (f *recurrence) gruState(u unit, z, hidden tir.Expr) tir.Stmt {
	return f.next(u, Add(Mul(Sub(Num(z, 1), z), f.apply(u, 1, hidden)), Mul(z, f.state(u))))
}

// lstmCell is the next element of the cell.
func (f *recurrence) lstmCell(u unit) tir.Expr {
	in := f.apply(u, 0, f.peep(u, f.gate(u, 0, 0), 0))
	forget := Sub(Num(in, 1), in)
	if !f.coupled {
		forget = f.apply(u, 0, f.peep(u, f.gate(u, 2, 2), 2))
	}
	return Add(Mul(forget, Load(f.c, u.slot, tir.Int(u.m), u.j)), Mul(in, f.apply(u, 1, f.gate(u, 3, 3))))
}

// input is a gate's product with the input.
func (f *recurrence) input(u unit, gate int64) tir.Expr {
	return f.read(f.in[inX], u.t, f.row(u.place, u.m), u.d, Plus(u.j, gate*f.width))
}

// sum is a gate's product with the state: product i of its block.
func (f *recurrence) sum(u unit, gate, i int64) tir.Expr {
	var v tir.Expr
	for part := range u.sums.parts {
		w := Load(u.sums.of, tir.Int((part*f.side+u.m)*u.sums.gates+i), u.lane)
		if v == nil {
			v = w
		} else {
			v = Add(v, w)
		}
	}
	if f.q == nil {
		return v
	}
	at := func(b int) tir.Expr { return Load(f.in[b], u.d, Plus(u.j, gate*f.width)) }
	of := func(b *tir.Buffer) tir.Expr { return Load(b, u.slot, tir.Int(u.m)) }
	v = Sub(Sub(v, Mul(at(inZero), of(f.total))), Mul(at(inTotal), of(f.point)))
	return Mul(Cast(v, f.t), Mul(of(f.scale), Cast(at(inScale), f.t)))
}

// gate is an element of a gate: the products with the input and with the state.
func (f *recurrence) gate(u unit, gate, i int64) tir.Expr {
	return Add(f.input(u, gate), f.sum(u, gate, i))
}

// peep adds what a gate of an LSTM sees of the cell.
func (f *recurrence) peep(u unit, x tir.Expr, gate int64) tir.Expr {
	p := f.in[inPeep]
	if p == nil {
		return x
	}
	return Add(x, Mul(f.read(p, u.d, Plus(u.j, gate*f.width)), Load(f.c, u.slot, tir.Int(u.m), u.j)))
}

// apply applies activation i of the direction.
func (f *recurrence) apply(u unit, i int, x tir.Expr) tir.Expr {
	if f.clip > 0 {
		x = MinOf(MaxOf(x, Num(x, -f.clip)), Num(x, f.clip))
	}
	return f.functions[u.dir][i].expr(x)
}
