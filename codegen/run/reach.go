package run

import (
	"math"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
)

// An interval is the integers from lo to hi.
type interval struct{ lo, hi int64 }

func (x interval) within(y interval) bool { return x.lo >= y.lo && x.hi <= y.hi }

func (x interval) and(y interval) interval { return interval{max(x.lo, y.lo), min(x.hi, y.hi)} }

func (x interval) or(y interval) interval { return interval{min(x.lo, y.lo), max(x.hi, y.hi)} }

// intervalOf returns the values of a type, or false if they are too many to calculate
// with.
func intervalOf(t tir.DType) (interval, bool) {
	if lo, hi, ok := t.IntRange(); ok && t != tir.I64 {
		return interval{lo, hi}, true
	}
	return interval{}, false
}

// interval returns the values that an input of a type has. What the type does not hold
// wraps around when it is stored.
func (f filling) interval(t tir.DType) (interval, bool) {
	x, ok := intervalOf(t)
	if f.Limited && (!ok || interval{f.Low, f.High}.within(x)) {
		return interval{f.Low, f.High}, true
	}
	return x, ok
}

// A reach says which values the integers of a DAG have, given those of its inputs.
// It does not follow what is a float in between.
type reach struct {
	of map[*tir.Buffer]interval // the elements of tensors, of which it is known

	// What is known of the axes of the op at hand, and of the elements that it reads,
	// each of which a variable stands for.
	s        *arith.Simplifier
	elements []element
}

type element struct {
	load *tir.Load
	v    *tir.Var
}

func newReach(d *compute.DAG, fills map[*tir.Buffer]filling) *reach {
	r := &reach{of: map[*tir.Buffer]interval{}}
	for _, b := range d.Inputs() {
		if x, ok := fills[b].interval(b.Type); ok {
			r.of[b] = x
		}
	}
	for _, op := range d.Ops { // producers come before readers
		r.enter(op)
		for i := range op.Body {
			if x, ok := r.result(op, i); ok {
				r.of[op.Results[i]] = x
			}
		}
	}
	return r
}

// enter makes op the one at hand.
func (r *reach) enter(op *compute.Op) {
	r.s, r.elements = arith.NewSimplifier(), nil
	for _, axes := range [][]*compute.Axis{op.Axes, op.ReduceAxes} {
		for _, a := range axes {
			r.s.Bind(a.Var, 0, a.Extent-1)
		}
	}
}

// result returns the values of a result of op.
func (r *reach) result(op *compute.Op, i int) (interval, bool) {
	if op.Results[i].Type.IsFloat() {
		return interval{}, false
	}
	x, ok := r.values(op.Body[i])
	if c := op.Combine; ok && c != nil {
		switch from, constant := c.Identity[i].(*tir.IntImm); {
		case c.Kind == compute.Tuple || c.Kind == compute.FirstLargest: // one that chooses among values makes no others
			r.s.Bind(c.Acc[i], x.lo, x.hi)
			r.s.Bind(c.Src[i], x.lo, x.hi)
			chosen, known := r.values(c.Result[i])
			return x, known && chosen.within(x)
		case !constant:
			return interval{}, false
		case c.Kind == compute.MaxOf:
			x = interval{max(x.lo, from.Value), max(x.hi, from.Value)}
		case c.Kind == compute.MinOf:
			x = interval{min(x.lo, from.Value), min(x.hi, from.Value)}
		default:
			n := terms(op)
			if x, ok = corners(tir.Mul, x, interval{n, n}); ok {
				x = interval{x.lo + from.Value, x.hi + from.Value}
			}
		}
	}
	if all, small := intervalOf(op.Results[i].Type); small && !(ok && x.within(all)) {
		return all, true // it wraps around
	}
	return x, ok
}

// terms returns how many values a reduction folds.
func terms(op *compute.Op) int64 {
	n := int64(1)
	for _, a := range op.ReduceAxes {
		n *= a.Extent
	}
	return n
}

// values returns those that an expression of integers has, under what is assumed.
func (r *reach) values(e tir.Expr) (interval, bool) {
	lo, hi, ok := r.s.Bounds(r.plain(e))
	return interval{lo, hi}, ok
}

// plain returns an expression of integers in index arithmetic on axes and variables,
// which the simplifier understands.
func (r *reach) plain(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.IntImm:
		return tir.Int(e.Value)
	case *tir.Var:
		return e
	case *tir.Load:
		return r.element(e)
	case *tir.Cast:
		if !e.X.DType().IsFloat() && e.To.IsInt() {
			return r.cut(r.plain(e.X), e.To)
		}
	case *tir.Select:
		return r.choice(e)
	case *tir.Binary:
		if e.DType().IsInt() {
			return r.cut(r.binary(e), e.DType())
		}
	}
	return r.anyOf(intervalOf(e.DType()))
}

// element returns the variable that stands for a value of an integer tensor.
func (r *reach) element(l *tir.Load) tir.Expr {
	for _, x := range r.elements {
		if tir.EqualExpr(x.load, l) {
			return x.v
		}
	}
	x, ok := r.of[l.Buffer]
	v := r.anyOf(x, ok)
	r.elements = append(r.elements, element{l, v})
	return v
}

// anyOf returns a variable of which nothing but the values may be known.
func (r *reach) anyOf(x interval, ok bool) *tir.Var {
	v := tir.NewVar("any")
	if !ok {
		x = interval{math.MinInt64, math.MaxInt64}
	}
	r.s.Bind(v, x.lo, x.hi)
	return v
}

