package op

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// pools has the operators that make one element of each window of an image, or of the whole image. Those of domain
// wmtune have the channels of images last.
var pools = []Row{
	{Op: "MaxPool", Since: 1, In: "T:N", Class: Reduction, Infer: inferMaxPool(channelsFirst),
		Eval: evalMaxPool(channelsFirst),
		Body: bodyMaxPool(channelsFirst)},
	{Op: "wmtune.MaxPool", Since: 1, In: "T:N", Class: Reduction, Infer: inferMaxPool(channelsLast),
		Eval: evalMaxPool(channelsLast),
		Body: bodyMaxPool(channelsLast)},
	{Op: "AveragePool", Since: 1, In: "T:F", Class: Reduction, Infer: inferPool(channelsFirst),
		Eval: evalAveragePool(channelsFirst),
		Body: bodyAveragePool(channelsFirst)},
	{Op: "wmtune.AveragePool", Since: 1, In: "T:N", Class: Reduction, Infer: inferPool(channelsLast),
		Eval: evalAveragePool(channelsLast),
		Body: bodyAveragePool(channelsLast)},
	{Op: "LpPool", Since: 2, In: "T:F", Class: Reduction, Infer: inferPool(channelsFirst), Eval: evalLpPool,
		Body: bodyLpPool},
	{Op: "GlobalAveragePool", Since: 1, In: "T:F", Class: Reduction, Infer: inferGlobalPool(channelsFirst),
		Eval: evalGlobalAveragePool(channelsFirst), Body: bodyGlobalAveragePool(channelsFirst)},
	{Op: "wmtune.GlobalAveragePool", Since: 1, In: "T:N", Class: Reduction, Infer: inferGlobalPool(channelsLast),
		Eval: evalGlobalAveragePool(channelsLast), Body: bodyGlobalAveragePool(channelsLast)},
	{Op: "GlobalMaxPool", Since: 1, In: "T:F", Class: Reduction, Infer: inferGlobalPool(channelsFirst),
		Eval: evalGlobalMaxPool(channelsFirst), Body: bodyGlobalMaxPool(channelsFirst)},
	{Op: "wmtune.GlobalMaxPool", Since: 1, In: "T:N", Class: Reduction, Infer: inferGlobalPool(channelsLast),
		Eval: evalGlobalMaxPool(channelsLast), Body: bodyGlobalMaxPool(channelsLast)},
	{Op: "GlobalLpPool", Since: 2, In: "T:F", Class: Reduction, Infer: inferGlobalPool(channelsFirst),
		Eval: evalGlobalLpPool,
		Body: bodyGlobalLpPool},
}

// A pool is a window that slides over each channel of an image.
type pool struct {
	order           order
	batch, channels int64
	in, out         []int64
	windows         []window // of which after holds what the last window needs
	declared        []window // of which after is what the node says
}

// poolOf returns the sizes of a node that pools, whose input is known.
func poolOf(n *graph.Node, o order) (*pool, error) {
	x := n.Inputs[0].Shape
	if len(x) < 3 {
		return nil, fmt.Errorf("an image of shape %v: it needs 3 or more dimensions", x)
	}
	p := &pool{order: o, batch: x[0], channels: x[o.channel(len(x))], in: spatial(o, x)}
	size := n.Ints("kernel_shape")
	if len(size) != len(p.in) {
		return nil, fmt.Errorf("attribute kernel_shape is %v for an image of shape %v", size, x)
	}
	var err error
	if p.declared, err = windowsOf(n, p.in, size); err != nil {
		return nil, err
	}
	for d, w := range p.declared {
		out := w.outputs(p.in[d])
		if n.Int("ceil_mode", 0) != 0 {
			out = w.ceilOutputs(p.in[d])
		}
		if out < 1 {
			return nil, w.tooLarge(d, p.in[d])
		}
		p.out = append(p.out, out)
		w.after = max(w.after, (out-1)*w.stride+w.span()-w.before-p.in[d])
		p.windows = append(p.windows, w)
	}
	return p, nil
}

