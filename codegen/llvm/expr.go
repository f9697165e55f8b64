package llvm

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// expr evaluates an expression.
func (f *function) expr(e tir.Expr) value {
	switch e := e.(type) {
	case *tir.IntImm:
		return intValue(e.Type, e.Value)
	case *tir.FloatImm:
		return floatValue(e.Type, e.Value)
	}
	if e.DType() == tir.I64 {
		return f.valueOf(f.index(e))
	}
	return f.compute(e)
}

// compute evaluates an expression that is neither a constant nor, if of type
// I64, one that index understands.
func (f *function) compute(e tir.Expr) value {
	switch e := e.(type) {
	case *tir.Binary:
		return f.binaryExpr(e)
	case *tir.Not:
		return f.not(f.expr(e.X))
	case *tir.Cast:
		if e.X.DType().IsFloat() && !e.To.IsFloat() {
			x := f.exact(e.X)
			if lo, hi := floatRange(e.X); e.To.Bytes() <= 4 && e.To != tir.Bool && holds(e.To, lo, hi) {
				return f.truncated(x, e.To)
			}
			return f.cast(x, e.To)
		}
		if x, ok := wholeFloat(e.X); ok && e.To == tir.F32 {
			return f.exact(x)
		}
		if x := e.X; e.To == tir.BF16 && brainFits(x) {
			v := f.expr(x)
			return value{typ: tir.BF16, ref: v.ref, n: v.n, fits: true}
		}
		return f.cast(f.expr(e.X), e.To)
	case *tir.Bitcast:
		return f.bitcast(f.exact(e.X), e.To)
	case *tir.Select:
		return f.selectExpr(e)
	case *tir.Call:
		return f.call(e)
	case *tir.Load:
		return f.load(e)
	}
	panic(fmt.Sprintf("BUG: llvm: expression %T of type %s", e, e.DType()))
}

