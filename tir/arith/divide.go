package arith

import (
	"encoding/binary"

	"github.com/wmtune/wmtune/tir"
)

// divide returns floordiv(x, c) and floormod(x, c).
func (s *Simplifier) divide(x Linear, c int64) (quo, mod Linear) {
	if c == 1 {
		return x, Linear{}
	}
	if !s.exact(x) {
		return s.single(s.division(tir.FloorDiv, x, c)), s.single(s.division(tir.FloorMod, x, c))
	}
	q, r := x.Split(c)
	if n := s.spanOf(r).FloorDiv(c); n.IsPoint() {
		return q.AddConst(n.Lo), r.AddConst(-n.Lo * c)
	}
	if g := GCD(r.gcd(), c); g > 1 { // floordiv(g*r', g*c') = floordiv(r', c')
		r1, rest := r.Split(g)
		q2, r2 := s.divide(r1, c/g)
		return q.Plus(1, q2), rest.Plus(g, r2)
	}
	// floordiv(g*x + y, g*c') = floordiv(x, c') with 0 <= y < g
	for _, t := range r.Terms {
		g := GCD(t.Factor, c)
		if g == 1 {
			continue
		}
		x, y := r.Split(g)
		if sp := s.spanOf(y); sp.Lo >= 0 && sp.Hi < g {
			q2, r2 := s.divide(x, c/g)
			return q.Plus(1, q2), y.Plus(g, r2)
		}
	}
	if r.isSingle() {
		a := s.atoms[r.Terms[0].Atom]
		switch {
		case a.op == tir.FloorDiv && a.div < far/c: // floordiv(floordiv(x, a), c) = floordiv(x, a*c)
			q2, _ := s.divide(a.x, a.div*c)
			return q.Plus(1, q2), s.single(s.division(tir.FloorMod, r, c))
		case a.op == tir.FloorMod && a.div%c == 0: // floormod(floormod(x, a*c), c) = floormod(x, c)
			_, r2 := s.divide(a.x, c)
			return q.Plus(1, s.single(s.division(tir.FloorDiv, r, c))), r2
		}
	}
	return q.Plus(1, s.single(s.division(tir.FloorDiv, r, c))), s.single(s.division(tir.FloorMod, r, c))
}

// kinSpan bounds a quotient by the conditions on other quotients of the same dividend. Example:
// floordiv(x, 6) = 20 gives floordiv(x, 42) = 2, and floordiv(x, 42) = 2 gives 14..20 for
// floordiv(x, 6). The dividend gets no bound: x is a fused loop, whose indices must stay written in
// digits so that threads can divide its work.
func (s *Simplifier) kinSpan(atom int) Interval {
	sp := Anything
	a := &s.atoms[atom]
	for k := a.kin; k != atom; k = s.atoms[k].kin {
		b := &s.atoms[k]
		if b.assumed == Anything {
			continue
		}
		switch {
		case a.div%b.div == 0:
			sp = sp.narrowed(b.assumed.FloorDiv(a.div / b.div))
		case b.div%a.div == 0:
			sp = sp.narrowed(b.assumed.dividend(b.div / a.div))
		}
	}
	return sp
}

// division returns the atom x op c, a floordiv or floormod.
func (s *Simplifier) division(op tir.BinOp, x Linear, c int64) int {
	s.key = append(s.key[:0], 'd', byte(op))
	s.key = binary.AppendVarint(s.key, c)
	s.key = binary.AppendVarint(s.key, x.Const)
	for _, t := range x.Terms {
		s.key = binary.AppendVarint(s.key, int64(t.Atom))
		s.key = binary.AppendVarint(s.key, t.Factor)
	}
	if n, ok := s.keys[string(s.key)]; ok {
		return n
	}
	n := len(s.atoms)
	s.keys[string(s.key)] = n
	a := atomInfo{expr: tir.Bin(op, s.expr(x), tir.Int(c)), assumed: Anything, op: op, x: x, div: c, kin: n}
	a.data = clamped(0, c-1)
	if op == tir.FloorDiv {
		a.data = s.dataSpan(x).FloorDiv(c)
	}
	s.atoms = append(s.atoms, a)
	if op == tir.FloorDiv {
		s.join(n)
	}
	s.work(n) // nothing depends on it yet, and nothing is assumed of it
	return n
}

// join puts a quotient into the ring of those with its dividend.
func (s *Simplifier) join(atom int) {
	for i := range s.atoms[:atom] {
		if b := &s.atoms[i]; b.op == tir.FloorDiv && b.x.Equal(s.atoms[atom].x) {
			s.atoms[atom].kin, b.kin = b.kin, atom
			return
		}
	}
}