// globalOf returns a pool of one window, that is all of the image.
func globalOf(n *graph.Node, o order) (*pool, error) {
	x := n.Inputs[0].Shape
	if len(x) < 3 {
		return nil, fmt.Errorf("an image of shape %v: it needs 3 or more dimensions", x)
	}
	p := &pool{order: o, batch: x[0], channels: x[o.channel(len(x))], in: spatial(o, x)}
	for _, size := range p.in {
		p.windows = append(p.windows, window{size: size, stride: 1, dilation: 1})
		p.out = append(p.out, 1)
	}
	p.declared = p.windows
	return p, nil
}

// shape is that of the result.
func (p *pool) shape() []int64 { return image(p.order, p.batch, p.out, p.channels) }

func inferPool(o order) func(n *graph.Node) ([]Type, error) {
	return func(n *graph.Node) ([]Type, error) {
		p, err := poolOf(n, o)
		if err != nil {
			return nil, err
		}
		return []Type{{DType: n.Inputs[0].Type, Shape: p.shape()}}, nil
	}
}

func inferMaxPool(o order) func(n *graph.Node) ([]Type, error) {
	return func(n *graph.Node) ([]Type, error) {
		p, err := poolOf(n, o)
		if err != nil {
			return nil, err
		}
		for d, w := range p.windows { // a window in the padding alone has no largest element, and no place of one
			if w.before >= w.span() || w.after >= w.span() {
				return nil, fmt.Errorf("dimension %d: paddings of %d and %d must be below the window's span, %d", d, w.before,
					w.after, w.span())
			}
		}
		types := []Type{{DType: n.Inputs[0].Type, Shape: p.shape()}}
		return append(types, Type{DType: tir.I64, Shape: types[0].Shape}), nil
	}
}

func inferGlobalPool(o order) func(n *graph.Node) ([]Type, error) {
	return func(n *graph.Node) ([]Type, error) {
		p, err := globalOf(n, o)
		if err != nil {
			return nil, err
		}
		return []Type{{DType: n.Inputs[0].Type, Shape: p.shape()}}, nil
	}
}

// axisNames are names of the axes of a stage.
func (p *pool) axisNames() []string { return imageAxes(p.order, len(p.in), "q") }

// windowed begins a stage over windows of input 0, padded with fill: it returns axes, and the element read.
func (p *pool) windowed(b *Body, fill float64) (axes, reduce []*compute.Axis, x tir.Expr) {
	t := b.Node.Inputs[0].Type
	padded := b.pad(b.Input(0), windowMargins(p.order, p.windows), fill, p.axisNames())
	size := make([]int64, len(p.windows))
	for d, w := range p.windows {
		size[d] = w.size
	}
	axes = named(p.axisNames(), "i", p.shape())
	reduce = named(nil, "rv", size)
	at, r := compute.Vars(axes), compute.Vars(reduce)
	place := make([]tir.Expr, len(p.in))
	for d, w := range p.windows {
		place[d] = w.at(spatial(p.order, at)[d], r[d])
	}
	return axes, reduce, Cast(padded.At(image(p.order, at[0], place, at[p.order.channel(len(at))])...), Register(t))
}

// whole begins a stage over all of each channel of input 0.
func (p *pool) whole(b *Body) (axes, reduce []*compute.Axis, x tir.Expr) {
	axes = named(p.axisNames(), "i", p.shape())
	reduce = named(nil, "rv", p.in)
	at, r := compute.Vars(axes), compute.Vars(reduce)
	return axes, reduce, b.Read(0, image(p.order, at[0], r, at[p.order.channel(len(at))])...)
}

// pointwise makes a stage of an image's shape from what it computes of an element of y.
func (p *pool) pointwise(b *Body, name string, y compute.Tensor,
	f func(v tir.Expr, at []tir.Expr) tir.Expr) compute.Tensor {
	axes := named(p.axisNames(), "i", y.Shape)
	at := compute.Vars(axes)
	return b.Stage(name, b.Node.Outputs[0].Type, axes, f(y.At(at...), at))
}

