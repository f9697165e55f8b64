package sequence

import (
	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// opaqueRecurrence makes the program of wmtune.Recurrence, whose inputs are
//
//	x [time, batch, directions*gates*width]    products of the input with its weights, and biases
//	r [directions, width, gates*width]         recurrent weights, transposed
//	late [directions, width]                   biases of a GRU's hidden gate that are reset with the state, or none
//	lengths [batch], h, c [directions, batch, width], p [directions, 3*width]    as in LSTM, or none
//
// and whose outputs are y [time, directions, batch, width] and the last h and c. Sequences and directions are
// independent of each other, and run in parallel. With one alone, what runs in parallel are stretches of the products
// with the state.
func opaqueRecurrence(n *graph.Node) (*tir.Func, error) {
	kind := n.Str("cell", "")
	c, err := cellOf(n, kind)
	if err != nil {
		return nil, err
	}
	x, r := n.Inputs[0].Shape, n.Inputs[1].Shape
	f := &recurrence{cell: c, time: x[0], batch: x[1], directions: r[0], width: r[1], rows: r[2],
		t: Register(n.Inputs[0].Type)}
	var params []*tir.Buffer
	input := func(name string, i int, shape ...int64) *tir.Buffer {
		v := n.Input(i)
		if v == nil {
			return nil
		}
		b := Parameter(name, v)
		if shape != nil {
			b.Shape = shape
		}
		params = append(params, b)
		return b
	}
	f.x = input("x", 0, f.time, f.batch, f.directions, f.rows)
	f.r, f.late, f.lengths = input("r", 1), input("late", 2), input("lengths", 3)
	h, cells, p := input("h0", 4), input("c0", 5), input("p", 6)
	f.p = p
	outputs := 0
	output := func(name string, i int) *tir.Buffer {
		v := n.Output(i)
		if v == nil {
			return nil
		}
		outputs++
		params = append(params, Parameter(name, v))
		return params[len(params)-1]
	}
	f.y = output("y", 0)
	lastH, lastC := output("last_h", 1), output("last_c", 2)
	f.alone = f.batch*f.directions == 1
	outer := tir.Parallel
	if f.alone {
		outer = tir.Serial
	}
	var bodies []tir.Stmt
	for dir := range f.directions {
		bodies = append(bodies, Nest([]int64{f.batch}, outer, func(at []tir.Expr) tir.Stmt {
			return f.sequence(dir, at[0], h, cells, lastH, lastC)
		}))
	}
	body := Seq(bodies...)
	if f.directions == 2 {
		body = f.both(h, cells, lastH, lastC)
	}
	if f.lengths != nil {
		fault := ErrorFlag()
		outputs++
		params = append(params, fault)
		body = Seq(ClearFault(fault), Loop("b", f.batch, func(b tir.Expr) tir.Stmt {
			length := Cast(Load(f.lengths, b), tir.Index)
			return &tir.If{Cond: Or(Lt(length, tir.Int(0)), Gt(length, tir.Int(f.time))), Then: SetFault(fault)}
		}), body)
	}
	return NewFunc("recurrence_"+kind, outputs, body, params...), nil
}

// A recurrence writes the program of one.
type recurrence struct {
	*cell
	time, batch, directions, width, rows int64
	t                                    tir.DType
	alone                                bool

	x, r, late, lengths, p, y *tir.Buffer

	// Of the sequence at hand.
	dir         int
	d, b        tir.Expr
	h, c        *tir.Buffer // state
	gates, next *tir.Buffer // products with the state, and another vector
}

// both runs the sequences of both directions in parallel: which one is a matter of the outermost variable.
func (f *recurrence) both(h, cells, lastH, lastC *tir.Buffer) tir.Stmt {
	v := tir.NewVar("sequence")
	b := Floormod(v, f.batch)
	return &tir.For{Var: v, Extent: tir.Int(2 * f.batch), Kind: tir.Parallel, Body: &tir.If{
		Cond: Lt(v, tir.Int(f.batch)),
		Then: f.sequence(0, b, h, cells, lastH, lastC), Else: f.sequence(1, b, h, cells, lastH, lastC)}}
}

func (f *recurrence) read(b *tir.Buffer, at ...tir.Expr) tir.Expr { return Cast(Load(b, at...), f.t) }

func (f *recurrence) sequence(dir int64, b tir.Expr, h, cells, lastH, lastC *tir.Buffer) tir.Stmt {
	f.dir, f.d, f.b = int(dir), tir.Int(dir), b
	vector := func(name string, n int64) *tir.Buffer { return &tir.Buffer{Name: name, Type: f.t, Shape: []int64{n}} }
	f.h, f.c, f.gates, f.next = vector("h", f.width), vector("c", f.width), vector("gates", f.rows),
		vector("next", f.width)
	begin := func(state, from *tir.Buffer) tir.Stmt {
		return Vectors("j", f.width, func(j tir.Expr) tir.Stmt {
			if from == nil {
				return Store(state, tir.Const(f.t, 0), j)
			}
			return Store(state, f.read(from, f.d, b, j), j)
		})
	}
	stmts := []tir.Stmt{begin(f.h, h), begin(f.c, cells)}
	length := tir.Expr(tir.Int(f.time))
	if f.lengths != nil {
		length = MinOf(MaxOf(Cast(Load(f.lengths, b), tir.Index), tir.Int(0)), tir.Int(f.time))
	}
	s := tir.NewVar("s")
	t := tir.Expr(s)
	if dir == 1 || f.reversedFirst {
		t = Sub(Sub(length, tir.Int(1)), s)
	}
	stmts = append(stmts, &tir.For{Var: s, Extent: length, Body: f.step(t)})
	if f.lengths != nil && f.y != nil {
		rest := tir.NewVar("rest")
		stmts = append(stmts, &tir.For{Var: rest, Extent: Sub(tir.Int(f.time), length),
			Body: f.vector(func(j tir.Expr) tir.Stmt {
				return Store(f.y, tir.Const(f.y.Type, 0), Add(length, rest), f.d, b, j)
			})})
	}
	end := func(to, state *tir.Buffer) {
		if to != nil {
			stmts = append(stmts, f.vector(func(j tir.Expr) tir.Stmt {
				return Store(to, Cast(Load(state, j), to.Type),
					f.d, b, j)
			}))
		}
	}
	end(lastH, f.h)
	end(lastC, f.c)
	body := Seq(stmts...)
	for _, v := range []*tir.Buffer{f.h, f.c, f.gates, f.next} {
		body = Alloc(v, body)
	}
	return body
}

// vector runs body for each element of the state.
func (f *recurrence) vector(body func(j tir.Expr) tir.Stmt) tir.Stmt {
	return Vectors("j", f.width, body)
}

// step writes what is done at a time.
func (f *recurrence) step(t tir.Expr) tir.Stmt {
	var stmts []tir.Stmt
	switch f.kind {
	case "RNN":
		stmts = append(stmts, f.product(0, f.rows, f.h), f.vector(func(j tir.Expr) tir.Stmt {
			return Store(f.next, f.apply(0, f.gate(t, 0, j)), j)
		}))
	case "GRU":
		stmts = f.gru(t)
	case "LSTM":
		h := f.h
		if f.quantized {
			stmts, h = append(stmts, f.toBytes()), f.next
		}
		stmts = append(stmts, f.product(0, f.rows, h),
			f.vector(func(j tir.Expr) tir.Stmt { return f.lstmCell(t, j) }),
			f.vector(func(j tir.Expr) tir.Stmt {
				c := Load(f.c, j)
				return Store(f.next, Mul(f.apply(0, f.peep(f.gate(t, 1, j), 1, j)), f.functions[f.dir][2].expr(c)), j)
			}))
	}
	return Seq(append(stmts, f.vector(func(j tir.Expr) tir.Stmt {
		keep := Store(f.h, Load(f.next, j), j)
		if f.y == nil {
			return keep
		}
		return Seq(keep, Store(f.y, Cast(Load(f.next, j), f.y.Type), t, f.d, f.b, j))
	}))...)
}

// toBytes writes the state to next as asBytes rounds it.
func (f *recurrence) toBytes() tir.Stmt {
	limits := &tir.Buffer{Name: "limits", Type: f.t, Shape: []int64{2}, Scope: tir.Local}
	low, high := Load(limits, tir.Int(0)), Load(limits, tir.Int(1))
	zero := tir.Const(f.t, 0)
	width := Sub(high, low)
	scale := Sel(Eq(width, zero), Num(width, 1), Quo(width, Num(width, 255)))
	point := Fn(tir.RoundEven, Quo(Neg(low), scale))
	return Alloc(limits, Seq(Store(limits, zero, tir.Int(0)), Store(limits, zero, tir.Int(1)),
		Loop("j", f.width, func(j tir.Expr) tir.Stmt {
			return Seq(Store(limits, MinOf(low, Load(f.h, j)), tir.Int(0)), Store(limits, MaxOf(high, Load(f.h, j)), tir.Int(1)))
		}),
		f.vector(func(j tir.Expr) tir.Stmt {
			q := Add(Fn(tir.RoundEven, Quo(Load(f.h, j), scale)), point)
			return Store(f.next, Mul(Sub(MinOf(MaxOf(q, zero), Num(q, 255)), point), scale), j)
		})))
}

// lstmCell writes the next element of the cell.
func (f *recurrence) lstmCell(t, j tir.Expr) tir.Stmt {
	in := f.apply(0, f.peep(f.gate(t, 0, j), 0, j))
	forget := Sub(Num(in, 1), in)
	if !f.coupled {
		forget = f.apply(0, f.peep(f.gate(t, 2, j), 2, j))
	}
	return Store(f.c, Add(Mul(forget, Load(f.c, j)), Mul(in, f.apply(1, f.gate(t, 3, j)))), j)
}

// gru writes the next state: with the state reset before the product, or its product reset.
func (f *recurrence) gru(t tir.Expr) []tir.Stmt {
	products := f.product(0, f.rows, f.h)
	if !f.linear {
		products = f.product(0, 2*f.width, f.h)
	}
	stmts := []tir.Stmt{products}
	if !f.linear {
		stmts = append(stmts, f.vector(func(j tir.Expr) tir.Stmt {
			return Store(f.next, Mul(f.apply(0, f.gate(t, 1, j)), Load(f.h, j)), j)
		}), f.product(2*f.width, f.rows, f.next))
	}
	return append(stmts, f.vector(func(j tir.Expr) tir.Stmt {
		hidden := f.gate(t, 2, j)
		if f.linear {
			v := Load(f.gates, Plus(j, 2*f.width))
			if f.late != nil {
				v = Add(v, f.read(f.late, f.d, j))
			}
			hidden = Add(f.read(f.x, t, f.b, f.d, Plus(j, 2*f.width)), Mul(f.apply(0, f.gate(t, 1, j)), v))
		}
		z := f.apply(0, f.gate(t, 0, j))
		return Store(f.next, Add(Mul(Sub(Num(z, 1), z), f.apply(1, hidden)), Mul(z, Load(f.h, j))), j)
	}))
}

// gate is an element of a gate: the products with the input and with the state.
func (f *recurrence) gate(t tir.Expr, gate int64, j tir.Expr) tir.Expr {
	i := Plus(j, gate*f.width)
	return Add(f.read(f.x, t, f.b, f.d, i), Load(f.gates, i))
}

// peep adds what a gate of an LSTM sees of the cell.
func (f *recurrence) peep(x tir.Expr, gate int64, j tir.Expr) tir.Expr {
	if f.p == nil {
		return x
	}
	return Add(x, Mul(f.read(f.p, f.d, Plus(j, gate*f.width)), Load(f.c, j)))
}

// apply applies activation i of the direction.
func (f *recurrence) apply(i int, x tir.Expr) tir.Expr {
	if f.clip > 0 {
		x = MinOf(MaxOf(x, Num(x, -f.clip)), Num(x, f.clip))
	}
	return f.functions[f.dir][i].expr(x)
}

// Products are computed for stretches of so many elements, which stay in registers; in parallel if there are more
// weights than parallelProducts.
const (
	productStretch   = 64
	parallelProducts = 1 << 16
)

// product writes the products of a vector with columns from..to-1 of the weights to the gates.
func (f *recurrence) product(from, to int64, h *tir.Buffer) tir.Stmt {
	kind := tir.Serial
	if f.alone && (to-from)*f.width >= parallelProducts {
		kind = tir.Parallel
	}
	var stmts []tir.Stmt
	whole := (to - from) / productStretch
	if whole > 0 {
		stmts = append(stmts, Nest([]int64{whole}, kind, func(at []tir.Expr) tir.Stmt {
			return f.stretch(Plus(Times(at[0], productStretch), from), productStretch, h)
		}))
	}
	if rest := (to - from) % productStretch; rest > 0 {
		stmts = append(stmts, f.stretch(tir.Int(from+whole*productStretch), rest, h))
	}
	return Seq(stmts...)
}

// stretch writes n products to the gates, from one on.
func (f *recurrence) stretch(first tir.Expr, n int64, h *tir.Buffer) tir.Stmt {
	sum := &tir.Buffer{Name: "sum", Type: f.t, Shape: []int64{n}, Scope: tir.Local}
	lanes := func(body func(i tir.Expr) tir.Stmt) tir.Stmt {
		v := tir.NewVar("lane")
		return &tir.For{Var: v, Extent: tir.Int(n), Kind: tir.Vectorized, Body: body(v)}
	}
	return Alloc(sum, Seq(
		lanes(func(i tir.Expr) tir.Stmt { return Store(sum, tir.Const(f.t, 0), i) }),
		Loop("k", f.width, func(k tir.Expr) tir.Stmt {
			return lanes(func(i tir.Expr) tir.Stmt {
				return Store(sum, Add(Load(sum, i), Mul(Load(h, k), f.read(f.r, f.d, k, Add(first, i)))), i)
			})
		}),
		lanes(func(i tir.Expr) tir.Stmt { return Store(f.gates, Load(sum, i), Add(first, i)) })))
}
