package llvm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir/arith"
)

// An atom is a value of type i64 that index arithmetic does not look into. Indices are kept as arith.Linears, sums of
// multiples of numbered atoms, until their value is needed: this shows what is constant, what is affine in the lane and
// which bounds hold, and lets equal parts of addresses be computed once. Atoms are numbered in order of creation, so
// that outer loops come first.
type atom struct {
	ref  string // of type i64, or a vector of i64 if vec
	vec  bool   // has one value per lane
	data bool   // is computed or read: without bounds, arithmetic on it may wrap around
	in   arith.Interval
}

// newAtom returns the number of an atom.
func (f *function) newAtom(a atom) int {
	f.atoms = append(f.atoms, a)
	return len(f.atoms) - 1
}

// loopAtom returns the variable of a loop that runs from 0 to last.
func (f *function) loopAtom(iv string, last int64) arith.Linear {
	in := arith.Between(0, last)
	if last < 0 {
		in = arith.Anything
	}
	return arith.Single(f.newAtom(atom{ref: iv, in: in}))
}

// bounds returns the range of x if it is known and arithmetic on it cannot
// have overflowed.
func (f *function) bounds(x arith.Linear) (arith.Interval, bool) {
	r := x.Range(func(i int) arith.Interval { return f.atoms[i].in })
	return r, r.Known()
}

// isExact reports whether x is computed without wrapping around, so that it compares as the sum that it stands for.
func (f *function) isExact(x arith.Linear) bool {
	return x.IsExact(func(i int) arith.Interval {
		if a := &f.atoms[i]; a.data || a.in.Known() {
			return a.in
		}
		return arith.Interval{}
	})
}

// split separates the part that differs between lanes from the rest.
func (f *function) split(x arith.Linear) (varying, uniform arith.Linear) {
	return x.Part(func(t arith.Term) bool { return f.atoms[t.Atom].vec })
}

// text returns the operand of x, of type i64 or of its vector, computing it as
// a sum from the outermost atom inwards so that partial sums are shared and
// leave inner loops.
func (f *function) text(x arith.Linear) string {
	if v, u := f.split(x); len(v.Terms) > 0 {
		ref, typ := "", vectorType("i64", f.lane.n)
		for _, t := range v.Terms {
			part := f.atoms[t.Atom].ref
			if t.Factor != 1 {
				part = f.pure(fmt.Sprintf("mul %s %s, %s", typ, part, splatText("i64", fmt.Sprint(t.Factor), f.lane.n)))
			}
			if ref == "" {
				ref = part
			} else {
				ref = f.pure(fmt.Sprintf("add %s %s, %s", typ, ref, part))
			}
		}
		if u.IsConst() && u.Const == 0 {
			return ref
		}
		return f.pure(fmt.Sprintf("add %s %s, %s", typ, f.splatRef("i64", f.text(u), u.IsConst()), ref))
	}
	ref := ""
	for _, t := range x.Terms {
		part := f.atoms[t.Atom].ref
		if t.Factor != 1 {
			part = f.pure(fmt.Sprintf("mul i64 %s, %d", part, t.Factor))
		}
		if ref == "" {
			ref = part
		} else {
			ref = f.pure(fmt.Sprintf("add i64 %s, %s", ref, part))
		}
	}
	switch {
	case ref == "":
		return fmt.Sprint(x.Const)
	case x.Const == 0:
		return ref
	}
	return f.pure(fmt.Sprintf("add i64 %s, %d", ref, x.Const))
}

// splatRef returns a vector of f.lane.n copies of a scalar operand.
func (f *function) splatRef(typ, ref string, isConst bool) string {
	n := f.lane.n
	if isConst {
		return splatText(typ, ref, n)
	}
	v := vectorType(typ, n)
	one := f.pure(fmt.Sprintf("insertelement %s poison, %s %s, i64 0", v, typ, ref))
	return f.pure(fmt.Sprintf("shufflevector %s %s, %s poison, <%d x i32> zeroinitializer", v, one, v, n))
}

// splatText returns a vector constant of n equal elements.
func splatText(typ, c string, n int64) string {
	if c == "0" || c == "false" || c == floatZero {
		return "zeroinitializer"
	}
	return "<" + strings.TrimSuffix(strings.Repeat(typ+" "+c+", ", int(n)), ", ") + ">"
}

func vectorType(typ string, n int64) string {
	if n == 1 {
		return typ
	}
	return "<" + strconv.FormatInt(n, 10) + " x " + typ + ">"
}

// laneNumbers returns the vector constant 0, 1, ... n-1.
func laneNumbers(typ string, n int64) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf("%s %d", typ, i)
	}
	return "<" + strings.Join(parts, ", ") + ">"
}

// atomOfLanes returns the atom whose value in lane i is i. Its bounds are those
// of the lanes that count.
func (f *function) atomOfLanes(c chunk) int {
	return f.newAtom(atom{ref: laneNumbers("i64", c.n), vec: true, in: arith.Between(0, c.valid-1)})
}
