package op

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// softmaxes has operators that normalize along axes: from opset 13 on along one, before along an axis and all that
// follow.
var softmaxes = []Row{
	{Op: "Softmax", Since: 1, In: "T:F", Class: Reduction, Infer: inferSoftmax, Eval: evalSoftmax, Body: bodySoftmax},
	{Op: "wmtune.AttentionSoftmax", Since: 1, In: "T:F", Class: Reduction, Infer: inferSoftmax, Eval: evalSoftmax,
		Body: bodySoftmax},
	{Op: "LogSoftmax", Since: 1, In: "T:F", Class: Reduction, Infer: inferSoftmax, Eval: evalSoftmax, Body: bodySoftmax},
	{Op: "Hardmax", Since: 1, In: "T:F", Class: Reduction, Infer: inferSoftmax, Eval: evalSoftmax, Body: bodyHardmax},
}

// softmaxAxes returns the dimensions along which a node normalizes.
func softmaxAxes(n *graph.Node, shape []int64) ([]int, error) {
	rank := len(shape)
	if n.Version >= 13 {
		a, err := axis(n.Int("axis", -1), rank)
		return []int{a}, err
	}
	a := n.Int("axis", 1)
	if a == int64(rank) { // nothing follows: each element is alone
		return nil, nil
	}
	first, err := axis(a, rank)
	var list []int
	for d := first; d < rank; d++ {
		list = append(list, d)
	}
	return list, err
}

func inferSoftmax(n *graph.Node) ([]Type, error) {
	if _, err := softmaxAxes(n, n.Inputs[0].Shape); err != nil {
		return nil, err
	}
	return inferSame(n)
}

func evalSoftmax(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	axes, err := softmaxAxes(n, in[0].Shape)
	if err != nil {
		return nil, err
	}
	x := in[0]
	r := graph.NewTensor(x.Type, x.Shape...)
	if r.Len() == 0 {
		return []*graph.Tensor{r}, nil
	}
	s := split{shape: x.Shape, axes: axes}
	s.each(func(_ int, places []int) {
		if n.Op == "Hardmax" {
			r.F[largestPlace(x.F, places)] = 1
			return
		}
		largest := largestOf(gather(x.F, places))
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
// LogSoftmax subtracts the logarithm of the sum instead. wmtune.AttentionSoftmax has zeros for what weighs nothing.
func bodySoftmax(b *Body) error {
	dims, err := softmaxAxes(b.Node, b.Node.Inputs[0].Shape)
	if err != nil {
		return err
	}
	x := b.Node.Inputs[0]
	s := split{shape: x.Shape, axes: dims}
	if b.Node.Op == "LogSoftmax" {
		s.logarithms(b)
		return nil
	}
	count := int64(0)
	if b.Node.Op == "AttentionSoftmax" {
		count = 1
		for _, d := range dims {
			count *= x.Shape[d]
		}
	}
	exp, sum := s.powers(b, false, count)
	b.Elementwise(func(at []tir.Expr) tir.Expr { return quo(exp.At(at...), sum.At(s.at(at)...)) })
	return nil
}

// logarithms makes the stages of LogSoftmax.
func (s split) logarithms(b *Body) {
	work := Register(b.Node.Inputs[0].Type)
	read := func(at []tir.Expr) tir.Expr { return b.Read(0, at...) }
	largest := s.fold(b, "maxelem", compute.NewCombiner(compute.MaxOf, work), read)
	shifted := func(at []tir.Expr) tir.Expr { return sub(read(at), largest.At(s.at(at)...)) }
	sum := s.fold(b, "expsum", compute.NewCombiner(compute.Sum, work), func(at []tir.Expr) tir.Expr {
		return fn(tir.Exp, shifted(at))
	})
	axes, at := b.Axes(sum.Shape)
	log := b.Stage("logsum", work, axes, fn(tir.Log, sum.At(at...)))
	b.Elementwise(func(at []tir.Expr) tir.Expr { return sub(shifted(at), log.At(s.at(at)...)) })
}

// powers makes the stages of a softmax but the last: powers of e, and their sums. If masked, the powers of what is all
// minus infinity are 0, not NaN. If count is not 0, powers are 0 that may be denormal, divided by a sum of so many.
func (s split) powers(b *Body, masked bool, count int64) (exp, sum compute.Tensor) {
	work := Register(b.Node.Inputs[0].Type)
	read := func(at []tir.Expr) tir.Expr { return b.Read(0, at...) }
	largest := s.fold(b, "maxelem", compute.NewCombiner(compute.MaxOf, work), read)
	axes, at := b.Axes(s.shape)
	most := largest.At(s.at(at)...)
	if masked {
		most = maxOf(most, compute.NewCombiner(compute.MaxOf, work).Identity[0])
	}
	power := sub(read(at), most)
	if count > 0 {
		power = unlessDenormal(power, count)
	}
	exp = b.Stage("exp", work, axes, fn(tir.Exp, power))
	sum = s.fold(b, "expsum", compute.NewCombiner(compute.Sum, work), func(at []tir.Expr) tir.Expr {
		return exp.At(at...)
	})
	return exp, sum
}

// IsRowSoftmax reports whether n, a softmax, normalizes along the last axis alone.
func IsRowSoftmax(n *graph.Node) bool {
	shape := n.Inputs[0].Shape
	axes, err := softmaxAxes(n, shape)
	return err == nil && slices.Equal(axes, []int{len(shape) - 1})
}

// unlessDenormal is x, or minus infinity where e^x, divided by a sum of up to count numbers of at most 1, may be below
// the smallest normal number.
func unlessDenormal(x tir.Expr, count int64) tir.Expr {
	least := map[tir.DType]float64{tir.F32: -87.33, tir.F64: -708.39}[x.DType()] + math.Log(float64(count))
	return sel(lt(x, num(x, least)), num(x, math.Inf(-1)), x)
}

// bodyHardmax finds the place of the largest element, and compares places with it.
func bodyHardmax(b *Body) error {
	dims, err := softmaxAxes(b.Node, b.Node.Inputs[0].Shape)
	if err != nil {
		return err
	}
	x := b.Node.Inputs[0]
	s := split{shape: x.Shape, axes: dims}
	largest := s.foldAll(b, "argmax", firstLargest(Register(x.Type)), func(at []tir.Expr) []tir.Expr {
		return []tir.Expr{s.place(at), b.Read(0, at...)}
	})
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		one := tir.Const(Register(x.Type), 1)
		return sel(eq(largest[0].At(s.at(at)...), s.place(at)), one, num(one, 0))
	})
	return nil
}
