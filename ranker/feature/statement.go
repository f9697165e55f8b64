package feature

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A statement gathers what the value of a store does, with the bodies of inlined
// stages in place of loads of their results.
type statement struct {
	*outliner
	ranges   ranges
	env      map[*tir.Var]sum           // the values of axes
	forms    map[*tir.Var]schedule.Form // the same on the twin; nil without one
	combine  map[*tir.Var]func()        // what the variables of a combiner stand for
	ops      nest.Ops
	accesses []nest.Access[Float]
	places   []Place // of accesses in the text
}

// access notes an access. What is both written and read is the element of a
// reduction, and its indices stand there once.
func (w *statement) access(of *tir.Buffer, mode nest.Mode, at []sum, forms []schedule.Form) {
	buffer := w.Buffer(of)
	if w.text != nil {
		w.places = append(w.places, w.place(buffer, at))
	}
	index := make([]nest.Index[Float], len(at))
	for d, s := range at {
		index[d] = s.index()
	}
	w.accesses = accessed(w.accesses, buffer, mode, index)
	w.twin.access(of, mode, forms)
}

// accessed returns a list of accesses with another one.
func accessed[N any](list []nest.Access[N], buffer int, mode nest.Mode, index []nest.Index[N]) []nest.Access[N] {
	for k := range list {
		a := &list[k]
		if a.Buffer != buffer {
			continue
		}
		if a.Mode == nest.Write {
			a.Mode = nest.ReadWrite
		}
		if a.Mode != nest.ReadWrite {
			a.At = append(a.At, index)
		}
		return list
	}
	return append(list, nest.Access[N]{Buffer: buffer, Mode: mode, At: [][]nest.Index[N]{index}})
}

// A folded is what is known of a value: TVM folds constants before it counts.
type folded struct {
	known bool
	value float64
}

func (f folded) is(v float64) bool { return f.known && f.value == v }

// value gathers what a value does.
func (w *statement) value(e tir.Expr) folded {
	switch e := e.(type) {
	case *tir.IntImm:
		return folded{true, float64(e.Value)}
	case *tir.FloatImm:
		return folded{true, e.Value}
	case *tir.Var:
		if f, ok := w.combine[e]; ok {
			f()
			return folded{}
		}
		s, _ := w.index(e)
		return w.indexValue(s)
	case *tir.Binary:
		return w.binary(e)
	case *tir.Not:
		f := w.value(e.X)
		if f.known {
			return folded{true, 1 - f.value}
		}
		w.ops.Bool++
	case *tir.Cast:
		return w.value(e.X)
	case *tir.Bitcast:
		w.value(e.X)
	case *tir.Select:
		return w.selection(e)
	case *tir.Call:
		for _, a := range e.Args {
			w.value(a)
		}
		w.arithmetic(e.DType()).Math++
	case *tir.Load:
		return w.load(e)
	default:
		panic(fmt.Sprintf("BUG: feature: a value is a %T", e))
	}
	return folded{}
}

func (w *statement) indexValue(s sum) folded {
	if s.isConst() {
		return folded{true, float64(s.c)}
	}
	s.ops(&w.ops.Int)
	return folded{}
}

func (w *statement) arithmetic(t tir.DType) *nest.Arithmetic {
	if t.IsFloat() {
		return &w.ops.Float
	}
	return &w.ops.Int
}

func (w *statement) binary(e *tir.Binary) folded {
	switch {
	case e.Op == tir.And || e.Op == tir.Or:
		return w.logic(e)
	case e.X.DType() == tir.Index && e.Op.IsCompare():
		return w.compare(e)
	case e.DType() == tir.Index && isIndexOp(e.Op):
		if s, ok := w.index(e); ok {
			return w.indexValue(s)
		}
	}
	before := w.ops
	x, y := w.value(e.X), w.value(e.Y)
	if x.known && y.known {
		if v, ok := fold(e.Op, x.value, y.value); ok {
			return folded{true, v}
		}
	}
	switch {
	case e.Op == tir.Mul && (x.is(1) || y.is(1)), e.Op == tir.Add && (x.is(0) || y.is(0)),
		e.Op == tir.Sub && y.is(0), e.Op == tir.Div && y.is(1):
		return folded{}
	case e.Op == tir.Mul && (x.is(0) || y.is(0)):
		w.ops = before
		return folded{true, 0}
	}
	a := w.arithmetic(e.X.DType())
	switch e.Op {
	case tir.Add, tir.Sub, tir.BitAnd, tir.BitOr, tir.BitXor, tir.Shl, tir.Shr:
		a.AddSub++
	case tir.Mul:
		a.Mul++
	case tir.Div:
		if y.known && e.X.DType().IsFloat() {
			a.Mul++ // by the reciprocal
		} else {
			a.DivMod++
		}
	case tir.FloorDiv, tir.FloorMod:
		a.DivMod++
	default:
		a.Compare++
	}
	return folded{}
}

// fold returns x op y for the operators that occur between constants.
func fold(op tir.BinOp, x, y float64) (float64, bool) {
	switch op {
	case tir.Add:
		return x + y, true
	case tir.Sub:
		return x - y, true
	case tir.Mul:
		return x * y, true
	case tir.Div:
		return x / y, true
	}
	return 0, false
}

