package cuda

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// expr returns the text of an expression.
func (w *writer) expr(e tir.Expr) value {
	switch e := e.(type) {
	case *tir.Var:
		v, ok := w.vars[e]
		if !ok {
			panic("BUG: cuda: variable " + e.Name + " has no value")
		}
		return v
	case *tir.IntImm:
		return w.intImm(e)
	case *tir.FloatImm:
		return w.floatImm(e)
	case *tir.Binary:
		return w.binary(e)
	case *tir.Not:
		return value{text: "!" + w.expr(e.X).within(unary), prec: unary}
	case *tir.Cast:
		return w.cast(e)
	case *tir.Bitcast:
		return w.bitcast(e)
	case *tir.Select:
		c, x, y := w.expr(e.Cond), w.expr(e.Then), w.expr(e.Else)
		return value{
			text: fmt.Sprintf("%s ? %s : %s", c.within(disjunction), x.within(disjunction), y.within(conditional)),
			prec: conditional, wide: x.wide || y.wide,
		}
	case *tir.Call:
		return w.call(e)
	case *tir.Load:
		return value{text: w.element(e.Buffer, e.Index), prec: atom, wide: e.DType() == tir.I64}
	}
	panic(fmt.Sprintf("BUG: cuda: expression %T", e))
}

func (w *writer) intImm(e *tir.IntImm) value {
	switch {
	case e.Type == tir.Bool:
		return value{text: strconv.FormatBool(e.Value != 0), prec: atom}
	case e.Type == tir.I32 && e.Value == math.MinInt32: // its digits are of no int
		return value{text: "-2147483647 - 1", prec: sum}
	case e.Type == tir.U32:
		return value{text: e.Type.FormatInt(e.Value) + "u", prec: atom}
	case e.Type == tir.U64:
		return value{text: e.Type.FormatInt(e.Value) + "ull", prec: atom}
	}
	return number(e.Value)
}

func (w *writer) floatImm(e *tir.FloatImm) value {
	switch e.Type {
	case tir.F16:
		half := tir.HalfToFloat(tir.F16, tir.HalfFromFloat(tir.F16, e.Value)) // rounded once, not to a float before
		return w.apply("float_to_half", floatText(half, tir.F32))
	case tir.BF16:
		return w.apply("float_to_bfloat", floatText(e.Value, tir.F32))
	}
	v := value{text: floatText(e.Value, e.Type), prec: atom}
	if strings.HasPrefix(v.text, "-") {
		v.prec = unary
	}
	return v
}

