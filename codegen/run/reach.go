package run

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
)

// interval returns the values that an input of a type has. What the type does not hold
// wraps around when it is stored.
func (f filling) interval(t tir.DType) arith.Interval {
	all, given := arith.Of(t), arith.Between(f.Low, f.High)
	if f.Limited && (!all.Known() || given.Within(all)) {
		return given
	}
	return all
}

// A reach says which values the integers of a DAG have, given those of its inputs.
// It does not follow what is a float in between.
type reach struct {
	of map[*tir.Buffer]arith.Interval // the elements of tensors

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
	r := &reach{of: map[*tir.Buffer]arith.Interval{}}
	for _, b := range d.Inputs() {
		r.of[b] = fills[b].interval(b.Type)
	}
	for _, op := range d.Ops { // producers come before readers
		r.enter(op)
		for i := range op.Body {
			r.of[op.Results[i]] = r.result(op, i)
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
func (r *reach) result(op *compute.Op, i int) arith.Interval {
	if op.Results[i].Type.IsFloat() {
		return arith.Anything
	}
	x := r.values(op.Body[i])
	if c := op.Combine; x.Known() && c != nil {
		switch from, constant := c.Identity[i].(*tir.IntImm); {
		case c.Kind == compute.Tuple || c.Kind == compute.FirstLargest: // one that chooses among values makes no others
			r.s.Bind(c.Acc[i], x.Lo, x.Hi)
			r.s.Bind(c.Src[i], x.Lo, x.Hi)
			if !r.values(c.Result[i]).Within(x) {
				return arith.Anything
			}
			return x
		case !constant:
			return arith.Anything
		case c.Kind == compute.MaxOf:
			x, _ = x.Apply(tir.Max, arith.Point(from.Value))
		case c.Kind == compute.MinOf:
			x, _ = x.Apply(tir.Min, arith.Point(from.Value))
		default:
			x = arith.Point(from.Value).Plus(terms(op), x)
		}
	}
	if all := arith.Of(op.Results[i].Type); !x.Within(all) {
		return all // it wraps around
	}
	return x
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
func (r *reach) values(e tir.Expr) arith.Interval { return r.s.Range(r.plain(e)) }

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
	return r.anyOf(arith.Of(e.DType()))
}

// element returns the variable that stands for a value of an integer tensor.
func (r *reach) element(l *tir.Load) tir.Expr {
	for _, x := range r.elements {
		if tir.EqualExpr(x.load, l) {
			return x.v
		}
	}
	v := r.anyOf(r.of[l.Buffer])
	r.elements = append(r.elements, element{l, v})
	return v
}

// anyOf returns a variable of which nothing but the values may be known.
func (r *reach) anyOf(x arith.Interval) *tir.Var {
	v := tir.NewVar("any")
	r.s.Bind(v, x.Lo, x.Hi)
	return v
}

// cut returns what is left of an integer that a type stores. Of the numbers of a U64 only those that an I64 has are
// known.
func (r *reach) cut(x tir.Expr, t tir.DType) tir.Expr {
	all := arith.Of(t)
	if t == tir.U64 && !r.natural(x) || !r.s.Range(x).Within(all) {
		return r.anyOf(all)
	}
	return x
}

// binary returns an operation on integers; one that the simplifier does not look into is a variable.
func (r *reach) binary(e *tir.Binary) tir.Expr {
	x, y := r.plain(e.X), r.plain(e.Y)
	a, b := r.s.Range(x), r.s.Range(y)
	linear := true
	switch e.Op {
	case tir.Div, tir.BitAnd:
		linear = false
	case tir.Mul:
		linear = a.IsPoint() || b.IsPoint()
	case tir.FloorDiv, tir.FloorMod:
		linear = b.IsPoint()
	}
	if linear {
		return tir.Bin(e.Op, x, y)
	}
	c, _ := a.Apply(e.Op, b)
	return r.anyOf(c)
}

// natural reports whether an expression is known to be a number from 0 on that an I64 has.
func (r *reach) natural(plain tir.Expr) bool {
	x := r.s.Range(plain)
	return x.Known() && x.Lo >= 0
}

// choice returns the value of a Select of integers.
func (r *reach) choice(e *tir.Select) tir.Expr {
	var of []arith.Interval
	if taken := r.branches(e, func(x tir.Expr) { of = append(of, r.values(x)) }); taken != nil {
		return r.plain(taken)
	}
	return r.anyOf(of[0].Or(of[1]))
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
