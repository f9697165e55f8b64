package op

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A Pool is a window that slides over each channel of images, or, if it is Whole, all of an image.
type Pool struct {
	Layout          Layout
	Batch, Channels int64
	In, Out         []int64 // spatial
	Windows         []Window
	Whole           bool
}

// Output is the shape of the result.
func (p *Pool) Output() []int64 { return Image(p.Layout, p.Batch, p.Out, p.Channels) }

// Windowed begins the reduction of the windows of x, padded with fill. It returns an element of a window.
func (g *Builder) Windowed(key string, p *Pool, x compute.Tensor, fill float64) (*Stage, Place, tir.Expr) {
	pad := "pool_pad"
	if p.Layout == ChannelsFirst {
		pad = "pool_pad_first"
	}
	if !p.Whole {
		x = g.PadWindows(pad, p.Layout, p.Windows, x, g.constantOf(x.Type, fill))
	}
	s, at := g.Image(key, p.Layout, p.Output(), windowSizes(p.Windows))
	place := at.Window
	if !p.Whole {
		place = slideIndex(p.Windows, at)
	}
	return s, at, g.read(x, Image(p.Layout, at.Batch, place, at.Channel)...)
}

// pool returns the pool of keys; without a window it is that of whole images.
func (p *params) pool(g *Builder) *Pool {
	q := &Pool{Layout: p.layout(), Batch: p.int("batch"), Channels: p.int("c"), In: p.spatial(), Whole: !p.has("k")}
	if q.Whole {
		for _, n := range q.In {
			q.Windows = append(q.Windows, Window{Size: n, Stride: 1, Dilation: 1})
		}
	} else {
		q.Windows = p.windows(2)
	}
	for _, w := range q.Windows {
		if w.Before >= w.Size {
			g.refuse("a padding of %d with windows of %d: some windows would see no element; take a padding below %d",
				w.Before, w.Size, w.Size)
		}
	}
	return q
}

// image adds the images of p, of which it finds the result's extents.
func (g *Builder) image(p *Pool) compute.Tensor {
	x := g.input("x", g.store, Image(p.Layout, p.Batch, p.In, p.Channels)...)
	p.Out = g.slide(p.In, p.Windows)
	return x
}

// buildMaxPool: maxpool2d and global_maxpool2d take the largest element of each window, or channel:
//
//	pad(n, i, j, q) = tir.if_then_else(..., x[n, (i - 1), (j - 1), q], -3.4e+38f)
//	pool(n, i, j, q) max= pad[n, ((i*2) + rv0), ((j*2) + rv1), q]
//
// They refuse a padding that is not smaller than the window.
func buildMaxPool(g *Builder, p *params) result {
	g.types.result = g.store
	return g.maxPool(p.pool(g))
}

func (g *Builder) maxPool(p *Pool) result {
	s, _, source := g.Windowed("pool", p, g.image(p), g.lowest())
	return result{g.Fold(s, compute.MaxOf, source), p.Layout.Channel(4)}
}

// lowest returns what pads a max pool: the lowest finite number of the type, but of float32 what the style says, which
// may be above some elements.
func (g *Builder) lowest() float64 {
	if g.store == tir.F32 {
		return g.style.poolPad
	}
	switch e := compute.NewCombiner(compute.MaxOf, g.store).Identity[0].(type) {
	case *tir.FloatImm:
		return e.Value
	case *tir.IntImm:
		return float64(e.Value)
	}
	panic("BUG: op: identity is no constant")
}

// buildAvgPool: avgpool2d and global_avgpool2d take the mean of each window, or channel:
//
//	sum(n, i, j, q) += pad[n, ((i*2) + rv0), ((j*2) + rv1), q]
//	avg(n, i, j, q) = (sum[n, i, j, q]*0.111111f)
//
// The padding counts as zeros, unless count_pad=0: then each sum is divided by
// the number of elements of the image in its window. They refuse integers.
func buildAvgPool(g *Builder, p *params) result {
	q := p.pool(g)
	g.needFloat("an average")
	s, _, source := g.Windowed("pool_sum", q, g.image(q), 0)
	sum := g.Fold(s, compute.Sum, source)
	a, at := g.Image("avg", q.Layout, sum.Shape, nil)
	scaled := mul(sum.At(a.index()...), g.constant(1/float64(q.Windows[0].Size*q.Windows[1].Size)))
	if padded := q.Windows[0].Before+q.Windows[1].Before > 0; padded && !p.flag("count_pad") {
		count := mul(q.Windows[0].inside(at.Spatial[0], q.In[0]), q.Windows[1].inside(at.Spatial[1], q.In[1]))
		scaled = tir.Bin(tir.Div, sum.At(a.index()...), cast(g.arith, count))
	}
	return result{g.Pointwise(a, scaled), q.Layout.Channel(4)}
}

// inside counts the elements of an image of n that the window at o covers.
func (w Window) inside(o tir.Expr, n int64) tir.Expr {
	first := sub(times(o, w.Stride), tir.Int(w.Before))
	end := tir.Bin(tir.Min, add(first, tir.Int(w.Size)), tir.Int(n))
	return sub(end, tir.Bin(tir.Max, first, tir.Int(0)))
}
