package llvm

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// index evaluates an expression of type I64 to linear form.
func (f *function) index(e tir.Expr) arith.Linear {
	switch e := e.(type) {
	case *tir.IntImm:
		return arith.Constant(e.Value)
	case *tir.Var:
		return f.variable(e)
	case *tir.Binary:
		return f.indexBinary(e)
	case *tir.Cast:
		switch t := e.X.DType(); {
		case f.lane != nil && t.IsFloat():
			return f.placeOfFloat(e)
		case f.lane != nil && t.IsInt() && t.Bytes() <= 4:
			r := f.linearOf(f.compute(e))
			f.bound(r, integerRange(e.X))
			return r
		}
	}
	return f.linearOf(f.compute(e))
}

// placeOfFloat truncates a float of each lane to an index. One that is a number that 32 bits hold, as clamps say, is
// truncated to these: a vector of them is one instruction.
func (f *function) placeOfFloat(e *tir.Cast) arith.Linear {
	lo, hi, ok := numberRange(e.X, nil, 0, 0)
	if !ok || !holds(tir.I32, lo, hi) {
		return f.linearOf(f.compute(e))
	}
	r := f.linearOf(f.cast(f.truncated(f.exact(e.X), tir.I32), tir.I64))
	f.bound(r, arith.Between(int64(lo), int64(hi)))
	return r
}

// integerRange returns between which numbers an integer lies, as clamps say.
func integerRange(e tir.Expr) arith.Interval {
	switch e := e.(type) {
	case *tir.IntImm:
		return arith.Point(e.Value)
	case *tir.Binary:
		if e.Op == tir.Min || e.Op == tir.Max {
			r, _ := integerRange(e.X).Apply(e.Op, integerRange(e.Y))
			return r
		}
	}
	return arith.Anything
}

// numberRange returns between which numbers a float lies that is never NaN; known, if not nil, is a number between
// least and most.
func numberRange(e, known tir.Expr, least, most float64) (lo, hi float64, ok bool) {
	switch e := e.(type) {
	case *tir.FloatImm:
		return e.Value, e.Value, !math.IsNaN(e.Value)
	case *tir.Binary:
		a, b, ok := numberRange(e.X, known, least, most)
		c, d, ok2 := numberRange(e.Y, known, least, most)
		switch {
		case ok && ok2 && e.Op == tir.Min:
			return min(a, c), min(b, d), true
		case ok && ok2 && e.Op == tir.Max:
			return max(a, c), max(b, d), true
		}
	case *tir.Select:
		by, ok := e.Cond.(*tir.Binary)
		if !ok {
			break
		}
		limit, ok := by.Y.(*tir.FloatImm)
		if !ok || math.IsNaN(limit.Value) {
			break
		}
		from, to := math.Inf(-1), math.Inf(1) // of a number, since NaN is in no order
		switch by.Op {
		case tir.GT, tir.GE:
			from = limit.Value
		case tir.LT, tir.LE:
			to = limit.Value
		default:
			return 0, 0, false
		}
		a, b, ok := numberRange(e.Then, by.X, from, to)
		c, d, ok2 := numberRange(e.Else, known, least, most)
		return min(a, c), max(b, d), ok && ok2
	}
	if known != nil && tir.EqualExpr(e, known) {
		return least, most, true
	}
	return 0, 0, false
}

// variable returns the value of a loop variable here; one of the caller's
// becomes an argument.
func (f *function) variable(v *tir.Var) arith.Linear {
	if x, ok := f.vars[v]; ok {
		return x
	}
	if f.parent == nil {
		panic("BUG: llvm: variable " + v.Name + " is not bound")
	}
	x := f.parent.variable(v)
	if !x.IsConst() {
		name := f.fresh(v.Name)
		f.params = append(f.params, param{decl: "i64 " + name, arg: "i64 " + f.parent.text(x)})
		in, _ := f.parent.bounds(x)
		x = arith.Single(f.newAtom(atom{ref: name, in: in}))
	}
	f.vars[v] = x
	return x
}

