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
	"github.com/wmtune/wmtune/tir/compute"
)

// Grids has the operators that read images at positions of a grid, and that make such grids.
var Grids = []op.Row{
	{Op: "GridSample", Since: 16, In: "T1:A T2:F", Class: op.Opaque, Infer: op.InferBy(gridSampleOf, inferGridSample),
		Eval: op.EvalBy(gridSampleOf, evalGridSample),
		Body: bodyGridSample},
	{Op: "AffineGrid", Since: 20, In: "T1:F T2:I", Class: op.Injective, Infer: inferAffineGrid, Eval: evalAffineGrid,
		Body: bodyAffineGrid, Opaque: &op.Function{Make: opaqueAffineGrid}},
}

// gridCubic is the coefficient of the cubic filter.
const gridCubic = -0.75

// A gridSample has the attributes of a GridSample and the sizes of its image.
type gridSample struct {
	mode, padding string
	align         bool
	in, out       []int64 // spatial
}

func gridSampleOf(n *graph.Node) (*gridSample, error) {
	x, grid := n.Inputs[0], n.Inputs[1]
	rank := len(x.Shape) - 2
	if rank < 1 || len(grid.Shape) != rank+2 || grid.Shape[0] != x.Shape[0] || grid.Shape[rank+1] != int64(rank) {
		return nil, fmt.Errorf("an image of shape %v and a grid of shape %v do not fit each other", x.Shape, grid.Shape)
	}
	if !grid.Type.IsFloat() {
		return nil, fmt.Errorf("the type of the grid is %s: it must be a float", grid.Type)
	}
	g := &gridSample{mode: n.Str("mode", "linear"), padding: n.Str("padding_mode", "zeros"),
		align: n.Int("align_corners", 0) != 0,
		in:    x.Shape[2:], out: grid.Shape[1 : rank+1]}
	switch g.mode {
	case "nearest", "linear", "cubic":
	case "bilinear":
		g.mode = "linear"
	case "bicubic":
		g.mode = "cubic"
	default:
		return nil, fmt.Errorf("attribute mode is %q: known are linear nearest cubic bilinear bicubic", g.mode)
	}
	if !slices.Contains([]string{"zeros", "border", "reflection"}, g.padding) {
		return nil, fmt.Errorf("attribute padding_mode is %q: known are zeros border reflection", g.padding)
	}
	if g.mode == "cubic" && rank > 3 || rank > 6 {
		return nil, op.Unsupported("GridSample of %d spatial dimensions in mode %s", rank, g.mode)
	}
	if graph.Elems(g.in) == 0 && graph.Elems(g.out) > 0 {
		return nil, fmt.Errorf("an image of shape %v has no elements to sample", x.Shape)
	}
	return g, nil
}

// border returns where dimension d is reflected.
func (g *gridSample) border(d int) (lo, hi float64) {
	if g.align {
		return 0, float64(g.in[d] - 1)
	}
	return -0.5, float64(g.in[d]) - 0.5
}

func inferGridSample(g *gridSample, n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	return []op.Type{{DType: x.Type, Shape: slices.Concat(x.Shape[:2], g.out)}}, nil
}

// bodyGridSample makes stages of positions, of the points next to them, and of their weights, by dimension d and number
// k:
//
//	position(n, i, j, d) = ((((grid[n, i, j, d] + 1f)*4f) - 1f)*0.5f)
//	point(n, i, j, d, k) = ...
//	weight(n, i, j, d, k) = ...
//	sample(n, c, i, j) = ((weight[n, i, j, 0, 0]*weight[n, i, j, 1, 0])*x[n, c, int64(point[n, i, j, 0, 0]), ...]) + ...
func bodyGridSample(b *op.Body) error {
	n := b.Node
	g, err := gridSampleOf(n)
	if err != nil {
		return err
	}
	rank := len(g.in)
	points, weights := g.stages(b)
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		pixel := append([]tir.Expr{at[0]}, at[2:]...)
		dims := make([][]window.Tap, rank)
		for d := range dims {
			for k := range g.taps() {
				place := append(append([]tir.Expr{}, pixel...), tir.Int(int64(d)), tir.Int(k))
				t := window.Tap{At: points.At(place...)}
				if g.mode != "nearest" {
					t.Factor = weights.At(place...)
				}
				dims[d] = append(dims[d], t)
			}
		}
		read := func(index []tir.Expr) tir.Expr {
			v := b.Read(0, append([]tir.Expr{at[0], at[1]}, index...)...)
			if !v.DType().IsFloat() {
				v = Cast(v, tir.F32)
			}
			return v
		}
		v := window.Interpolate(dims, func(point []tir.Expr, factor tir.Expr) tir.Expr {
			var v tir.Expr
			if g.padding == "zeros" {
				v = window.Inside(point, g.in, read)
			} else {
				index := make([]tir.Expr, rank)
				for d, p := range point {
					index[d] = window.Nearest(p, g.in[d])
				}
				v = read(index)
			}
			if factor != nil {
				v = Mul(v, Cast(factor, v.DType()))
			}
			return v
		})
		return CastTo(v, n.Outputs[0].Type)
	})
	return nil
}

