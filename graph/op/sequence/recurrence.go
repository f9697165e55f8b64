package sequence

import (
	"reflect"

	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Inputs of wmtune.Recurrence:
//
//	x [time, batch, directions*gates*width]    products of the input with its weights, and biases
//	r, last                                    recurrent weights as packed returns them
//	late [directions, width]                   biases of a GRU's hidden gate that are reset with the state, or none
//	lengths [batch], h, c [directions, batch, width], p [directions, 3*width]    as in LSTM, or none
//	scale, zero, total [directions, gates*width]    of r in bytes: scales, zero points, sums of columns; or none
//
// Last has the weights of a GRU's hidden gate if the state is reset before the product; else r has them. The reference
// alone may have given, states like output 0, from which it takes each next step: what a step does is then judged apart
// from what the steps before it rounded.
const (
	inX = iota
	inR
	inLast
	inLate
	inLengths
	inH
	inC
	inPeep
	inScale
	inZero
	inTotal
	Given // the number of inputs of a node
)

// opaqueRecurrence makes the program of wmtune.Recurrence, whose outputs are y [time, directions, batch, width] and the
// last h and c.
//
// Some sequences of a direction are computed side by side, as a group, so that weights are read once for all of them.
// Where a core's cache holds the weights of a direction, groups run in parallel, each through all of time. Else the
// groups of a direction make a step together, and what runs in parallel are blocks of the state's elements: a core
// reads the same part of the weights in each step.
func opaqueRecurrence(n *graph.Node) (*tir.Func, error) {
	a := recurrentOf(n)
	c, err := cellOf(n, a.kind)
	if err != nil {
		return nil, err
	}
	f := &recurrence{cell: c, rnn: a, t: Register(n.Inputs[0].Type)}
	var params []*tir.Buffer
	parameter := func(name string, v *graph.Value) *tir.Buffer {
		if v == nil {
			return nil
		}
		params = append(params, Parameter(name, v))
		return params[len(params)-1]
	}
	for i, name := range []string{"x", "r", "last", "late", "lengths", "h0", "c0", "p", "scale", "zero", "total"} {
		f.in[i] = parameter(name, n.Input(i))
	}
	f.in[inX].Shape = []int64{f.time, f.batch, f.directions, f.gates * f.width}
	inputs := len(params)
	f.y, f.lastH, f.lastC = parameter("y", n.Output(0)), parameter("last_h", n.Output(1)), parameter("last_c", n.Output(2))
	f.divide()
	body := f.program()
	if lengths := f.in[inLengths]; lengths != nil {
		fault := ErrorFlag()
		params = append(params, fault)
		body = Seq(ClearFault(fault), Loop("b", f.batch, func(b tir.Expr) tir.Stmt {
			length := Cast(Load(lengths, b), tir.Index)
			return &tir.If{Cond: Or(Lt(length, tir.Int(0)), Gt(length, tir.Int(f.time))), Then: SetFault(fault)}
		}), body)
	}
	return NewFunc("recurrence_"+a.kind, len(params)-inputs, body, params...), nil
}

// A recurrence writes the program of one.
type recurrence struct {
	*cell
	*rnn
	t  tir.DType
	in [Given]*tir.Buffer

	y, lastH, lastC *tir.Buffer

	side, groups int64 // sequences of a group, and groups of a direction
	apart        bool  // each group goes through time on its own

	// What there is of each group: the state h, of this step and of the next one by turns, and c; of the state in bytes
	// these, their scale, zero point and sum; a GRU's z, and its state after it was reset. Zeros follow a vector that is
	// multiplied.
	h, c, q, scale, point, total, z, reset *tir.Buffer
}

// A place is where a statement is: in a step of a group, whose state lies in a slot, of a direction.
type place struct {
	dir                  int // has the functions of the direction
	d, group, slot, step tir.Expr
}

// Bytes of weights that a core's own cache holds, and from which on a step is worth dividing between cores.
const (
	cachedWeights   = 1 << 20
	parallelWeights = 1 << 17
)

// divide chooses groups. The sums of a block of a group take at most half of the registers of AVX-512.
func (f *recurrence) divide() {
	one := f.in[inR].Bytes() / f.directions
	most := min(8, 16/f.in[inR].Shape[3])
	f.groups = (f.batch + most - 1) / most
	if one <= cachedWeights && f.directions == 1 {
		f.groups = max(f.groups, min(2, f.batch))
	}
	f.side = (f.batch + f.groups - 1) / f.groups
	f.groups = (f.batch + f.side - 1) / f.side
	f.apart = one <= cachedWeights && f.groups*f.directions > 1
}

// program is what is done for all groups.
func (f *recurrence) program() tir.Stmt {
	slots := f.groups
	if f.apart {
		slots = 1
	}
	var state []*tir.Buffer
	scratch := func(t tir.DType, name string, shape ...int64) *tir.Buffer {
		state = append(state, Scratch(name, t, append([]int64{slots}, shape...)...))
		return state[len(state)-1]
	}
	r := f.in[inR]
	f.h = scratch(f.t, "h", 2, f.side, r.Shape[2]*r.Shape[5])
	if f.rnn.kind == "LSTM" {
		f.c = scratch(f.t, "c", f.side, f.width)
	}
	if r.Type == tir.I8 {
		f.q, f.scale = scratch(tir.U8, "bytes", f.side, r.Shape[2]*r.Shape[5]), scratch(f.t, "factor", f.side)
		f.point, f.total = scratch(tir.I32, "point", f.side), scratch(tir.I32, "all", f.side)
	}
	if f.in[inLast] != nil {
		f.z, f.reset = scratch(f.t, "z", f.side, f.width), scratch(f.t, "reset", f.side, r.Shape[2]*r.Shape[5])
	}
	body := f.directionwise(func(p place) tir.Stmt {
		return Seq(f.groupwise(p, f.begin), f.overTime(p))
	}, state)
	if f.in[inLengths] == nil || f.y == nil {
		return body
	}
	return Seq(body, Nest([]int64{f.directions, f.batch}, tir.Serial, func(at []tir.Expr) tir.Stmt {
		length := f.length(at[1])
		return UpToExpr("rest", Sub(tir.Int(f.time), length), func(rest tir.Expr) tir.Stmt {
			return Vectors("j", f.width, func(j tir.Expr) tir.Stmt {
				return Store(f.y, tir.Const(f.y.Type, 0), Add(length, rest), at[0], at[1], j)
			})
		})
	}))
}

// directionwise runs a statement for each direction or, if groups go through time apart, for each group of each. The
// statement has scratch memory.
func (f *recurrence) directionwise(do func(p place) tir.Stmt, memory []*tir.Buffer) tir.Stmt {
	kind, groups := tir.Serial, int64(1)
	if f.apart {
		kind, groups = tir.Parallel, f.groups
	}
	return Nest([]int64{f.directions * groups}, kind, func(at []tir.Expr) tir.Stmt {
		p := place{d: Floordiv(at[0], groups), group: Floormod(at[0], groups), slot: Zero}
		body := func(dir int) tir.Stmt { p.dir = dir; return do(p) }
		if f.directions == 1 || reflect.DeepEqual(f.functions[0], f.functions[1]) {
			return Allocs(body(0), memory...)
		}
		return Allocs(&tir.If{Cond: Eq(p.d, Zero), Then: body(0), Else: body(1)}, memory...)
	})
}

// groupwise runs a statement for the group at hand or, if groups go together, for each of the direction.
func (f *recurrence) groupwise(p place, do func(p place) tir.Stmt) tir.Stmt {
	if f.apart {
		return do(p)
	}
	return Loop("group", f.groups, func(group tir.Expr) tir.Stmt {
		p.group, p.slot = group, group
		return do(p)
	})
}

// blockwise runs a statement for each block of the state's elements, of the groups that groupwise has.
func (f *recurrence) blockwise(p place, do func(p place, block tir.Expr) tir.Stmt) tir.Stmt {
	kind := tir.Serial
	if !f.apart && f.in[inR].Bytes() >= parallelWeights*f.directions {
		kind = tir.Parallel
	}
	return Nest([]int64{f.in[inR].Shape[1]}, kind, func(at []tir.Expr) tir.Stmt {
		return f.groupwise(p, func(p place) tir.Stmt { return do(p, at[0]) })
	})
}

// row is sequence m of a group. A group that is not full has its last one more than once.
func (f *recurrence) row(p place, m int64) tir.Expr {
	row := Plus(Times(p.group, f.side), m)
	if f.groups*f.side > f.batch {
		return MinOf(row, tir.Int(f.batch-1))
	}
	return row
}

// length is that of a sequence.
func (f *recurrence) length(row tir.Expr) tir.Expr {
	if f.in[inLengths] == nil {
		return tir.Int(f.time)
	}
	return Within(Cast(Load(f.in[inLengths], row), tir.Index), f.time+1)
}

// begin writes the state before the first step.
func (f *recurrence) begin(p place) tir.Stmt {
	var stmts []tir.Stmt
	vectors := func(n int64, body func(j tir.Expr) tir.Stmt) { stmts = append(stmts, Vectors("j", n, body)) }
	for m := range f.side {
		for _, b := range []*tir.Buffer{f.q, f.reset} {
			if b != nil {
				vectors(b.Shape[2], func(j tir.Expr) tir.Stmt { return Store(b, tir.Const(b.Type, 0), p.slot, tir.Int(m), j) })
			}
		}
		for turn := range int64(2) {
			vectors(f.h.Shape[3], func(j tir.Expr) tir.Stmt {
				return Store(f.h, tir.Const(f.t, 0), p.slot, tir.Int(turn), tir.Int(m), j)
			})
		}
		if f.in[inH] != nil {
			vectors(f.width, func(j tir.Expr) tir.Stmt {
				return Store(f.h, f.read(f.in[inH], p.d, f.row(p, m), j), p.slot, tir.Int(0), tir.Int(m), j)
			})
		}
		if f.c != nil {
			vectors(f.width, func(j tir.Expr) tir.Stmt {
				v := tir.Const(f.t, 0)
				if f.in[inC] != nil {
					v = f.read(f.in[inC], p.d, f.row(p, m), j)
				}
				return Store(f.c, v, p.slot, tir.Int(m), j)
			})
		}
		if f.in[inLengths] != nil { // a length may be 0
			vectors(f.width, func(j tir.Expr) tir.Stmt { return f.lastState(p, m, Zero, j) })
		}
	}
	return Seq(stmts...)
}

func (f *recurrence) read(b *tir.Buffer, at ...tir.Expr) tir.Expr { return Cast(Load(b, at...), f.t) }

// lastState writes an element of the state, with h of a turn, as the last one.
func (f *recurrence) lastState(p place, m int64, turn, j tir.Expr) tir.Stmt {
	var stmts []tir.Stmt
	if f.lastH != nil {
		h := Load(f.h, p.slot, turn, tir.Int(m), j)
		stmts = append(stmts, Store(f.lastH, Cast(h, f.lastH.Type), p.d, f.row(p, m), j))
	}
	if f.lastC != nil {
		stmts = append(stmts, Store(f.lastC, Cast(Load(f.c, p.slot, tir.Int(m), j), f.lastC.Type), p.d, f.row(p, m), j))
	}
	return Seq(stmts...)
}

// overTime makes all steps of a group or, if groups go together, of those of a direction.
func (f *recurrence) overTime(p place) tir.Stmt {
	longest := tir.Expr(tir.Int(f.time))
	if f.in[inLengths] != nil {
		longest = tir.Int(0)
		for b := range f.batch {
			longest = MaxOf(longest, f.length(tir.Int(b)))
		}
	}
	return UpToExpr("step", longest, func(s tir.Expr) tir.Stmt {
		p.step = s
		var stmts []tir.Stmt
		if f.q != nil {
			stmts = append(stmts, f.groupwise(p, f.toBytes))
		}
		stmts = append(stmts, f.blockwise(p, f.first))
		if f.in[inLast] != nil {
			stmts = append(stmts, f.blockwise(p, f.second))
		}
		return Seq(stmts...)
	})
}
