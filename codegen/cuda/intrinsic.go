package cuda

import "github.com/wmtune/wmtune/tir"

// functions holds CUDA's names of the intrinsic functions of double; those of
// float end in f. All are accurate to a few units in the last place.
var functions = map[tir.Intrinsic]string{
	tir.Exp:   "exp",
	tir.Log:   "log",
	tir.Sqrt:  "sqrt",
	tir.Rsqrt: "rsqrt",
	tir.Tanh:  "tanh",
	tir.Erf:   "erf",
	tir.Abs:   "fabs",
	tir.Floor: "floor",
	tir.Ceil:  "ceil",
	tir.Round: "round",
	tir.Pow:   "pow",

	tir.RoundEven: "rint",
	tir.Sin:       "sin",
	tir.Cos:       "cos",
	tir.Atan:      "atan",
}

func (w *writer) call(e *tir.Call) value {
	suffix, one := "f", "1.0f"
	if e.DType() == tir.F64 {
		suffix, one = "", "1.0"
	}
	x := w.expr(e.Args[0])
	if e.Fn == tir.Sigmoid {
		return value{text: one + " / (" + one + " + exp" + suffix + "(-" + x.within(atom) + "))", prec: product}
	}
	name, ok := functions[e.Fn]
	if !ok {
		panic("BUG: cuda: intrinsic " + e.Fn.String())
	}
	args := x.text
	for _, a := range e.Args[1:] {
		args += ", " + w.expr(a).text
	}
	return value{text: name + suffix + "(" + args + ")", prec: atom}
}
