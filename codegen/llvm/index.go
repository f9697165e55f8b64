package llvm

import (
	"fmt"

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
	}
	return f.linearOf(f.compute(e))
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
		a, _ := f.bounds(x)
		b, _ := f.bounds(y)
		in, _ := a.Apply(e.Op, b)
		f.bound(r, in)
	}
	return r
}

// bound records what is known of r, an atom just made.
func (f *function) bound(r arith.Linear, in arith.Interval) {
	if !r.IsConst() && in.Known() {
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
