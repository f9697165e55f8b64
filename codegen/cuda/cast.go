package cuda

import "github.com/wmtune/wmtune/tir"

// cast returns the text of a conversion. Float16 and bfloat16 go by way of
// float, save that a double becomes a float16 at once: it is rounded once. Floats
// become integers by way of 64 bits with a sign, and wrap around.
func (w *writer) cast(e *tir.Cast) value {
	x := w.expr(e.X)
	from, to := e.X.DType(), e.To
	if from == to {
		return x
	}
	switch from {
	case tir.F16:
		x, from = w.apply("half_to_float", x.text), tir.F32
	case tir.BF16:
		x, from = w.apply("bfloat_to_float", x.text), tir.F32
	}
	switch {
	case from == to:
		return x
	case to == tir.Bool:
		return join(tir.NE, x, number(0))
	case from == tir.F64 && to == tir.F16:
		return w.apply("double_to_half", x.text)
	case to == tir.F16:
		return w.apply("float_to_half", asFloat(x, from).text)
	case to == tir.BF16:
		return w.apply("float_to_bfloat", asFloat(x, from).text)
	case from.IsFloat() && to == tir.U64:
		return w.apply("float_to_u64<"+typeName(from)+">", x.text)
	case from.IsFloat() && to.IsInt() && to != tir.I64:
		x = castTo("long long", x)
	}
	return castTo(typeName(to), x)
}

// asFloat returns x, of the given type, as a float.
func asFloat(x value, from tir.DType) value {
	if from == tir.F32 {
		return x
	}
	return castTo("float", x)
}

// bitcast returns the bits of a value as another type; those of float16 and bfloat16 are what is computed with.
func (w *writer) bitcast(e *tir.Bitcast) value {
	x, to := w.expr(e.X), e.To
	switch e.X.DType() {
	case tir.F32:
		x = value{text: "__float_as_int(" + x.text + ")", prec: atom}
	case tir.F64:
		x = value{text: "__double_as_longlong(" + x.text + ")", prec: atom}
	}
	switch to {
	case tir.F32:
		return value{text: "__int_as_float(" + castTo("int", x).text + ")", prec: atom}
	case tir.F64:
		return value{text: "__longlong_as_double(" + castTo("long long", x).text + ")", prec: atom}
	}
	return castTo(typeName(to), x)
}
