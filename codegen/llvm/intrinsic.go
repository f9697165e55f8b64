package llvm

import (
	"github.com/wmtune/wmtune/tir"
)

// instructions are the functions that LLVM makes one instruction of each of,
// also of vectors.
var instructions = map[tir.Intrinsic]string{
	tir.Sqrt:  "sqrt",
	tir.Abs:   "fabs",
	tir.Floor: "floor",
	tir.Ceil:  "ceil",
	tir.Round: "round",

	tir.RoundEven: "roundeven",
}

// jumps are the functions that jump.
var jumps = map[tir.Intrinsic]bool{tir.Floor: true, tir.Ceil: true, tir.Round: true, tir.RoundEven: true}

// lengths are the instructions that each of the other functions becomes, in
// units of eight.
var lengths = map[tir.Intrinsic]int64{
	tir.Exp:     3,
	tir.Sigmoid: 4,
	tir.Tanh:    4,
	tir.Erf:     5,
	tir.Log:     5,
	tir.Pow:     16,
	tir.TF32:    1,
	tir.Sin:     16,
	tir.Cos:     16,
	tir.Atan:    4,
}

func (f *function) call(e *tir.Call) value {
	if x, least, ok := normalExp(e); ok {
		v := f.expr(x)
		return f.rounded(f.result(v, f.floatsOf(v).expNormal(v.ref, least)))
	}
	args := make([]value, len(e.Args))
	n := int64(1)
	for i, a := range e.Args {
		if jumps[e.Fn] {
			args[i] = f.exact(a)
		} else {
			args[i] = f.expr(a)
		}
		n = max(n, args[i].n)
	}
	for i := range args {
		args[i] = f.fenced(f.spread(args[i], n))
	}
	return f.rounded(f.apply(e.Fn, args))
}

// apply computes a function of values with equally many lanes. There are no
// calls of the C library: a lane of a vector has the same bits as a scalar.
func (f *function) apply(fn tir.Intrinsic, args []value) value {
	x := args[0]
	m := f.floatsOf(x)
	if name := instructions[fn]; name != "" {
		return f.result(x, m.intrinsic(name, x.ref))
	}
	switch fn {
	case tir.Rsqrt:
		return f.result(x, m.div(m.c(1), m.intrinsic("sqrt", x.ref)))
	case tir.Exp:
		return f.result(x, m.exp(x.ref, ""))
	case tir.Log:
		return f.result(x, m.log(x.ref))
	case tir.Tanh:
		return f.result(x, m.tanh(x.ref))
	case tir.Erf:
		return f.result(x, m.erf(x.ref))
	case tir.Sigmoid:
		return f.result(x, m.sigmoid(x.ref))
	case tir.Pow:
		return f.result(x, m.pow(x.ref, args[1].ref))
	case tir.Sin:
		return f.result(x, m.sine(x.ref, 0))
	case tir.Cos:
		return f.result(x, m.sine(x.ref, 1))
	case tir.Atan:
		return f.result(x, m.atan(x.ref))
	case tir.TF32:
		return f.result(x, m.tf32(x.ref))
	}
	panic("BUG: llvm: intrinsic " + fn.String())
}

// tf32 rounds a float to 10 bits of mantissa, halves away from zero.
func (m floats) tf32(x string) string {
	const left = 23 - 10 // bits that are not kept
	up := m.intOp("add", m.toBits(x), m.i(1<<(left-1)))
	return m.pick(m.is("uno", x, x), x, m.toFloat(m.intOp("and", up, m.i(-1<<left))))
}
