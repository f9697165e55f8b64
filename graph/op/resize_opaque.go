package op

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// opaqueResize makes the function of a Resize whose scales, sizes or region of interest are data: it computes positions
// and weights, in float64, when it runs. Its error is set if the shape of the result is not the one that was known
// ahead of time.
func opaqueResize(n *graph.Node) (*tir.Func, error) {
	r, err := resizeOf(n)
	if err != nil {
		return nil, err
	}
	x, out := n.Inputs[0], n.Outputs[0]
	f := &resizeFunc{resize: r, fault: errorFlag(), work: Register(x.Type)}
	if !x.Type.IsFloat() {
		f.work = tir.F32
	}
	var params []*tir.Buffer
	operands := map[int]*tir.Buffer{}
	for i, v := range n.Inputs {
		if v == nil {
			continue
		}
		b := parameter([]string{"x", "roi", "scales", "sizes"}[i], v)
		if v.Elems() == 0 {
			b.Shape = []int64{1} // it is never read
		}
		params, operands[i] = append(params, b), b
	}
	f.roi, f.scales, f.sizes = operands[r.roi], operands[r.scales], operands[r.sizes]
	if f.sizes != nil {
		f.scales = nil
	}
	result := parameter("y", out)
	shape := append([]int64(nil), x.Shape...)
	stmts := []tir.Stmt{clearFault(f.fault)}
	var steps []tir.Stmt
	var temps []*tir.Buffer
	from := operands[0]
	for i, d := range r.axes {
		in := shape[d]
		shape[d] = out.Shape[d]
		stmts = append(stmts, f.check(i, in, out.Shape[d], x.Shape))
		if in == 1 && shape[d] == 1 {
			continue
		}
		to := &tir.Buffer{Name: "resized", Type: f.work, Shape: append([]int64(nil), shape...)}
		temps = append(temps, to)
		steps = append(steps, f.axis(i, d, from, to, x.Shape))
		from = to
	}
	steps = append(steps, nest(out.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		v := load(from, at...)
		if from.Type != out.Type && !out.Type.IsFloat() {
			v = fn(tir.RoundEven, v)
		}
		return store(result, castTo(v, out.Type), at...)
	}))
	body := seq(append(stmts, &tir.If{Cond: noFault(f.fault), Then: seq(steps...)})...)
	for _, t := range temps {
		body = alloc(t, body)
	}
	return function("resize", 2, body, append(params, result, f.fault)...), nil
}

// A resizeFunc writes the function of a Resize.
type resizeFunc struct {
	*resize
	fault              *tir.Buffer
	roi, scales, sizes *tir.Buffer // nil without
	work               tir.DType
}

func real(v float64) tir.Expr { return tir.Float(tir.F64, v) }

// scale is that of axis i, which is resized from in to out elements.
func (f *resizeFunc) scale(i int, in, out int64, shape []int64) tir.Expr {
	switch {
	case f.scales != nil:
		return Cast(load(f.scales, tir.Int(int64(i))), tir.F64)
	case f.policy == "stretch":
		return real(float64(out) / float64(in))
	}
	var v tir.Expr
	for k, d := range f.axes {
		s := quo(Cast(load(f.sizes, tir.Int(int64(k))), tir.F64), real(float64(shape[d])))
		switch {
		case v == nil:
			v = s
		case f.policy == "not_larger":
			v = minOf(v, s)
		default:
			v = maxOf(v, s)
		}
	}
	return v
}

// region returns the bounds of the region of interest along axis i.
func (f *resizeFunc) region(i int) (start, end tir.Expr) {
	if f.transform != "tf_crop_and_resize" {
		return real(0), real(1)
	}
	return Cast(load(f.roi, tir.Int(int64(i))), tir.F64), Cast(load(f.roi, tir.Int(int64(i+len(f.axes)))), tir.F64)
}

// check sets the error unless axis i becomes as long as it should, with no more taps than there is room for.
func (f *resizeFunc) check(i int, in, out int64, shape []int64) tir.Stmt {
	var ok []tir.Expr
	s := f.scale(i, in, out, shape)
	switch {
	case f.scales != nil:
		start, end := f.region(i)
		length := mul(tir.Float(tir.F32, float64(in)), sub(Cast(end, tir.F32), Cast(start, tir.F32)))
		length = fn(tir.Floor, mul(length, Cast(s, tir.F32))) // in float32, as scaledLength has it
		ok = append(ok, eq(Cast(length, tir.F64), real(float64(out))), gt(s, real(0)))
	case f.policy == "stretch":
		ok = append(ok, eq(load(f.sizes, tir.Int(int64(i))), tir.Int(out)))
	default:
		ok = append(ok, eq(fn(tir.Floor, add(mul(s, real(float64(in))), real(0.5))), real(float64(out))))
	}
	if f.antialias {
		ok = append(ok, ge(s, real(f.leastScale(in, out))))
	}
	return &tir.If{Cond: not(tir.AllOf(ok...)), Then: setFault(f.fault)}
}