func (f *function) not(x value) value {
	if x.isConst {
		return intValue(tir.Bool, b2i(x.ref == "false"))
	}
	ones := "true"
	if x.n > 1 {
		ones = splatText("i1", "true", x.n)
	}
	return f.result(x, f.pure(fmt.Sprintf("xor %s %s, %s", f.typeOf(x), x.ref, ones)))
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (f *function) binaryExpr(e *tir.Binary) value {
	switch {
	case e.Op == tir.And || e.Op == tir.Or:
		return f.logic(e)
	case e.Op.IsCompare() && e.X.DType() == tir.I64:
		return f.compareIndex(e.Op, f.index(e.X), f.index(e.Y))
	case e.Op == tir.Add && f.chain != nil && e.DType().IsFloat():
		if v, ok := f.fused(e); ok {
			return v
		}
	}
	if e.Op.IsCompare() {
		return f.compare(e.Op, f.exact(e.X), f.exact(e.Y))
	}
	x, y := f.expr(e.X), f.expr(e.Y)
	if f.byReciprocal(e, x, y) {
		return f.quotient(x, y)
	}
	return f.binary(e.Op, x, y)
}

// exact evaluates an operand of what jumps where its operand crosses a boundary, as floor
// does: 98/49 must be 2, and not the number below that 98*(1/49) is.
func (f *function) exact(e tir.Expr) value {
	f.jumps++
	v := f.expr(e)
	f.jumps--
	return v
}

// logic emits And and Or. The right operand is evaluated only where it
// matters, as far as it reads memory.
func (f *function) logic(e *tir.Binary) value {
	x := f.expr(e.X)
	stop := "false" // the left operand that decides
	if e.Op == tir.Or {
		stop = "true"
	}
	if x.isConst {
		if x.ref == stop {
			return x
		}
		return f.expr(e.Y)
	}
	guard := x
	if e.Op == tir.Or {
		guard = f.not(x)
	}
	y := f.guarded(guard, e.Y)
	if y.isConst {
		if y.ref == stop {
			return y
		}
		return x
	}
	x, y = f.match(x, y)
	opcode := "and"
	if e.Op == tir.Or {
		opcode = "or"
	}
	return f.result(x, f.pure(fmt.Sprintf("%s %s %s, %s", opcode, f.typeOf(x), x.ref, y.ref)))
}

// guarded evaluates e as if only where cond holds: reads outside are
// suppressed, and their results arbitrary.
func (f *function) guarded(cond value, e tir.Expr) value {
	f.guards = append(f.guards, cond)
	v := f.expr(e)
	f.guards = f.guards[:len(f.guards)-1]
	return v
}

// guard returns the conjunction of the conditions in force, or ok=false if
// there are none.
func (f *function) guard() (cond value, ok bool) {
	for i, g := range f.guards {
		if i == 0 {
			cond = g
			continue
		}
		cond = f.both(cond, g)
	}
	return cond, len(f.guards) > 0
}

// compareIndex compares two index values, by their bounds if those decide: those of the difference, where neither
// value has wrapped around.
func (f *function) compareIndex(op tir.BinOp, x, y arith.Linear) value {
	diff := x.Minus(y)
	in, ok := f.bounds(diff)
	ok = ok && f.isExact(x) && f.isExact(y)
	if ok {
		if r, decided := in.Decide(op); decided {
			return intValue(tir.Bool, b2i(r))
		}
	}
	narrow := arith.Between(1-1<<31, 1<<31-1)
	v, u := f.split(diff)
	if !ok || v.IsConst() || !in.Within(narrow) {
		return f.compare(op, f.valueOf(x), f.valueOf(y))
	}
	// In 32 bits per lane: varying op -uniform.
	if in, _ = f.bounds(u); !in.Within(narrow) || len(v.Terms) != 1 || v.Terms[0].Atom != f.lane.atom {
		return f.compare(op, f.valueOf(x), f.valueOf(y))
	}
	k := v.Terms[0].Factor
	n := f.lane.n
	left := laneNumbers("i32", n)
	if k != 1 {
		left = f.pure(fmt.Sprintf("mul %s %s, %s", vectorType("i32", n), left, f.immText(tir.I32, k, n)))
	}
	right := f.text(u.Times(-1))
	isConst := u.IsConst()
	if !isConst {
		right = f.pure(fmt.Sprintf("trunc i64 %s to i32", right))
	}
	r := f.splatRef("i32", right, isConst)
	return f.compare(op, value{typ: tir.I32, ref: left, n: n}, value{typ: tir.I32, ref: r, n: n})
}

// predicates of comparisons: for floats, signed and unsigned integers.
var predicates = map[tir.BinOp][3]string{
	tir.EQ: {"oeq", "eq", "eq"},
	tir.NE: {"une", "ne", "ne"},
	tir.LT: {"olt", "slt", "ult"},
	tir.LE: {"ole", "sle", "ule"},
	tir.GT: {"ogt", "sgt", "ugt"},
	tir.GE: {"oge", "sge", "uge"},
}

func (f *function) compare(op tir.BinOp, x, y value) value {
	x, y = f.match(f.fenced(x), f.fenced(y))
	p := predicates[op]
	text := ""
	switch {
	case x.typ.IsFloat():
		text = fmt.Sprintf("fcmp %s %s %s, %s", p[0], f.typeOf(x), x.ref, y.ref)
	case x.typ.IsUnsigned() || x.typ == tir.Bool:
		text = fmt.Sprintf("icmp %s %s %s, %s", p[2], f.typeOf(x), x.ref, y.ref)
	default:
		text = fmt.Sprintf("icmp %s %s %s, %s", p[1], f.typeOf(x), x.ref, y.ref)
	}
	return value{typ: tir.Bool, ref: f.pure(text), n: x.n}
}

// extremeOf emits the smaller or greater one, a NaN if one is: see larger. A number among them stands first. Without
// one, NaN is looked for in y: x is what a reduction has so far, and the next step need not wait for that. Reductions
// of vectors look for NaN in late.go.
func (f *function) extremeOf(op tir.BinOp, x, y value) value {
	x, y = f.fenced(x), f.fenced(y)
	number := !x.typ.IsFloat() || x.isNumber()
	if !number {
		x, y, number = y, x, y.isNumber()
	}
	x, y = f.match(x, y)
	r := f.larger(op, x, y)
	if !number {
		t := f.typeOf(x)
		r = f.pure("freeze " + t + " " + r) // or LLVM joins the two selects, and there is no instruction for that
		nan := f.pure(fmt.Sprintf("fcmp uno %s %s, %s", t, x.ref, x.ref))
		r = f.choose(nan, x.n, t, x.ref, r)
	}
	return f.result(x, r)
}

// larger emits the larger of x and y, or the smaller one for tir.Min: x > y ? x : y, one instruction of most
// processors, which is y if one of them is NaN.
func (f *function) larger(op tir.BinOp, x, y value) string {
	cmp := tir.LT
	if op == tir.Max {
		cmp = tir.GT
	}
	return f.choose(f.compare(cmp, x, y).ref, x.n, f.typeOf(x), x.ref, y.ref)
}

// binary emits x op y for every operator but And and Or.
func (f *function) binary(op tir.BinOp, x, y value) value {
	if op.IsCompare() {
		return f.compare(op, x, y)
	}
	if (op == tir.FloorDiv || op == tir.FloorMod) && y.isConst && y.n == 1 {
		var d int64
		fmt.Sscan(y.ref, &d)
		if d > 0 {
			return f.divideBy(op, x, d, false)
		}
	}
	if op == tir.Min || op == tir.Max {
		return f.extremeOf(op, x, y)
	}
	x, y = f.match(x, y)
	switch op {
	case tir.Div, tir.FloorDiv, tir.FloorMod:
		if !x.typ.IsFloat() {
			return f.integerDivision(op, x, y)
		}
	}
	if op == tir.Shl || op == tir.Shr {
		return f.shift(op, x, y)
	}
	opcode := opcodes[op]
	if opcode == "" {
		panic("BUG: llvm: operator " + op.String() + " of " + x.typ.String())
	}
	if x.typ.IsFloat() {
		r := f.result(x, f.pure(fmt.Sprintf("f%s %s %s, %s", opcode, f.typeOf(x), x.ref, y.ref)))
		return f.rounded(r)
	}
	return f.result(x, f.pure(fmt.Sprintf("%s %s %s, %s", opcode, f.typeOf(x), x.ref, y.ref)))
}

// opcodes are the instructions of operators; those of floats begin with an f.
var opcodes = map[tir.BinOp]string{
	tir.Add: "add", tir.Sub: "sub", tir.Mul: "mul", tir.Div: "div", tir.BitAnd: "and", tir.BitOr: "or", tir.BitXor: "xor",
}

// shift shifts by any count. LLVM's instructions have a result for those below the width only.
func (f *function) shift(op tir.BinOp, x, y value) value {
	typ, width := f.typeOf(x), int64(x.typ.Bits())
	imm := func(c int64) string { return f.immText(x.typ, c, x.n) }
	few := f.pure(fmt.Sprintf("icmp ult %s %s, %s", typ, y.ref, imm(width)))
	if op == tir.Shr && !x.typ.IsUnsigned() {
		count := f.choose(few, x.n, typ, y.ref, imm(width-1))
		return f.result(x, f.pure(fmt.Sprintf("ashr %s %s, %s", typ, x.ref, count)))
	}
	opcode := "shl"
	if op == tir.Shr {
		opcode = "lshr"
	}
	r := f.pure(fmt.Sprintf("%s %s %s, %s", opcode, typ, x.ref, y.ref))
	return f.result(x, f.choose(few, x.n, typ, r, imm(0)))
}

// rounded rounds a value of a storage type that was computed as float.
func (f *function) rounded(v value) value {
	if v.typ != tir.F16 && v.typ != tir.BF16 {
		return v
	}
	return f.widen(v.typ, f.narrow(v), v.n)
}

// integerDivision divides by a divisor that is not a positive constant. It
// never traps: where the divisor is 0, in a branch not taken, it divides by 1,
// and the smallest integer divided by -1 wraps around.
func (f *function) integerDivision(op tir.BinOp, x, y value) value {
	typ := f.typeOf(x)
	imm := func(c int64) value { return value{typ: x.typ, ref: f.immText(x.typ, c, x.n), n: x.n} }
	y = f.result(y, f.pure(fmt.Sprintf("freeze %s %s", typ, y.ref)))
	zero := f.compare(tir.EQ, y, imm(0))
	y = f.result(y, f.choose(zero.ref, x.n, typ, imm(1).ref, y.ref))
	emit := func(opcode string, a, b value) value {
		return f.result(x, f.pure(fmt.Sprintf("%s %s %s, %s", opcode, typ, a.ref, b.ref)))
	}
	if x.typ.IsUnsigned() {
		if op == tir.FloorMod {
			return emit("urem", x, y)
		}
		return emit("udiv", x, y)
	}
	minus := f.compare(tir.EQ, y, imm(-1))
	safe := f.result(y, f.choose(minus.ref, x.n, typ, imm(1).ref, y.ref))
	quot := f.result(x, f.choose(minus.ref, x.n, typ, emit("sub", imm(0), x).ref, emit("sdiv", x, safe).ref))
	rem := emit("srem", x, safe)
	rem = f.result(x, f.choose(minus.ref, x.n, typ, imm(0).ref, rem.ref))
	if op == tir.Div {
		return quot
	}
	// Round toward minus infinity where the remainder's sign is not the divisor's.
	differ := f.compare(tir.LT, emit("xor", rem, y), imm(0))
	inexact := f.compare(tir.NE, rem, imm(0))
	fix := f.result(differ, f.pure(fmt.Sprintf("and %s %s, %s", f.typeOf(differ), differ.ref, inexact.ref)))
	if op == tir.FloorMod {
		return f.result(x, f.choose(fix.ref, x.n, typ, emit("add", rem, y).ref, rem.ref))
	}
	return f.result(x, f.choose(fix.ref, x.n, typ, emit("add", quot, imm(-1)).ref, quot.ref))
}

// selectExpr emits a select of two evaluated values. Of a lazy one the
// branches are evaluated under guards, so that no branch faults: that is
// cheaper than a jump in the middle of a register tile.
func (f *function) selectExpr(e *tir.Select) value {
	cond := f.expr(e.Cond)
	if cond.isConst {
		if cond.ref == "true" {
			return f.expr(e.Then)
		}
		return f.expr(e.Else)
	}
	var x, y value
	if e.Lazy {
		var whole bool
		if x, whole = f.taken(cond, e); whole {
			return x
		}
		y = f.otherwise(cond, e.Else)
	} else {
		x, y = f.expr(e.Then), f.expr(e.Else)
	}
	n := max(cond.n, x.n, y.n)
	x, y = f.spread(x, n), f.spread(y, n)
	typ := f.typeOf(x)
	ref := f.pure(fmt.Sprintf("select %s %s, %s %s, %s %s", f.typeOf(cond), cond.ref, typ, x.ref, typ, y.ref))
	return value{typ: x.typ, ref: ref, n: n, half: x.half || y.half}
}

// taken evaluates what e is where cond, its condition, holds, and reports whether
// that is e elsewhere, too.
func (f *function) taken(cond value, e *tir.Select) (v value, whole bool) {
	l, ok := e.Then.(*tir.Load)
	if !ok || l.DType() == tir.I64 {
		return f.guarded(cond, e.Then), false
	}
	other, ok := e.Else.(*tir.FloatImm)
	if zero := isZero(e.Else); zero || !ok || l.DType() != tir.F32 && l.DType() != tir.F64 {
		other, ok = nil, zero
	}
	f.guards = append(f.guards, cond)
	v, certain := f.loadOr(l, other)
	f.guards = f.guards[:len(f.guards)-1]
	return v, ok && certain
}

// isZero reports whether e is the constant 0 that loads of zero bits give.
func isZero(e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Value == 0
	case *tir.FloatImm:
		return math.Float64bits(e.Value) == 0
	}
	return false
}

