package image

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/window"
	"github.com/wmtune/wmtune/tir"
)

// Regions has the pools of regions of images, which are data.
var Regions = []op.Row{
	{Op: "RoiAlign", Since: 10, In: "T1:F T1:F T2:I", Class: op.Opaque, Infer: op.InferBy(roiAlignOf, inferRoiAlign),
		Eval:      op.EvalBy(roiAlignOf, evalRoiAlign),
		Decompose: decomposeRoiAlign},
	{Op: "wmtune.RoiAlign", In: "T1:F T1:F T2:I", Class: op.Opaque, Infer: op.InferBy(ownRoiAlignOf, inferRoiAlign),
		Eval:   op.EvalBy(ownRoiAlignOf, evalOwnRoiAlign),
		Opaque: &op.Function{Make: opaqueOwnRoiAlign, Fault: faultRoiAlign}},
	{Op: "MaxRoiPool", Since: 1, In: "T:F T:F", Class: op.Opaque, Infer: op.InferBy(maxRoiPoolOf, inferMaxRoiPool),
		Eval:   op.EvalBy(maxRoiPoolOf, evalMaxRoiPool),
		Opaque: &op.Function{Make: opaqueMaxRoiPool}},
}

func faultRoiAlign(*graph.Node) string {
	return fmt.Sprintf("a batch index is out of range, or a region is not finite or has bins longer than %d elements",
		mostPoints)
}

// mostPoints limits the points along a bin of RoiAlign, where the region's length decides on them.
const mostPoints = 4096

// A roiPool has the sizes of a pool of regions.
type roiPool struct {
	batch, channels, height, width int64
	count                          int64 // regions
	out                            []int64
	scale                          float64
	t                              tir.DType // in which coordinates are computed
	sampling                       int64     // points along a bin, 0: as many as it is long
	max, half                      bool
}

// roiPoolOf returns the sizes of a pool of regions that have so many coordinates each.
func roiPoolOf(n *graph.Node, coordinates int64) (*roiPool, error) {
	x, rois := n.Inputs[0].Shape, n.Inputs[1].Shape
	if len(x) != 4 || len(rois) != 2 || rois[1] != coordinates {
		return nil,
			fmt.Errorf("an image of shape %v and regions of shape %v: they must have 4 dimensions, and 2 of which the "+
				"last is %d", x, rois, coordinates)
	}
	return &roiPool{batch: x[0], channels: x[1], height: x[2], width: x[3], count: rois[0],
		scale: n.Float("spatial_scale", 1), t: Register(n.Inputs[0].Type)}, nil
}

func (p *roiPool) shape() []int64 { return []int64{p.count, p.channels, p.out[0], p.out[1]} }

func roiAlignOf(n *graph.Node) (*roiPool, error) {
	p, err := roiPoolOf(n, 4)
	if err != nil {
		return nil, err
	}
	if s := n.Inputs[2].Shape; !slices.Equal(s, []int64{p.count}) || n.Inputs[2].Type != tir.I64 {
		return nil, fmt.Errorf("input 2 is %s: it must be int64[%d]", n.Inputs[2], p.count)
	}
	p.out = []int64{n.Int("output_height", 1), n.Int("output_width", 1)}
	p.sampling = n.Int("sampling_ratio", 0)
	switch mode := n.Str("mode", "avg"); mode {
	case "avg":
	case "max":
		p.max = true
	default:
		return nil, fmt.Errorf("attribute mode is %q: known are avg max", mode)
	}
	switch t := n.Str("coordinate_transformation_mode", "half_pixel"); t {
	case "half_pixel":
		p.half = n.Version >= 16
	case "output_half_pixel":
	default:
		return nil, fmt.Errorf("attribute coordinate_transformation_mode is %q: known are half_pixel output_half_pixel",
			t)
	}
	if p.out[0] < 1 || p.out[1] < 1 {
		return nil, fmt.Errorf("an output of %v elements for a region", p.out)
	}
	return p, nil
}

func inferRoiAlign(p *roiPool, n *graph.Node) ([]op.Type, error) {
	return []op.Type{{DType: n.Inputs[0].Type, Shape: p.shape()}}, nil
}

