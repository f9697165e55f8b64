package rare

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Mels has MelWeightMatrix: the weights by which the bins of a spectrum add to bands that are evenly apart on the mel
// scale, where mel(f) = 2595*log10(1+f/700). Each band is a triangle with a peak of 1.
var Mels = []op.Row{
	{Op: "MelWeightMatrix", Since: 17, In: "T1:I T1:I T1:I T2:F T2:F", Infer: inferMel, Eval: evalMel,
		Opaque: &op.Function{Make: opaqueMel}},
}

// melFactor is a natural logarithm in mel.
const melFactor = 2595 / math.Ln10

func inferMel(n *graph.Node) ([]op.Type, error) {
	for i, v := range n.Inputs[:5] {
		if v.Elems() != 1 || v.Type.IsFloat() != (i > 2) {
			return nil, fmt.Errorf("input %d is %s: three whole numbers and two floats are wanted", i, v)
		}
	}
	t, err := op.TypeAttr(n, "output_datatype", tir.F32)
	if err != nil {
		return nil, err
	}
	for i := range 2 {
		if n.Inputs[i].Const == nil {
			return nil, &op.OpenError{Input: i}
		}
	}
	bands, length := n.Inputs[0].Const.Tensor().I[0], n.Inputs[1].Const.Tensor().I[0]
	if bands < 0 || length < 0 {
		return nil, fmt.Errorf("%d bands of a spectrum of %d points", bands, length)
	}
	return []op.Type{{DType: t, Shape: []int64{length/2 + 1, bands}}}, nil
}

func evalMel(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	t, err := op.TypeAttr(n, "output_datatype", tir.F32)
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
	return []*graph.Tensor{array.Convert(r, t)}, nil
}

// opaqueMel checks the shape, finds the edges of the bands, and then each weight.
func opaqueMel(n *graph.Node) (*tir.Func, error) {
	out, fault := Parameter("out", n.Outputs[0]), ErrorFlag()
	if len(out.Shape) != 2 {
		return nil, fmt.Errorf("a matrix of shape %v", out.Shape)
	}
	rows, bands := out.Shape[0], out.Shape[1]
	var params []*tir.Buffer
	var in []tir.Expr
	for i, name := range []string{"bands", "length", "rate", "low", "high"} {
		p := Flat(name, n.Inputs[i])
		params = append(params, p)
		t := tir.I64
		if i > 2 {
			t = tir.F64
		}
		in = append(in, Cast(Cast(Load(p, tir.Int(0)), Register(p.Type)), t))
	}
	edges := &tir.Buffer{Name: "edges", Type: tir.I64, Shape: []int64{bands + 2}}
	rate := Sel(Gt(in[2], tir.Int(0)), in[2], tir.Int(1))
	mel := func(f tir.Expr) tir.Expr { return Mul(Num(f, melFactor), array.Log1p(Quo(f, Num(f, 700)))) }
	edge := func(i tir.Expr) tir.Expr {
		low := mel(in[3])
		m := Add(low, Mul(Cast(i, tir.F64), Quo(Sub(mel(in[4]), low), Num(low, float64(bands+2)))))
		f := Mul(Num(m, 700), Sub(Fn(tir.Exp, Quo(m, Num(m, melFactor))), Num(m, 1)))
		points := Cast(Add(in[1], tir.Int(1)), tir.F64)
		return CastTo(Fn(tir.Floor, Quo(Mul(points, f), Cast(rate, tir.F64))), tir.I64)
	}
	weight := func(j, i tir.Expr) tir.Expr {
		left, peak, right := Load(edges, i), Load(edges, Add(i, tir.Int(1))), Load(edges, Add(i, tir.Int(2)))
		part := func(x, y tir.Expr) tir.Expr {
			return Quo(Cast(x, tir.F64), Cast(MaxOf(y, tir.Int(1)), tir.F64))
		}
		one, zero := tir.Float(tir.F64, 1), tir.Float(tir.F64, 0)
		up := Sel(And(Lt(j, peak), Ge(j, left)), part(Sub(j, left), Sub(peak, left)), zero)
		down := Sel(And(Gt(j, peak), Lt(j, right)), part(Sub(right, j), Sub(right, peak)), up)
		return Sel(Eq(j, peak), one, down)
	}
	size := Add(Quo(in[1], tir.Int(2)), tir.Int(1))
	wrong := Or(Or(Ne(in[0], tir.Int(bands)), Ne(size, tir.Int(rows))), Or(Le(in[2], tir.Int(0)), Lt(in[1], tir.Int(0))))
	body := Seq(ClearFault(fault), &tir.If{Cond: wrong, Then: SetFault(fault)},
		Loop("e", bands+2, func(i tir.Expr) tir.Stmt { return Store(edges, edge(i), i) }),
		Nest(out.Shape, tir.Serial, func(at []tir.Expr) tir.Stmt {
			return Store(out, CastTo(weight(at[0], at[1]), out.Type), at...)
		}))
	return NewFunc(n.Op, 2, Alloc(edges, body), append(params, out, fault)...), nil
}
