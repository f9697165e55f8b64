package image

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/dag"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// wmtune.ResizeTaps computes, in float64, what wmtune.ResizeAxis reads of one axis of a Resize whose scales, sizes or
// region of interest are data. It has the operands of the Resize but the tensor, and its attributes. Attributes shape
// and made are the shapes before and after, index is the number of the axis, and type that of weights.

// resizeOpen resizes x by operands that are data, to the shape that the file declares.
func resizeOpen(d *op.Decomposer, r *resize, x *graph.Value) *graph.Value {
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

func inferResizeTaps(r *resize, n *graph.Node) ([]op.Type, error) {
	dim, t := r.axes[n.Int("index", 0)], tir.DType(n.Int("type", 0))
	out := n.Ints("made")[dim]
	return []op.Type{{DType: tir.I64, Shape: []int64{out}}, {DType: t, Shape: []int64{out, r.room(r.shape[dim], out)}},
		{DType: t, Shape: []int64{out}}}[:r.tapOutputs()], nil
}

func evalResizeTaps(r *resize, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
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
func claimResizeTaps(d *dag.Draft) []dag.Variant {
	r, err := resizeOf(d.Node)
	if d.Err = err; err != nil {
		return nil
	}
	f := &tapsProgram{resize: r, index: int(d.Int("index", 0)), made: d.Ints("made"), roi: d.Input(r.roi),
		scales: d.Input(r.scales), sizes: d.Input(r.sizes)}
	if f.sizes != nil {
		f.scales = nil
	}
	var all []tir.Expr
	for i, dim := range f.axes {
		in, out, s := f.shape[dim], f.made[dim], f.scale(i)
		switch {
		case f.scales != nil:
			length := Fn(tir.Floor, Mul(tir.Float(tir.F32, float64(in)), Cast(s, tir.F32))) // as scaledLength has it
			all = append(all, Eq(Cast(length, tir.F64), Real(float64(out))), Gt(s, Real(0)))
		case f.policy == "stretch":
			all = append(all, Eq(Load(f.sizes, tir.Int(int64(i))), tir.Int(out)))
		default:
			all = append(all, Eq(Fn(tir.Floor, Add(Mul(s, Real(float64(in))), Real(0.5))), Real(float64(out))))
		}
		if f.antialias {
			all = append(all, Ge(s, Real(f.leastScale(in, out))))
		}
	}
	return []dag.Variant{{Holds: tir.AllOf(all...), Body: f.body}}
}

// body makes stages of positions, of the first taps, and of the weights.
func (f *tapsProgram) body(b *op.Body) error {
	dim, s, t := f.axes[f.index], f.scale(f.index), tir.DType(b.Node.Int("type", 0))
	in, out := f.shape[dim], f.made[dim]
	axes, at := b.Axes([]int64{out})
	position := b.Stage("position", tir.F64, axes, f.position(at[0], s, in, out))

	axes, at = b.Axes([]int64{out})
	x := position.At(at...)
	lower := Sub(Whole64(Fn(tir.Ceil, x)), tir.Int(1))
	ratio := func(x tir.Expr) tir.Expr { return Sub(x, Sub(Fn(tir.Ceil, x), Real(1))) }
	if f.mode == "nearest" {
		r := ratio(x)
		upper := map[string]tir.Expr{"round_prefer_floor": Gt(r, Real(0.5)), "round_prefer_ceil": Ge(r, Real(0.5)),
			"floor": Ge(r, Real(1)), "ceil": tir.BoolImm(true), "": Or(Ge(r, Real(1)), Lt(s, Real(1)))}[f.nearest]
		lower = Add(lower, Sel(upper, tir.Int(1), tir.Int(0)))
	}
	stretch := tir.Expr(Real(1))
	if f.antialias {
		stretch = MinOf(s, Real(1))
	}
	begin := Add(Whole64(Fn(tir.Floor, Quo(Real(-f.reach()), stretch))), tir.Int(1))
	if f.mode == "nearest" {
		begin = tir.Int(0)
	}
	first := b.Stage("first", tir.I64, axes, Add(lower, begin))

	axes, at = b.Axes([]int64{out, f.room(in, out)})
	o, k, weight := at[0], at[1], tir.Expr(tir.Const(t, 1))
	if f.mode != "nearest" {
		distance := Fn(tir.Abs, Mul(stretch, Sub(Cast(Add(begin, k), tir.F64), ratio(position.At(o)))))
		weight = MaxOf(Sub(Real(1), distance), Real(0))
		if f.mode == "cubic" {
			weight = cubicWeight(distance, f.cubic)
		}
		if f.exclude {
			place := Add(first.At(o), k)
			weight = Sel(And(Ge(place, tir.Int(0)), Lt(place, tir.Int(in))), weight, Real(0))
		}
	}
	if f.exclude || f.antialias && f.mode != "nearest" {
		raw := b.Stage("raw", t, axes, weight)
		axes, at = b.Axes(raw.Shape)
		sums := b.Sum(b.Unique("sum"), axes[:1], axes[1:], Cast(raw.At(at...), tir.F64))
		axes, at = b.Axes(raw.Shape)
		o = at[0]
		sum := sums.At(o)
		weight = Quo(raw.At(at...), Cast(Sel(Eq(sum, Real(0)), Real(1), sum), t))
		if !f.exclude {
			weight = Sel(Lt(stretch, Real(1)), weight, raw.At(at...))
		}
	}
	if f.transform != "tf_crop_and_resize" {
		b.Output([]compute.Tensor{first, b.Stage("weights", t, axes, weight)}[:f.tapOutputs()]...)
		return nil
	}
	outside := func(x tir.Expr) tir.Expr { return Or(Lt(x, Real(0)), Gt(x, Real(float64(in-1)))) }
	weights := b.Stage("weights", t, axes, Sel(outside(position.At(o)), Num(weight, 0), weight))
	axes, at = b.Axes([]int64{out})
	b.Output(first, weights, b.Stage("extra", t, axes, Sel(outside(position.At(at...)), Real(f.extrapolation), Real(0))))
	return nil
}

// scale is that of axis i.
func (f *tapsProgram) scale(i int) tir.Expr {
	switch {
	case f.scales != nil:
		return Cast(Load(f.scales, tir.Int(int64(i))), tir.F64)
	case f.policy == "stretch":
		dim := f.axes[i]
		return Real(float64(f.made[dim]) / float64(f.shape[dim]))
	}
	var v tir.Expr
	for k, dim := range f.axes {
		s := Quo(Cast(Load(f.sizes, tir.Int(int64(k))), tir.F64), Real(float64(f.shape[dim])))
		switch {
		case v == nil:
			v = s
		case f.policy == "not_larger":
			v = MinOf(v, s)
		default:
			v = MaxOf(v, s)
		}
	}
	return v
}

// region returns the bounds of the region of interest along axis i.
func (f *tapsProgram) region(i int) (start, end tir.Expr) {
	if f.transform != "tf_crop_and_resize" {
		return Real(0), Real(1)
	}
	return Cast(Load(f.roi, tir.Int(int64(i))), tir.F64), Cast(Load(f.roi, tir.Int(int64(i+len(f.axes)))), tir.F64)
}

// position is what output o of an axis is at, as resize.source has it: in float32.
func (f *tapsProgram) position(o, s tir.Expr, in, out int64) tir.Expr {
	number := func(v float64) tir.Expr { return tir.Float(tir.F32, v) }
	x, n := Cast(o, tir.F32), float64(in)
	s = Cast(s, tir.F32)
	width := Mul(s, number(n))
	half := Sub(Quo(Add(x, number(0.5)), s), number(0.5))
	start, end := f.region(f.index)
	start, end = Cast(start, tir.F32), Cast(end, tir.F32)
	one := Eq(width, number(1))
	at := half
	switch f.transform {
	case "align_corners":
		at = Sel(one, number(0), Quo(Mul(x, number(n-1)), Sub(width, number(1))))
	case "asymmetric":
		at = Quo(x, s)
	case "tf_half_pixel_for_nn":
		at = Quo(Add(x, number(0.5)), s)
		if in == out { // an axis that stays as it is
			at = Sel(Eq(s, number(1)), x, at)
		}
	case "tf_crop_and_resize":
		length := Sub(end, start)
		at = Sel(one, Quo(Mul(length, number(n-1)), number(2)),
			Quo(Mul(Mul(x, length), number(n-1)), Sub(width, number(1))))
		at = Add(at, Mul(start, number(n-1)))
	case "pytorch_half_pixel":
		if out == 1 {
			at = number(0)
		}
	case "half_pixel_symmetric":
		at = Add(half, Mul(number(n/2), Sub(number(1), Quo(number(float64(out)), width))))
	}
	return Cast(at, tir.F64)
}

// cubicWeight is the cubic filter of coefficient a at distance x.
func cubicWeight(x tir.Expr, a float64) tir.Expr {
	horner := func(coefficients ...float64) tir.Expr {
		v := Num(x, coefficients[0])
		for _, c := range coefficients[1:] {
			v = Add(Mul(v, x), Num(x, c))
		}
		return v
	}
	return Sel(Le(x, Num(x, 1)), horner(a+2, -(a+3), 0, 1), Sel(Lt(x, Num(x, 2)), horner(a, -5*a, 8*a, -4*a),
		Num(x, 0)))
}