// floatText returns a constant of type F32 or F64.
func floatText(v float64, t tir.DType) string {
	if t == tir.F32 {
		v = float64(float32(v))
	}
	if math.IsInf(v, 0) || math.IsNaN(v) {
		if t == tir.F32 {
			return fmt.Sprintf("__int_as_float(0x%x)", math.Float32bits(float32(v)))
		}
		return fmt.Sprintf("__longlong_as_double(0x%xLL)", math.Float64bits(v))
	}
	bits, suffix := 64, ""
	if t == tir.F32 {
		bits, suffix = 32, "f"
	}
	s := strconv.FormatFloat(v, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + suffix
}

// apply returns the call of a helper.
func (w *writer) apply(name string, args ...string) value {
	base, _, _ := strings.Cut(name, "<")
	w.m.need(base)
	return value{text: name + "(" + strings.Join(args, ", ") + ")", prec: atom}
}

// infix holds the operators that C has.
var infix = map[tir.BinOp]struct {
	text string
	prec precedence
}{
	tir.Add: {"+", sum}, tir.Sub: {"-", sum}, tir.Mul: {"*", product}, tir.Div: {"/", product},
	tir.EQ: {"==", equality}, tir.NE: {"!=", equality},
	tir.LT: {"<", comparison}, tir.LE: {"<=", comparison}, tir.GT: {">", comparison}, tir.GE: {">=", comparison},
	tir.And: {"&&", conjunction}, tir.Or: {"||", disjunction},
	tir.BitAnd: {"&", bitAnd}, tir.BitOr: {"|", bitOr}, tir.BitXor: {"^", bitXor},
}

func (w *writer) binary(e *tir.Binary) value {
	x, y := w.expr(e.X), w.expr(e.Y)
	t := e.DType()
	switch {
	case e.Op == tir.FloorDiv || e.Op == tir.FloorMod:
		return w.floorDivision(e, x, y)
	case e.Op == tir.Min || e.Op == tir.Max:
		return w.extreme(e, x, y)
	case e.Op.IsBits():
		return w.bits(e, x, y)
	case t == tir.I64:
		return w.index(e, x, y)
	case t.IsInt():
		return w.wrapping(e, x, y)
	}
	return join(e.Op, x, y)
}

// bits returns an operator on bits. Those of an int are the lowest of the long long of the same value, the others
// copies of its sign.
func (w *writer) bits(e *tir.Binary, x, y value) value {
	if e.Op != tir.Shl && e.Op != tir.Shr {
		v := join(e.Op, x, y)
		v.wide = x.wide || y.wide
		return v
	}
	name := map[tir.BinOp]string{tir.Shl: "shift_left", tir.Shr: "shift_right"}[e.Op]
	v := w.apply(name+"<"+typeName(e.DType())+">", x.text, y.text)
	v.wide = e.DType() == tir.I64
	return v
}

// join returns x op y as C has it.
func join(op tir.BinOp, x, y value) value {
	o, ok := infix[op]
	if !ok {
		panic("BUG: cuda: operator " + op.String())
	}
	tight := o.prec + 1 // of the right operand: operators of one precedence group from the left
	if op == tir.And || op == tir.Or {
		tight = o.prec
	}
	return value{text: fmt.Sprintf("%s %s %s", x.within(o.prec), o.text, y.within(tight)), prec: o.prec}
}

// index returns integer arithmetic of type I64: of int if the result is known to
// be one. Of a result that may be larger one operand is made a long long; where
// elements of memory go in, it wraps around.
func (w *writer) index(e *tir.Binary, x, y value) value {
	narrow := !x.wide && !y.wide && w.narrow(e)
	switch {
	case narrow:
	case w.hasBounds(e):
		if !x.wide {
			x = castTo("long long", x)
		}
	default:
		return w.wrapping(e, x, y)
	}
	v := join(e.Op, x, y)
	v.wide = !narrow
	return v
}

func (w *writer) hasBounds(e tir.Expr) bool {
	_, _, ok := w.known.Bounds(e)
	return ok
}

// wrapping returns integer arithmetic that wraps around, which C's does for
// unsigned types only.
func (w *writer) wrapping(e *tir.Binary, x, y value) value {
	t := e.DType()
	name, unsigned := typeName(t), types[t].unsigned
	if e.Op != tir.Div && unsigned != "" {
		x, y = castTo(unsigned, x), castTo(unsigned, y)
	}
	v := castTo(name, join(e.Op, x, y))
	v.wide = t == tir.I64
	return v
}

func castTo(typ string, x value) value {
	return value{text: "(" + typ + ")" + x.within(unary), prec: unary, wide: typ == "long long"}
}

// floorDivision returns a quotient or remainder: C's, if nothing is negative.
func (w *writer) floorDivision(e *tir.Binary, x, y value) value {
	typ := typeName(e.DType())
	wide := false
	if e.DType() == tir.I64 {
		wide = x.wide || y.wide
		if !wide {
			typ = "int"
		}
		if w.positive(e.X) {
			op := " / "
			if e.Op == tir.FloorMod {
				op = " % "
			}
			return value{text: x.within(product) + op + y.within(unary), prec: product, wide: wide}
		}
	}
	name := map[tir.BinOp]string{tir.FloorDiv: "floor_div", tir.FloorMod: "floor_mod"}[e.Op]
	v := w.apply(name+"<"+typ+">", x.text, y.text)
	v.wide = wide
	return v
}

// extreme returns the smaller or greater one, a NaN if one is: a constant stands
// first, where the compiler sees that it is none.
func (w *writer) extreme(e *tir.Binary, x, y value) value {
	name := "min_of"
	if e.Op == tir.Max {
		name = "max_of"
	}
	t := e.DType()
	if _, ok := e.Y.(*tir.FloatImm); ok {
		x, y = y, x
	}
	typ := typeName(t)
	wide := t == tir.I64 && (x.wide || y.wide)
	if t == tir.I64 && !wide {
		typ = "int"
	}
	v := w.apply(name+"<"+typ+">", x.text, y.text)
	v.wide = wide
	return v
}