// evalRoiAlign is the reference of RoiAlign. As in ONNX's own, max takes the largest of the weighted neighbours of all
// points.
func evalRoiAlign(p *roiPool, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	y := graph.NewTensor(in[0].Type, p.shape()...)
	for _, b := range in[2].I {
		if b < 0 || b >= p.batch {
			return nil, fmt.Errorf("batch index %d of %d images", b, p.batch)
		}
	}
	for i := range p.count {
		if region := in[1].F[i*4:][:4]; !p.bounded(region) {
			return nil, fmt.Errorf("region %d is %v: regions must be finite, and their bins at most %d elements long", i,
				region, mostPoints)
		}
	}
	err := array.Parallel(call.Context, int(p.count*p.channels), func(i int) {
		roi, c := int64(i)/p.channels, int64(i)%p.channels
		plane := in[0].F[(in[2].I[roi]*p.channels+c)*p.height*p.width:][:p.height*p.width]
		top, binHeight, rows := p.bins(in[1].F[roi*4+1], in[1].F[roi*4+3], p.out[0])
		left, binWidth, columns := p.bins(in[1].F[roi*4], in[1].F[roi*4+2], p.out[1])
		for ph := range p.out[0] {
			for pw := range p.out[1] {
				sum, most := 0.0, math.Inf(-1)
				for iy := range rows {
					for ix := range columns {
						v := p.at(plane, top+binHeight*(float64(ph)+(float64(iy)+0.5)/float64(rows)),
							left+binWidth*(float64(pw)+(float64(ix)+0.5)/float64(columns)))
						sum += array.SumOf(v[:])
						most = max(most, slices.Max(v[:]))
					}
				}
				at := (int64(i)*p.out[0]+ph)*p.out[1] + pw
				switch {
				case !p.max:
					y.F[at] = sum / float64(max(1, rows*columns))
				case rows*columns > 0:
					y.F[at] = most
				}
			}
		}
	})
	return []*graph.Tensor{y}, err
}

// bounded reports whether a region is finite and has at most mostPoints along its bins.
func (p *roiPool) bounded(region []float64) bool {
	for _, v := range region {
		if !(math.Abs(p.scaled(v)) < math.Inf(1)) {
			return false
		}
	}
	_, height, _ := p.bins(region[1], region[3], p.out[0])
	_, width, _ := p.bins(region[0], region[2], p.out[1])
	return p.sampling > 0 || max(height, width) <= mostPoints
}

// bins divides a region from first to last into count bins: where the first begins, their size, and their points.
func (p *roiPool) bins(first, last float64, count int64) (begin, size float64, points int64) {
	shift := 0.0
	if p.half {
		shift = 0.5
	}
	length := tir.Rounded(p.t, p.scaled(last)-p.scaled(first))
	if !p.half {
		length = max(length, 1)
	}
	size = tir.Rounded(p.t, length/float64(count))
	if points = p.sampling; points <= 0 {
		points = max(0, int64(math.Ceil(size)))
	}
	return tir.Rounded(p.t, p.scaled(first)-shift), size, points
}

// scaled returns a coordinate times the scale. It is rounded to the type of coordinates, since what is made of it is
// not continuous.
func (p *roiPool) scaled(v float64) float64 { return tir.Rounded(p.t, v*p.scale) }

// at returns the four elements around a position, weighted.
func (p *roiPool) at(plane []float64, y, x float64) (v [4]float64) {
	if y < -1 || x < -1 || y > float64(p.height) || x > float64(p.width) {
		return v
	}
	neighbours := func(at float64, n int64) (low, high int64, part float64) {
		at = min(max(at, 0), float64(n-1))
		if low = int64(at); math.IsNaN(at) {
			low = 0 // as programs do; the parts are NaN
		}
		return low, min(low+1, n-1), at - float64(low)
	}
	y0, y1, dy := neighbours(y, p.height)
	x0, x1, dx := neighbours(x, p.width)
	return [4]float64{(1 - dy) * (1 - dx) * plane[y0*p.width+x0], (1 - dy) * dx * plane[y0*p.width+x1],
		dy * (1 - dx) * plane[y1*p.width+x0], dy * dx * plane[y1*p.width+x1]}
}

