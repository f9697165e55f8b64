package llvm

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/tir"
)

// A floats writes arithmetic on n lanes of one float type: operands are the
// names of vectors (of scalars if n is 1) of floats, or of integers that hold
// their bits. Mathematical functions are written with it; see docs/design/vector-math.md.
type floats struct {
	f   *function
	typ tir.DType // F32 or F64
	n   int64

	bits     int64 // of an element
	mantissa int64 // bits of the fraction that are stored
	bias     int64 // of the exponent
}

// floatsOf returns what writes arithmetic on values like x. Storage types
// compute as float.
func (f *function) floatsOf(x value) floats {
	if x.typ == tir.F64 {
		return floats{f: f, typ: tir.F64, n: x.n, bits: 64, mantissa: 52, bias: 1023}
	}
	return floats{f: f, typ: tir.F32, n: x.n, bits: 32, mantissa: 23, bias: 127}
}

func (m floats) float() string   { return vectorType(scalarType(m.typ), m.n) }
func (m floats) integer() string { return vectorType(fmt.Sprintf("i%d", m.bits), m.n) }

// c is a constant, rounded to the type.
func (m floats) c(v float64) string {
	ref := floatValue(m.typ, v).ref
	if m.n > 1 {
		return splatText(scalarType(m.typ), ref, m.n)
	}
	return ref
}

// i is a constant integer.
func (m floats) i(v int64) string {
	if m.n > 1 {
		return splatText(fmt.Sprintf("i%d", m.bits), fmt.Sprint(v), m.n)
	}
	return fmt.Sprint(v)
}

func (m floats) op(opcode, x, y string) string {
	return m.f.pure(fmt.Sprintf("%s %s %s, %s", opcode, m.float(), x, y))
}

func (m floats) add(x, y string) string { return m.op("fadd", x, y) }
func (m floats) sub(x, y string) string { return m.op("fsub", x, y) }
func (m floats) mul(x, y string) string { return m.op("fmul", x, y) }
func (m floats) div(x, y string) string { return m.op("fdiv", x, y) }
func (m floats) neg(x string) string    { return m.f.pure(fmt.Sprintf("fneg %s %s", m.float(), x)) }

// fma returns x*y + z, rounded once where the processor can, and twice where
// fma would be a call.
func (m floats) fma(x, y, z string) string {
	if !m.f.hasFMA() {
		return m.add(m.mul(x, y), z)
	}
	return m.intrinsic("fma", x, y, z)
}

func (m floats) abs(x string) string         { return m.intrinsic("fabs", x) }
func (m floats) copySign(x, s string) string { return m.intrinsic("copysign", x, s) }

// intrinsic calls an LLVM intrinsic all of whose operands are of the type.
func (m floats) intrinsic(name string, args ...string) string {
	typ := m.float()
	name = "@llvm." + name + "." + mangle(scalarType(m.typ), m.n)
	params, operands := "", ""
	for i, a := range args {
		if i > 0 {
			params, operands = params+", ", operands+", "
		}
		params, operands = params+typ, operands+typ+" "+a
	}
	m.f.m.need(fmt.Sprintf("declare %s %s(%s)", typ, name, params))
	return m.f.pure(fmt.Sprintf("call %s %s(%s)", typ, name, operands))
}

// is compares: "olt", "oeq", "ult", and so on.
func (m floats) is(predicate, x, y string) string { return m.op("fcmp "+predicate, x, y) }

func (m floats) pick(cond, x, y string) string { return m.f.choose(cond, m.n, m.float(), x, y) }

func (m floats) logic(opcode, x, y string) string {
	return m.f.pure(fmt.Sprintf("%s %s %s, %s", opcode, vectorType("i1", m.n), x, y))
}

func (m floats) not(cond string) string {
	return m.f.not(value{typ: tir.Bool, ref: cond, n: m.n}).ref
}

