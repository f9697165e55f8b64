package llvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
)

// intrinsics says how each function is computed: by an LLVM intrinsic that is
// an instruction, also of vectors, or by the C library for each element.
var intrinsics = map[tir.Intrinsic]struct{ llvm, libm string }{
	tir.Exp:   {libm: "exp"},
	tir.Log:   {libm: "log"},
	tir.Tanh:  {libm: "tanh"},
	tir.Erf:   {libm: "erf"},
	tir.Pow:   {libm: "pow"},
	tir.Sqrt:  {llvm: "sqrt"},
	tir.Abs:   {llvm: "fabs"},
	tir.Floor: {llvm: "floor"},
	tir.Ceil:  {llvm: "ceil"},
	tir.Round: {llvm: "round"},
}

func (f *function) call(e *tir.Call) value {
	args := make([]value, len(e.Args))
	n := int64(1)
	for i, a := range e.Args {
		args[i] = f.expr(a)
		n = max(n, args[i].n)
	}
	for i := range args {
		args[i] = f.spread(args[i], n)
	}
	return f.rounded(f.apply(e.Fn, args))
}

func (f *function) apply(fn tir.Intrinsic, args []value) value {
	x := args[0]
	one := f.spread(floatValue(x.typ, 1), x.n)
	switch fn {
	case tir.Rsqrt:
		root := f.apply(tir.Sqrt, args)
		return f.result(x, f.pure(fmt.Sprintf("fdiv %s %s, %s", f.typeOf(x), one.ref, root.ref)))
	case tir.Sigmoid:
		neg := f.result(x, f.pure(fmt.Sprintf("fneg %s %s", f.typeOf(x), x.ref)))
		exp := f.apply(tir.Exp, []value{neg})
		sum := f.pure(fmt.Sprintf("fadd %s %s, %s", f.typeOf(x), one.ref, exp.ref))
		return f.result(x, f.pure(fmt.Sprintf("fdiv %s %s, %s", f.typeOf(x), one.ref, sum)))
	}
	how, ok := intrinsics[fn]
	if !ok {
		panic("BUG: llvm: intrinsic " + fn.String())
	}
	typ := f.typeOf(x)
	if how.llvm != "" {
		name := "@llvm." + how.llvm + "." + mangle(scalarType(x.typ), x.n)
		f.m.need(fmt.Sprintf("declare %s %s(%s)", typ, name, typ))
		return f.result(x, f.pure(fmt.Sprintf("call %s %s(%s %s)", typ, name, typ, x.ref)))
	}
	return f.libm(how.libm, args)
}

// libm calls a function of the C library once per lane.
func (f *function) libm(name string, args []value) value {
	typ := scalarType(args[0].typ)
	if typ == "float" {
		name += "f"
	}
	params := typ
	if len(args) == 2 {
		params = typ + ", " + typ
	}
	f.m.need(fmt.Sprintf("declare %s @%s(%s) nounwind willreturn memory(none)", typ, name, params))
	lanes := int64(1)
	if args[0].n > 1 {
		lanes = f.lane.valid
	}
	list := make([]value, lanes)
	for l := range list {
		operands := ""
		for i, a := range args {
			if i > 0 {
				operands += ", "
			}
			operands += typ + " " + f.laneOf(a, int64(l)).ref
		}
		list[l] = value{typ: args[0].typ, n: 1, ref: f.pure(fmt.Sprintf("call %s @%s(%s)", typ, name, operands))}
	}
	if args[0].n == 1 {
		return list[0]
	}
	return f.collect(list)
}
