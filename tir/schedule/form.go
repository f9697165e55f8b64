package schedule

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/tape"
)

// A Form is an index of a relaxed program: Const plus multiples of terms.
type Form struct {
	Const tape.Real
	Terms []FormTerm
}

// A FormTerm is Coef*floor((x mod Upper)/Lower), where x is the variable of a loop, or a Form if Of is not nil.
type FormTerm struct {
	Coef         tape.Real
	Loop         IterKey
	Of           *Form
	Lower, Upper tape.Real // used only if they are there
	Divided      bool      // there is a Lower
	Reduced      bool      // there is an Upper
	Most         tape.Real // the largest value without Coef while the loop runs; not set where Of is
}

func number(v float64) tape.Real { return tape.Real{}.Const(v) }

// loopForm returns the variable of a loop.
func loopForm(loop IterKey, extent tape.Real) Form {
	return Form{Terms: []FormTerm{{Coef: number(1), Loop: loop, Most: extent.Minus(number(1))}}}.tidy()
}

// tidy leaves out terms that are always 0.
func (f Form) tidy() Form {
	f.Terms = slices.DeleteFunc(f.Terms, func(t FormTerm) bool {
		return t.Of == nil && t.Most.IsConst() && t.Most.Value() == 0 || t.Coef.IsConst() && t.Coef.Value() == 0
	})
	return f
}

// Plus returns f + k*g. What can be joined is.
func (f Form) Plus(k tape.Real, g Form) Form {
	r := Form{Const: f.Const.Plus(g.Const.Times(k)), Terms: slices.Clone(f.Terms)}
	for _, t := range g.Terms {
		t.Coef = t.Coef.Times(k)
		r.add(t)
	}
	return r.tidy()
}

func (f *Form) add(t FormTerm) {
	for i, u := range f.Terms {
		if u.Loop != t.Loop || u.Of != t.Of {
			continue
		}
		var whole FormTerm
		switch {
		case u.sameRange(t):
			if f.Terms[i].Coef = u.Coef.Plus(t.Coef); nearly(f.Terms[i].Coef.Value(), 0) {
				f.Terms = slices.Delete(f.Terms, i, i+1)
			}
			return
		case u.joins(t):
			whole = u.joined(t)
		case t.joins(u):
			whole = t.joined(u)
		default:
			continue
		}
		f.Terms = slices.Delete(f.Terms, i, i+1)
		f.add(whole)
		return
	}
	f.Terms = append(f.Terms, t)
}

func nearly(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(x), math.Abs(y)) }

// least returns the divisor of a term, 1 if there is none.
func (t FormTerm) least() tape.Real {
	if t.Divided {
		return t.Lower
	}
	return number(1)
}

func (t FormTerm) sameRange(u FormTerm) bool {
	return t.Reduced == u.Reduced && nearly(t.least().Value(), u.least().Value()) &&
		(!t.Reduced || nearly(t.Upper.Value(), u.Upper.Value()))
}

// joins reports whether t is the coarse part of a number and u the fine part below it.
func (t FormTerm) joins(u FormTerm) bool {
	return t.Divided && u.Reduced && nearly(u.Upper.Value(), t.Lower.Value()) &&
		nearly(t.Coef.Value()*u.least().Value(), u.Coef.Value()*t.Lower.Value())
}

func (t FormTerm) joined(u FormTerm) FormTerm {
	w := t
	w.Coef, w.Lower, w.Divided = u.Coef, u.Lower, u.Divided
	if t.Of == nil {
		w.Most = t.Most.Times(t.Lower.Over(u.least())).Plus(u.Most)
	}
	return w
}