// otherwise evaluates e as if only where cond does not hold.
func (f *function) otherwise(cond value, e tir.Expr) value {
	switch e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return f.expr(e)
	}
	return f.guarded(f.not(cond), e)
}

// cast converts x.
func (f *function) cast(x value, to tir.DType) value {
	from := x.typ
	if from == to {
		return x
	}
	r := value{typ: to, n: x.n}
	conv := func(opcode string) {
		r.ref = f.pure(fmt.Sprintf("%s %s %s to %s", opcode, f.typeOf(x), x.ref, f.typeOf(r)))
	}
	switch {
	case x.isConst && from.IsInt() && to.IsInt():
		return f.recast(x, to)
	case to == tir.Bool:
		r.ref = f.compare(tir.NE, x, f.zero(x)).ref
	case from.IsFloat() && to.IsFloat():
		return f.castFloat(x, to)
	case from.IsFloat():
		return f.floatToInt(x, to)
	case to.IsFloat() && (from.IsUnsigned() || from == tir.Bool):
		conv("uitofp")
		return f.rounded(r)
	case to.IsFloat():
		conv("sitofp")
		return f.rounded(r)
	case from.Bytes() == to.Bytes() && from != tir.Bool:
		r.ref = x.ref
	case from.Bytes() > to.Bytes():
		conv("trunc")
	case from.IsUnsigned() || from == tir.Bool:
		conv("zext")
	default:
		conv("sext")
	}
	return r
}