// atMost and atLeast limit x by a constant. A NaN stays one.
func (m floats) atMost(x string, c float64) string {
	return m.pick(m.is("olt", m.c(c), x), m.c(c), x)
}

func (m floats) atLeast(x string, c float64) string {
	return m.pick(m.is("ogt", m.c(c), x), m.c(c), x)
}

// toBits and toFloat look at the same bits as another type.
func (m floats) toBits(x string) string {
	return m.f.pure(fmt.Sprintf("bitcast %s %s to %s", m.float(), x, m.integer()))
}

func (m floats) toFloat(x string) string {
	return m.f.pure(fmt.Sprintf("bitcast %s %s to %s", m.integer(), x, m.float()))
}

// intOp is arithmetic on bits.
func (m floats) intOp(opcode, x, y string) string {
	return m.f.pure(fmt.Sprintf("%s %s %s, %s", opcode, m.integer(), x, y))
}

// bitsOf are the bits of a constant.
func (m floats) bitsOf(c float64) int64 {
	if m.typ == tir.F32 {
		return int64(math.Float32bits(float32(c)))
	}
	return int64(math.Float64bits(c))
}

// isOdd reports whether the last bit of an integer is set.
func (m floats) isOdd(n string) string {
	return m.f.pure(fmt.Sprintf("trunc %s %s to %s", m.integer(), n, vectorType("i1", m.n)))
}

// wide returns what writes arithmetic on as many doubles; widened and narrowed convert from floats and back.
func (m floats) wide() floats { return m.f.floatsOf(value{typ: tir.F64, n: m.n}) }

func (m floats) widened(x string) string {
	return m.f.pure(fmt.Sprintf("fpext %s %s to %s", m.float(), x, m.wide().float()))
}

func (m floats) narrowed(x string) string {
	return m.f.pure(fmt.Sprintf("fptrunc %s %s to %s", m.wide().float(), x, m.float()))
}

// polynomial returns c[0] + c[1]*x + c[2]*x^2 + ...
func (m floats) polynomial(x string, c []float64) string {
	p := m.c(c[len(c)-1])
	for k := len(c) - 2; k >= 0; k-- {
		p = m.fma(p, x, m.c(c[k]))
	}
	return p
}

// choice returns what is for the type.
func choice[T any](m floats, single, double T) T {
	if m.typ == tir.F64 {
		return double
	}
	return single
}

// twoProduct returns x*y rounded, and what rounding left out: Dekker's method
// ("A floating-point technique for extending the available precision", 1971)
// where there is no fma.
func (m floats) twoProduct(x, y string) (p, rest string) {
	p = m.mul(x, y)
	if m.f.hasFMA() {
		return p, m.fma(x, y, m.neg(p))
	}
	factor := m.c(math.Ldexp(1, int(m.mantissa+2)/2) + 1)
	split := func(v string) (hi, lo string) {
		c := m.mul(factor, v)
		hi = m.sub(c, m.sub(c, v))
		return hi, m.sub(v, hi)
	}
	xh, xl := split(x)
	yh, yl := split(y)
	rest = m.sub(m.mul(xh, yh), p)
	rest = m.add(m.add(rest, m.mul(xh, yl)), m.mul(xl, yh))
	return p, m.add(rest, m.mul(xl, yl))
}

// twoSum returns x+y rounded, and what rounding left out (D. Knuth, "The Art of
// Computer Programming", volume 2, section 4.2.2).
func (m floats) twoSum(x, y string) (s, rest string) {
	s = m.add(x, y)
	back := m.sub(s, x)
	return s, m.add(m.sub(x, m.sub(s, back)), m.sub(y, back))
}

// fastTwoSum returns x+y rounded, and what rounding left out; |x| >= |y|, or x
// is 0 (Dekker, as above).
func (m floats) fastTwoSum(x, y string) (s, rest string) {
	s = m.add(x, y)
	return s, m.sub(y, m.sub(s, x))
}
