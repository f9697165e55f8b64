package llvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// index evaluates an expression of type I64 to linear form.
func (f *function) index(e tir.Expr) linear {
	switch e := e.(type) {
	case *tir.IntImm:
		return constant(e.Value)
	case *tir.Var:
		return f.variable(e)
	case *tir.Binary:
		return f.indexBinary(e)
	}
	return f.linearOf(f.compute(e))
}

// variable returns the value of a loop variable here; one of the caller's
// becomes an argument.
func (f *function) variable(v *tir.Var) linear {
	if x, ok := f.vars[v]; ok {
		return x
	}
	if f.parent == nil {
		panic("BUG: llvm: variable " + v.Name + " is not bound")
	}
	x := f.parent.variable(v)
	if !x.isConst() {
		lo, hi, ok := x.bounds()
		name := f.fresh(v.Name)
		f.params = append(f.params, param{decl: "i64 " + name, arg: "i64 " + f.parent.text(x)})
		a := f.newAtom(name)
		if ok {
			a.bounded, a.lo, a.hi = true, lo, hi
		}
		x = single(a)
	}
	f.vars[v] = x
	return x
}

// linearOf takes a computed I64 value as an atom.
func (f *function) linearOf(v value) linear {
	if v.isConst {
		var c int64
		fmt.Sscan(v.ref, &c)
		return constant(c)
	}
	a := f.newAtom(v.ref)
	a.vec, a.data = v.n > 1, true
	return single(a)
}

// valueOf is the reverse of linearOf.
func (f *function) valueOf(x linear) value {
	v := value{typ: tir.I64, ref: f.text(x), n: 1, isConst: x.isConst()}
	if x.hasLanes() {
		v.n = f.lane.n
	}
	return v
}

func (f *function) indexBinary(e *tir.Binary) linear {
	x, y := f.index(e.X), f.index(e.Y)
	switch e.Op {
	case tir.Add:
		return x.add(y, 1)
	case tir.Sub:
		return x.add(y, -1)
	case tir.Mul:
		if x.isConst() {
			x, y = y, x
		}
		if y.isConst() {
			return x.scale(y.c)
		}
	case tir.FloorDiv, tir.FloorMod:
		if y.isConst() && y.c > 0 {
			return f.divide(e.Op, x, y.c)
		}
	case tir.Div:
		if lo, _, ok := x.bounds(); ok && lo >= 0 && y.isConst() && y.c > 0 {
			return f.divide(tir.FloorDiv, x, y.c)
		}
	case tir.Min, tir.Max:
		if r, ok := f.extreme(e.Op, x, y); ok {
			return r
		}
	}
	r := f.linearOf(f.binary(e.Op, f.valueOf(x), f.valueOf(y)))
	f.boundResult(e.Op, r, x, y)
	return r
}

// boundResult records what is known of r = x op y, an atom just made.
func (f *function) boundResult(op tir.BinOp, r, x, y linear) {
	if len(r.terms) != 1 || r.terms[0].a.bounded {
		return
	}
	xl, xh, ok := x.bounds()
	yl, yh, ok2 := y.bounds()
	if !ok || !ok2 {
		return
	}
	a := r.terms[0].a
	switch op {
	case tir.Min:
		a.bounded, a.lo, a.hi = true, min(xl, yl), min(xh, yh)
	case tir.Max:
		a.bounded, a.lo, a.hi = true, max(xl, yl), max(xh, yh)
	case tir.Mul:
		if !mulFits(max(xh, -xl), max(yh, -yl)) {
			return
		}
		p := [...]int64{xl * yl, xl * yh, xh * yl, xh * yh}
		a.bounded, a.lo, a.hi = true, min(p[0], p[1], p[2], p[3]), max(p[0], p[1], p[2], p[3])
	}
}

// extreme decides min and max by bounds.
func (f *function) extreme(op tir.BinOp, x, y linear) (linear, bool) {
	lo, hi, ok := x.add(y, -1).bounds()
	switch {
	case !ok || !x.exact() || !y.exact():
		return linear{}, false
	case hi <= 0: // x <= y
		if op == tir.Min {
			return x, true
		}
		return y, true
	case lo >= 0:
		if op == tir.Min {
			return y, true
		}
		return x, true
	}
	return linear{}, false
}

// divide returns floordiv(x, d) or floormod(x, d), d > 0. Multiples of d are
// taken out, and nothing is computed if the rest lies in 0..d-1:
//
//	floordiv(i*16 + lane, 16), lane < 16   =>   i
func (f *function) divide(op tir.BinOp, x linear, d int64) linear {
	if d == 1 {
		if op == tir.FloorDiv {
			return x
		}
		return constant(0)
	}
	var quot, rest linear
	if _, _, ok := x.bounds(); ok {
		for _, t := range x.terms {
			if t.k%d == 0 {
				quot.terms = append(quot.terms, term{t.a, t.k / d})
			} else {
				rest.terms = append(rest.terms, t)
			}
		}
		quot.c = arith.FloorDiv(x.c, d)
		rest.c = x.c - quot.c*d
	} else {
		rest = x
	}
	lo, hi, ok := rest.bounds()
	if ok && arith.FloorDiv(lo, d) == arith.FloorDiv(hi, d) {
		q := arith.FloorDiv(lo, d)
		if op == tir.FloorDiv {
			quot.c += q
			return quot
		}
		rest.c -= q * d
		return rest
	}
	r := f.linearOf(f.divideBy(op, f.valueOf(rest), d, ok && lo >= 0))
	if len(r.terms) == 1 {
		a := r.terms[0].a
		switch {
		case op == tir.FloorMod:
			a.bounded, a.lo, a.hi = true, 0, d-1
		case ok:
			a.bounded, a.lo, a.hi = true, arith.FloorDiv(lo, d), arith.FloorDiv(hi, d)
		}
	}
	if op == tir.FloorMod {
		return r
	}
	return quot.add(r, 1)
}

// divideBy emits the division of a value by a positive constant.
func (f *function) divideBy(op tir.BinOp, x value, d int64, nonNegative bool) value {
	typ, c := f.typeOf(x), f.immText(x.typ, d, x.n)
	one := func(opcode string) value {
		return f.result(x, f.pure(fmt.Sprintf("%s %s %s, %s", opcode, typ, x.ref, c)))
	}
	if nonNegative || x.typ.IsUnsigned() {
		if op == tir.FloorDiv {
			return one("udiv")
		}
		return one("urem")
	}
	rem := f.pure(fmt.Sprintf("srem %s %s, %s", typ, x.ref, c))
	neg := f.pure(fmt.Sprintf("icmp slt %s %s, %s", typ, rem, f.immText(x.typ, 0, x.n)))
	if op == tir.FloorMod {
		up := f.pure(fmt.Sprintf("add %s %s, %s", typ, rem, c))
		return f.result(x, f.choose(neg, x.n, typ, up, rem))
	}
	quot := f.pure(fmt.Sprintf("sdiv %s %s, %s", typ, x.ref, c))
	down := f.pure(fmt.Sprintf("add %s %s, %s", typ, quot, f.immText(x.typ, -1, x.n)))
	return f.result(x, f.choose(neg, x.n, typ, down, quot))
}