// A roiFunc writes the function of a pool of regions.
type roiFunc struct {
	*roiPool
	x, rois, y, fault *tir.Buffer
	image             *tir.Buffer // of each region
}

func (f *roiFunc) number(v float64) tir.Expr { return tir.Const(f.t, v) }

// coordinate is one of a region's, scaled.
func (f *roiFunc) coordinate(roi tir.Expr, k int64) tir.Expr {
	return Mul(Cast(Load(f.rois, roi, tir.Int(k)), f.t), f.number(f.scale))
}

// opaqueRoiAlign computes the bins of regions in parallel. Its error is set by a batch index that is out of range, and
// by a region that is not bounded.
func opaqueRoiAlign(p *roiPool, n *graph.Node) (*tir.Func, error) {
	f := &roiFunc{roiPool: p, x: Parameter("x", n.Inputs[0]), rois: Parameter("rois", n.Inputs[1]),
		y:     Parameter("y", n.Outputs[0]),
		image: Parameter("image", n.Inputs[2]), fault: ErrorFlag()}
	all := Nest([]int64{p.count, p.channels, p.out[0], p.out[1]}, tir.Parallel, f.bin)
	body := Seq(ClearFault(f.fault), f.badRegions(), &tir.If{Cond: NoFault(f.fault), Then: all})
	return NewFunc("roi_align", 2, body, f.x, f.rois, f.image, f.y, f.fault), nil
}

// bounded is roiPool.bounded as an expression. It is false of NaN.
func (f *roiFunc) bounded(roi tir.Expr) tir.Expr {
	_, height, _ := f.bins(roi, 1, f.out[0])
	_, width, _ := f.bins(roi, 0, f.out[1])
	ok := And(Le(height, f.number(mostPoints)), Le(width, f.number(mostPoints)))
	if f.sampling > 0 {
		ok = tir.BoolImm(true)
	}
	for k := range int64(4) {
		ok = And(ok, Lt(Fn(tir.Abs, f.coordinate(roi, k)), f.number(math.Inf(1))))
	}
	return ok
}

// badRegions sets the error if a region is not bounded, or of no image.
func (f *roiFunc) badRegions() tir.Stmt {
	return Loop("i", f.count, func(i tir.Expr) tir.Stmt {
		b := Load(f.image, i)
		ok := And(And(Ge(b, tir.Int(0)), Lt(b, tir.Int(f.batch))), f.bounded(i))
		return &tir.If{Cond: Not(ok), Then: SetFault(f.fault)}
	})
}

// point is the position of a point along a dimension: the i-th of count points of a bin.
func (f *roiFunc) point(begin, size, bin, i, count tir.Expr) tir.Expr {
	part := Quo(Add(Cast(i, f.t), f.number(0.5)), Cast(count, f.t))
	return Add(begin, Mul(size, Add(Cast(bin, f.t), part)))
}

// outside reports whether a point counts as 0, as it is far from the image.
func (f *roiFunc) outside(y, x tir.Expr) tir.Expr {
	return Or(Or(Lt(y, f.number(-1)), Lt(x, f.number(-1))),
		Or(Gt(y, f.number(float64(f.height))), Gt(x, f.number(float64(f.width)))))
}

// joined is the sum of the neighbours of a point, or the largest of them.
func (f *roiFunc) joined(dims [][]window.Tap, term func(point []tir.Expr, factor tir.Expr) tir.Expr) tir.Expr {
	if !f.max {
		return window.Interpolate(dims, term)
	}
	var value tir.Expr
	window.Interpolate(dims, func(point []tir.Expr, factor tir.Expr) tir.Expr {
		if v := term(point, factor); value == nil {
			value = v
		} else {
			value = MaxOf(value, v)
		}
		return value
	})
	return value
}

