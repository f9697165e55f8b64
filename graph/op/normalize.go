package op

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// normalizing has the operators that divide by a norm, or by a standard deviation.
var normalizing = []Row{
	{Op: "LpNormalization", Since: 1, In: "T:F", Class: Reduction, Infer: inferLpNorm, Eval: evalLpNorm, Body: bodyLpNorm},
	{Op: "MeanVarianceNormalization", Since: 9, In: "T:F", Class: Reduction, Infer: inferMeanVariance,
		Eval: evalMeanVariance,
		Body: bodyMeanVariance},
}

func lpSplit(n *graph.Node, shape []int64) (split, bool, error) {
	d, err := axis(n.Int("axis", -1), len(shape))
	p := n.Int("p", 2)
	if err == nil && p != 1 && p != 2 {
		err = Unsupported("a norm of order %d", p)
	}
	return split{shape: shape, axes: []int{d}}, p == 2, err
}

func inferLpNorm(n *graph.Node) ([]Type, error) {
	if _, _, err := lpSplit(n, n.Inputs[0].Shape); err != nil {
		return nil, err
	}
	return inferSame(n)
}

func evalLpNorm(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	s, two, err := lpSplit(n, x.Shape)
	if err != nil {
		return nil, err
	}
	r := graph.NewTensor(x.Type, x.Shape...)
	s.each(func(_ int, places []int) {
		norm := absSumOf(gather(x.F, places))
		if two {
			norm = normOf(gather(x.F, places))
		}
		for _, p := range places {
			if norm != 0 { // where it is 0, so is the result
				r.F[p] = x.F[p] / norm
			}
		}
	})
	return []*graph.Tensor{r}, nil
}

func bodyLpNorm(b *Body) error {
	x := b.Node.Inputs[0]
	s, two, err := lpSplit(b.Node, x.Shape)
	if err != nil {
		return err
	}
	work := Register(x.Type)
	sum := s.fold(b, "sum", compute.NewCombiner(compute.Sum, work), func(at []tir.Expr) tir.Expr {
		if two {
			return square(b.Read(0, at...))
		}
		return fn(tir.Abs, b.Read(0, at...))
	})
	axes, at := b.Axes(sum.Shape)
	norm := sum.At(at...)
	if two {
		norm = fn(tir.Sqrt, norm)
	}
	one := num(norm, 1)
	scale := b.Stage("scale", work, axes, quo(one, sel(eq(norm, num(norm, 0)), one, norm)))
	b.Elementwise(func(at []tir.Expr) tir.Expr { return mul(b.Read(0, at...), scale.At(s.at(at)...)) })
	return nil
}

// meanVarianceEpsilon is added to the standard deviation.
const meanVarianceEpsilon = 1e-9

func meanVarianceSplit(n *graph.Node, shape []int64) (split, error) {
	list := []int64{0, 2, 3}
	if n.Has("axes") {
		list = n.Ints("axes")
	}
	axes, err := dimensions(list, len(shape), false)
	return split{shape: shape, axes: axes}, err
}

func inferMeanVariance(n *graph.Node) ([]Type, error) {
	if _, err := meanVarianceSplit(n, n.Inputs[0].Shape); err != nil {
		return nil, err
	}
	return inferSame(n)
}

func evalMeanVariance(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	s, err := meanVarianceSplit(n, x.Shape)
	if err != nil {
		return nil, err
	}
	r := graph.NewTensor(x.Type, x.Shape...)
	s.each(func(_ int, places []int) {
		list := gather(x.F, places)
		mean := meanOf(list)
		variance := sumBy(list, func(v float64) float64 { return (v - mean) * (v - mean) }) / float64(len(list))
		for _, p := range places {
			r.F[p] = (x.F[p] - mean) / (math.Sqrt(variance) + meanVarianceEpsilon)
		}
	})
	return []*graph.Tensor{r}, nil
}

// bodyMeanVariance takes the variance about the mean, which does not cancel, as tir/op's layer norm does.
func bodyMeanVariance(b *Body) error {
	x := b.Node.Inputs[0]
	s, err := meanVarianceSplit(b.Node, x.Shape)
	if err != nil {
		return err
	}
	work := Register(x.Type)
	part := tir.Float(work, 1/float64(s.count()))
	c := compute.NewCombiner(compute.Sum, work)
	sum := s.fold(b, "sum", c, func(at []tir.Expr) tir.Expr { return b.Read(0, at...) })
	axes, at := b.Axes(sum.Shape)
	mean := b.Stage("mean", work, axes, mul(sum.At(at...), part))
	centred := func(at []tir.Expr) tir.Expr { return sub(b.Read(0, at...), mean.At(s.at(at)...)) }
	squares := s.fold(b, "sqsum", c, func(at []tir.Expr) tir.Expr { return square(centred(at)) })
	axes, at = b.Axes(sum.Shape)
	deviation := fn(tir.Sqrt, mul(squares.At(at...), part))
	inv := b.Stage("inv", work, axes, quo(num(part, 1), add(deviation, num(part, meanVarianceEpsilon))))
	b.Elementwise(func(at []tir.Expr) tir.Expr { return mul(centred(at), inv.At(s.at(at)...)) })
	return nil
}