// recast reads an integer constant as another type.
func (f *function) recast(x value, to tir.DType) value {
	var c int64
	fmt.Sscan(x.ref, &c)
	return intValue(to, c)
}

func (f *function) zero(x value) value {
	z := intValue(x.typ, 0)
	if x.typ.IsFloat() {
		z = floatValue(x.typ, 0)
	}
	return f.spread(z, x.n)
}

func (f *function) castFloat(x value, to tir.DType) value {
	r := value{typ: to, ref: x.ref, n: x.n, half: x.half && to == tir.F32}
	src, dst := f.typeOf(x), f.typeOf(r)
	switch {
	case src == dst:
	case to == tir.F64:
		r.ref = f.pure(fmt.Sprintf("fpext %s %s to %s", src, x.ref, dst))
	default:
		r.ref = f.pure(fmt.Sprintf("fptrunc %s %s to %s", src, x.ref, dst))
		if to == tir.F16 {
			r.ref = f.toOdd(x, r)
		}
	}
	return f.rounded(r)
}

// floatToInt truncates toward zero, to 64 bits and then to fewer, so that
// integers wrap around. Values that 64 bits do not hold give anything; for a U64
// those are what neither a U64 nor an I64 holds.
func (f *function) floatToInt(x value, to tir.DType) value {
	wide := value{typ: tir.I64, n: x.n}
	typ := f.typeOf(wide)
	raw := f.pure(fmt.Sprintf("fptosi %s %s to %s", f.typeOf(x), x.ref, typ))
	if to == tir.U64 {
		big := f.pure(fmt.Sprintf("fptoui %s %s to %s", f.typeOf(x), x.ref, typ))
		limit := f.spread(floatValue(x.typ, 0x1p63), x.n)
		raw = f.choose(f.compare(tir.GE, x, limit).ref, x.n, typ, big, raw)
	}
	wide.ref = f.pure(fmt.Sprintf("freeze %s %s", typ, raw))
	return f.cast(wide, to)
}