// bin writes one element of the result.
func (f *roiFunc) bin(at []tir.Expr) tir.Stmt {
	sum := &tir.Buffer{Name: "sum", Type: f.t, Shape: []int64{1}}
	zero := tir.Int(0)
	top, height, rows := f.bins(at[0], 1, f.out[0])
	left, width, columns := f.bins(at[0], 0, f.out[1])
	iy, ix := tir.NewVar("iy"), tir.NewVar("ix")
	y, x := f.point(top, height, at[2], iy, rows), f.point(left, width, at[3], ix, columns)
	dims := [][]window.Tap{f.neighbours(y, f.height), f.neighbours(x, f.width)}
	value := f.joined(dims, func(point []tir.Expr, factor tir.Expr) tir.Expr {
		return Mul(factor, Cast(Load(f.x, Load(f.image, at[0]), at[1], window.Nearest(point[0], f.height),
			window.Nearest(point[1], f.width)), f.t))
	})
	fold := func(terms tir.Expr) tir.Expr { return Add(Load(sum, zero), terms) }
	start, end := f.number(0), Quo(Load(sum, zero), Cast(MaxOf(Mul(rows, columns), tir.Int(1)), f.t))
	if f.max {
		fold = func(v tir.Expr) tir.Expr { return MaxOf(Load(sum, zero), v) }
		start, end = f.number(math.Inf(-1)), Sel(Gt(Mul(rows, columns), zero), Load(sum, zero), f.number(0))
	}
	body := &tir.For{Var: iy, Extent: rows, Body: &tir.For{Var: ix, Extent: columns,
		Body: Store(sum, fold(Sel(f.outside(y, x), f.number(0), value)), zero)}}
	return Alloc(sum, Seq(Store(sum, start, zero), body, Store(f.y, Cast(end, f.y.Type), at...)))
}

// bins is roiPool.bins as expressions, for coordinates k and k+2 of a region.
func (f *roiFunc) bins(roi tir.Expr, k, count int64) (begin, size, points tir.Expr) {
	begin = f.coordinate(roi, k)
	length := Sub(f.coordinate(roi, k+2), begin)
	if f.half {
		begin = Sub(begin, f.number(0.5))
	} else {
		length = MaxOf(length, f.number(1))
	}
	size = Quo(length, f.number(float64(count)))
	if f.sampling > 0 {
		return begin, size, tir.Int(f.sampling)
	}
	return begin, size, MaxOf(CastTo(Fn(tir.Ceil, size), tir.I64), tir.Int(0))
}

// neighbours are the two elements around a position in n elements, after it is moved into them.
func (f *roiFunc) neighbours(at tir.Expr, n int64) []window.Tap {
	return window.LinearTaps(MinOf(MaxOf(at, f.number(0)), f.number(float64(n-1))))
}

func maxRoiPoolOf(n *graph.Node) (*roiPool, error) {
	p, err := roiPoolOf(n, 5)
	if err != nil {
		return nil, err
	}
	if p.out = n.Ints("pooled_shape"); len(p.out) != 2 || p.out[0] < 1 || p.out[1] < 1 {
		return nil, fmt.Errorf("attribute pooled_shape is %v: it must be two sizes", p.out)
	}
	return p, nil
}

func inferMaxRoiPool(p *roiPool, n *graph.Node) ([]op.Type, error) {
	return []op.Type{{DType: n.Inputs[0].Type, Shape: p.shape()}}, nil
}

// evalMaxRoiPool is the reference of MaxRoiPool (Girshick, Fast R-CNN): coordinates are rounded, and a bin without
// elements is 0.
func evalMaxRoiPool(p *roiPool, _ *graph.Call, n *graph.Node, in []*graph.Tensor) (_ []*graph.Tensor, err error) {
	y := graph.NewTensor(in[0].Type, p.shape()...)
	i := 0
	array.WalkIndex(y.Shape, func(at []int64) {
		roi := in[1].F[at[0]*5:][:5]
		image := int64(roi[0])
		if image < 0 || image >= p.batch {
			err = fmt.Errorf("region %d is of image %d of %d", at[0], image, p.batch)
			return
		}
		y0, y1 := p.cells(roi[2], roi[4], at[2], p.out[0], p.height)
		x0, x1 := p.cells(roi[1], roi[3], at[3], p.out[1], p.width)
		most := math.Inf(-1)
		for r := y0; r < y1; r++ {
			for c := x0; c < x1; c++ {
				most = max(most, in[0].F[((image*p.channels+at[1])*p.height+r)*p.width+c])
			}
		}
		if y0 < y1 && x0 < x1 {
			y.F[i] = most
		}
		i++
	})
	return []*graph.Tensor{y}, err
}

