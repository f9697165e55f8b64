package arith

import (
	"encoding/binary"
	"fmt"

	"github.com/wmtune/wmtune/tir"
)

// A Simplifier rewrites expressions to shorter ones of the same value, given
// the ranges of variables and conditions that hold:
//
//	i in 0..7, j in 0..3:
//	((i*4) + j) - (i*4)              => j
//	floordiv(((i*4) + j), 4)         => i
//	((i*8) + (j*2)) < 62             => ((i*4) + j) < 31
//	select(((i*4) + j) < 32, x, y)   => x
//
// It looks into all of an expression but changes only index arithmetic and
// conditions: never the order of float operations, and never an integer of a
// type other than tir.Index. It assumes that index arithmetic on variables does
// not overflow; that on elements of buffers wraps around.
type Simplifier struct {
	atoms []atomInfo
	vars  map[*tir.Var]int
	keys  map[string]int // other atoms, by what they are
	key   []byte
	facts []Linear // known to be >= 0
}

// NewSimplifier returns a Simplifier that knows no ranges.
func NewSimplifier() *Simplifier {
	return &Simplifier{vars: map[*tir.Var]int{}, keys: map[string]int{}}
}

// Reset forgets all that s knows, but not the memory that this took: programs are
// simplified by the thousand.
func (s *Simplifier) Reset() {
	clear(s.atoms)
	clear(s.vars)
	clear(s.keys)
	s.atoms, s.facts = s.atoms[:0], s.facts[:0]
}

// Bind says that lo <= v <= hi from now on. A variable of all numbers stands for
// data: arithmetic on it may wrap around.
func (s *Simplifier) Bind(v *tir.Var, lo, hi int64) {
	n := s.varAtom(v)
	s.atoms[n].base = clamped(lo, hi)
	s.atoms[n].data = Interval{}
	if s.atoms[n].base == Anything {
		s.atoms[n].data = Anything
	}
	s.update(n)
}

// update works out the span of an atom again, and of those that may depend on
// it: later ones, and quotients of the same dividend.
func (s *Simplifier) update(atom int) {
	first := atom
	if s.atoms[atom].op == tir.FloorDiv {
		for k := s.atoms[atom].kin; k != atom; k = s.atoms[k].kin {
			first = min(first, k)
		}
	}
	for i := first; i < len(s.atoms); i++ {
		if i == atom || s.atoms[i].op != tir.InvalidOp {
			s.work(i)
		}
	}
}

// work works out the span of one atom. It does not use facts, which may be taken back.
func (s *Simplifier) work(atom int) {
	a := &s.atoms[atom]
	switch a.op {
	case tir.FloorDiv:
		a.base = s.termSpan(a.x).FloorDiv(a.div).narrowed(s.kinSpan(atom))
	case tir.FloorMod:
		a.base = s.termSpan(a.x).FloorMod(a.div)
	case tir.Min, tir.Max:
		a.base, _ = s.termSpan(a.x).Apply(a.op, s.termSpan(a.y))
	}
	a.span = a.base.narrowed(a.assumed)
}

// Range returns an interval that e is in.
func (s *Simplifier) Range(e tir.Expr) Interval { return s.spanOf(s.linear(e)) }

// Bounds returns the range of e, if both ends are known.
func (s *Simplifier) Bounds(e tir.Expr) (lo, hi int64, ok bool) {
	x := s.Range(e)
	return x.Lo, x.Hi, x.Known()
}

// A Mark is a point to which what is assumed can be taken back.
type Mark struct {
	facts int
	spans []assumedSpan
}

type assumedSpan struct {
	atom int
	span Interval // before
}

// Assume takes cond to hold until Release is called with the result: at once,
// or after that of all later Assumes.
func (s *Simplifier) Assume(cond tir.Expr) Mark {
	m := Mark{facts: len(s.facts)}
	s.assume(cond, &m)
	return m
}

// Release forgets what was assumed since the mark.
func (s *Simplifier) Release(m Mark) {
	s.facts = s.facts[:m.facts]
	for i := len(m.spans) - 1; i >= 0; i-- {
		s.atoms[m.spans[i].atom].assumed = m.spans[i].span
		s.update(m.spans[i].atom)
	}
}

func (s *Simplifier) assume(cond tir.Expr, m *Mark) {
	switch c := cond.(type) {
	case *tir.Binary:
		if c.Op == tir.And {
			s.assume(c.X, m)
			s.assume(c.Y, m)
			return
		}
		if c.Op.IsCompare() && c.X.DType() == tir.Index {
			s.assumeCompare(c, m)
		}
	case *tir.Not:
		if n := negate(c.X); n != nil {
			s.assume(n, m)
		}
	}
}