// taps is the number of points along a dimension.
func (g *gridSample) taps() int64 {
	return map[string]int64{"nearest": 1, "linear": 2, "cubic": 4}[g.mode]
}

// stages adds those of points and, unless there is one point only, weights.
func (g *gridSample) stages(b *op.Body) (points, weights compute.Tensor) {
	rank := int64(len(g.in))
	shape := slices.Concat(b.Node.Inputs[1].Shape[:rank+1], []int64{rank})
	axes, at := b.Axes(shape)
	last := len(at) - 1
	from := slices.Clone(at)
	from[last] = Sub(tir.Int(rank-1), at[last]) // the grid counts dimensions from the last
	v := Cast(b.Read(1, from...), tir.F32)
	x := g.chosen(at[last], func(d int) tir.Expr { return g.place(d, v) })
	position := b.Stage("position", tir.F32, axes, x)

	axes, at = b.Axes(append(shape, g.taps()))
	last = len(at) - 1
	x, k := position.At(at[:last]...), Cast(at[last], tir.F32)
	if g.mode == "nearest" {
		return b.Stage("point", tir.F32, axes, x), weights
	}
	first := Num(x, map[string]float64{"linear": 0, "cubic": -1}[g.mode])
	point := Add(Add(Fn(tir.Floor, x), first), k)
	if g.padding == "reflection" {
		point = g.chosen(at[last-1], func(d int) tir.Expr { return g.between(d, point, g.reflected(d, point)) })
	}
	points = b.Stage("point", tir.F32, axes, point)
	axes, at = b.Axes(append(shape, g.taps()))
	x, k = position.At(at[:last]...), Cast(at[last], tir.F32)
	distance := Fn(tir.Abs, Sub(Sub(x, Fn(tir.Floor, x)), Add(first, k)))
	weight := Sub(Num(x, 1), distance)
	if g.mode == "cubic" {
		weight = cubicWeight(distance, gridCubic)
	}
	return points, b.Stage("weight", tir.F32, axes, weight)
}

// chosen returns an expression of the dimension that d is.
func (g *gridSample) chosen(d tir.Expr, value func(d int) tir.Expr) tir.Expr {
	v := value(len(g.in) - 1)
	for i := len(g.in) - 2; i >= 0; i-- {
		v = Sel(Eq(d, tir.Int(int64(i))), value(i), v)
	}
	return v
}

// between is x if it is between the borders of dimension d, and something else otherwise.
func (g *gridSample) between(d int, x, otherwise tir.Expr) tir.Expr {
	lo, hi := g.border(d)
	return Sel(And(Ge(x, Num(x, lo)), Le(x, Num(x, hi))), x, otherwise)
}

func (g *gridSample) reflected(d int, x tir.Expr) tir.Expr {
	lo, hi := g.border(d)
	return reflected(x, lo, hi)
}

// place is where a coordinate from -1 to 1 is along dimension d.
func (g *gridSample) place(d int, v tir.Expr) tir.Expr {
	n := float64(g.in[d])
	x := Mul(Sub(Mul(Add(v, Num(v, 1)), Num(v, n)), Num(v, 1)), Num(v, 0.5))
	if g.align {
		x = Mul(Mul(Add(v, Num(v, 1)), Num(v, 0.5)), Num(v, n-1))
	}
	if g.mode == "nearest" {
		x = Fn(tir.RoundEven, x)
	}
	switch g.padding {
	case "border":
		if g.mode != "cubic" { // else the points around it are moved
			x = g.between(d, x, MinOf(MaxOf(x, Num(x, 0)), Num(x, n-1)))
		}
	case "reflection":
		x = g.between(d, x, g.reflected(d, x))
	}
	return x
}

