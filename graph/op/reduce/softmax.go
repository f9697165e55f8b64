package reduce

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Softmaxes has operators that normalize along axes: from opset 13 on along one, before along an axis and all that
// follow.
var Softmaxes = []op.Row{
	{Op: "Softmax", Since: 1, In: "T:F", Class: op.Reduction, Infer: inferSoftmax, Eval: EvalSoftmax, Body: bodySoftmax},
	{Op: "wmtune.AttentionSoftmax", Since: 1, In: "T:F", Class: op.Reduction, Infer: inferSoftmax, Eval: EvalSoftmax,
		Body: bodySoftmax},
	{Op: "wmtune.MaskedSoftmax", In: "T:F", Class: op.Reduction, Infer: inferSoftmax, Eval: EvalSoftmax,
		Body: bodySoftmax},
	{Op: "LogSoftmax", Since: 1, In: "T:F", Class: op.Reduction, Infer: inferSoftmax, Eval: EvalSoftmax,
		Body: bodySoftmax},
	{Op: "Hardmax", Since: 1, In: "T:F", Class: op.Reduction, Infer: inferSoftmax, Eval: EvalSoftmax, Body: bodyHardmax},
}

// softmaxSplit says along which dimensions a node normalizes.
func softmaxSplit(n *graph.Node, shape []int64) (tirop.Split, error) {
	s := tirop.Split{Shape: shape}
	rank := len(shape)
	if n.Version >= 13 || n.Op == "MaskedSoftmax" {
		d, err := array.Axis(n.Int("axis", -1), rank)
		s.Axes = []int{d}
		return s, err
	}
	if n.Int("axis", 1) == int64(rank) { // nothing follows: each element is alone
		return s, nil
	}
	first, err := array.Axis(n.Int("axis", 1), rank)
	for d := first; d < rank; d++ {
		s.Axes = append(s.Axes, d)
	}
	return s, err
}

func inferSoftmax(n *graph.Node) ([]op.Type, error) {
	if _, err := softmaxSplit(n, n.Inputs[0].Shape); err != nil {
		return nil, err
	}
	return op.InferSame(n)
}

func EvalSoftmax(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	s, err := softmaxSplit(n, x.Shape)
	if err != nil {
		return nil, err
	}
	r := graph.NewTensor(x.Type, x.Shape...)
	if r.Len() == 0 {
		return []*graph.Tensor{r}, nil
	}
	each(s, func(_ int, places []int) {
		if n.Op == "Hardmax" {
			r.F[largestPlace(x.F, places)] = 1
			return
		}
		largest := array.LargestOf(gather(nil, x.F, places))
		if n.Op == "MaskedSoftmax" && math.IsInf(largest, -1) {
			return
		}
		sum := 0.0
		for _, i := range places {
			sum += math.Exp(x.F[i] - largest)
		}
		for _, i := range places {
			if n.Op == "LogSoftmax" {
				r.F[i] = x.F[i] - largest - math.Log(sum)
			} else {
				r.F[i] = math.Exp(x.F[i]-largest) / sum
			}
		}
	})
	return []*graph.Tensor{r}, nil
}

// largestPlace returns the first place of the largest element; a NaN is larger than any number, as for numpy.
func largestPlace(x []float64, places []int) int {
	best := places[0]
	for _, i := range places[1:] {
		if x[i] > x[best] || x[i] != x[i] && x[best] == x[best] {
			best = i
		}
	}
	return best
}

// bodySoftmax has the stages of tir/op's softmax, which the search was trained on:
//
//	maxelem(i) max= x[i, k]
//	exp(i, j) = tir.exp((x[i, j] - maxelem[i]))
//	expsum(i) += exp[i, k]
//	norm(i, j) = (exp[i, j]/expsum[i])
//
// LogSoftmax subtracts the logarithm of the sum instead. wmtune.AttentionSoftmax has zeros for what weighs nothing, and
// wmtune.MaskedSoftmax also two bounds that a row has unless all of it is minus infinity: the largest element is
// finite, and the sum is 1 or more.
func bodySoftmax(b *op.Body) error {
	x := b.Node.Inputs[0]
	s, err := softmaxSplit(b.Node, x.Shape)
	if err != nil {
		return err
	}
	if b.Node.Op == "LogSoftmax" {
		logarithms(b, s)
		return nil
	}
	count, masked := int64(0), b.Node.Op == "MaskedSoftmax"
	if masked || b.Node.Op == "AttentionSoftmax" {
		count = s.Count()
	}
	exp, sum := Powers(b, s, masked, count)
	b.Elementwise(func(at []tir.Expr) tir.Expr { return Quo(exp.At(at...), RowSum(sum.At(s.At(at)...), masked)) })
	return nil
}