// bodyMaxPool makes
//
//	pad(n, i, j, q) = tir.if_then_else(..., x[n, (i - 1), (j - 1), q], -inff)
//	pool(n, i, j, q) max= pad[n, ((i*2) + rv0), ((j*2) + rv1), q]
//
// and, for the second output, the place of the largest element, of equals the first one.
func bodyMaxPool(o order) func(b *Body) error {
	return func(b *Body) error {
		p, err := poolOf(b.Node, o)
		if err != nil {
			return err
		}
		t := b.Node.Inputs[0].Type
		axes, reduce, x := p.windowed(b, lowest(t))
		y := b.stored(b.Max(b.Unique("pool"), axes, reduce, x), t)
		if b.Node.Output(1) == nil {
			b.Output(y)
			return nil
		}
		places, err := p.places(b)
		b.Output(y, places)
		return err
	}
}

// stored converts y to type t, if it is of another one.
func (b *Body) stored(y compute.Tensor, t tir.DType) compute.Tensor {
	if y.Type == t {
		return y
	}
	axes, at := b.Axes(y.Shape)
	return b.Stage("cast", t, axes, y.At(at...))
}

// lowest is no larger than any number of type t.
func lowest(t tir.DType) float64 {
	switch {
	case t.IsFloat():
		return math.Inf(-1)
	case t.IsUnsigned() || t == tir.Bool:
		return 0
	}
	return -math.Ldexp(1, t.Bits()-1)
}

// places makes the places of largest elements, in the order of the input's elements, or column by column.
func (p *pool) places(b *Body) (compute.Tensor, error) {
	axes, reduce, x := p.windowed(b, lowest(b.Node.Inputs[0].Type))
	at, r := compute.Vars(axes), compute.Vars(reduce)
	place := tir.Expr(tir.Int(0))
	inside := []tir.Expr{}
	for d, w := range p.windows {
		i := plus(w.at(spatial(p.order, at)[d], r[d]), -w.before)
		if w.before > 0 {
			inside = append(inside, ge(i, tir.Int(0)))
		}
		if w.after > 0 {
			inside = append(inside, lt(i, tir.Int(p.in[d])))
		}
		place = add(times(place, p.in[d]), i)
	}
	// What is outside comes last.
	number := place
	if len(inside) > 0 {
		number = sel(tir.AllOf(inside...), place, tir.Int(math.MaxInt64))
	}
	pair := b.Reduce(b.Unique("place"), axes, reduce, firstLargest(x.DType()), []tir.Expr{number, x}, compute.Attrs{})
	axes = named(p.axisNames(), "i", pair[0].Shape)
	at = compute.Vars(axes)
	size := graph.Elems(p.in)
	plane := add(times(at[0], p.channels), at[p.order.channel(len(at))])
	v := pair[0].At(at...)
	if b.Node.Int("storage_order", 0) != 0 && len(p.in) > 1 {
		v = p.columns(v)
	}
	return b.Stage("index", tir.I64, axes, add(times(plane, size), v)), nil
}

// columns turns the place of an element in row-major order into the one in column-major order.
func (p *pool) columns(v tir.Expr) tir.Expr {
	r := tir.Expr(tir.Int(0))
	step := graph.Elems(p.in)
	for d := len(p.in) - 1; d >= 0; d-- {
		step /= p.in[d]
		r = add(r, times(floormod(v, p.in[d]), step))
		v = floordiv(v, p.in[d])
	}
	return r
}

// firstLargest folds pairs of a place and a value of type t: the order of folding does not matter.
func firstLargest(t tir.DType) *compute.Combiner {
	xp, xv := tir.NewVar("x_place"), &tir.Var{Name: "x_value", Type: t}
	yp, yv := tir.NewVar("y_place"), &tir.Var{Name: "y_value", Type: t}
	c := compute.NewFirstLargest([]*tir.Var{xp, xv}, []*tir.Var{yp, yv})
	c.Identity = []tir.Expr{tir.Int(math.MaxInt64), compute.NewCombiner(compute.MaxOf, t).Identity[0]}
	return c
}

