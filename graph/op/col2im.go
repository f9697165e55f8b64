package op

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// columns has Col2Im: the sum of blocks at the places of an image that they come from.
var columns = []Row{
	{Op: "Col2Im", Since: 18, In: "T:A -:I -:I", Class: Reduction, Infer: inferCol2Im, Eval: evalCol2Im, Body: bodyCol2Im,
		Opaque:  opaqueCol2Im,
		RunTime: open(1, 2)},
}

// A col2im is a Col2Im of an image. Element r of the block at position l is position l*stride + r*dilation - before.
type col2im struct {
	image   []int64
	windows []window
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
	if c.windows, err = windowsOf(n, image, block); err != nil {
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
		c.blocks = append(c.blocks, w.outputs(image[d]))
	}
	if c.planes = x[1] / size; x[1]%size != 0 || x[2] != graph.Elems(c.blocks) {
		return nil, fmt.Errorf("columns of shape %v: an image of %v has %v blocks of %v", x, image, c.blocks, block)
	}
	return c, nil
}

func (c *col2im) shape() []int64 { return append([]int64{c.batch, c.planes}, c.image...) }

func inferCol2Im(n *graph.Node) ([]Type, error) {
	for i := 1; i <= 2; i++ {
		if n.Inputs[i].Const == nil {
			return nil, &OpenError{Input: i}
		}
	}
	c, err := col2imOf(n, n.Inputs[1].Const.Tensor().I, n.Inputs[2].Const.Tensor().I)
	if err != nil {
		return nil, err
	}
	return []Type{{DType: n.Inputs[0].Type, Shape: c.shape()}}, nil
}

func evalCol2Im(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	c, err := col2imOf(n, in[1].I, in[2].I)
	if err != nil {
		return nil, err
	}
	y := graph.NewTensor(in[0].Type, c.shape()...)
	pixels := strides(c.image)
	from := 0
	for plane := range c.batch * c.planes {
		walkIndex(in[2].I, func(r []int64) {
			walkIndex(c.blocks, func(l []int64) {
				at, inside := plane*graph.Elems(c.image), true
				for d, w := range c.windows {
					p := l[d]*w.stride + r[d]*w.dilation - w.before
					inside = inside && p >= 0 && p < c.image[d]
					at += p * pixels[d]
				}
				switch {
				case !inside:
				case y.F != nil:
					y.F[at] += in[0].F[from]
				default:
					y.I[at] = Wrap(y.Type, y.I[at]+in[0].I[from])
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
func bodyCol2Im(b *Body) error {
	n := b.Node
	block := n.Inputs[2].Const.Tensor().I
	c, err := col2imOf(n, n.Inputs[1].Const.Tensor().I, block)
	if err != nil {
		return err
	}
	axes, at := b.Axes(c.shape())
	reduce := named(nil, "rv", block)
	var inside []tir.Expr
	row, column := at[1], tir.Expr(tir.Int(0))
	for d, w := range c.windows {
		r := tir.Expr(reduce[d].Var)
		row = add(times(row, w.size), r)
		// The block's position times the stride.
		p := sub(plus(at[2+d], w.before), times(r, w.dilation))
		inside = append(inside, ge(p, tir.Int(0)), le(p, tir.Int((c.blocks[d]-1)*w.stride)))
		if w.stride > 1 {
			inside = append(inside, eq(floormod(p, w.stride), tir.Int(0)))
			p = floordiv(p, w.stride)
		}
		column = add(times(column, c.blocks[d]), p)
	}
	v := b.Read(0, at[0], row, column)
	sum := b.Sum(b.Unique("col2im"), axes, reduce, tir.IfThenElse(tir.AllOf(inside...), v, num(v, 0)))
	b.Output(b.stored(sum, n.Outputs[0].Type))
	return nil
}

// opaqueCol2Im reads the block's shape when it runs: it adds one element after the other. Its error is set if the
// shapes do not fit each other.
func opaqueCol2Im(n *graph.Node) (*tir.Func, error) {
	x, out := n.Inputs[0], n.Outputs[0]
	rank := int64(len(out.Shape) - 2)
	if len(x.Shape) != 3 || rank < 1 || n.Inputs[1].Elems() != rank || n.Inputs[2].Elems() != rank {
		return nil, fmt.Errorf("columns of shape %v for an image of shape %v, with %d and %d extents", x.Shape,
			out.Shape,
			n.Inputs[1].Elems(), n.Inputs[2].Elems())
	}
	windows, err := windowsOf(n, out.Shape[2:], ones(int(rank))) // of sizes that are not known
	if err != nil {
		return nil, err
	}
	in, shape, block, fault := parameter("x", x), parameter("image", n.Inputs[1]), parameter("block", n.Inputs[2]),
		errorFlag()
	y := &tir.Buffer{Name: "y", Type: out.Type, Shape: []int64{out.Elems()}}
	size := func(d int) tir.Expr { return load(block, tir.Int(int64(d))) }
	window, count := tir.Expr(tir.Int(1)), tir.Expr(tir.Int(1))
	blocks := make([]tir.Expr, rank)
	positive := []tir.Expr{}
	for d, w := range windows {
		room := sub(tir.Int(out.Shape[2+d]+w.before+w.after-1), times(sub(size(d), tir.Int(1)), w.dilation))
		blocks[d] = add(floordiv(room, w.stride), tir.Int(1))
		window, count = mul(window, size(d)), mul(count, blocks[d])
		positive = append(positive, ge(size(d), tir.Int(1)), ge(blocks[d], tir.Int(1)))
	}
	fits := and(eq(mul(window, tir.Int(out.Shape[1])), tir.Int(x.Shape[1])), eq(count, tir.Int(x.Shape[2])))
	stmts := []tir.Stmt{clearFault(fault), wantShape(shape, out.Shape[2:], fault),
		&tir.If{Cond: not(and(tir.AllOf(positive...), fits)), Then: setFault(fault)},
		loop("i", out.Elems(), func(i tir.Expr) tir.Stmt { return store(y, tir.Const(y.Type, 0), i) })}
	all := nest([]int64{x.Shape[0], x.Shape[1], x.Shape[2]}, tir.Serial, func(at []tir.Expr) tir.Stmt {
		element, l := tir.Bin(tir.FloorMod, at[1], window), at[2]
		place, step := tir.Expr(tir.Int(0)), int64(1)
		var inside []tir.Expr
		for d := int(rank) - 1; d >= 0; d-- {
			w := windows[d]
			r, k := tir.Bin(tir.FloorMod, element, size(d)), tir.Bin(tir.FloorMod, l, blocks[d])
			element, l = tir.Bin(tir.FloorDiv, element, size(d)), tir.Bin(tir.FloorDiv, l, blocks[d])
			p := plus(w.at(k, r), -w.before)
			inside = append(inside, ge(p, tir.Int(0)), lt(p, tir.Int(out.Shape[2+d])))
			place = add(place, times(p, step))
			step *= out.Shape[2+d]
		}
		plane := add(times(at[0], out.Shape[1]), tir.Bin(tir.FloorDiv, at[1], window))
		place = add(place, times(plane, step))
		t := Register(out.Type)
		sum := add(Cast(load(y, place), t), Cast(load(in, at...), t))
		return &tir.If{Cond: tir.AllOf(inside...), Then: store(y, Cast(sum, out.Type), place)}
	})
	stmts = append(stmts, &tir.If{Cond: noFault(fault), Then: all})
	return function("col2im", 2, seq(stmts...), in, shape, block, y, fault), nil
}
