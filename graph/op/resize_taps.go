package op

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// wmtune.ResizeTaps computes, in float64, what wmtune.ResizeAxis reads of one axis of a Resize whose scales, sizes or
// region of interest are data. It has the operands of the Resize but the tensor, and its attributes. Attributes shape
// and made are the shapes before and after, index is the number of the axis, and type that of weights.

// resizeOpen resizes x by operands that are data, to the shape that the file declares.
func (d *Decomposer) resizeOpen(r *resize, x *graph.Value) *graph.Value {
	n, made := d.Node, d.Node.Outputs[0].Shape
	grows := func(dim int) bool { return r.shape[dim] != 1 || made[dim] != 1 }
	version := n.Version
	if n.Op == "Upsample" {
		version = 10
	}
	inputs := slices.Clone(n.Inputs)
	inputs[0] = nil
	for i, dim := range r.axes {
		if !grows(dim) && slices.ContainsFunc(r.axes, grows) {
			continue // the taps of another axis check the operands
		}
		attrs := append(slices.Clone(n.Attrs), graph.IntsAttr("shape", r.shape...), graph.IntsAttr("made", made...),
			graph.IntAttr("index", int64(i)), graph.IntAttr("type", int64(Register(x.Type))))
		taps := d.ApplyAt(version, "wmtune.ResizeTaps", r.tapOutputs(), inputs, attrs...)
		x = d.Apply("wmtune.ResizeAxis", append([]*graph.Value{x}, taps...), graph.IntAttr("axis", int64(dim)),
			graph.IntAttr("taps", r.room(r.shape[dim], made[dim])), graph.IntAttr("out", made[dim]))
	}
	return x
}

// tapOutputs is how many of these outputs there are: places of the first taps, weights unless all are 1, and what is
// added to each output unless that is nothing.
func (r *resize) tapOutputs() int {
	switch {
	case r.transform == "tf_crop_and_resize":
		return 3
	case r.mode == "nearest":
		return 1
	}
	return 2
}

// reach is where the filter ends.
func (r *resize) reach() float64 {
	if r.mode == "cubic" {
		return 2
	}
	return 1
}

// leastScale is the smallest scale that there is room for: a region of interest may have 4 times the image's length.
func (r *resize) leastScale(in, out int64) float64 {
	s := (float64(out) - 0.5) / float64(in)
	if r.transform == "tf_crop_and_resize" {
		s /= 4
	}
	return s
}

// room is the largest number of taps of an output.
func (r *resize) room(in, out int64) int64 {
	switch {
	case r.mode == "nearest":
		return 1
	case r.antialias:
		return 2 - 2*(int64(math.Floor(-r.reach()/min(1, r.leastScale(in, out))))+1)
	}
	return int64(2 * r.reach())
}

func inferResizeTaps(n *graph.Node) ([]Type, error) {
	r, err := resizeOf(n)
	if err != nil {
		return nil, err
	}
	dim, t := r.axes[n.Int("index", 0)], tir.DType(n.Int("type", 0))
	out := n.Ints("made")[dim]
	return []Type{{DType: tir.I64, Shape: []int64{out}}, {DType: t, Shape: []int64{out, r.room(r.shape[dim], out)}},
		{DType: t, Shape: []int64{out}}}[:r.tapOutputs()], nil
}

func evalResizeTaps(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	r, err := resizeOf(n)
	if err != nil {
		return nil, err
	}
	list, err := r.planOf(n, in)
	if err != nil {
		return nil, err
	}
	a, t := list[n.Int("index", 0)], tir.DType(n.Int("type", 0))
	room := r.room(a.in, a.out)
	if want := n.Ints("made")[a.dim]; a.out != want {
		return nil, fmt.Errorf("axis %d gets %d elements, and not %d", a.dim, a.out, want)
	}
	taps, weights, extra := r.taps(a), graph.NewTensor(t, a.out, room), graph.NewTensor(t, a.out)
	for o, row := range taps.weights {
		if r.tapOutputs() > 1 {
			copy(weights.F[int64(o)*room:][:room], row)
			extra.F[o] = taps.extra[o]
		}
	}
	return []*graph.Tensor{graph.Ints(taps.first...), weights, extra}[:r.tapOutputs()], nil
}

// A tapsProgram makes the program of a wmtune.ResizeTaps.
type tapsProgram struct {
	*resize
	index              int
	made               []int64
	roi, scales, sizes *tir.Buffer // nil without
}

// claimResizeTaps: the axes become as long as they should, with no more taps than there is room for.
func claimResizeTaps(d *draft) []variant {
	r, err := resizeOf(d.Node)
	if d.err = err; err != nil {
		return nil
	}
	f := &tapsProgram{resize: r, index: int(d.Int("index", 0)), made: d.Ints("made"), roi: d.input(r.roi),
		scales: d.input(r.scales), sizes: d.input(r.sizes)}
	if f.sizes != nil {
		f.scales = nil
	}
	var all []tir.Expr
	for i, dim := range f.axes {
		in, out, s := f.shape[dim], f.made[dim], f.scale(i)
		switch {
		case f.scales != nil:
			start, end := f.region(i)
			length := mul(tir.Float(tir.F32, float64(in)), sub(Cast(end, tir.F32), Cast(start, tir.F32)))
			length = fn(tir.Floor, mul(length, Cast(s, tir.F32))) // in float32, as scaledLength has it
			all = append(all, eq(Cast(length, tir.F64), real(float64(out))), gt(s, real(0)))
		case f.policy == "stretch":
			all = append(all, eq(load(f.sizes, tir.Int(int64(i))), tir.Int(out)))
		default:
			all = append(all, eq(fn(tir.Floor, add(mul(s, real(float64(in))), real(0.5))), real(float64(out))))
		}
		if f.antialias {
			all = append(all, ge(s, real(f.leastScale(in, out))))
		}
	}
	return []variant{{holds: tir.AllOf(all...), body: f.body}}
}

