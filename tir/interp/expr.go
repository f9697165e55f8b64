package interp

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/wmtune/wmtune/tir"
)

// Expressions become closures: Bool and integers compute an int64 that is in
// the range of their type, U64 one with the same bits, floats a float64 that is
// a value of their type.
type (
	intFn   func(*frame) int64
	floatFn func(*frame) float64
)

func (c *compiler) intExpr(e tir.Expr) intFn {
	switch e := e.(type) {
	case *tir.Var:
		slot := c.slot(e)
		return func(f *frame) int64 { return f.vars[slot] }
	case *tir.IntImm:
		v := e.Value
		return func(*frame) int64 { return v }
	case *tir.Binary:
		if e.Op.IsCompare() {
			return c.compare(e)
		}
		return c.intBinary(e)
	case *tir.Not:
		x := c.intExpr(e.X)
		return func(f *frame) int64 { return 1 - x(f) }
	case *tir.Cast:
		return c.castToInt(e)
	case *tir.Bitcast:
		return c.bitsToInt(e)
	case *tir.Select:
		return c.intSelect(e)
	case *tir.Load:
		return c.loadInt(e)
	}
	panic(fmt.Sprintf("BUG: interp: integer expression %T", e))
}

func (c *compiler) castToInt(e *tir.Cast) intFn {
	to := e.To
	if e.X.DType().IsFloat() {
		x := c.floatExpr(e.X)
		if to == tir.Bool {
			return func(f *frame) int64 { return truth(x(f) != 0) }
		}
		return func(f *frame) int64 {
			v := math.Trunc(x(f))
			if !(v >= -0x1p63 && (v < 0x1p63 || to == tir.U64 && v < 0x1p64)) {
				f.fail("cast of %v to %s", v, to)
			}
			return to.Truncate(v)
		}
	}
	x := c.intExpr(e.X)
	if to == tir.Bool {
		return func(f *frame) int64 { return truth(x(f) != 0) }
	}
	return func(f *frame) int64 { return to.Wrap(x(f)) }
}

// bits returns the bits of a value of any type but Bool, the lowest of what it computes.
func (c *compiler) bits(e tir.Expr) intFn {
	t := e.DType()
	if !t.IsFloat() {
		return c.intExpr(e)
	}
	x := c.floatExpr(e)
	return func(f *frame) int64 {
		var at [8]byte
		storeFloat(t, at[:], 0, x(f))
		return int64(binary.LittleEndian.Uint64(at[:]))
	}
}

func (c *compiler) bitsToInt(e *tir.Bitcast) intFn {
	bits := c.bits(e.X)
	return func(f *frame) int64 { return e.To.Wrap(bits(f)) }
}