// cut returns what is left of an integer that a type stores. Of the numbers of a U64 only those that an I64 has are
// known.
func (r *reach) cut(x tir.Expr, t tir.DType) tir.Expr {
	all, small := intervalOf(t)
	if t == tir.U64 && !r.natural(x) {
		return r.anyOf(all, false)
	}
	if lo, hi, ok := r.s.Bounds(x); !small || ok && (interval{lo, hi}).within(all) {
		return x
	}
	return r.anyOf(all, true)
}

func (r *reach) binary(e *tir.Binary) tir.Expr {
	x, y := r.plain(e.X), r.plain(e.Y)
	a, okX := r.bounds(x)
	b, okY := r.bounds(y)
	constant := okX && a.lo == a.hi || okY && b.lo == b.hi
	switch {
	case e.Op == tir.Div || e.Op == tir.Mul && !constant || e.Op == tir.FloorDiv && !(okY && b.lo == b.hi):
		if okX && okY {
			return r.anyOf(corners(e.Op, a, b))
		}
		return r.anyOf(interval{}, false)
	case e.Op == tir.BitAnd && okY && b.lo >= 0 && (!okX || a.lo < 0 || b.hi <= a.hi): // a mask
		return r.anyOf(interval{0, b.hi}, true)
	case e.Op == tir.BitAnd && okX && a.lo >= 0:
		return r.anyOf(interval{0, a.hi}, true)
	case e.Op == tir.FloorMod && okY && b.lo != b.hi && b.lo > 0:
		return r.anyOf(interval{0, b.hi - 1}, true)
	}
	return tir.Bin(e.Op, x, y)
}

func (r *reach) bounds(plain tir.Expr) (interval, bool) {
	lo, hi, ok := r.s.Bounds(plain)
	return interval{lo, hi}, ok
}

// natural reports whether an expression is known to be a number from 0 on that an I64 has.
func (r *reach) natural(plain tir.Expr) bool {
	x, ok := r.bounds(plain)
	return ok && x.lo >= 0
}

// corners returns the values of a product or a quotient, which are extreme where both
// operands are, or false if they are too large or the divisor may be 0.
func corners(op tir.BinOp, x, y interval) (interval, bool) {
	if op == tir.Mul {
		most := max(math.Abs(float64(x.lo)), math.Abs(float64(x.hi))) * max(math.Abs(float64(y.lo)), math.Abs(float64(y.hi)))
		if most >= 1<<58 {
			return interval{}, false
		}
	} else if y.lo <= 0 && (op == tir.FloorDiv || y.hi >= 0) {
		return interval{}, false
	}
	all := interval{math.MaxInt64, math.MinInt64}
	for _, a := range []int64{x.lo, x.hi} {
		for _, b := range []int64{y.lo, y.hi} {
			v := a * b
			switch op {
			case tir.Div:
				v = a / b
			case tir.FloorDiv:
				v = arith.FloorDiv(a, b)
			}
			all = all.or(interval{v, v})
		}
	}
	return all, true
}

// choice returns the value of a Select of integers.
func (r *reach) choice(e *tir.Select) tir.Expr {
	then, els := interval{}, interval{}
	okThen, okElse := true, true
	taken := r.branches(e, func(x tir.Expr) {
		if x == e.Then {
			then, okThen = r.values(x)
		} else {
			els, okElse = r.values(x)
		}
	})
	if taken != nil {
		return r.plain(taken)
	}
	return r.anyOf(then.or(els), okThen && okElse)
}

// branches calls f for both branches of a Select, with what the condition says
// assumed, or returns the one that is taken if it is always the same.
func (r *reach) branches(e *tir.Select, f func(tir.Expr)) (taken tir.Expr) {
	cond := r.s.Expr(r.condition(e.Cond))
	if c, ok := cond.(*tir.IntImm); ok && c.Value != 0 {
		return e.Then
	} else if ok {
		return e.Else
	}
	m := r.s.Assume(cond)
	f(e.Then)
	r.s.Release(m)
	m = r.s.Assume(&tir.Not{X: cond})
	f(e.Else)
	r.s.Release(m)
	return nil
}

// condition returns a condition with comparisons of integers in index arithmetic.
func (r *reach) condition(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.IntImm:
		return e
	case *tir.Not:
		return &tir.Not{X: r.condition(e.X)}
	case *tir.Binary:
		if e.Op == tir.And || e.Op == tir.Or {
			return tir.Bin(e.Op, r.condition(e.X), r.condition(e.Y))
		}
		if e.Op.IsCompare() && e.X.DType().IsInt() {
			x, y := r.plain(e.X), r.plain(e.Y)
			if e.X.DType() == tir.U64 && !(r.natural(x) && r.natural(y)) {
				break
			}
			return tir.Bin(e.Op, x, y)
		}
	}
	return &tir.Var{Name: "any", Type: tir.Bool}
}

// eachLoad calls f for what e reads, with what is known where it is read assumed.
// Guarded are reads in a branch that may not be evaluated.
func (r *reach) eachLoad(e tir.Expr, guarded bool, f func(l *tir.Load, guarded bool)) {
	tir.VisitExpr(e, func(x tir.Expr) bool {
		switch x := x.(type) {
		case *tir.Load:
			f(x, guarded)
		case *tir.Select:
			if !x.Lazy {
				return true
			}
			r.eachLoad(x.Cond, guarded, f)
			if taken := r.branches(x, func(b tir.Expr) { r.eachLoad(b, true, f) }); taken != nil {
				r.eachLoad(taken, guarded, f)
			}
			return false
		}
		return true
	})
}