func (s *Simplifier) assumeCompare(c *tir.Binary, m *Mark) {
	x, y := s.linear(c.X), s.linear(c.Y)
	if !s.exact(x) || !s.exact(y) {
		return
	}
	d := y.Minus(x)
	switch c.Op {
	case tir.LT:
		s.fact(d.AddConst(-1), m)
	case tir.LE:
		s.fact(d, m)
	case tir.GT:
		s.fact(Constant(-1).Minus(d), m)
	case tir.GE:
		s.fact(Constant(0).Minus(d), m)
	case tir.EQ:
		s.fact(d, m)
		s.fact(Constant(0).Minus(d), m)
	}
}

// fact notes x >= 0: as a range if x has one term.
func (s *Simplifier) fact(x Linear, m *Mark) {
	if len(x.Terms) > 1 && s.termSpan(x).Known() {
		x = s.tighten(x)
	}
	if len(x.Terms) == 1 {
		s.narrow(x.Terms[0], x.Const, m)
	} else {
		s.facts = append(s.facts, x)
	}
	const rounds = 4 // enough for the chains of guards that occur
	for range rounds {
		if !s.propagate(m) {
			break
		}
	}
}

// narrow notes t + c >= 0 and reports whether that is news.
func (s *Simplifier) narrow(t Term, c int64, m *Mark) bool {
	sp := Anything
	if t.Factor > 0 { // k*a + c >= 0: a >= ceil(-c/k)
		sp.Lo = -FloorDiv(c, t.Factor)
	} else {
		sp.Hi = FloorDiv(c, -t.Factor)
	}
	a := &s.atoms[t.Atom]
	if a.span.narrowed(sp) == a.span {
		return false
	}
	m.spans = append(m.spans, assumedSpan{t.Atom, a.assumed})
	a.assumed = a.assumed.narrowed(sp)
	s.update(t.Atom)
	return true
}

// propagate narrows the terms of each fact by what the other terms leave for
// them, and reports whether any was. From i*2 + j <= 10 and i = 5 follows j = 0.
func (s *Simplifier) propagate(m *Mark) bool {
	news := false
	for _, f := range s.facts {
		whole := s.termSpan(f)
		if !whole.Known() {
			continue
		}
		for _, t := range f.Terms {
			a := s.atoms[t.Atom].span
			most := max(a.Lo*t.Factor, a.Hi*t.Factor)
			if s.narrow(t, whole.Hi-most, m) {
				news = true
				break // whole is out of date
			}
		}
	}
	return news
}

// Expr returns e simplified.
func (s *Simplifier) Expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		if e.Type == tir.Index {
			return s.index(e)
		}
		return e
	case *tir.Binary:
		switch {
		case e.DType() == tir.Bool:
			return s.condition(e)
		case e.DType() == tir.Index && isIndexOp(e.Op):
			return s.index(e)
		}
	case *tir.Not:
		return s.not(e)
	case *tir.Select:
		return s.selection(e)
	}
	return tir.MapOperands(e, s.Expr)
}

// index simplifies an expression of type Index.
func (s *Simplifier) index(e tir.Expr) tir.Expr {
	x := s.linear(e)
	if sp := s.spanOf(x); sp.Lo == sp.Hi {
		return tir.Int(sp.Lo)
	}
	return s.expr(x)
}

func isIndexOp(op tir.BinOp) bool {
	switch op {
	case tir.Add, tir.Sub, tir.Mul, tir.FloorDiv, tir.FloorMod, tir.Min, tir.Max:
		return true
	}
	return false
}

// selection folds a Select whose condition is known, and simplifies the
// branches of a lazy one with what the condition says.
func (s *Simplifier) selection(e *tir.Select) tir.Expr {
	cond := s.Expr(e.Cond)
	if c, ok := cond.(*tir.IntImm); ok {
		if c.Value != 0 {
			return s.Expr(e.Then)
		}
		return s.Expr(e.Else)
	}
	m := Mark{facts: len(s.facts)}
	if e.Lazy {
		m = s.Assume(cond)
	}
	then := s.Expr(e.Then)
	s.Release(m)
	els := s.Expr(e.Else)
	if cond == e.Cond && then == e.Then && els == e.Else {
		return e
	}
	return &tir.Select{Cond: cond, Then: then, Else: els, Lazy: e.Lazy}
}