// cells returns which of n elements bin number k of count has, of a region from first to last.
func (p *roiPool) cells(first, last float64, k, count, n int64) (from, to int64) {
	begin, end := math.Round(p.scaled(first)), math.Round(p.scaled(last))
	size := tir.Rounded(p.t, max(end-begin+1, 1)/float64(count))
	bound := func(v float64) int64 { return int64(min(max(v+begin, 0), float64(n))) }
	return bound(math.Floor(tir.Rounded(p.t, float64(k)*size))), bound(math.Ceil(tir.Rounded(p.t, float64(k+1)*size)))
}

// opaqueMaxRoiPool computes the regions in parallel. Its error is set by a region of no image.
func opaqueMaxRoiPool(n *graph.Node) (*tir.Func, error) {
	p, err := maxRoiPoolOf(n)
	if err != nil {
		return nil, err
	}
	f := &roiFunc{roiPool: p, x: Parameter("x", n.Inputs[0]), rois: Parameter("rois", n.Inputs[1]),
		y:     Parameter("y", n.Outputs[0]),
		fault: ErrorFlag()}
	image := func(roi tir.Expr) tir.Expr { return CastTo(Cast(Load(f.rois, roi, tir.Int(0)), f.t), tir.I64) }
	bad := Loop("i", p.count, func(i tir.Expr) tir.Stmt {
		return &tir.If{Cond: Or(Lt(image(i), tir.Int(0)), Ge(image(i), tir.Int(p.batch))), Then: SetFault(f.fault)}
	})
	all := Nest(f.y.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		most := &tir.Buffer{Name: "most", Type: f.t, Shape: []int64{1}}
		zero := tir.Int(0)
		y0, y1 := f.cells(at[0], 2, at[2], p.out[0], p.height)
		x0, x1 := f.cells(at[0], 1, at[3], p.out[1], p.width)
		r, c := tir.NewVar("r"), tir.NewVar("c")
		v := Cast(Load(f.x, Within(image(at[0]), p.batch), at[1], Add(y0, r), Add(x0, c)), f.t)
		return Alloc(most, Seq(Store(most, f.number(math.Inf(-1)), zero),
			&tir.For{Var: r, Extent: Sub(y1, y0), Body: &tir.For{Var: c, Extent: Sub(x1, x0),
				Body: Store(most, MaxOf(Load(most, zero), v), zero)}},
			Store(f.y, Cast(Sel(And(Lt(y0, y1), Lt(x0, x1)), Load(most, zero), f.number(0)), f.y.Type), at...)))
	})
	return NewFunc("max_roi_pool", 2, Seq(ClearFault(f.fault), bad, &tir.If{Cond: NoFault(f.fault), Then: all}), f.x,
		f.rois, f.y,
		f.fault), nil
}

// cells is roiPool.cells as expressions, for coordinates k and k+2 of a region.
func (f *roiFunc) cells(roi tir.Expr, k int64, bin tir.Expr, count, n int64) (from, to tir.Expr) {
	begin, end := Fn(tir.Round, f.coordinate(roi, k)), Fn(tir.Round, f.coordinate(roi, k+2))
	size := Quo(MaxOf(Add(Sub(end, begin), f.number(1)), f.number(1)), f.number(float64(count)))
	bound := func(v tir.Expr) tir.Expr {
		return Within(CastTo(MinOf(MaxOf(Add(v, begin), f.number(0)), f.number(float64(n))), tir.I64), n+1)
	}
	return bound(Fn(tir.Floor, Mul(Cast(bin, f.t), size))), bound(Fn(tir.Ceil, Mul(Cast(Plus(bin, 1), f.t), size)))
}
