package arith

import (
	"math"

	"github.com/wmtune/wmtune/tir"
)

// A Span is the integers from Lo to Hi, both included, where the ends depend on
// variables. If Step is above 1, they are only those that differ from Lo by a multiple of it.
type Span struct {
	Lo, Hi Affine
	Step   int64
}

// PointSpan returns the span of one value.
func PointSpan(a Affine) Span { return Span{Lo: a, Hi: a} }

// IsPoint reports whether s is one value.
func (s Span) IsPoint() bool { return s.Lo.Equal(s.Hi) }

// Size returns a bound on the number of values in s, and whether it is exact.
// The bound is -1 if there is none.
func (s Span) Size(in Bounds) (n int64, exact bool) {
	d := s.Hi.Minus(s.Lo)
	if d.IsConst() {
		return d.Const + 1, true
	}
	r, ok := d.Range(in)
	if !ok {
		return -1, false
	}
	return r.Hi + 1, r.Lo == r.Hi
}

// Plus returns the span of sums.
func (s Span) Plus(t Span) Span {
	sum := Span{Lo: s.Lo.Plus(t.Lo), Hi: s.Hi.Plus(t.Hi)}
	switch {
	case t.Step > 1 && s.IsPoint():
		sum.Step = t.Step
	case s.Step > 1 && t.IsPoint():
		sum.Step = s.Step
	case s.Step > 1 && t.Step > 1:
		sum.Step = GCD(s.Step, t.Step)
	}
	return sum
}

// Times returns the span of products by a constant.
func (s Span) Times(c int64) Span {
	if c < 0 {
		return Span{Lo: s.Hi.Times(c), Hi: s.Lo.Times(c), Step: max(s.Step, 1) * -c}
	}
	return Span{Lo: s.Lo.Times(c), Hi: s.Hi.Times(c), Step: max(s.Step, 1) * c}
}

// FloorDiv returns the span of quotients by n > 0.
func (s Span) FloorDiv(n int64, in Bounds) Span {
	lo := s.Lo.FloorDiv(n, in)
	if d := s.Hi.Minus(s.Lo); d.IsConst() && d.Const > 0 && sameQuotient(s.Lo, d.Const, n, in) {
		return PointSpan(lo)
	}
	return Span{Lo: lo, Hi: s.Hi.FloorDiv(n, in)}
}

// FloorMod returns a span that covers the remainders by n > 0; it is exact if
// all values have one quotient or one remainder.
func (s Span) FloorMod(n int64, in Bounds) Span {
	if s.IsPoint() || s.Step > 1 && s.Step%n == 0 {
		return PointSpan(s.Lo.FloorMod(n, in))
	}
	if d := s.Hi.Minus(s.Lo); d.IsConst() && d.Const > 0 && sameQuotient(s.Lo, d.Const, n, in) {
		lo := s.Lo.FloorMod(n, in)
		return Span{Lo: lo, Hi: lo.AddConst(d.Const)}
	}
	if lo, hi := s.Lo.FloorDiv(n, in), s.Hi.FloorDiv(n, in); lo.Equal(hi) {
		return Span{Lo: s.Lo.Minus(lo.Times(n)), Hi: s.Hi.Minus(lo.Times(n))}
	}
	return Span{Lo: ConstAffine(0), Hi: ConstAffine(n - 1)}
}

// sameQuotient reports whether lo and lo+d have one quotient by n for certain:
// whether the remainder of lo leaves room for d.
func sameQuotient(lo Affine, d, n int64, in Bounds) bool {
	if d >= n {
		return false
	}
	// lo is a multiple of some g, plus a constant: the largest remainder is
	// n - g + (the constant mod g).
	g := n
	for _, t := range lo.terms {
		g = GCD(g, t.coef)
	}
	if n-g+floorMod(lo.Const, g)+d < n {
		return true
	}
	r, ok := lo.FloorMod(n, in).Range(in)
	return ok && r.Hi+d < n
}

// Union returns a span that covers both.
func (s Span) Union(t Span, in Bounds) Span {
	return Span{Lo: s.Lo.Min(t.Lo, in), Hi: s.Hi.Max(t.Hi, in)}
}

