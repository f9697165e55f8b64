package compact

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// How tightly operators bind, from the loosest.
const (
	loosest = iota
	orLevel
	andLevel
	compareLevel
	addLevel
	mulLevel
	tightest
)

// operators says how binary operators are written: between the operands, or as a
// function if there is no level.
var operators = [...]struct {
	text  string
	level int
}{
	tir.Add: {"+", addLevel}, tir.Sub: {"-", addLevel}, tir.Mul: {"*", mulLevel}, tir.Div: {"/", mulLevel},
	tir.FloorDiv: {"//", mulLevel}, tir.FloorMod: {"%", mulLevel},
	tir.Min: {"min", 0}, tir.Max: {"max", 0},
	tir.EQ: {"==", compareLevel}, tir.NE: {"!=", compareLevel}, tir.LT: {"<", compareLevel}, tir.LE: {"<=", compareLevel},
	tir.GT: {">", compareLevel}, tir.GE: {">=", compareLevel},
	tir.And: {"&", andLevel}, tir.Or: {"|", orLevel},
	tir.BitAnd: {"bitand", 0}, tir.BitOr: {"bitor", 0}, tir.BitXor: {"bitxor", 0}, tir.Shl: {"shl", 0}, tir.Shr: {"shr",
		0},
}

// expr writes e, in parentheses if it binds looser than what is around it.
func (p *printer) expr(e tir.Expr, around int) {
	switch e := e.(type) {
	case *tir.Var:
		n, ok := p.vars[e]
		switch {
		case !ok:
			panic("BUG: compact: variable " + e.Name + " of no loop")
		case n == unit:
			p.text("0")
		default:
			p.name('l', n)
		}
	case *tir.IntImm:
		p.integer(e, around)
	case *tir.FloatImm:
		p.float(e)
	case *tir.Binary:
		p.binary(e, around)
	case *tir.Not:
		p.call("not", e.X)
	case *tir.Cast:
		p.call(types[e.To], e.X)
	case *tir.Bitcast:
		p.call("bitcast_"+types[e.To], e.X)
	case *tir.Select:
		name := "select"
		if e.Lazy {
			name = "if"
		}
		p.call(name, e.Cond, e.Then, e.Else)
	case *tir.Call:
		p.call(e.Fn.String(), e.Args...)
	case *tir.Load:
		p.element(e.Buffer, e.Index)
	default:
		panic(fmt.Sprintf("BUG: compact: printing a %T", e))
	}
}

func (p *printer) name(letter byte, n int) {
	p.b = strconv.AppendInt(append(p.b, letter), int64(n), 10)
}

func (p *printer) element(buf *tir.Buffer, index []tir.Expr) {
	n, ok := p.buffers[buf]
	if !ok {
		panic("BUG: compact: buffer " + buf.Name + " is neither a parameter nor allocated")
	}
	p.name('b', n)
	p.text("[")
	p.list(index)
	p.text("]")
}

func (p *printer) list(list []tir.Expr) {
	for i, e := range list {
		if i > 0 {
			p.text(",")
		}
		p.expr(e, loosest)
	}
}

func (p *printer) call(name string, args ...tir.Expr) {
	p.text(name)
	p.text("(")
	p.list(args)
	p.text(")")
}

// integer writes a constant; one that is no index says its type.
func (p *printer) integer(e *tir.IntImm, around int) {
	if e.Type != tir.Index {
		p.text(types[e.Type])
		p.text("(")
		p.text(e.Type.FormatInt(e.Value))
		p.text(")")
		return
	}
	at := len(p.b)
	text, composite := appendNumber(p.b, e.Value)
	p.b = text
	if composite && around > mulLevel || e.Value < 0 && around > loosest {
		number := string(p.b[at:])
		p.b = append(append(append(p.b[:at], '('), number...), ')')
	}
}

// float writes a constant with a point or an exponent.
func (p *printer) float(e *tir.FloatImm) {
	bits := 64
	if e.Type == tir.F32 && float64(float32(e.Value)) == e.Value {
		bits = 32
	}
	text := strconv.FormatFloat(e.Value, 'g', -1, bits)
	if !strings.ContainsAny(text, ".e") && !math.IsInf(e.Value, 0) && !math.IsNaN(e.Value) {
		text += ".0"
	}
	p.text(text)
}

// binary writes operators of one level from left to right without parentheses.
func (p *printer) binary(e *tir.Binary, around int) {
	op := operators[e.Op]
	if op.level == 0 {
		p.call(op.text, e.X, e.Y)
		return
	}
	if op.level < around {
		p.text("(")
		defer p.text(")")
	}
	p.expr(e.X, op.level)
	p.text(op.text)
	right := op.level + 1
	if _, constant := e.Y.(*tir.IntImm); constant && e.Op == tir.Mul {
		right = mulLevel // x*(2^2*3) is x*2^2*3
	}
	p.expr(e.Y, right)
}