// logarithms makes the stages of LogSoftmax.
func logarithms(b *op.Body, s tirop.Split) {
	work := Register(b.Node.Inputs[0].Type)
	read := b.Reader(0)
	g := b.Stages(work)
	largest := g.FoldSplit("maxelem", s, compute.MaxOf, read)
	shifted := func(at []tir.Expr) tir.Expr { return Sub(read(at), largest.At(s.At(at)...)) }
	sum := g.FoldSplit("expsum", s, compute.Sum, func(at []tir.Expr) tir.Expr { return Fn(tir.Exp, shifted(at)) })
	axes, at := b.Axes(sum.Shape)
	log := b.Stage("logsum", work, axes, Fn(tir.Log, sum.At(at...)))
	b.Elementwise(func(at []tir.Expr) tir.Expr { return Sub(shifted(at), log.At(s.At(at)...)) })
}

// Powers makes the stages of a softmax but the last: powers of e, and their sums. If masked, the powers of what is all
// minus infinity are 0, not NaN. If count is not 0, powers are 0 that may be denormal, divided by a sum of so many.
func Powers(b *op.Body, s tirop.Split, masked bool, count int64) (exp, sum compute.Tensor) {
	g := b.Stages(b.Node.Inputs[0].Type)
	return g.Powers(s, b.Reader(0), func(x, most tir.Expr) tir.Expr {
		if masked {
			most = MaxOf(most, compute.NewCombiner(compute.MaxOf, x.DType()).Identity[0])
		}
		if count > 0 {
			return unlessDenormal(Sub(x, most), count)
		}
		return Sub(x, most)
	})
}

// RowSum is what the powers of a row are divided by.
func RowSum(sum tir.Expr, masked bool) tir.Expr {
	if masked {
		return MaxOf(sum, Num(sum, 1))
	}
	return sum
}

// IsRowSoftmax reports whether n, a softmax, normalizes along the last axis alone.
func IsRowSoftmax(n *graph.Node) bool {
	shape := n.Inputs[0].Shape
	s, err := softmaxSplit(n, shape)
	return err == nil && slices.Equal(s.Axes, []int{len(shape) - 1})
}

// unlessDenormal is x, or minus infinity where e^x, divided by a sum of up to count numbers of at most 1, may be below
// the smallest normal number.
func unlessDenormal(x tir.Expr, count int64) tir.Expr {
	return Sel(Lt(x, Num(x, LeastPower(x.DType(), count))), Num(x, math.Inf(-1)), x)
}

// LeastPower is the logarithm below which wmtune.AttentionSoftmax and wmtune.MaskedSoftmax take a power, divided by a
// sum of up to count of them, for 0.
func LeastPower(t tir.DType, count int64) float64 {
	least := -87.33 // of float32, in which halves are computed
	if t == tir.F64 {
		least = -708.39
	}
	return least + math.Log(float64(count))
}

// bodyHardmax finds the place of the largest element, and compares places with it.
func bodyHardmax(b *op.Body) error {
	x := b.Node.Inputs[0]
	s, err := softmaxSplit(b.Node, x.Shape)
	if err != nil {
		return err
	}
	largest := b.Stages(x.Type).FoldAll("argmax", s, tirop.FirstLargest(Register(x.Type)), func(at []tir.Expr) []tir.Expr {
		return []tir.Expr{s.Place(at), b.Read(0, at...)}
	})
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		one := tir.Const(Register(x.Type), 1)
		return Sel(Eq(largest[0].At(s.At(at)...), s.Place(at)), one, Num(one, 0))
	})
	return nil
}