// body makes stages of positions, of the first taps, and of the weights.
func (f *tapsProgram) body(b *Body) error {
	dim, s, t := f.axes[f.index], f.scale(f.index), tir.DType(b.Node.Int("type", 0))
	in, out := f.shape[dim], f.made[dim]
	axes, at := b.Axes([]int64{out})
	position := b.Stage("position", tir.F64, axes, f.position(at[0], s, in, out))

	axes, at = b.Axes([]int64{out})
	x := position.At(at...)
	lower := sub(whole64(fn(tir.Ceil, x)), tir.Int(1))
	ratio := func(x tir.Expr) tir.Expr { return sub(x, sub(fn(tir.Ceil, x), real(1))) }
	if f.mode == "nearest" {
		r := ratio(x)
		upper := map[string]tir.Expr{"round_prefer_floor": gt(r, real(0.5)), "round_prefer_ceil": ge(r, real(0.5)),
			"floor": ge(r, real(1)), "ceil": tir.BoolImm(true), "": or(ge(r, real(1)), lt(s, real(1)))}[f.nearest]
		lower = add(lower, sel(upper, tir.Int(1), tir.Int(0)))
	}
	stretch := tir.Expr(real(1))
	if f.antialias {
		stretch = minOf(s, real(1))
	}
	begin := add(whole64(fn(tir.Floor, quo(real(-f.reach()), stretch))), tir.Int(1))
	if f.mode == "nearest" {
		begin = tir.Int(0)
	}
	first := b.Stage("first", tir.I64, axes, add(lower, begin))

	axes, at = b.Axes([]int64{out, f.room(in, out)})
	o, k, weight := at[0], at[1], tir.Expr(tir.Const(t, 1))
	if f.mode != "nearest" {
		distance := fn(tir.Abs, mul(stretch, sub(Cast(add(begin, k), tir.F64), ratio(position.At(o)))))
		weight = maxOf(sub(real(1), distance), real(0))
		if f.mode == "cubic" {
			weight = cubicWeight(distance, f.cubic)
		}
		if f.exclude {
			place := add(first.At(o), k)
			weight = sel(and(ge(place, tir.Int(0)), lt(place, tir.Int(in))), weight, real(0))
		}
	}
	if f.exclude || f.antialias && f.mode != "nearest" {
		raw := b.Stage("raw", t, axes, weight)
		axes, at = b.Axes(raw.Shape)
		sums := b.Sum(b.Unique("sum"), axes[:1], axes[1:], Cast(raw.At(at...), tir.F64))
		axes, at = b.Axes(raw.Shape)
		o = at[0]
		sum := sums.At(o)
		weight = quo(raw.At(at...), Cast(sel(eq(sum, real(0)), real(1), sum), t))
		if !f.exclude {
			weight = sel(lt(stretch, real(1)), weight, raw.At(at...))
		}
	}
	if f.transform != "tf_crop_and_resize" {
		b.Output([]compute.Tensor{first, b.Stage("weights", t, axes, weight)}[:f.tapOutputs()]...)
		return nil
	}
	outside := func(x tir.Expr) tir.Expr { return or(lt(x, real(0)), gt(x, real(float64(in-1)))) }
	weights := b.Stage("weights", t, axes, sel(outside(position.At(o)), num(weight, 0), weight))
	axes, at = b.Axes([]int64{out})
	b.Output(first, weights, b.Stage("extra", t, axes, sel(outside(position.At(at...)), real(f.extrapolation), real(0))))
	return nil
}

func real(v float64) tir.Expr { return tir.Float(tir.F64, v) }

// whole64 converts a whole number, as far as an int64 holds it.
func whole64(x tir.Expr) tir.Expr { return castTo(x, tir.I64) }

// scale is that of axis i.
func (f *tapsProgram) scale(i int) tir.Expr {
	switch {
	case f.scales != nil:
		return Cast(load(f.scales, tir.Int(int64(i))), tir.F64)
	case f.policy == "stretch":
		dim := f.axes[i]
		return real(float64(f.made[dim]) / float64(f.shape[dim]))
	}
	var v tir.Expr
	for k, dim := range f.axes {
		s := quo(Cast(load(f.sizes, tir.Int(int64(k))), tir.F64), real(float64(f.shape[dim])))
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
func (f *tapsProgram) region(i int) (start, end tir.Expr) {
	if f.transform != "tf_crop_and_resize" {
		return real(0), real(1)
	}
	return Cast(load(f.roi, tir.Int(int64(i))), tir.F64), Cast(load(f.roi, tir.Int(int64(i+len(f.axes)))), tir.F64)
}

// position is what output o of an axis is at, as resize.source has it: in float32.
func (f *tapsProgram) position(o, s tir.Expr, in, out int64) tir.Expr {
	number := func(v float64) tir.Expr { return tir.Float(tir.F32, v) }
	x, n := Cast(o, tir.F32), float64(in)
	s = Cast(s, tir.F32)
	width := mul(s, number(n))
	half := sub(quo(add(x, number(0.5)), s), number(0.5))
	start, end := f.region(f.index)
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
