package window

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Pools has the operators that make one element of each window of an image, or of the whole image. Those of domain
// wmtune have the channels of images last.
var Pools = []op.Row{
	maxPool.row("MaxPool", "T:N", 1, sliding(tirop.ChannelsFirst)),
	maxPool.row("wmtune.MaxPool", "T:N", 1, sliding(tirop.ChannelsLast)),
	averagePool.row("AveragePool", "T:F", 1, sliding(tirop.ChannelsFirst)),
	averagePool.row("wmtune.AveragePool", "T:N", 1, sliding(tirop.ChannelsLast)),
	lpPool.row("LpPool", "T:F", 2, sliding(tirop.ChannelsFirst)),
	averagePool.row("GlobalAveragePool", "T:F", 1, global(tirop.ChannelsFirst)),
	averagePool.row("wmtune.GlobalAveragePool", "T:N", 1, global(tirop.ChannelsLast)),
	maxPool.row("GlobalMaxPool", "T:F", 1, global(tirop.ChannelsFirst)),
	maxPool.row("wmtune.GlobalMaxPool", "T:N", 1, global(tirop.ChannelsLast)),
	lpPool.row("GlobalLpPool", "T:F", 2, global(tirop.ChannelsFirst)),
}

// The kinds of pools.
var (
	maxPool = poolKind{infer: (*pool).inferMax, body: (*pool).bodyMax, eval: (*pool).evalMax,
		fill: lowest, fold: MaxOf, take: asItIs, give: stored}
	averagePool = poolKind{infer: (*pool).infer, body: (*pool).bodyAverage, eval: (*pool).evalAverage,
		fill: zero, fold: Add, take: asItIs, give: (*pool).mean}
	lpPool = poolKind{infer: (*pool).infer, body: (*pool).bodyLp, eval: (*pool).evalLp,
		fill: zero, fold: Add, take: raised, give: (*pool).root}
)

// A poolKind says what a pool makes of a window.
type poolKind struct {
	infer func(p *pool, n *graph.Node) ([]op.Type, error)
	body  func(p *pool, b *op.Body) error
	eval  func(p *pool, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error)

	fill func(t tir.DType) float64                                           // what padding holds
	take func(n *graph.Node, x tir.Expr) tir.Expr                            // of an element
	fold func(x, y tir.Expr) tir.Expr                                        // of two
	give func(p *pool, n *graph.Node, sum tir.Expr, at tirop.Place) tir.Expr // the result of a window
}

func asItIs(_ *graph.Node, x tir.Expr) tir.Expr { return x }
func zero(tir.DType) float64                    { return 0 }

func stored(_ *pool, n *graph.Node, v tir.Expr, _ tirop.Place) tir.Expr {
	return Cast(v, n.Outputs[0].Type)
}

// row returns the row of an operator of which of finds the windows.
func (k poolKind) row(name, in string, since int, of func(n *graph.Node) (*pool, error)) op.Row {
	return op.Row{Op: name, Since: since, In: in, Class: op.Reduction, Infer: op.InferBy(of, k.infer),
		Eval: op.EvalBy(of, k.eval), Body: op.BodyBy(of, k.body), Opaque: k.byRows(of)}
}

// A pool is a window that slides over each channel of an image. After of its Windows holds what the last window needs.
type pool struct {
	tirop.Pool
	declared []tirop.Window // of which After is what the node says
}

// sliding returns what finds the sizes of a node that pools, whose input is known.
func sliding(l tirop.Layout) func(n *graph.Node) (*pool, error) {
	return func(n *graph.Node) (*pool, error) {
		p, err := poolOf(n, l)
		if err != nil {
			return nil, err
		}
		size := n.Ints("kernel_shape")
		if len(size) != len(p.In) {
			return nil, fmt.Errorf("attribute kernel_shape is %v for an image of shape %v", size, n.Inputs[0].Shape)
		}
		if p.declared, err = WindowsOf(n, p.In, size); err != nil {
			return nil, err
		}
		for d, w := range p.declared {
			out := w.Outputs(p.In[d])
			if n.Int("ceil_mode", 0) != 0 {
				out = ceilOutputs(w, p.In[d])
			}
			if out < 1 {
				return nil, tooLarge(w, d, p.In[d])
			}
			p.Out = append(p.Out, out)
			w.After = max(w.After, (out-1)*w.Stride+w.Span()-w.Before-p.In[d])
			p.Windows = append(p.Windows, w)
		}
		return p, nil
	}
}

