package onnx

import (
	"cmp"
	"math"
	"slices"
)

// broadcastShape is the shape of an operation on two shapes: numpy's rule, by which
// dimensions are aligned at the end and a 1 fits any other.
func broadcastShape(a, b []int) []int {
	out := make([]int, max(len(a), len(b)))
	for i := range out {
		x, y := 1, 1
		if k := i - (len(out) - len(a)); k >= 0 {
			x = a[k]
		}
		if k := i - (len(out) - len(b)); k >= 0 {
			y = b[k]
		}
		switch {
		case x == y, y == 1:
			out[i] = x
		case x == 1:
			out[i] = y
		default:
			failf("the shapes %v and %v do not fit", a, b)
		}
	}
	return out
}

// strides are the distances between neighbours of a shape, as seen from the shape
// that it is broadcast to: 0 where it is repeated.
func strides(shape, to []int) []int {
	out := make([]int, len(to))
	at := 1
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] != 1 {
			out[i+len(to)-len(shape)] = at
		}
		at *= shape[i]
	}
	return out
}

// walk calls f for each row of a shape, along its last dimension, with the place of
// its first element and those of two operands. It returns their steps along a row.
func walk(shape, a, b []int, f func(at, x, y int)) {
	if elements(shape) == 0 {
		return
	}
	last := len(shape) - 1
	index := make([]int, max(last, 0))
	row := 1
	if last >= 0 {
		row = shape[last]
	}
	x, y, at := 0, 0, 0
	for {
		f(at, x, y)
		at += row
		d := last - 1
		for ; d >= 0; d-- {
			index[d]++
			x, y = x+a[d], y+b[d]
			if index[d] < shape[d] {
				break
			}
			x, y = x-a[d]*shape[d], y-b[d]*shape[d]
			index[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// zip sets out to f of two operands, broadcast to a shape. Of tensors whose numbers are in another list it does
// nothing.
func zip[T, R any](out []R, shape []int, a []T, aShape []int, b []T, bShape []int, f func(x, y T) R) {
	if len(out) == 0 {
		return
	}
	as, bs := strides(aShape, shape), strides(bShape, shape)
	row, sa, sb := 1, 0, 0
	if last := len(shape) - 1; last >= 0 {
		row, sa, sb = shape[last], as[last], bs[last]
	}
	walk(shape, as, bs, func(at, x, y int) {
		for i := range out[at:][:row] {
			out[at+i] = f(a[x+i*sa], b[y+i*sb])
		}
	})
}

// elementwise returns an operator of two or more inputs.
func elementwise(
	floats func(x, y float32) float32, ints func(x, y int64) int64,
) func(*memory, *call, []Tensor) []Tensor {
	return func(m *memory, _ *call, in []Tensor) []Tensor {
		out := in[0]
		for _, t := range in[1:] {
			if t.Type != out.Type {
				failf("inputs of %s and of %s", out.Type, t.Type)
			}
			shape := broadcastShape(out.Shape, t.Shape)
			to := m.of(t.Type, shape)
			zip(to.Floats, shape, out.Floats, out.Shape, t.Floats, t.Shape, floats)
			zip(to.Ints, shape, out.Ints, out.Shape, t.Ints, t.Shape, ints)
			out = to
		}
		return []Tensor{out}
	}
}

// compare returns an operator of two inputs whose output is bool.
func compare(floats func(x, y float32) bool, ints func(x, y int64) bool) func(*memory, *call, []Tensor) []Tensor {
	return func(m *memory, _ *call, in []Tensor) []Tensor {
		a, b := in[0], in[1]
		if a.Type != b.Type || floats == nil && a.Type != Bool {
			failf("inputs of %s and of %s", a.Type, b.Type)
		}
		shape := broadcastShape(a.Shape, b.Shape)
		out := m.ints(Bool, shape)
		if a.Type == Float32 {
			zip(out.Ints, shape, a.Floats, a.Shape, b.Floats, b.Shape, func(x, y float32) int64 { return truth(floats(x, y)) })
		} else {
			zip(out.Ints, shape, a.Ints, a.Shape, b.Ints, b.Shape, func(x, y int64) int64 { return truth(ints(x, y)) })
		}
		return []Tensor{out}
	}
}

// each returns an operator of one input. It computes in float64, as the reference of
// everything that is faster should.
func each(floats func(x float64) float64, ints func(x int64) int64) func(*memory, *call, []Tensor) []Tensor {
	return func(m *memory, _ *call, in []Tensor) []Tensor {
		x := in[0]
		if x.Type != Float32 && ints != nil {
			out := m.ints(x.Type, x.Shape)
			for i, v := range x.Ints {
				out.Ints[i] = ints(v)
			}
			return []Tensor{out}
		}
		out := m.tensor(x.Shape)
		for i, v := range wantFloats(x) {
			out.Floats[i] = float32(floats(float64(v)))
		}
		return []Tensor{out}
	}
}

// divide is the quotient towards 0; by 0 it is an error.
func divide(x, y int64) int64 {
	if y == 0 {
		failf("division of an integer by 0")
	}
	return x / y
}

// floats returns the numbers of a tensor as floats.
func (t Tensor) floats(m *memory) []float32 {
	if t.Type == Float32 {
		return t.Floats
	}
	out := m.floats(len(t.Ints))
	for i, v := range t.Ints {
		out[i] = float32(v)
	}
	return out
}

func runPow(m *memory, _ *call, in []Tensor) []Tensor {
	wantFloats(in[0])
	shape := broadcastShape(in[0].Shape, in[1].Shape)
	out := m.tensor(shape)
	power := func(x, y float32) float32 { return float32(math.Pow(float64(x), float64(y))) }
	zip(out.Floats, shape, in[0].Floats, in[0].Shape, in[1].floats(m), in[1].Shape, power)
	return []Tensor{out}
}

func runNot(m *memory, _ *call, in []Tensor) []Tensor {
	out := m.ints(Bool, in[0].Shape)
	for i, v := range wantInts(in[0]) {
		out.Ints[i] = truth(v == 0)
	}
	return []Tensor{out}
}

func runWhere(m *memory, _ *call, in []Tensor) []Tensor {
	condition, a, b := in[0], in[1], in[2]
	wantInts(condition)
	if a.Type != b.Type {
		failf("values of %s and of %s", a.Type, b.Type)
	}
	shape := broadcastShape(broadcastShape(condition.Shape, a.Shape), b.Shape)
	yes := expanded(m, condition, shape).Ints
	a, b = expanded(m, a, shape), expanded(m, b, shape)
	out := m.of(a.Type, shape)
	choose(out.Floats, yes, a.Floats, b.Floats)
	choose(out.Ints, yes, a.Ints, b.Ints)
	return []Tensor{out}
}

func choose[T any](out []T, yes []int64, a, b []T) {
	for i := range out {
		out[i] = b[i]
		if yes[i] != 0 {
			out[i] = a[i]
		}
	}
}

// expanded broadcasts a tensor to a shape.
func expanded(m *memory, t Tensor, shape []int) Tensor {
	if slices.Equal(t.Shape, shape) {
		return t
	}
	out := m.of(t.Type, shape)
	zip(out.Floats, shape, t.Floats, t.Shape, t.Floats, t.Shape, func(x, _ float32) float32 { return x })
	zip(out.Ints, shape, t.Ints, t.Shape, t.Ints, t.Shape, func(x, _ int64) int64 { return x })
	return out
}

func runGelu(m *memory, c *call, in []Tensor) []Tensor {
	if how, ok := c.attrs["approximate"]; ok && how != "none" {
		failf("GELU approximated by %v", how)
	}
	return each(func(x float64) float64 { return x * 0.5 * (1 + math.Erf(x/math.Sqrt2)) }, nil)(m, c, in)
}

func runClip(m *memory, _ *call, in []Tensor) []Tensor {
	x := in[0]
	low, haveLow := optional(in, 1)
	high, haveHigh := optional(in, 2)
	if haveLow && low.Type != x.Type || haveHigh && high.Type != x.Type {
		failf("bounds of another type than %s", x.Type)
	}
	out := m.of(x.Type, x.Shape)
	clamp(out.Floats, x.Floats, low.Floats, high.Floats)
	clamp(out.Ints, x.Ints, low.Ints, high.Ints)
	return []Tensor{out}
}

// clamp sets out to x within bounds, each of which may be missing.
func clamp[T cmp.Ordered](out, x, low, high []T) {
	for i, v := range x {
		if len(low) > 0 {
			v = max(v, low[0])
		}
		if len(high) > 0 {
			v = min(v, high[0])
		}
		out[i] = v
	}
}

func runCast(m *memory, c *call, in []Tensor) []Tensor {
	x, to := in[0], Type(c.integer("to", 0))
	switch to {
	case x.Type:
		return []Tensor{x}
	case Float32:
		return []Tensor{{Type: Float32, Shape: x.Shape, Floats: x.floats(m)}}
	case Int64, Int32, Bool:
	default:
		failf("a cast to %s", to)
	}
	out := m.ints(to, x.Shape)
	for i := range out.Ints {
		switch {
		case to == Bool && x.Type == Float32:
			out.Ints[i] = truth(x.Floats[i] != 0)
		case to == Bool:
			out.Ints[i] = truth(x.Ints[i] != 0)
		case x.Type == Float32:
			out.Ints[i] = int64(x.Floats[i])
		case to == Int32:
			out.Ints[i] = int64(int32(x.Ints[i]))
		default:
			out.Ints[i] = x.Ints[i]
		}
	}
	return []Tensor{out}
}

func runIdentity(_ *memory, _ *call, in []Tensor) []Tensor { return in[:1] }