// bodyAveragePool makes
//
//	sum(n, i, j, q) += pad[n, ((i*2) + rv0), ((j*2) + rv1), q]
//	avg(n, i, j, q) = (sum[n, i, j, q]*0.111111f)
//
// and divides by the number of elements in the window where that differs between windows.
func bodyAveragePool(o order) func(b *Body) error {
	return func(b *Body) error {
		p, err := poolOf(b.Node, o)
		if err != nil {
			return err
		}
		axes, reduce, x := p.windowed(b, 0)
		sum := b.Sum(b.Unique("sum"), axes, reduce, x)
		withPad := b.Node.Int("count_include_pad", 0) != 0
		b.Output(p.pointwise(b, "avg", sum, func(v tir.Expr, at []tir.Expr) tir.Expr {
			fixed, count := int64(1), tir.Expr(nil)
			for d, w := range p.windows {
				first, last := p.counted(d, withPad)
				if w.before+first >= 0 && (p.out[d]-1)*w.stride+w.span()-w.before <= last && -w.before >= first {
					fixed *= w.size
					continue
				}
				c := w.count(spatial(o, at)[d], first, last)
				if count != nil {
					c = mul(count, c)
				}
				count = c
			}
			if count == nil {
				return mul(v, num(v, 1/float64(fixed)))
			}
			return quo(v, Cast(times(count, fixed), v.DType()))
		}))
		return nil
	}
}

// counted returns which positions along dimension d an average counts: those from first up to before last. The image
// begins at 0.
func (p *pool) counted(d int, withPad bool) (first, last int64) {
	if withPad {
		return -p.declared[d].before, p.in[d] + p.declared[d].after
	}
	return 0, p.in[d]
}

// count returns how many elements of the window at output position o are at positions from first up to before last.
func (w window) count(o tir.Expr, first, last int64) tir.Expr {
	begin := plus(times(o, w.stride), -w.before)
	// Elements are at begin + i*dilation for i below size.
	end := minOf(floordiv(plus(sub(tir.Int(last), begin), w.dilation-1), w.dilation), tir.Int(w.size))
	skip := maxOf(floordiv(plus(sub(tir.Int(first), begin), w.dilation-1), w.dilation), tir.Int(0))
	return sub(end, skip)
}

// bodyLpPool makes (sum of |x|^p)^(1/p) of each window.
func bodyLpPool(b *Body) error {
	p, err := poolOf(b.Node, channelsFirst)
	if err != nil {
		return err
	}
	axes, reduce, x := p.windowed(b, 0)
	b.norm(p, axes, reduce, x)
	return nil
}

func (b *Body) norm(p *pool, axes, reduce []*compute.Axis, x tir.Expr) {
	exponent := float64(b.Node.Int("p", 2))
	x = fn(tir.Abs, x)
	switch exponent {
	case 1:
	case 2:
		x = mul(x, x)
	default:
		x = fn(tir.Pow, x, num(x, exponent))
	}
	sum := b.Sum(b.Unique("sum"), axes, reduce, x)
	b.Output(p.pointwise(b, "norm", sum, func(v tir.Expr, _ []tir.Expr) tir.Expr {
		switch exponent {
		case 1:
			return v
		case 2:
			return fn(tir.Sqrt, v)
		}
		return fn(tir.Pow, v, num(v, 1/exponent))
	}))
}

func bodyGlobalAveragePool(o order) func(b *Body) error {
	return func(b *Body) error {
		p, err := globalOf(b.Node, o)
		if err != nil {
			return err
		}
		axes, reduce, x := p.whole(b)
		sum := b.Sum(b.Unique("sum"), axes, reduce, x)
		b.Output(p.pointwise(b, "avg", sum, func(v tir.Expr, _ []tir.Expr) tir.Expr {
			return mul(v, num(v, 1/float64(graph.Elems(p.in))))
		}))
		return nil
	}
}

func bodyGlobalMaxPool(o order) func(b *Body) error {
	return func(b *Body) error {
		p, err := globalOf(b.Node, o)
		if err != nil {
			return err
		}
		axes, reduce, x := p.whole(b)
		b.Output(b.stored(b.Max(b.Unique("pool"), axes, reduce, x), b.Node.Outputs[0].Type))
		return nil
	}
}

func bodyGlobalLpPool(b *Body) error {
	p, err := globalOf(b.Node, channelsFirst)
	if err != nil {
		return err
	}
	axes, reduce, x := p.whole(b)
	b.norm(p, axes, reduce, x)
	return nil
}