// global is sliding for a pool of one window, that is all of the image.
func global(l tirop.Layout) func(n *graph.Node) (*pool, error) {
	return func(n *graph.Node) (*pool, error) {
		p, err := poolOf(n, l)
		if err != nil {
			return nil, err
		}
		p.Whole = true
		for _, size := range p.In {
			p.Windows = append(p.Windows, tirop.Window{Size: size, Stride: 1, Dilation: 1})
			p.Out = append(p.Out, 1)
		}
		p.declared = p.Windows
		return p, nil
	}
}

// poolOf returns what the images of a pool tell.
func poolOf(n *graph.Node, l tirop.Layout) (*pool, error) {
	x := n.Inputs[0].Shape
	if len(x) < 3 {
		return nil, fmt.Errorf("an image of shape %v: it needs 3 or more dimensions", x)
	}
	return &pool{Pool: tirop.Pool{Layout: l, Batch: x[0], Channels: x[l.Channel(len(x))], In: tirop.Spatial(l, x)}}, nil
}

func (p *pool) infer(n *graph.Node) ([]op.Type, error) {
	return []op.Type{{DType: n.Inputs[0].Type, Shape: p.Output()}}, nil
}

func (p *pool) inferMax(n *graph.Node) ([]op.Type, error) {
	if p.Whole {
		return p.infer(n)
	}
	for d, w := range p.Windows { // a window in the padding alone has no largest element, and no place of one
		if w.Before >= w.Span() || w.After >= w.Span() {
			return nil, fmt.Errorf("dimension %d: paddings of %d and %d must be below the window's span, %d", d, w.Before,
				w.After, w.Span())
		}
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: p.Output()}, {DType: tir.I64, Shape: p.Output()}}, nil
}

// windowed begins a reduction of windows of input 0, padded with fill.
func (p *pool) windowed(b *op.Body, key string, fill float64) (*tirop.Builder, *tirop.Stage, tirop.Place, tir.Expr) {
	g := b.Stages(b.Node.Inputs[0].Type)
	s, at, x := g.Windowed(key, &p.Pool, b.Input(0), fill)
	return g, s, at, x
}

// pointwise ends a pool with a stage of what is computed of each element of y.
func (p *pool) pointwise(b *op.Body, key string, y compute.Tensor, f func(v tir.Expr, at tirop.Place) tir.Expr,
) compute.Tensor {
	g := b.Stages(y.Type)
	s, at := g.Image(key, p.Layout, y.Shape, nil)
	return g.Pointwise(s, f(y.At(compute.Vars(s.Axes)...), at))
}

