package cuda

import (
	"math"
	"strconv"
)

// A value is the text of an expression.
type value struct {
	text string
	prec precedence
	wide bool // of type I64: it is a long long; else an int with the same value
}

// A precedence says how tightly the outermost operator of a text binds.
type precedence int

const (
	conditional precedence = iota
	disjunction
	conjunction
	bitOr
	bitXor
	bitAnd
	equality
	comparison
	sum
	product
	unary
	atom
)

// within returns the text of v as an operand of something that binds so tightly.
func (v value) within(p precedence) string {
	if v.prec < p {
		return "(" + v.text + ")"
	}
	return v.text
}

// number returns an integer constant.
func number(n int64) value {
	if n == math.MinInt64 { // its digits are of no long long
		return value{text: "-9223372036854775807LL - 1", prec: sum, wide: true}
	}
	v := value{text: strconv.FormatInt(n, 10), prec: atom}
	if n < 0 {
		v.prec = unary
	}
	if n < -1<<31+1 || n > 1<<31-1 {
		v.text, v.wide = v.text+"LL", true
	}
	return v
}