// An Env gives the spans of variables; a variable that it does not know stands
// for itself.
type Env func(v *tir.Var) (Span, bool)

// Relax returns the span of a when its variables range over env: Lo bounds the
// values from below, Hi from above.
func (a Affine) Relax(env Env, in Bounds) Span {
	s := PointSpan(ConstAffine(a.Const))
	for _, t := range a.terms {
		s = s.Plus(t.atom.relax(env, in).Times(t.coef))
	}
	return s
}

func (a atom) relax(env Env, in Bounds) Span {
	switch a.kind {
	case varAtom:
		if s, ok := env(a.v); ok {
			return s
		}
		return PointSpan(VarAffine(a.v))
	case divAtom:
		return a.x.Relax(env, in).FloorDiv(a.n, in)
	case modAtom:
		return a.x.Relax(env, in).FloorMod(a.n, in)
	}
	x, y := a.x.Relax(env, in), a.y.Relax(env, in)
	if a.kind == minAtom {
		return Span{Lo: x.Lo.Min(y.Lo, in), Hi: x.Hi.Min(y.Hi, in)}
	}
	return Span{Lo: x.Lo.Max(y.Lo, in), Hi: x.Hi.Max(y.Hi, in)}
}

// ExprSpan returns a span that covers the values of an index expression when
// its variables range over env. It returns false for what has no known bounds,
// such as an element of a buffer.
func ExprSpan(e tir.Expr, env Env, in Bounds) (Span, bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return PointSpan(ConstAffine(e.Value)), e.Type != tir.U64 || e.Value >= 0
	case *tir.Var:
		if s, ok := env(e); ok {
			return s, true
		}
		return PointSpan(VarAffine(e)), true
	case *tir.Cast:
		if e.To.IsInt() && e.X.DType().IsInt() {
			s, ok := ExprSpan(e.X, env, in)
			return s, ok && s.fits(e.To, in)
		}
	case *tir.Select:
		x, ok := ExprSpan(e.Then, env, in)
		y, okY := ExprSpan(e.Else, env, in)
		return x.Union(y, in), ok && okY
	case *tir.Binary:
		s, ok := binarySpan(e, env, in)
		return s, ok && s.fits(e.DType(), in)
	}
	return Span{}, false
}

// fits reports whether integer type t has all values of s, so that what it computes does not wrap around.
func (s Span) fits(t tir.DType, in Bounds) bool {
	if t == tir.Index {
		return true
	}
	least, most, ok := t.IntRange()
	if !ok { // a U64 has all that are not negative
		most = math.MaxInt64
	}
	lo, okLo := s.Lo.Range(in)
	hi, okHi := s.Hi.Range(in)
	return okLo && okHi && lo.Lo >= least && hi.Hi <= most
}

func binarySpan(e *tir.Binary, env Env, in Bounds) (Span, bool) {
	x, ok := ExprSpan(e.X, env, in)
	y, okY := ExprSpan(e.Y, env, in)
	if !ok || !okY {
		return Span{}, false
	}
	switch e.Op {
	case tir.Add:
		return x.Plus(y), true
	case tir.Sub:
		return x.Plus(y.Times(-1)), true
	case tir.Mul:
		if y.IsPoint() && y.Lo.IsConst() {
			return x.Times(y.Lo.Const), true
		}
		if x.IsPoint() && x.Lo.IsConst() {
			return y.Times(x.Lo.Const), true
		}
	case tir.FloorDiv:
		if y.IsPoint() && y.Lo.IsConst() && y.Lo.Const > 0 {
			return x.FloorDiv(y.Lo.Const, in), true
		}
	case tir.FloorMod:
		if y.IsPoint() && y.Lo.IsConst() && y.Lo.Const > 0 {
			return x.FloorMod(y.Lo.Const, in), true
		}
	case tir.Min:
		return Span{Lo: x.Lo.Min(y.Lo, in), Hi: x.Hi.Min(y.Hi, in)}, true
	case tir.Max:
		return Span{Lo: x.Lo.Max(y.Lo, in), Hi: x.Hi.Max(y.Hi, in)}, true
	}
	return Span{}, false
}