func (w *statement) logic(e *tir.Binary) folded {
	neutral := 1.0
	if e.Op == tir.Or {
		neutral = 0
	}
	before := w.ops
	x := w.value(e.X)
	if x.known && x.value != neutral {
		return x
	}
	y := w.value(e.Y)
	switch {
	case y.known && y.value != neutral:
		w.ops = before
		return y
	case x.known:
		return y
	case y.known:
		return x
	}
	w.ops.Bool++
	return folded{}
}

// compare gathers a comparison of indices. Constants stand on one side of it.
func (w *statement) compare(e *tir.Binary) folded {
	x, okX := w.index(e.X)
	y, okY := w.index(e.Y)
	if !okX || !okY {
		w.value(e.X)
		w.value(e.Y)
		w.ops.Int.Compare++
		return folded{}
	}
	d := x.plus(-1, y)
	if f, ok := decide(e.Op, w.ranges, d); ok {
		return f
	}
	if len(d.parts) == 1 { // what it is multiplied with and divided by goes to the other side
		d.parts[0].coef, d.parts[0].lower = 1, 1
	}
	d.c = 0
	d.ops(&w.ops.Int)
	w.ops.Int.Compare++
	return folded{}
}

// decide returns the value of a comparison of d with 0, if it is known.
func decide(op tir.BinOp, r ranges, d sum) (folded, bool) {
	holds, ok := arith.Between(r.of(d)).Decide(op)
	f := folded{known: true}
	if holds {
		f.value = 1
	}
	return f, ok
}

// selection gathers a choice. What guards a read is a call of a function in TVM,
// any other choice a select.
func (w *statement) selection(e *tir.Select) folded {
	c := w.value(e.Cond)
	switch {
	case c.known && c.value != 0:
		return w.value(e.Then)
	case c.known:
		return w.value(e.Else)
	}
	w.value(e.Then)
	w.value(e.Else)
	if e.Lazy {
		w.arithmetic(e.DType()).Math++
	} else {
		w.ops.Select++
	}
	return folded{}
}

// load gathers a load: that of an inlined stage is what the stage computes. TVM
// takes 1 for the elements of constant matrices.
func (w *statement) load(e *tir.Load) folded {
	stage, ok := w.stage[e.Buffer]
	if !ok {
		panic("BUG: feature: load of " + e.Buffer.Name + ", which no stage computes")
	}
	at := make([]sum, len(e.Index))
	exact := make([]bool, len(e.Index))
	for d, x := range e.Index {
		at[d], exact[d] = w.index(x)
	}
	st := w.s.Stages[stage]
	if st.At != schedule.Inlined {
		for d, x := range e.Index {
			if exact[d] {
				at[d].ops(&w.ops.Int)
			} else {
				w.value(x) // an index that is read from a buffer
			}
		}
		w.access(e.Buffer, nest.Read, at, w.relaxedIndex(e.Index))
		return folded{}
	}
	if isMatrix(st.Op) {
		return folded{true, 1}
	}
	outer, outerForms := w.env, w.forms
	w.env = map[*tir.Var]sum{}
	forms := w.relaxedIndex(e.Index)
	if w.forms != nil {
		w.forms = map[*tir.Var]schedule.Form{}
	}
	for d, a := range st.Op.Axes {
		w.env[a.Var] = at[d]
		if w.forms != nil {
			w.forms[a.Var] = forms[d]
		}
	}
	f := w.value(st.Op.Body[slices.Index(st.Op.Results, e.Buffer)])
	w.env, w.forms = outer, outerForms
	return f
}

// isMatrix reports whether an op is a constant matrix: its elements are chosen
// by the indices alone.
func isMatrix(op *compute.Op) bool {
	if _, ok := op.Body[0].(*tir.Select); !ok {
		return false
	}
	reads := false
	tir.VisitExpr(op.Body[0], func(e tir.Expr) bool {
		_, load := e.(*tir.Load)
		reads = reads || load
		return !reads
	})
	return !reads
}

// index returns an index expression as a sum. If it holds something else than
// sums, quotients and remainders by constants, it returns a sum over what it
// depends on, and false.
func (w *statement) index(e tir.Expr) (sum, bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return constant(e.Value), true
	case *tir.Var:
		if s, ok := w.env[e]; ok {
			return s, true
		}
		if l, ok := w.loops[e]; ok && slices.Contains(w.Around, l) {
			return sum{parts: []part{{coef: 1, loop: l, lower: 1}}}, true
		}
	case *tir.Cast:
		return w.index(e.X)
	case *tir.Binary:
		x, okX := w.index(e.X)
		y, okY := w.index(e.Y)
		ok := okX && okY
		switch {
		case e.Op == tir.Add:
			return x.plus(1, y), ok
		case e.Op == tir.Sub:
			return x.plus(-1, y), ok
		case e.Op == tir.Mul && y.isConst():
			return x.times(y.c), ok
		case e.Op == tir.Mul && x.isConst():
			return y.times(x.c), ok
		case e.Op == tir.FloorDiv && y.isConst() && y.c > 0:
			q, _ := w.ranges.divide(x, y.c)
			return q, ok
		case e.Op == tir.FloorMod && y.isConst() && y.c > 0:
			_, m := w.ranges.divide(x, y.c)
			return m, ok
		}
		return x.plus(1, y), false
	case *tir.Select:
		x, _ := w.index(e.Then)
		y, _ := w.index(e.Else)
		return x.plus(1, y), false
	}
	return sum{}, false
}