// linear returns the linear form of an expression of type Index.
func (s *Simplifier) linear(e tir.Expr) Linear {
	switch e := e.(type) {
	case *tir.IntImm:
		return Constant(e.Value)
	case *tir.Var:
		return s.single(s.varAtom(e))
	case *tir.Binary:
		switch e.Op {
		case tir.Add:
			return s.sum(s.linear(e.X), 1, s.linear(e.Y))
		case tir.Sub:
			return s.sum(s.linear(e.X), -1, s.linear(e.Y))
		case tir.Mul:
			x, y := s.linear(e.X), s.linear(e.Y)
			if x.IsConst() {
				x, y = y, x
			}
			if y.IsConst() {
				return x.Times(y.Const)
			}
			return s.single(s.opaque(tir.Bin(tir.Mul, s.expr(x), s.expr(y))))
		case tir.FloorDiv, tir.FloorMod:
			x, y := s.linear(e.X), s.linear(e.Y)
			if y.IsConst() && y.Const > 0 {
				q, r := s.divide(x, y.Const)
				if e.Op == tir.FloorDiv {
					return q
				}
				return r
			}
			return s.single(s.opaque(tir.Bin(e.Op, s.expr(x), s.expr(y))))
		case tir.Min, tir.Max:
			return s.extreme(e)
		}
	}
	x := s.inside(e)
	if _, ok := e.(*tir.Select); ok {
		if _, ok := x.(*tir.Select); !ok { // decided
			return s.linear(x)
		}
	}
	return s.single(s.opaque(x))
}

// inside simplifies the parts of an expression that has no linear form.
func (s *Simplifier) inside(e tir.Expr) tir.Expr {
	if _, ok := e.(*tir.Binary); ok {
		return tir.MapOperands(e, s.Expr)
	}
	return s.Expr(e)
}

func (s *Simplifier) extreme(e *tir.Binary) Linear {
	x, y := s.linear(e.X), s.linear(e.Y)
	less, more := x, y
	if e.Op == tir.Max {
		less, more = y, x
	}
	if s.exact(x) && s.exact(y) {
		switch d := s.spanOf(x.Minus(y)); {
		case d.Hi <= 0:
			return less
		case d.Lo >= 0:
			return more
		}
	}
	n := s.opaque(tir.Bin(e.Op, s.expr(x), s.expr(y)))
	if s.atoms[n].op == tir.InvalidOp {
		s.atoms[n].op, s.atoms[n].x, s.atoms[n].y = e.Op, x, y
		s.atoms[n].data, _ = s.dataSpan(x).Apply(e.Op, s.dataSpan(y))
		s.update(n)
	}
	return s.single(n)
}

func (s *Simplifier) single(atom int) Linear {
	if sp := s.atoms[atom].span; sp.Lo == sp.Hi {
		return Constant(sp.Lo)
	}
	return Single(atom)
}

// sum returns x + k*y, putting together what was divided:
// floordiv(x, c)*c + floormod(x, c) => x.
func (s *Simplifier) sum(x Linear, k int64, y Linear) Linear {
	r := x.Plus(k, y)
	for again := true; again; {
		again = false
		for _, m := range r.Terms {
			a := s.atoms[m.Atom]
			if a.op != tir.FloorMod {
				continue
			}
			q, _ := s.divide(a.x, a.div)
			if len(q.Terms) != 1 || q.Terms[0].Factor != 1 || q.Const != 0 {
				continue
			}
			for _, d := range r.Terms {
				if d.Atom == q.Terms[0].Atom && d.Factor == m.Factor*a.div {
					r = r.Minus(Linear{Terms: []Term{m}}).Minus(Linear{Terms: []Term{d}}).Plus(m.Factor, a.x)
					again = true
					break
				}
			}
			if again {
				break
			}
		}
	}
	return r
}

func (s *Simplifier) varAtom(v *tir.Var) int {
	n, ok := s.vars[v]
	if !ok {
		n = len(s.atoms)
		s.vars[v] = n
		s.atoms = append(s.atoms, atomInfo{expr: v, span: Anything, base: Anything, assumed: Anything})
	}
	return n
}

// opaque returns the atom of an expression that is not looked into. Equal ones
// get one atom.
func (s *Simplifier) opaque(e tir.Expr) int {
	s.key = append(s.key[:0], 'o')
	s.encode(e)
	if n, ok := s.keys[string(s.key)]; ok {
		return n
	}
	n := len(s.atoms)
	s.keys[string(s.key)] = n
	s.atoms = append(s.atoms, atomInfo{expr: e, span: Anything, base: Anything, assumed: Anything})
	data := s.opaqueData(e) // which may add atoms
	s.atoms[n].data = data
	return n
}

// encode appends to the key what tells e from all other expressions.
func (s *Simplifier) encode(e tir.Expr) {
	tir.VisitExpr(e, func(e tir.Expr) bool {
		switch e := e.(type) {
		case *tir.Var:
			s.key = append(s.key, 'v', byte(e.Type))
			s.key = binary.AppendVarint(s.key, int64(s.varAtom(e)))
		case *tir.IntImm:
			s.key = append(s.key, 'i', byte(e.Type))
			s.key = binary.AppendVarint(s.key, e.Value)
		case *tir.Binary:
			s.key = append(s.key, 'b', byte(e.Op))
		default: // rare in indices: by address
			s.key = fmt.Appendf(s.key, "%T%p", e, e)
		}
		return true
	})
}