// divide returns floor(f/n) and f mod n, which run up to outer-1 and inner-1 if those are given.
func (f Form) divide(n tape.Real, outer, inner *tape.Real) (quotient, rest Form) {
	one := number(1)
	if n.IsConst() && n.Value() == 1 {
		return f, Form{}
	}
	if outer != nil && outer.IsConst() && outer.Value() == 1 {
		return Form{}, f
	}
	if len(f.Terms) == 1 && f.Const.IsConst() && f.Const.Value() == 0 && nearly(f.Terms[0].Coef.Value(), 1) {
		t := f.Terms[0]
		q, r := t, t
		q.Lower, q.Divided = t.least().Times(n), true
		r.Upper, r.Reduced = q.Lower, true
		q.Most, r.Most = t.Most.Plus(one).Over(n).Minus(one), n.Minus(one)
		if outer != nil {
			q.Most, r.Most = outer.Minus(one), inner.Minus(one)
		} else if t.Most.Value() < n.Value() {
			return Form{}, f
		}
		return Form{Terms: []FormTerm{q}}.tidy(), Form{Terms: []FormTerm{r}}.tidy()
	}
	coarse, fine := f.coarse(n)
	lo, hi, _ := fine.span(func(IterKey) bool { return true })
	if q := math.Floor(lo.Value()/n.Value() + 1e-9); q == math.Floor(hi.Value()/n.Value()+1e-9) {
		coarse.Const = coarse.Const.Plus(number(q))
		fine.Const = fine.Const.Minus(n.Times(number(q)))
		return coarse, fine
	}
	q := FormTerm{Coef: one, Of: &fine, Lower: n, Divided: true}
	r := FormTerm{Coef: one, Of: &fine, Upper: n, Reduced: true}
	return coarse.Plus(one, Form{Terms: []FormTerm{q}}), Form{Terms: []FormTerm{r}}
}

// coarse returns x and y with f = n*x + y, where y is what n does not divide.
func (f Form) coarse(n tape.Real) (x, y Form) {
	divides := func(c tape.Real) bool {
		q := c.Value() / n.Value()
		return n.Value() > 1 && nearly(q, math.Round(q))
	}
	y.Const = f.Const
	if divides(f.Const) {
		x.Const, y.Const = f.Const.Over(n), tape.Real{}
	}
	for _, t := range f.Terms {
		if divides(t.Coef) {
			t.Coef = t.Coef.Over(n)
			x.Terms = append(x.Terms, t)
		} else {
			y.Terms = append(y.Terms, t)
		}
	}
	return x, y
}

// span returns the range of f while some loops run, from the start that rest is.
func (f Form) span(running func(IterKey) bool) (lo, hi tape.Real, rest Form) {
	for _, t := range f.Terms {
		if t.Of == nil && !running(t.Loop) {
			rest.Terms = append(rest.Terms, t)
			continue
		}
		var a, b tape.Real
		if b = t.Most; t.Of != nil {
			var still Form
			a, b, still = t.Of.span(running)
			if len(still.Terms) == len(t.Of.Terms) {
				rest.Terms = append(rest.Terms, t)
				continue
			}
			if len(still.Terms) > 0 {
				u := t
				u.Of = &still
				rest.Terms = append(rest.Terms, u)
			}
			if t.Reduced && (a.Value() < 0 || b.Value() >= t.Upper.Value()) {
				a, b = tape.Real{}, t.Upper.Minus(number(1))
			}
			if t.Divided {
				a, b = a.Over(t.Lower).Floor(), b.Over(t.Lower).Floor()
			}
		}
		if a, b = a.Times(t.Coef), b.Times(t.Coef); t.Coef.Value() < 0 {
			a, b = b, a
		}
		lo, hi = lo.Plus(a), hi.Plus(b)
	}
	return lo.Plus(f.Const), hi.Plus(f.Const), rest
}

// FormOf returns an index expression as a Form, if it is one of sums, quotients and remainders by constants. Of
// another, it returns a sum over what it depends on, and false.
func FormOf(e tir.Expr, env func(*tir.Var) (Form, bool)) (Form, bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return Form{Const: number(float64(e.Value))}, true
	case *tir.Var:
		return env(e)
	case *tir.Cast:
		return FormOf(e.X, env)
	case *tir.Binary:
		x, okX := FormOf(e.X, env)
		y, okY := FormOf(e.Y, env)
		sum := x.Plus(number(1), y)
		if !okX || !okY {
			return sum, false
		}
		constant := len(y.Terms) == 0 && y.Const.IsConst()
		switch {
		case e.Op == tir.Add:
			return sum, true
		case e.Op == tir.Sub:
			return x.Plus(number(-1), y), true
		case e.Op == tir.Mul && constant:
			return Form{}.Plus(y.Const, x), true
		case e.Op == tir.Mul && len(x.Terms) == 0:
			return Form{}.Plus(x.Const, y), true
		case e.Op == tir.FloorDiv && constant && y.Const.Value() > 0:
			q, _ := x.divide(y.Const, nil, nil)
			return q, true
		case e.Op == tir.FloorMod && constant && y.Const.Value() > 0:
			_, r := x.divide(y.Const, nil, nil)
			return r, true
		}
		return sum, false
	case *tir.Select:
		x, _ := FormOf(e.Then, env)
		y, _ := FormOf(e.Else, env)
		return x.Plus(number(1), y), false
	}
	return Form{}, false
}