// leastScale is the smallest scale that there is room for: a region of interest may have 4 times the image's length.
func (f *resizeFunc) leastScale(in, out int64) float64 {
	s := (float64(out) - 0.5) / float64(in)
	if f.transform == "tf_crop_and_resize" {
		s /= 4
	}
	return s
}

// reach is where the filter ends.
func (f *resizeFunc) reach() float64 {
	if f.mode == "cubic" {
		return 2
	}
	return 1
}

// axis resizes dimension d, the axis of number i.
func (f *resizeFunc) axis(i, d int, from, to *tir.Buffer, shape []int64) tir.Stmt {
	in, out := from.Shape[d], to.Shape[d]
	s := f.scale(i, in, out, shape)
	room := int64(2 * f.reach())
	stretch := tir.Expr(real(1))
	if f.mode == "nearest" {
		room = 1
	} else if f.antialias {
		stretch = minOf(s, real(1))
		room = 2 - 2*(int64(math.Floor(-f.reach()/min(1, f.leastScale(in, out))))+1)
	}
	local := func(name string, t tir.DType, n int64) *tir.Buffer {
		return &tir.Buffer{Name: name, Type: t, Shape: []int64{n}}
	}
	first, weights := local("first", tir.I64, 1), local("weights", f.work, room)
	numbers := local("numbers", tir.F64, 4) // position, ratio, sum of weights, extra
	zero := tir.Int(0)
	number := func(k int64) tir.Expr { return load(numbers, tir.Int(k)) }
	set := func(k int64, v tir.Expr) tir.Stmt { return store(numbers, v, tir.Int(k)) }
	body := func(o tir.Expr) tir.Stmt {
		count := tir.Expr(tir.Int(room))
		stmts := []tir.Stmt{set(0, f.position(i, o, s, in, out)),
			set(1, sub(number(0), sub(fn(tir.Ceil, number(0)), real(1)))),
			set(2, real(0)), set(3, real(0))}
		lower := sub(whole64(fn(tir.Ceil, number(0))), tir.Int(1))
		if f.mode == "nearest" {
			upper := map[string]tir.Expr{"round_prefer_floor": gt(number(1), real(0.5)),
				"round_prefer_ceil": ge(number(1), real(0.5)), "floor": ge(number(1), real(1)),
				"ceil": tir.BoolImm(true), "": or(ge(number(1), real(1)), lt(s, real(1)))}[f.nearest]
			stmts = append(stmts, store(first, add(lower, sel(upper, tir.Int(1), tir.Int(0))), zero),
				store(weights, tir.Const(f.work, 1), zero))
		} else {
			begin := add(whole64(fn(tir.Floor, quo(real(-f.reach()), stretch))), tir.Int(1))
			count = sub(tir.Int(2), mul(tir.Int(2), begin))
			stmts = append(stmts, store(first, add(lower, begin), zero), f.fill(weights, first, numbers, begin, count,
				stretch, in))
		}
		if f.transform == "tf_crop_and_resize" {
			outside := or(lt(number(0), real(0)), gt(number(0), real(float64(in-1))))
			k := tir.NewVar("k")
			stmts = append(stmts, &tir.If{Cond: outside, Then: seq(set(3, real(f.extrapolation)),
				&tir.For{Var: k, Extent: count, Body: store(weights, tir.Const(f.work, 0), k)})})
		}
		return seq(append(stmts, f.sum(d, o, from, to, first, weights, number(3), count))...)
	}
	v := tir.NewVar("o")
	return &tir.For{Var: v, Extent: tir.Int(out), Kind: tir.Parallel,
		Body: alloc(first, alloc(weights, alloc(numbers, body(v))))}
}

// whole64 converts a whole number, as far as an int64 holds it.
func whole64(x tir.Expr) tir.Expr { return castTo(x, tir.I64) }