func (c *compiler) bitsToFloat(e *tir.Bitcast) floatFn {
	bits := c.bits(e.X)
	return func(f *frame) float64 {
		var at [8]byte
		binary.LittleEndian.PutUint64(at[:], uint64(bits(f)))
		return loadFloat(e.To, at[:], 0)
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (c *compiler) intSelect(e *tir.Select) intFn {
	cond, then, els := c.intExpr(e.Cond), c.intExpr(e.Then), c.intExpr(e.Else)
	if e.Lazy || !mayFault(e.Then) && !mayFault(e.Else) {
		return func(f *frame) int64 {
			if cond(f) != 0 {
				return then(f)
			}
			return els(f)
		}
	}
	return func(f *frame) int64 {
		t, o := then(f), els(f) // both, so that neither may fault
		if cond(f) != 0 {
			return t
		}
		return o
	}
}

// mayFault reports whether computing e may end the run. Matrices of Winograd convolutions are long chains of selects
// among numbers, which may not: they end at the number that is chosen.
func mayFault(e tir.Expr) bool {
	found := false
	tir.VisitExpr(e, func(e tir.Expr) bool {
		switch e := e.(type) {
		case *tir.Load:
			found = true
		case *tir.Binary:
			by, ok := e.Y.(*tir.IntImm)
			divides := e.Op == tir.Div || e.Op == tir.FloorDiv || e.Op == tir.FloorMod
			found = found || divides && !e.DType().IsFloat() && !(ok && by.Value > 0)
		case *tir.Cast:
			found = found || e.X.DType().IsFloat() && !e.To.IsFloat()
		}
		return !found
	})
	return found
}

// intBinary compiles arithmetic and logic. Sums and products of indices, which
// are most of all work, get closures of their own.
func (c *compiler) intBinary(e *tir.Binary) intFn {
	t := e.DType()
	if t == tir.Index && (e.Op == tir.Add || e.Op == tir.Mul) {
		return c.indexBinary(e)
	}
	x, y := c.intExpr(e.X), c.intExpr(e.Y)
	if fn := unsignedBinary(e, x, y); t == tir.U64 && fn != nil {
		return fn
	}
	switch e.Op {
	case tir.Add:
		return func(f *frame) int64 { return t.Wrap(x(f) + y(f)) }
	case tir.Sub:
		return func(f *frame) int64 { return t.Wrap(x(f) - y(f)) }
	case tir.Mul:
		return func(f *frame) int64 { return t.Wrap(x(f) * y(f)) }
	case tir.Div:
		return func(f *frame) int64 {
			a, b := x(f), y(f)
			if b == 0 {
				f.fail("division by zero in %s", e)
			}
			return t.Wrap(a / b)
		}
	case tir.FloorDiv:
		return func(f *frame) int64 { q, _ := floorDivMod(f, e, x(f), y(f)); return q }
	case tir.FloorMod:
		return func(f *frame) int64 { _, m := floorDivMod(f, e, x(f), y(f)); return m }
	case tir.Min:
		return func(f *frame) int64 { return min(x(f), y(f)) }
	case tir.Max:
		return func(f *frame) int64 { return max(x(f), y(f)) }
	case tir.And: // y only where it matters
		return func(f *frame) int64 {
			if x(f) == 0 {
				return 0
			}
			return y(f)
		}
	case tir.Or:
		return func(f *frame) int64 {
			if x(f) != 0 {
				return 1
			}
			return y(f)
		}
	case tir.BitAnd:
		return func(f *frame) int64 { return x(f) & y(f) }
	case tir.BitOr:
		return func(f *frame) int64 { return x(f) | y(f) }
	case tir.BitXor:
		return func(f *frame) int64 { return x(f) ^ y(f) }
	case tir.Shl, tir.Shr:
		return shift(e.Op, t, x, y)
	}
	panic(fmt.Sprintf("BUG: interp: operator %d of integers", e.Op))
}

// shift compiles a shift; all bits of the count are one number without a sign.
func shift(op tir.BinOp, t tir.DType, x, y intFn) intFn {
	bits := uint64(t.Bits())
	switch {
	case op == tir.Shl:
		return func(f *frame) int64 {
			a, n := x(f), uint64(y(f))
			if n >= bits {
				return 0
			}
			return t.Wrap(a << n)
		}
	case t == tir.U64:
		return func(f *frame) int64 { return int64(uint64(x(f)) >> uint64(y(f))) }
	}
	return func(f *frame) int64 { return x(f) >> uint64(y(f)) }
}

// unsignedBinary compiles the operators that treat the bits of a U64 in another way than those of an int64, or
// returns nil.
func unsignedBinary(e *tir.Binary, x, y intFn) intFn {
	divisor := func(f *frame) uint64 {
		b := uint64(y(f))
		if b == 0 {
			f.fail("division by zero in %s", e)
		}
		return b
	}
	switch e.Op {
	case tir.Div, tir.FloorDiv:
		return func(f *frame) int64 { return int64(uint64(x(f)) / divisor(f)) }
	case tir.FloorMod:
		return func(f *frame) int64 { return int64(uint64(x(f)) % divisor(f)) }
	case tir.Min:
		return func(f *frame) int64 { return int64(min(uint64(x(f)), uint64(y(f)))) }
	case tir.Max:
		return func(f *frame) int64 { return int64(max(uint64(x(f)), uint64(y(f)))) }
	}
	return nil
}

func floorDivMod(f *frame, e *tir.Binary, a, b int64) (q, m int64) {
	if b <= 0 {
		f.fail("division by %d in %s: the divisor must be positive", b, e)
	}
	q, m = a/b, a%b
	if m < 0 {
		q, m = q-1, m+b
	}
	return q, m
}

func (c *compiler) indexBinary(e *tir.Binary) intFn {
	if k, ok := e.Y.(*tir.IntImm); ok {
		x, k := c.intExpr(e.X), k.Value
		if v, ok := e.X.(*tir.Var); ok {
			slot := c.slot(v)
			if e.Op == tir.Add {
				return func(f *frame) int64 { return f.vars[slot] + k }
			}
			return func(f *frame) int64 { return f.vars[slot] * k }
		}
		if e.Op == tir.Add {
			return func(f *frame) int64 { return x(f) + k }
		}
		return func(f *frame) int64 { return x(f) * k }
	}
	x, y := c.intExpr(e.X), c.intExpr(e.Y)
	if e.Op == tir.Add {
		if v, ok := e.Y.(*tir.Var); ok {
			slot := c.slot(v)
			return func(f *frame) int64 { return x(f) + f.vars[slot] }
		}
		return func(f *frame) int64 { return x(f) + y(f) }
	}
	return func(f *frame) int64 { return x(f) * y(f) }
}

func (c *compiler) compare(e *tir.Binary) intFn {
	if e.X.DType().IsFloat() {
		x, y := c.floatExpr(e.X), c.floatExpr(e.Y)
		return compareFn(e.Op, x, y)
	}
	x, y := c.intExpr(e.X), c.intExpr(e.Y)
	if e.X.DType() == tir.U64 {
		return compareFn(e.Op, unsigned(x), unsigned(y))
	}
	if k, ok := e.Y.(*tir.IntImm); ok && e.Op == tir.EQ {
		return func(f *frame) int64 { return truth(x(f) == k.Value) }
	}
	return compareFn(e.Op, x, y)
}

// unsigned returns the number that the bits of a U64 are.
func unsigned(x intFn) func(*frame) uint64 { return func(f *frame) uint64 { return uint64(x(f)) } }

func compareFn[T int64 | uint64 | float64, F ~func(*frame) T](op tir.BinOp, x, y F) intFn {
	switch op {
	case tir.EQ:
		return func(f *frame) int64 { return truth(x(f) == y(f)) }
	case tir.NE:
		return func(f *frame) int64 { return truth(x(f) != y(f)) }
	case tir.LT:
		return func(f *frame) int64 { return truth(x(f) < y(f)) }
	case tir.LE:
		return func(f *frame) int64 { return truth(x(f) <= y(f)) }
	case tir.GT:
		return func(f *frame) int64 { return truth(x(f) > y(f)) }
	case tir.GE:
		return func(f *frame) int64 { return truth(x(f) >= y(f)) }
	}
	panic(fmt.Sprintf("BUG: interp: operator %d is no comparison", op))
}

func (c *compiler) floatExpr(e tir.Expr) floatFn {
	switch e := e.(type) {
	case *tir.FloatImm:
		v := roundFloat(e.Type, e.Value)
		return func(*frame) float64 { return v }
	case *tir.Binary:
		return c.floatBinary(e)
	case *tir.Cast:
		to := e.To
		if e.X.DType().IsFloat() {
			x := c.floatExpr(e.X)
			return func(f *frame) float64 { return roundFloat(to, x(f)) }
		}
		x := c.intExpr(e.X)
		if e.X.DType() == tir.U64 {
			return unsignedToFloat(unsigned(x), to)
		}
		if to == tir.F32 { // one rounding; by way of float64 it would be two
			return func(f *frame) float64 { return float64(float32(x(f))) }
		}
		return func(f *frame) float64 { return roundFloat(to, float64(x(f))) }
	case *tir.Bitcast:
		return c.bitsToFloat(e)
	case *tir.Select:
		return c.floatSelect(e)
	case *tir.Call:
		return c.call(e)
	case *tir.Load:
		return c.loadFloat(e)
	}
	if v, ok := e.(*tir.Var); ok { // an accumulator or source of a combiner
		slot := c.floatSlot(v)
		return func(f *frame) float64 { return f.floats[slot] }
	}
	panic(fmt.Sprintf("BUG: interp: float expression %T", e))
}

func unsignedToFloat(x func(*frame) uint64, to tir.DType) floatFn {
	if to == tir.F32 {
		return func(f *frame) float64 { return float64(float32(x(f))) }
	}
	return func(f *frame) float64 { return roundFloat(to, float64(x(f))) }
}

func (c *compiler) floatSelect(e *tir.Select) floatFn {
	cond, then, els := c.intExpr(e.Cond), c.floatExpr(e.Then), c.floatExpr(e.Else)
	if e.Lazy || !mayFault(e.Then) && !mayFault(e.Else) {
		return func(f *frame) float64 {
			if cond(f) != 0 {
				return then(f)
			}
			return els(f)
		}
	}
	return func(f *frame) float64 {
		t, o := then(f), els(f)
		if cond(f) != 0 {
			return t
		}
		return o
	}
}

// floatBinary compiles float arithmetic. A float32 operation is done in float64
// and rounded, which for these operators gives the float32 result exactly.
func (c *compiler) floatBinary(e *tir.Binary) floatFn {
	x, y := c.floatExpr(e.X), c.floatExpr(e.Y)
	single := e.DType() == tir.F32
	switch e.Op {
	case tir.Add:
		if single {
			return func(f *frame) float64 { return float64(float32(x(f) + y(f))) }
		}
		return func(f *frame) float64 { return x(f) + y(f) }
	case tir.Sub:
		if single {
			return func(f *frame) float64 { return float64(float32(x(f) - y(f))) }
		}
		return func(f *frame) float64 { return x(f) - y(f) }
	case tir.Mul:
		if single {
			return func(f *frame) float64 { return float64(float32(x(f) * y(f))) }
		}
		return func(f *frame) float64 { return x(f) * y(f) }
	case tir.Div:
		if single {
			return func(f *frame) float64 { return float64(float32(x(f) / y(f))) }
		}
		return func(f *frame) float64 { return x(f) / y(f) }
	case tir.Min:
		return func(f *frame) float64 { return minFloat(x(f), y(f)) }
	case tir.Max:
		return func(f *frame) float64 { return maxFloat(x(f), y(f)) }
	}
	panic(fmt.Sprintf("BUG: interp: operator %d of floats", e.Op))
}

// minFloat and maxFloat are x < y ? x : y and x > y ? x : y, and a NaN if one of
// them is, as numpy has it.
func minFloat(x, y float64) float64 {
	if x < y || x != x {
		return x
	}
	return y
}

func maxFloat(x, y float64) float64 {
	if x > y || x != x {
		return x
	}
	return y
}

func (c *compiler) call(e *tir.Call) floatFn {
	x := c.floatExpr(e.Args[0])
	t := e.DType()
	if e.Fn == tir.Pow {
		y := c.floatExpr(e.Args[1])
		return func(f *frame) float64 { return roundFloat(t, math.Pow(x(f), y(f))) }
	}
	fn := unaryFns[e.Fn]
	if fn == nil {
		panic(fmt.Sprintf("BUG: interp: no function for intrinsic %d", e.Fn))
	}
	return func(f *frame) float64 { return roundFloat(t, fn(x(f))) }
}

// unaryFns holds the intrinsics of one argument; the emitters' may differ by a
// few units in the last place.
var unaryFns = [...]func(float64) float64{
	tir.Exp:     math.Exp,
	tir.Log:     math.Log,
	tir.Sqrt:    math.Sqrt,
	tir.Rsqrt:   func(v float64) float64 { return 1 / math.Sqrt(v) },
	tir.Tanh:    math.Tanh,
	tir.Erf:     math.Erf,
	tir.Sigmoid: func(v float64) float64 { return 1 / (1 + math.Exp(-v)) },
	tir.Abs:     math.Abs,
	tir.Floor:   math.Floor,
	tir.Ceil:    math.Ceil,
	tir.Round:   math.Round,

	tir.RoundEven: math.RoundToEven,
	tir.Sin:       math.Sin,
	tir.Cos:       math.Cos,
	tir.Atan:      math.Atan,
	tir.TF32:      func(v float64) float64 { return float64(roundTF32(float32(v))) },
}
