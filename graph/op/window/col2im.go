package window

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/dag"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Columns has Col2Im: the sum of blocks at the places of an image that they come from.
var Columns = []op.Row{
	{Op: "Col2Im", Since: 18, In: "T:N -:I -:I", Class: op.Reduction, Infer: inferCol2Im, Eval: evalCol2Im,
		Body:   bodyCol2Im,
		Opaque: dag.Claimed(claimCol2Im, 1, 2)},
}

// A col2im is a Col2Im of an image. Element r of the block at position l is position l*stride + r*dilation - before.
type col2im struct {
	image   []int64
	windows []tirop.Window
	blocks  []int64 // how many along each dimension
	batch   int64
	planes  int64 // channels
}

func col2imOf(n *graph.Node, image, block []int64) (*col2im, error) {
	x := n.Inputs[0].Shape
	if len(x) != 3 || len(image) == 0 || len(block) != len(image) {
		return nil, fmt.Errorf("columns of shape %v, an image of %v and blocks of %v: the columns must have 3 dimensions, "+
			"and the others as many as each other", x, image, block)
	}
	c := &col2im{image: image, batch: x[0]}
	var err error
	if c.windows, err = WindowsOf(n, image, block); err != nil {
		return nil, err
	}
	size := int64(1)
	for _, n := range block {
		if n > math.MaxInt64/size {
			return nil, fmt.Errorf("blocks of %v are too large", block)
		}
		size *= n
	}
	for d, w := range c.windows {
		c.blocks = append(c.blocks, w.Outputs(image[d]))
	}
	if c.planes = x[1] / size; x[1]%size != 0 || x[2] != graph.Elems(c.blocks) {
		return nil, fmt.Errorf("columns of shape %v: an image of %v has %v blocks of %v", x, image, c.blocks, block)
	}
	return c, nil
}

func (c *col2im) shape() []int64 { return append([]int64{c.batch, c.planes}, c.image...) }

func inferCol2Im(n *graph.Node) ([]op.Type, error) {
	for i := 1; i <= 2; i++ {
		if n.Inputs[i].Const == nil {
			return nil, &op.OpenError{Input: i}
		}
	}
	c, err := col2imOf(n, n.Inputs[1].Const.Tensor().I, n.Inputs[2].Const.Tensor().I)
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: c.shape()}}, nil
}

func evalCol2Im(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	c, err := col2imOf(n, in[1].I, in[2].I)
	if err != nil {
		return nil, err
	}
	y := graph.NewTensor(in[0].Type, c.shape()...)
	pixels := array.Strides(c.image)
	from := 0
	for plane := range c.batch * c.planes {
		array.WalkIndex(in[2].I, func(r []int64) {
			array.WalkIndex(c.blocks, func(l []int64) {
				at, inside := plane*graph.Elems(c.image), true
				for d, w := range c.windows {
					p := l[d]*w.Stride + r[d]*w.Dilation - w.Before
					inside = inside && p >= 0 && p < c.image[d]
					at += p * pixels[d]
				}
				switch {
				case !inside:
				case y.F != nil:
					y.F[at] += in[0].F[from]
				default:
					y.I[at] = array.Wrap(y.Type, y.I[at]+in[0].I[from])
				}
				from++
			})
		})
	}
	return []*graph.Tensor{y}, nil
}

// bodyCol2Im sums, for each pixel, the elements of blocks that are there:
//
//	col2im(n, c, i, j) += tir.if_then_else(..., x[n, ((c*2 + rv0)*2 + rv1), (floordiv((i - rv0), 2)*3 + ...)], 0f)
func bodyCol2Im(b *op.Body) error {
	n := b.Node
	block := n.Inputs[2].Const.Tensor().I
	c, err := col2imOf(n, n.Inputs[1].Const.Tensor().I, block)
	if err != nil {
		return err
	}
	axes, at := b.Axes(c.shape())
	reduce := op.Named(nil, "rv", block)
	var inside []tir.Expr
	row, column := at[1], tir.Expr(tir.Int(0))
	for d, w := range c.windows {
		r := tir.Expr(reduce[d].Var)
		row = Add(Times(row, w.Size), r)
		// The block's position times the stride.
		p := Sub(Plus(at[2+d], w.Before), Times(r, w.Dilation))
		inside = append(inside, Ge(p, tir.Int(0)), Le(p, tir.Int((c.blocks[d]-1)*w.Stride)))
		if w.Stride > 1 {
			inside = append(inside, Eq(Floormod(p, w.Stride), tir.Int(0)))
			p = Floordiv(p, w.Stride)
		}
		column = Add(Times(column, c.blocks[d]), p)
	}
	v := b.Read(0, at[0], row, column)
	sum := b.Sum(b.Unique("col2im"), axes, reduce, tir.IfThenElse(tir.AllOf(inside...), v, Num(v, 0)))
	b.Output(b.Stored(sum, n.Outputs[0].Type))
	return nil
}

// claimCol2Im has a variant for each shape of blocks that fits the columns: mostly one.
func claimCol2Im(d *dag.Draft) []dag.Variant {
	x, out := dag.ShapeIn(d.Node), dag.ShapeOut(d.Node)
	if len(x) != 3 || len(out) < 3 || x[1]%out[1] != 0 {
		return nil
	}
	image := dag.WithInts(d.Node, 1, out[2:]...)
	var list []dag.Variant
	var each func(block []int64, left int64)
	each = func(block []int64, left int64) {
		if len(block) < len(out)-2 {
			for size := int64(1); size <= left; size++ {
				if left%size == 0 {
					each(append(block, size), left/size)
				}
			}
			return
		}
		if _, err := col2imOf(d.Node, out[2:], block); err == nil && left == 1 {
			holds := tir.AllOf(append(dag.Entries(d.In[1], out[2:]), dag.Entries(d.In[2], block)...)...)
			list = append(list, dag.Variant{Holds: holds, Node: dag.WithInts(image, 2, slices.Clone(block)...)})
		}
	}
	each(nil, x[1]/out[1])
	return list
}
