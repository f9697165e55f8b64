package image

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/window"
	"github.com/wmtune/wmtune/tir"
)

// RoiAlign becomes one of images whose channels vary fastest: the places and weights of a point are computed once for
// all channels, which are vectors.
//
//	y = RoiAlign(x, rois, images)   =>   a = Transpose(x) perm=[0, 2, 3, 1]
//	                                     y = wmtune.RoiAlign(a, rois, images) last=1

// fewPoints reports whether the regions have so few points that a transpose of the images would take longer.
func fewPoints(p *roiPool) bool {
	along := max(p.sampling, 1)
	return p.channels < 4 || p.count*p.out[0]*p.out[1]*along*along*8 < p.batch*p.height*p.width
}

func decomposeRoiAlign(d *op.Decomposer) error {
	p, err := roiAlignOf(d.Node)
	if err != nil {
		return err
	}
	if p.batch*p.channels*p.height*p.width == 0 {
		return op.Unsupported("an operand without elements, %s,", d.Node.Inputs[0])
	}
	x, attrs := d.Input(0), append(slices.Clone(d.Node.Attrs), graph.IntAttr("version", int64(d.Node.Version)))
	if !fewPoints(p) {
		x = d.Apply("Transpose", []*graph.Value{x}, graph.IntsAttr("perm", 0, 2, 3, 1))
		attrs = append(attrs, graph.IntAttr("last", 1))
	}
	d.Output(d.Apply("wmtune.RoiAlign", []*graph.Value{x, d.Input(1), d.Input(2)}, attrs...))
	return nil
}

// ownRoiAlignOf is roiAlignOf of a wmtune.RoiAlign.
func ownRoiAlignOf(n *graph.Node) (*roiPool, error) {
	k, x := *n, *n.Inputs[0]
	k.Version = int(n.Int("version", 16))
	if s := x.Shape; len(s) == 4 && n.Has("last") {
		x.Shape = []int64{s[0], s[3], s[1], s[2]}
	}
	k.Inputs = append([]*graph.Value{&x}, n.Inputs[1:]...)
	return roiAlignOf(&k)
}

func evalOwnRoiAlign(p *roiPool, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	if !n.Has("last") {
		return evalRoiAlign(p, call, n, in)
	}
	x := graph.NewTensor(in[0].Type, p.batch, p.channels, p.height, p.width)
	pixels := p.height * p.width
	for i, v := range in[0].F {
		c, pixel := int64(i)%p.channels, int64(i)/p.channels
		x.F[(pixel/pixels*p.channels+c)*pixels+pixel%pixels] = v
	}
	return evalRoiAlign(p, call, n, []*graph.Tensor{x, in[1], in[2]})
}

func opaqueOwnRoiAlign(n *graph.Node) (*tir.Func, error) {
	p, err := ownRoiAlignOf(n)
	if err != nil {
		return nil, err
	}
	if !n.Has("last") {
		return opaqueRoiAlign(p, n)
	}
	return opaqueRoiAlignLast(p, n)
}

// manyRegions is the number of regions from which on each is computed by one thread.
const manyRegions = 16

// opaqueRoiAlignLast computes the regions in parallel, or the rows of their bins if they are few. Errors are those of
// opaqueRoiAlign.
func opaqueRoiAlignLast(p *roiPool, n *graph.Node) (*tir.Func, error) {
	bins := p.out[0] * p.out[1]
	f := &roiFunc{roiPool: p, x: Parameter("x", n.Inputs[0]), rois: Parameter("rois", n.Inputs[1]),
		y:     &tir.Buffer{Name: "y", Type: n.Outputs[0].Type, Shape: []int64{p.count, p.channels, bins}},
		image: Parameter("image", n.Inputs[2]), fault: ErrorFlag()}
	rows := p.out[0]
	if p.count < manyRegions {
		rows = 1
	}
	parts := p.out[0] / rows
	all := Nest([]int64{p.count * parts}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		return f.region(Floordiv(at[0], parts), Times(Floormod(at[0], parts), rows), rows)
	})
	body := Seq(ClearFault(f.fault), f.badRegions(), &tir.If{Cond: NoFault(f.fault), Then: all})
	return NewFunc("roi_align_last", 2, body, f.x, f.rois, f.image, f.y, f.fault), nil
}

// region computes some rows of bins of a region. Their sums have channels last, until they are stored.
func (f *roiFunc) region(roi, first tir.Expr, rows int64) tir.Stmt {
	width := f.out[1]
	sums := Scratch("sums", f.t, rows*width, f.channels)
	begin, end := tir.Expr(f.number(0)), func(v, points tir.Expr) tir.Expr {
		return Quo(v, Cast(MaxOf(points, tir.Int(1)), f.t))
	}
	if f.max {
		begin, end = f.number(math.Inf(-1)), func(v, points tir.Expr) tir.Expr {
			return Sel(Gt(points, Zero), v, f.number(0))
		}
	}
	bins := Loop("row", rows, func(row tir.Expr) tir.Stmt {
		return Loop("column", width, func(column tir.Expr) tir.Stmt {
			at := Add(Times(row, width), column)
			points, body := f.points(roi, Add(first, row), column, sums, at)
			return Seq(Vectors("c", f.channels, func(c tir.Expr) tir.Stmt { return Store(sums, begin, at, c) }), body,
				Vectors("c", f.channels, func(c tir.Expr) tir.Stmt {
					return Store(sums, end(Load(sums, at, c), points), at, c)
				}))
		})
	})
	store := Loop("c", f.channels, func(c tir.Expr) tir.Stmt {
		return Vectors("p", rows*width, func(at tir.Expr) tir.Stmt {
			return Store(f.y, Cast(Load(sums, at, c), f.y.Type), roi, c, Add(Times(first, width), at))
		})
	})
	return Alloc(sums, Seq(bins, store))
}

// points adds the points of a bin, and returns how many there are.
func (f *roiFunc) points(roi, row, column tir.Expr, sums *tir.Buffer, at tir.Expr) (count tir.Expr, body tir.Stmt) {
	top, height, rows := f.bins(roi, 1, f.out[0])
	left, width, columns := f.bins(roi, 0, f.out[1])
	iy, ix := tir.NewVar("iy"), tir.NewVar("ix")
	y, x := f.point(top, height, row, iy, rows), f.point(left, width, column, ix, columns)
	dims := [][]window.Tap{f.neighbours(y, f.height), f.neighbours(x, f.width)}
	add := Vectors("c", f.channels, func(c tir.Expr) tir.Stmt {
		value := f.joined(dims, func(point []tir.Expr, factor tir.Expr) tir.Expr {
			return Mul(factor, Cast(Load(f.x, Load(f.image, roi), window.Nearest(point[0], f.height),
				window.Nearest(point[1], f.width), c), f.t))
		})
		if f.max {
			return Store(sums, MaxOf(Load(sums, at, c), value), at, c)
		}
		return Store(sums, Add(Load(sums, at, c), value), at, c)
	})
	if f.max { // a point outside counts as 0
		zero := Vectors("c", f.channels, func(c tir.Expr) tir.Stmt {
			return Store(sums, MaxOf(Load(sums, at, c), f.number(0)), at, c)
		})
		add = &tir.If{Cond: f.outside(y, x), Then: zero, Else: add}
	} else {
		add = &tir.If{Cond: Not(f.outside(y, x)), Then: add}
	}
	body = &tir.For{Var: iy, Extent: rows, Body: &tir.For{Var: ix, Extent: columns, Body: add}}
	return Mul(rows, columns), body
}