// reflected moves x between two borders by reflecting it at them.
func reflected(x tir.Expr, lo, hi float64) tir.Expr {
	if hi <= lo {
		return Num(x, lo)
	}
	far := Fn(tir.Abs, Sub(x, Num(x, lo)))
	period := 2 * (hi - lo)
	rest := Sub(far, Mul(Num(x, period), Fn(tir.Floor, Mul(far, Num(x, 1/period)))))
	return Add(Num(x, lo), MinOf(rest, Sub(Num(x, period), rest)))
}

// evalGridSample is the reference of GridSample.
func evalGridSample(g *gridSample, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	r := graph.NewTensor(tir.F64, slices.Concat(x.Shape[:2], g.out)...)
	rank, pixels := len(g.in), int(graph.Elems(g.out))
	plane := graph.Elems(g.in)
	err := array.Parallel(call.Context, int(x.Shape[0])*pixels, func(i int) {
		image := int64(i / pixels)
		position := make([]float64, rank)
		for d := range position {
			position[d] = g.position(d, in[1].F[i*rank+rank-1-d])
		}
		for c := range x.Shape[1] {
			from := (image*x.Shape[1] + c) * plane
			read := func(at int64) float64 { return x.At(int(from + at)) }
			to := (image*x.Shape[1]+c)*int64(pixels) + int64(i%pixels)
			r.F[to] = g.sample(read, 0, position, 0, true)
		}
	})
	if err != nil {
		return nil, err
	}
	r = array.Convert(r, x.Type)
	return []*graph.Tensor{r}, nil
}

// position returns where a coordinate is along dimension d, computed in float32, since what is made of it is not
// continuous.
func (g *gridSample) position(d int, v float64) float64 {
	n, c := float32(g.in[d]), float32(v)
	x := (float32((c+1)*n) - 1) / 2
	if g.align {
		x = (c + 1) / 2 * (n - 1)
	}
	if g.mode == "nearest" {
		x = float32(math.RoundToEven(float64(x)))
	}
	if g.mode == "cubic" && g.padding == "border" {
		return float64(x) // the points around it are moved
	}
	return g.bounded(d, float64(x))
}

// bounded moves a position that is outside of the image into it, as the padding says.
func (g *gridSample) bounded(d int, x float64) float64 {
	lo, hi := g.border(d)
	if x >= lo && x <= hi {
		return x
	}
	switch g.padding {
	case "border":
		return min(max(x, 0), float64(g.in[d]-1))
	case "reflection":
		if hi <= lo {
			return lo
		}
		for x < lo || x > hi {
			if math.Abs(x) > 1e6 { // far away: whole periods have no effect
				x = lo + math.Mod(x-lo, 2*(hi-lo))
			}
			if x < lo {
				x = 2*lo - x
			}
			if x > hi {
				x = 2*hi - x
			}
		}
	}
	return x
}

// sample interpolates along dimension d and those that follow. At is the place of the elements of the dimensions
// before, and known whether these are in the image.
func (g *gridSample) sample(x func(at int64) float64, d int, position []float64, at int64, known bool) float64 {
	if d == len(position) {
		if !known {
			return 0
		}
		return x(at)
	}
	p := position[d]
	lower := math.Floor(p)
	offsets, weights := []float64{0}, []float64{1}
	switch g.mode {
	case "linear":
		offsets, weights = []float64{0, 1}, []float64{1 - (p - lower), p - lower}
	case "cubic":
		r := resize{mode: "cubic", cubic: gridCubic}
		offsets, weights = []float64{-1, 0, 1, 2}, r.weights(p-lower, 1)
	}
	sum := 0.0
	for i, o := range offsets {
		q := lower + o
		inside := q >= 0 && q < float64(g.in[d])
		if !inside && g.padding == "reflection" {
			q = g.bounded(d, q)
		}
		q = min(max(q, 0), float64(g.in[d]-1))
		if math.IsNaN(q) {
			q = 0 // as programs do
		}
		sum += weights[i] * g.sample(x, d+1, position, at*g.in[d]+int64(q), known && (inside || g.padding != "zeros"))
	}
	return sum
}
