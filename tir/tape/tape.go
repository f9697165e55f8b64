// Package tape has numbers that know how they depend on variables: a Tape remembers how each came about, so that
// all of them can be computed again for other variables, and derived. The variables are logarithms, such as those
// of tile lengths, and conditions may be smooth, as in "Felix: Optimizing Tensor Programs with Gradient Descent"
// (Zhao et al., 2024).
//
// The package must not know what the numbers mean.
package tape

import "math"

// A Tape is a list of numbers, each after those that it is made of.
type Tape struct {
	// Sharpness says what becomes of conditions: x > y is S(k(ln x - ln y)) with S(t) = (1 + t/sqrt(1+t^2))/2, and
	// x = y is H(k(ln x - ln y)) with H(t) = 1/sqrt(1+t^2). The numbers are rounded down nowhere. 0 is sharp:
	// conditions are 0 or 1, and Floor rounds.
	Sharpness float64

	nodes  []node
	values []float64
	slopes []float64
	vars   []int32 // the logarithms
	known  map[node]int32
}

// A node says how a number comes about.
type node struct {
	op   op
	a, b int32
	c    float64 // of a constant
}

type op uint8

const (
	constant op = iota
	variable
	plus
	minus
	times
	over
	floor
	log2
	exp
	least
	most
	above
	equal
)

// A Real is a number on a tape, or a constant: the zero value is 0.
type Real struct {
	v float64
	t *Tape // nil: a constant
	i int32
}

// Variable returns exp(y) of a new variable y.
func (t *Tape) Variable(y float64) Real {
	v := t.add(node{variable, int32(len(t.vars)), 0, 0}, y)
	t.vars = append(t.vars, v.i)
	return t.add(node{op: exp, a: v.i}, math.Exp(y))
}

// Len returns how many numbers there are.
func (t *Tape) Len() int { return len(t.nodes) }

// add returns the number of a node; one that is there already is not written again.
func (t *Tape) add(n node, v float64) Real {
	if i, ok := t.known[n]; ok {
		return Real{t.values[i], t, i}
	}
	if t.known == nil {
		t.known = map[node]int32{}
	}
	i := int32(len(t.nodes))
	t.nodes, t.values, t.known[n] = append(t.nodes, n), append(t.values, v), i
	return Real{v, t, i}
}

// on returns the place of a number on the tape.
func (x Real) on(t *Tape) int32 {
	if x.t == nil {
		return t.add(node{op: constant, c: x.v}, x.v).i
	}
	return x.i
}

func (x Real) with(o op, y Real) Real {
	t := x.t
	if t == nil {
		t = y.t
	}
	if t == nil {
		return Real{v: (&Tape{}).compute(o, x.v, y.v)}
	}
	return t.add(node{op: o, a: x.on(t), b: y.on(t)}, t.compute(o, x.v, y.v))
}

// near is how far numbers may be apart, one divided by the other, that a condition takes for equal where it is
// sharp.
const near = 1e-9

// compute returns what an operation makes of numbers.
func (t *Tape) compute(o op, x, y float64) float64 {
	switch o {
	case plus:
		return x + y
	case minus:
		return x - y
	case times:
		return x * y
	case over:
		return x / y
	case floor:
		return math.Floor(x + near*max(1, math.Abs(x)))
	case log2:
		return math.Log2(x)
	case exp:
		return math.Exp(x)
	case least:
		return min(x, y)
	case most:
		return max(x, y)
	}
	if t.Sharpness > 0 && x > 0 && y > 0 {
		d := t.Sharpness * (math.Log(x) - math.Log(y))
		if o == above {
			return (1 + d/math.Sqrt(1+d*d)) / 2
		}
		return 1 / math.Sqrt(1+d*d)
	}
	apart := near * max(math.Abs(x), math.Abs(y))
	if o == above && x > y+apart || o == equal && math.Abs(x-y) <= apart {
		return 1
	}
	return 0
}

// Run computes all numbers for other variables.
func (t *Tape) Run(y []float64) {
	v := t.values
	for i, n := range t.nodes {
		switch n.op {
		case constant:
		case variable:
			v[i] = y[n.a]
		case plus:
			v[i] = v[n.a] + v[n.b]
		case times:
			v[i] = v[n.a] * v[n.b]
		default:
			v[i] = t.compute(n.op, v[n.a], v[n.b])
		}
	}
}