// bodyMax makes
//
//	pad(n, i, j, q) = tir.if_then_else(..., x[n, (i - 1), (j - 1), q], -inff)
//	pool(n, i, j, q) max= pad[n, ((i*2) + rv0), ((j*2) + rv1), q]
//
// and, for the second output, the place of the largest element, of equals the first one.
func (p *pool) bodyMax(b *op.Body) error {
	t := b.Node.Inputs[0].Type
	g, s, _, x := p.windowed(b, "pool", lowest(t))
	y := b.Stored(g.Fold(s, compute.MaxOf, x), t)
	if b.Node.Output(1) == nil {
		b.Output(y)
	} else {
		b.Output(y, p.places(b))
	}
	return nil
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
func (p *pool) places(b *op.Body) compute.Tensor {
	g, s, at, x := p.windowed(b, "pool_place", lowest(b.Node.Inputs[0].Type))
	place := tir.Expr(tir.Int(0))
	inside := []tir.Expr{}
	for d, w := range p.Windows {
		i := Plus(w.At(at.Spatial[d], at.Window[d]), -w.Before)
		if w.Before > 0 {
			inside = append(inside, Ge(i, tir.Int(0)))
		}
		if w.After > 0 {
			inside = append(inside, Lt(i, tir.Int(p.In[d])))
		}
		place = Add(Times(place, p.In[d]), i)
	}
	// What is outside comes last.
	number := place
	if len(inside) > 0 {
		number = Sel(tir.AllOf(inside...), place, tir.Int(math.MaxInt64))
	}
	pair := g.FoldTo(s, tirop.FirstLargest(x.DType()), number, x)
	return p.pointwise(b, "pool_index", pair[0], func(v tir.Expr, at tirop.Place) tir.Expr {
		plane := Add(Times(at.Batch, p.Channels), at.Channel)
		if b.Node.Int("storage_order", 0) != 0 && len(p.In) > 1 {
			v = p.columns(v)
		}
		return Add(Times(plane, graph.Elems(p.In)), v)
	})
}

// columns turns the place of an element in row-major order into the one in column-major order.
func (p *pool) columns(v tir.Expr) tir.Expr {
	r := tir.Expr(tir.Int(0))
	step := graph.Elems(p.In)
	for d := len(p.In) - 1; d >= 0; d-- {
		step /= p.In[d]
		r = Add(r, Times(Floormod(v, p.In[d]), step))
		v = Floordiv(v, p.In[d])
	}
	return r
}

// bodyAverage makes
//
//	sum(n, i, j, q) += pad[n, ((i*2) + rv0), ((j*2) + rv1), q]
//	avg(n, i, j, q) = (sum[n, i, j, q]*0.111111f)
//
// and divides by the number of elements in the window where that differs between windows.
func (p *pool) bodyAverage(b *op.Body) error {
	g, s, _, x := p.windowed(b, "pool_sum", 0)
	sum := g.Fold(s, compute.Sum, x)
	b.Output(p.pointwise(b, "avg", sum, func(v tir.Expr, at tirop.Place) tir.Expr { return p.mean(b.Node, v, at) }))
	return nil
}

// mean divides the sum of a window by the number of its elements.
func (p *pool) mean(n *graph.Node, v tir.Expr, at tirop.Place) tir.Expr {
	withPad := n.Int("count_include_pad", 0) != 0
	fixed, counted := int64(1), tir.Expr(nil)
	for d, w := range p.Windows {
		first, last := p.counted(d, withPad)
		if w.Before+first >= 0 && (p.Out[d]-1)*w.Stride+w.Span()-w.Before <= last && -w.Before >= first {
			fixed *= w.Size
			continue
		}
		c := count(w, at.Spatial[d], first, last)
		if counted != nil {
			c = Mul(counted, c)
		}
		counted = c
	}
	if counted == nil {
		v = tirop.Mean(v, fixed)
	} else {
		v = Quo(v, Cast(Times(counted, fixed), v.DType()))
	}
	return Cast(v, n.Outputs[0].Type)
}

// counted returns which positions along dimension d an average counts: those from first up to before last. The image
// begins at 0.
func (p *pool) counted(d int, withPad bool) (first, last int64) {
	if withPad {
		return -p.declared[d].Before, p.In[d] + p.declared[d].After
	}
	return 0, p.In[d]
}

// count returns how many elements of the window at output position o are at positions from first up to before last.
func count(w tirop.Window, o tir.Expr, first, last int64) tir.Expr {
	begin := Plus(Times(o, w.Stride), -w.Before)
	// Elements are at begin + i*dilation for i below size.
	end := MinOf(Floordiv(Plus(Sub(tir.Int(last), begin), w.Dilation-1), w.Dilation), tir.Int(w.Size))
	skip := MaxOf(Floordiv(Plus(Sub(tir.Int(first), begin), w.Dilation-1), w.Dilation), tir.Int(0))
	return Sub(end, skip)
}

// bodyLp makes (sum of |x|^p)^(1/p) of each window.
func (p *pool) bodyLp(b *op.Body) error {
	g, s, _, x := p.windowed(b, "pool_sum", 0)
	sum := g.Fold(s, compute.Sum, raised(b.Node, x))
	b.Output(p.pointwise(b, "pool_norm", sum, func(v tir.Expr, at tirop.Place) tir.Expr { return p.root(b.Node, v, at) }))
	return nil
}

// raised is |x|^p.
func raised(n *graph.Node, x tir.Expr) tir.Expr {
	x = Fn(tir.Abs, x)
	switch exponent := n.Int("p", 2); exponent {
	case 1:
		return x
	case 2:
		return Mul(x, x)
	default:
		return Fn(tir.Pow, x, Num(x, float64(exponent)))
	}
}

// root is v^(1/p).
func (p *pool) root(n *graph.Node, v tir.Expr, _ tirop.Place) tir.Expr {
	switch exponent := n.Int("p", 2); exponent {
	case 1:
	case 2:
		v = Fn(tir.Sqrt, v)
	default:
		v = Fn(tir.Pow, v, Num(v, 1/float64(exponent)))
	}
	return Cast(v, n.Outputs[0].Type)
}