// truncated truncates numbers that an integer type holds toward zero. NaN gives anything.
func (f *function) truncated(x value, to tir.DType) value {
	opcode := "fptosi"
	if to.IsUnsigned() {
		opcode = "fptoui"
	}
	r := value{typ: to, n: x.n}
	raw := f.pure(fmt.Sprintf("%s %s %s to %s", opcode, f.typeOf(x), x.ref, f.typeOf(r)))
	r.ref = f.pure(fmt.Sprintf("freeze %s %s", f.typeOf(r), raw))
	return r
}

// holds reports whether an integer type has what numbers of a range are truncated to.
func holds(t tir.DType, lo, hi float64) bool {
	in := arith.Of(t)
	return lo >= float64(in.Lo) && hi <= float64(in.Hi)
}

// floatRange returns between which numbers a float lies, if it is one: as clamps say.
func floatRange(e tir.Expr) (lo, hi float64) {
	switch e := e.(type) {
	case *tir.FloatImm:
		return e.Value, e.Value
	case *tir.Binary:
		a, b := floatRange(e.X)
		c, d := floatRange(e.Y)
		switch e.Op {
		case tir.Min:
			return min(a, c), min(b, d)
		case tir.Max:
			return max(a, c), max(b, d)
		}
	case *tir.Select:
		a, b := floatRange(e.Then)
		c, d := floatRange(e.Else)
		if by, ok := e.Cond.(*tir.Binary); ok && by.X.DType() == e.DType() && tir.EqualExpr(by.X, e.Then) {
			low, high := floatRange(by.Y)
			switch by.Op {
			case tir.GT, tir.GE:
				a = max(a, low)
			case tir.LT, tir.LE:
				b = min(b, high)
			}
		}
		return min(a, c), max(b, d)
	}
	return math.Inf(-1), math.Inf(1)
}

// bitcast reads the bits of x, as they are in memory, as another type.
func (f *function) bitcast(x value, to tir.DType) value {
	as := func(ref, from, to string) string {
		if from == to {
			return ref
		}
		return f.pure(fmt.Sprintf("bitcast %s %s to %s", vectorType(from, x.n), ref, vectorType(to, x.n)))
	}
	bits := as(f.narrow(x), memoryType(x.typ), fmt.Sprintf("i%d", to.Bits()))
	return f.widen(to, as(bits, fmt.Sprintf("i%d", to.Bits()), memoryType(to)), x.n)
}

// mangle is the suffix of overloaded LLVM intrinsics.
func mangle(scalar string, n int64) string {
	short := map[string]string{"float": "f32", "double": "f64"}[scalar]
	if short == "" {
		short = scalar
	}
	if n == 1 {
		return short
	}
	return fmt.Sprintf("v%d%s", n, short)
}