// Slopes fills in the derivative by each variable of the sum of some numbers, each times a weight.
func (t *Tape) Slopes(of []Real, weights, by []float64) {
	if t.slopes == nil || len(t.slopes) < len(t.nodes) {
		t.slopes = make([]float64, len(t.nodes))
	}
	clear(t.slopes)
	for k, x := range of {
		if x.t != nil {
			t.slopes[x.i] += weights[k]
		}
	}
	v, s := t.values, t.slopes
	for i := len(t.nodes) - 1; i >= 0; i-- {
		g, n := s[i], t.nodes[i]
		if g == 0 {
			continue
		}
		switch n.op {
		case plus:
			s[n.a] += g
			s[n.b] += g
		case minus:
			s[n.a] += g
			s[n.b] -= g
		case times:
			s[n.a] += g * v[n.b]
			s[n.b] += g * v[n.a]
		case over:
			s[n.a] += g / v[n.b]
			s[n.b] -= g * v[i] / v[n.b]
		case log2:
			s[n.a] += g / (v[n.a] * math.Ln2)
		case exp:
			s[n.a] += g * v[i]
		case least, most:
			if (v[n.a] <= v[n.b]) == (n.op == least) {
				s[n.a] += g
			} else {
				s[n.b] += g
			}
		case above, equal:
			t.condition(n, g)
		}
	}
	for k, i := range t.vars {
		by[k] = s[i]
	}
}

// condition adds the slopes of a condition.
func (t *Tape) condition(n node, g float64) {
	x, y := t.values[n.a], t.values[n.b]
	if t.Sharpness == 0 || x <= 0 || y <= 0 {
		return
	}
	d := t.Sharpness * (math.Log(x) - math.Log(y))
	slope := math.Pow(1+d*d, -1.5) / 2
	if n.op == equal {
		slope *= -2 * d
	}
	g *= slope * t.Sharpness
	t.slopes[n.a] += g / x
	t.slopes[n.b] -= g / y
}

// At returns the number as the last run of its tape has it.
func (x Real) At() float64 {
	if x.t == nil {
		return x.v
	}
	return x.t.values[x.i]
}

// Const returns v.
func (Real) Const(v float64) Real { return Real{v: v} }

// Value returns the number as it was when it came about.
func (x Real) Value() float64 { return x.v }

func (x Real) is(v float64) bool { return x.t == nil && x.v == v }

// Plus returns x + y.
func (x Real) Plus(y Real) Real {
	switch {
	case x.is(0):
		return y
	case y.is(0):
		return x
	}
	return x.with(plus, y)
}

// Minus returns x - y.
func (x Real) Minus(y Real) Real {
	if y.is(0) {
		return x
	}
	return x.with(minus, y)
}

// Times returns x * y.
func (x Real) Times(y Real) Real {
	switch {
	case x.is(1), y.is(0):
		return y
	case y.is(1), x.is(0):
		return x
	}
	return x.with(times, y)
}

// Over returns x / y.
func (x Real) Over(y Real) Real {
	if y.is(1) || x.is(0) {
		return x
	}
	return x.with(over, y)
}

// Floor rounds down, unless the tape is smooth.
func (x Real) Floor() Real {
	if x.t != nil && x.t.Sharpness > 0 {
		return x
	}
	return x.with(floor, Real{})
}

// Log2 returns the binary logarithm.
func (x Real) Log2() Real { return x.with(log2, Real{}) }

// Least returns the smaller one.
func (x Real) Least(y Real) Real { return x.with(least, y) }

// Most returns the larger one.
func (x Real) Most(y Real) Real { return x.with(most, y) }

// Above returns 1 if x > y, else 0, or a number between if the tape is smooth. Conditions of constants are sharp.
func (x Real) Above(y Real) Real { return x.with(above, y) }

// Equal returns 1 if x = y, else 0, or a number between if the tape is smooth.
func (x Real) Equal(y Real) Real { return x.with(equal, y) }

// IsConst reports whether the number depends on no variable.
func (x Real) IsConst() bool { return x.t == nil }
