package op

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// mels has MelWeightMatrix: the weights by which the bins of a spectrum add to bands that are evenly apart on the mel
// scale, where mel(f) = 2595*log10(1+f/700). Each band is a triangle with a peak of 1.
var mels = []Row{
	{Op: "MelWeightMatrix", Since: 17, In: "T1:I T1:I T1:I T2:F T2:F", Infer: inferMel, Eval: evalMel,
		Opaque: &Function{Make: opaqueMel}},
}

// melFactor is a natural logarithm in mel.
const melFactor = 2595 / math.Ln10

func inferMel(n *graph.Node) ([]Type, error) {
	for i, v := range n.Inputs[:5] {
		if v.Elems() != 1 || v.Type.IsFloat() != (i > 2) {
			return nil, fmt.Errorf("input %d is %s: three whole numbers and two floats are wanted", i, v)
		}
	}
	t, err := typeAttr(n, "output_datatype", tir.F32)
	if err != nil {
		return nil, err
	}
	for i := range 2 {
		if n.Inputs[i].Const == nil {
			return nil, &OpenError{Input: i}
		}
	}
	bands, length := n.Inputs[0].Const.Tensor().I[0], n.Inputs[1].Const.Tensor().I[0]
	if bands < 0 || length < 0 {
		return nil, fmt.Errorf("%d bands of a spectrum of %d points", bands, length)
	}
	return []Type{{DType: t, Shape: []int64{length/2 + 1, bands}}}, nil
}

func evalMel(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	t, err := typeAttr(n, "output_datatype", tir.F32)
	if err != nil {
		return nil, err
	}
	bands, length := in[0].I[0], in[1].I[0]
	if bands < 0 || length < 0 || in[2].I[0] <= 0 {
		return nil, fmt.Errorf("%d bands of a spectrum of %d points, at %d samples a second", bands, length, in[2].I[0])
	}
	mel := func(f float64) float64 { return melFactor * math.Log1p(f/700) }
	low, high := mel(in[3].F[0]), mel(in[4].F[0])
	edges := make([]int64, bands+2) // band i goes from edge i by edge i+1 to edge i+2
	for i := range edges {
		f := 700 * math.Expm1((low+float64(i)*(high-low)/float64(bands+2))/melFactor)
		edges[i] = int64(math.Floor(float64(length+1) * f / float64(in[2].I[0])))
	}
	r := graph.NewTensor(tir.F64, length/2+1, bands)
	for j := range length/2 + 1 {
		for i := range bands {
			left, peak, right := edges[i], edges[i+1], edges[i+2]
			switch at := &r.F[j*bands+i]; {
			case j == peak:
				*at = 1
			case j > peak && j < right:
				*at = float64(right-j) / float64(right-peak)
			case j < peak && j >= left:
				*at = float64(j-left) / float64(peak-left)
			}
		}
	}
	return []*graph.Tensor{convert(r, t)}, nil
}

// opaqueMel checks the shape, finds the edges of the bands, and then each weight.
func opaqueMel(n *graph.Node) (*tir.Func, error) {
	out, fault := parameter("out", n.Outputs[0]), errorFlag()
	if len(out.Shape) != 2 {
		return nil, fmt.Errorf("a matrix of shape %v", out.Shape)
	}
	rows, bands := out.Shape[0], out.Shape[1]
	var params []*tir.Buffer
	var in []tir.Expr
	for i, name := range []string{"bands", "length", "rate", "low", "high"} {
		p := flat(name, n.Inputs[i])
		params = append(params, p)
		t := tir.I64
		if i > 2 {
			t = tir.F64
		}
		in = append(in, Cast(Cast(load(p, tir.Int(0)), Register(p.Type)), t))
	}
	edges := &tir.Buffer{Name: "edges", Type: tir.I64, Shape: []int64{bands + 2}}
	rate := sel(gt(in[2], tir.Int(0)), in[2], tir.Int(1))
	mel := func(f tir.Expr) tir.Expr { return mul(num(f, melFactor), log1p(quo(f, num(f, 700)))) }
	edge := func(i tir.Expr) tir.Expr {
		low := mel(in[3])
		m := add(low, mul(Cast(i, tir.F64), quo(sub(mel(in[4]), low), num(low, float64(bands+2)))))
		f := mul(num(m, 700), sub(fn(tir.Exp, quo(m, num(m, melFactor))), num(m, 1)))
		points := Cast(add(in[1], tir.Int(1)), tir.F64)
		return castTo(fn(tir.Floor, quo(mul(points, f), Cast(rate, tir.F64))), tir.I64)
	}
	weight := func(j, i tir.Expr) tir.Expr {
		left, peak, right := load(edges, i), load(edges, add(i, tir.Int(1))), load(edges, add(i, tir.Int(2)))
		part := func(x, y tir.Expr) tir.Expr {
			return quo(Cast(x, tir.F64), Cast(maxOf(y, tir.Int(1)), tir.F64))
		}
		one, zero := tir.Float(tir.F64, 1), tir.Float(tir.F64, 0)
		up := sel(and(lt(j, peak), ge(j, left)), part(sub(j, left), sub(peak, left)), zero)
		down := sel(and(gt(j, peak), lt(j, right)), part(sub(right, j), sub(right, peak)), up)
		return sel(eq(j, peak), one, down)
	}
	size := add(quo(in[1], tir.Int(2)), tir.Int(1))
	wrong := or(or(ne(in[0], tir.Int(bands)), ne(size, tir.Int(rows))), or(le(in[2], tir.Int(0)), lt(in[1], tir.Int(0))))
	body := seq(clearFault(fault), &tir.If{Cond: wrong, Then: setFault(fault)},
		loop("e", bands+2, func(i tir.Expr) tir.Stmt { return store(edges, edge(i), i) }),
		nest(out.Shape, tir.Serial, func(at []tir.Expr) tir.Stmt {
			return store(out, castTo(weight(at[0], at[1]), out.Type), at...)
		}))
	return function(n.Op, 2, alloc(edges, body), append(params, out, fault)...), nil
}