// position is what output o of an axis is at, as resize.source has it: in float32.
func (f *resizeFunc) position(i int, o, s tir.Expr, in, out int64) tir.Expr {
	number := func(v float64) tir.Expr { return tir.Float(tir.F32, v) }
	x, n := Cast(o, tir.F32), float64(in)
	s = Cast(s, tir.F32)
	width := mul(s, number(n))
	half := sub(quo(add(x, number(0.5)), s), number(0.5))
	start, end := f.region(i)
	start, end = Cast(start, tir.F32), Cast(end, tir.F32)
	one := eq(width, number(1))
	at := half
	switch f.transform {
	case "align_corners":
		at = sel(one, number(0), quo(mul(x, number(n-1)), sub(width, number(1))))
	case "asymmetric":
		at = quo(x, s)
	case "tf_half_pixel_for_nn":
		at = quo(add(x, number(0.5)), s)
		if in == out { // an axis that stays as it is
			at = sel(eq(s, number(1)), x, at)
		}
	case "tf_crop_and_resize":
		length := sub(end, start)
		at = sel(one, quo(mul(length, number(n-1)), number(2)),
			quo(mul(mul(x, length), number(n-1)), sub(width, number(1))))
		at = add(at, mul(start, number(n-1)))
	case "pytorch_half_pixel":
		if out == 1 {
			at = number(0)
		}
	case "half_pixel_symmetric":
		at = add(half, mul(number(n/2), sub(number(1), quo(number(float64(out)), width))))
	}
	return Cast(at, tir.F64)
}

// fill computes the weights of a position.
func (f *resizeFunc) fill(weights, first, numbers *tir.Buffer, begin, count, stretch tir.Expr, in int64) tir.Stmt {
	k := tir.NewVar("k")
	distance := fn(tir.Abs, mul(stretch, sub(Cast(add(begin, k), tir.F64), load(numbers, tir.Int(1)))))
	w := maxOf(sub(real(1), distance), real(0))
	if f.mode == "cubic" {
		w = cubicWeight(distance, f.cubic)
	}
	if f.exclude {
		at := add(load(first, tir.Int(0)), k)
		w = sel(and(ge(at, tir.Int(0)), lt(at, tir.Int(in))), w, real(0))
	}
	sum := load(numbers, tir.Int(2))
	stmts := []tir.Stmt{&tir.For{Var: k, Extent: count, Body: seq(store(weights, Cast(w, f.work), k),
		store(numbers, add(sum, Cast(load(weights, k), tir.F64)), tir.Int(2)))}}
	if f.exclude || f.antialias {
		j := tir.NewVar("k")
		divided := quo(load(weights, j), Cast(sel(eq(sum, real(0)), real(1), sum), f.work))
		if !f.exclude {
			divided = sel(lt(stretch, real(1)), divided, load(weights, j))
		}
		stmts = append(stmts, &tir.For{Var: j, Extent: count, Body: store(weights, divided, j)})
	}
	return seq(stmts...)
}

// cubicWeight is the cubic filter of coefficient a at distance x.
func cubicWeight(x tir.Expr, a float64) tir.Expr {
	horner := func(coefficients ...float64) tir.Expr {
		v := num(x, coefficients[0])
		for _, c := range coefficients[1:] {
			v = add(mul(v, x), num(x, c))
		}
		return v
	}
	return sel(le(x, num(x, 1)), horner(a+2, -(a+3), 0, 1), sel(lt(x, num(x, 2)), horner(a, -5*a, 8*a, -4*a),
		num(x, 0)))
}

// sum writes output o of dimension d.
func (f *resizeFunc) sum(d int, o tir.Expr, from, to, first, weights *tir.Buffer, extra, count tir.Expr) tir.Stmt {
	rest := append(append([]int64{}, to.Shape[:d]...), to.Shape[d+1:]...)
	with := func(at []tir.Expr, v tir.Expr) []tir.Expr {
		return append(append(append([]tir.Expr{}, at[:d]...), v), at[d:]...)
	}
	return nest(rest, tir.Serial, func(at []tir.Expr) tir.Stmt {
		k := tir.NewVar("k")
		place := within(add(load(first, tir.Int(0)), k), from.Shape[d])
		x := Cast(Cast(load(from, with(at, place)...), Register(from.Type)), f.work)
		y := load(to, with(at, o)...)
		return seq(store(to, Cast(extra, f.work), with(at, o)...),
			&tir.For{Var: k, Extent: count, Body: store(to, add(y, mul(x, load(weights, k))), with(at, o)...)})
	})
}