// linearOf takes a computed I64 value as an atom.
func (f *function) linearOf(v value) arith.Linear {
	if v.isConst {
		var c int64
		fmt.Sscan(v.ref, &c)
		return arith.Constant(c)
	}
	return arith.Single(f.newAtom(atom{ref: v.ref, vec: v.n > 1, data: true, in: arith.Anything}))
}

// valueOf is the reverse of linearOf.
func (f *function) valueOf(x arith.Linear) value {
	v := value{typ: tir.I64, ref: f.text(x), n: 1, isConst: x.IsConst()}
	if varying, _ := f.split(x); !varying.IsConst() {
		v.n = f.lane.n
	}
	return v
}

func (f *function) indexBinary(e *tir.Binary) arith.Linear {
	x, y := f.index(e.X), f.index(e.Y)
	switch e.Op {
	case tir.Add:
		return x.Plus(1, y)
	case tir.Sub:
		return x.Minus(y)
	case tir.Mul:
		if x.IsConst() {
			x, y = y, x
		}
		if y.IsConst() {
			return x.Times(y.Const)
		}
	case tir.FloorDiv, tir.FloorMod:
		if y.IsConst() && y.Const > 0 {
			return f.divide(e.Op, x, y.Const)
		}
	case tir.Div:
		if in, ok := f.bounds(x); ok && in.Lo >= 0 && y.IsConst() && y.Const > 0 {
			return f.divide(tir.FloorDiv, x, y.Const)
		}
	case tir.Min, tir.Max:
		if r, ok := f.extreme(e.Op, x, y); ok {
			return r
		}
	}
	r := f.linearOf(f.binary(e.Op, f.valueOf(x), f.valueOf(y)))
	if e.Op == tir.Min || e.Op == tir.Max || e.Op == tir.Mul {
		in, _ := f.ends(x).Apply(e.Op, f.ends(y))
		f.bound(r, in)
	}
	return r
}

// ends is bounds, or one end if only that is known.
func (f *function) ends(x arith.Linear) arith.Interval {
	if x.Const == 0 && len(x.Terms) == 1 && x.Terms[0].Factor == 1 {
		return f.atoms[x.Terms[0].Atom].in
	}
	in, _ := f.bounds(x)
	return in
}

// bound records what is known of r, an atom just made; of a clamp's first half that is one end.
func (f *function) bound(r arith.Linear, in arith.Interval) {
	if !r.IsConst() && in != arith.Anything {
		f.atoms[r.Terms[0].Atom].in = in
	}
}

// extreme decides min and max by bounds.
func (f *function) extreme(op tir.BinOp, x, y arith.Linear) (arith.Linear, bool) {
	diff, ok := f.bounds(x.Minus(y))
	switch {
	case !ok || !f.isExact(x) || !f.isExact(y):
		return arith.Linear{}, false
	case diff.Hi <= 0: // x <= y
		if op == tir.Min {
			return x, true
		}
		return y, true
	case diff.Lo >= 0:
		if op == tir.Min {
			return y, true
		}
		return x, true
	}
	return arith.Linear{}, false
}

// divide returns floordiv(x, d) or floormod(x, d), d > 0. Multiples of d are
// taken out, and nothing is computed if the rest lies in 0..d-1:
//
//	floordiv(i*16 + lane, 16), lane < 16   =>   i
func (f *function) divide(op tir.BinOp, x arith.Linear, d int64) arith.Linear {
	if d == 1 {
		if op == tir.FloorDiv {
			return x
		}
		return arith.Constant(0)
	}
	quot, rest := arith.Linear{}, x
	if _, ok := f.bounds(x); ok {
		quot, rest = x.Split(d)
	}
	in, ok := f.bounds(rest)
	if q := in.FloorDiv(d); q.IsPoint() {
		if op == tir.FloorDiv {
			return quot.AddConst(q.Lo)
		}
		return rest.AddConst(-q.Lo * d)
	}
	r := f.linearOf(f.divideBy(op, f.valueOf(rest), d, ok && in.Lo >= 0))
	if op == tir.FloorMod {
		f.bound(r, arith.Between(0, d-1))
		return r
	}
	f.bound(r, in.FloorDiv(d))
	return quot.Plus(1, r)
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
