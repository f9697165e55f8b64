package reduce

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Normalizing has the operators that divide by a norm, or by a standard deviation.
var Normalizing = []op.Row{
	{Op: "LpNormalization", Since: 1, In: "T:F", Class: op.Reduction, Infer: op.InferBy(lpNormOf, likeInput),
		Eval: op.EvalBy(lpNormOf, lpNorm.eval), Body: op.BodyBy(lpNormOf, lpNorm.body)},
	{Op: "MeanVarianceNormalization", Since: 9, In: "T:F", Class: op.Reduction,
		Infer: op.InferBy(meanVarianceOf, likeInput), Eval: op.EvalBy(meanVarianceOf, evalMeanVariance),
		Body: op.BodyBy(meanVarianceOf, bodyMeanVariance)},
}

// likeInput is inferSame for inferBy.
func likeInput[S any](_ S, n *graph.Node) ([]op.Type, error) { return op.InferSame(n) }

// An lpNorm divides by sums of absolute values, or by roots of sums of squares.
type lpNorm struct {
	tirop.Split
	two bool
}

func lpNormOf(n *graph.Node) (lpNorm, error) {
	x := n.Inputs[0]
	d, err := array.Axis(n.Int("axis", -1), len(x.Shape))
	p := n.Int("p", 2)
	if err == nil && p != 1 && p != 2 {
		err = op.Unsupported("a norm of order %d", p)
	}
	return lpNorm{tirop.Split{Shape: x.Shape, Axes: []int{d}}, p == 2}, err
}

func (l lpNorm) eval(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	r := graph.NewTensor(x.Type, x.Shape...)
	each(l.Split, func(_ int, places []int) {
		norm := absSumOf(gather(nil, x.F, places))
		if l.two {
			norm = normOf(gather(nil, x.F, places))
		}
		for _, p := range places {
			if norm != 0 { // where it is 0, so is the result
				r.F[p] = x.F[p] / norm
			}
		}
	})
	return []*graph.Tensor{r}, nil
}

// body computes in float64: a square, or the reciprocal of a norm, may be beyond the range of float32 where the result
// is not.
func (l lpNorm) body(b *op.Body) error {
	read := func(at []tir.Expr) tir.Expr { return Cast(b.Read(0, at...), tir.F64) }
	sum := b.Stages(tir.F64).FoldSplit("sum", l.Split, compute.Sum, func(at []tir.Expr) tir.Expr {
		if l.two {
			return Square(read(at))
		}
		return Fn(tir.Abs, read(at))
	})
	axes, at := b.Axes(sum.Shape)
	norm := sum.At(at...)
	if l.two {
		norm = Fn(tir.Sqrt, norm)
	}
	divisor := b.Stage("divisor", tir.F64, axes, Sel(Eq(norm, Num(norm, 0)), Num(norm, 1), norm))
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		return CastTo(Quo(read(at), divisor.At(l.At(at)...)), b.Node.Outputs[0].Type)
	})
	return nil
}

// meanVarianceEpsilon is added to the standard deviation.
const meanVarianceEpsilon = 1e-9

func meanVarianceOf(n *graph.Node) (tirop.Split, error) {
	list := []int64{0, 2, 3}
	if n.Has("axes") {
		list = n.Ints("axes")
	}
	x := n.Inputs[0]
	axes, err := dimensions(list, len(x.Shape), false)
	return tirop.Split{Shape: x.Shape, Axes: axes}, err
}

func evalMeanVariance(s tirop.Split, _ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	r := graph.NewTensor(x.Type, x.Shape...)
	each(s, func(_ int, places []int) {
		mean, variance := moments(len(places), func(i int) float64 { return x.F[places[i]] })
		for _, p := range places {
			r.F[p] = (x.F[p] - mean) / (math.Sqrt(variance) + meanVarianceEpsilon)
		}
	})
	return []*graph.Tensor{r}, nil
}

// bodyMeanVariance takes the variance about the mean, which does not cancel, as tir/op's layer norm does.
func bodyMeanVariance(s tirop.Split, b *op.Body) error {
	work := Register(b.Node.Inputs[0].Type)
	g := b.Stages(work)
	sum := g.FoldSplit("sum", s, compute.Sum, b.Reader(0))
	axes, at := b.Axes(sum.Shape)
	mean := b.Stage("mean", work, axes, tirop.Mean(sum.At(at...), s.Count()))
	centred := func(at []tir.Expr) tir.Expr { return Sub(b.Read(0, at...), mean.At(s.At(at)...)) }
	squares := g.FoldSplit("sqsum", s, compute.Sum, func(at []tir.Expr) tir.Expr { return Square(centred(at)) })
	axes, at = b.Axes(sum.Shape)
	deviation := Fn(tir.Sqrt, tirop.Mean(squares.At(at...), s.Count()))
	inv := b.Stage("inv", work, axes, Quo(Num(deviation, 1), Add(deviation, Num(deviation, meanVarianceEpsilon))))
	b.Elementwise(func(at []tir.Expr) tir.Expr { return Mul(centred(at), inv.At(s.At(at)...)) })
	return nil
}
