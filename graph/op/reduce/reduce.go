// Package reduce has the operators that read whole axes of a tensor: sums and other reductions, softmax, norms, losses,
// and cumulative sums.
package reduce

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/dag"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/pointwise"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Reductions has operators that make one number of all along some axes. The axes are an attribute, and from a version
// on an input.
var Reductions = slices.Concat(
	reduction("ReduceSum", 13, &reducer{kind: compute.Sum, eval: array.SumOf, evalInt: sumInts}),
	reduction("ReduceMean", 18, &reducer{kind: compute.Sum, finish: divided, wide: true, eval: meanOf, evalInt: meanInts}),
	reduction("ReduceMax", 18, &reducer{kind: compute.MaxOf, eval: array.LargestOf, evalInt: largestInts}),
	reduction("ReduceMin", 18, &reducer{kind: compute.MinOf, eval: array.SmallestOf, evalInt: smallestInts}),
	reduction("ReduceProd", 18, &reducer{kind: compute.Tuple, eval: productOf, evalInt: productInts}),
	reduction("ReduceL1", 18, &reducer{kind: compute.Sum, pre: pointwise.BodyAbs, eval: absSumOf, evalInt: absSumInts}),
	reduction("ReduceL2", 18, &reducer{kind: compute.Sum, pre: Square, finish: finishWith(tir.Sqrt), real: true,
		eval: normOf}),
	reduction("ReduceSumSquare", 18, &reducer{kind: compute.Sum, pre: Square, eval: squaresOf, evalInt: squareInts}),
	reduction("ReduceLogSum", 18, &reducer{kind: compute.Sum, finish: finishWith(tir.Log), real: true, eval: logSumOf}),
	reduction("ReduceLogSumExp", 18, &reducer{kind: compute.Sum, finish: finishWith(tir.Log), real: true, shifted: true,
		eval: logSumExpOf}),
)

// A reducer says what a reduction computes: finish(fold of pre(x)).
type reducer struct {
	kind   compute.CombineKind // Tuple is a product
	pre    func(x tir.Expr) tir.Expr
	finish func(x, count tir.Expr) tir.Expr // count is the number of elements; nil changes nothing
	// real says that integers are computed as float64, and wide that they are computed with 64 bits.
	real, wide bool
	// shifted says that e^x is summed. The largest x is taken out first, so that nothing overflows.
	shifted bool

	eval    func(x []float64) float64
	evalInt func(t tir.DType, x []int64) int64 // nil: eval's result, truncated
}

// reduction returns the rows of an operator whose axes are an input from a version on.
func reduction(name string, inputSince int, r *reducer) []op.Row {
	kinds := "T:N"
	if name == "ReduceMax" || name == "ReduceMin" {
		kinds = "T:A"
	}
	row := func(since int, in string, input bool) op.Row {
		of := func(n *graph.Node) (tirop.Split, error) { return reduceSplit(n, input) }
		return op.Row{
			Op: name, Since: since, In: in, Class: op.Reduction, Infer: inferReduce(of), Eval: evalReduce(r, input),
			Body: func(b *op.Body) error { return r.body(b, of) },
			Opaque: &op.Function{Make: dag.Claim(claimReduced).Function, When: func(n *graph.Node) bool {
				return op.Open(1)(n) && n.Inputs[0].Elems() > 0 // the fold of nothing needs no axes
			}},
		}
	}
	return []op.Row{row(1, kinds, false), row(inputSince, kinds+" -:I?", true)}
}

// claimReduced has a variant for each set of axes that leads to the declared shape: one, if all extents differ.
func claimReduced(d *dag.Draft) []dag.Variant {
	var list []dag.Variant
	s := tirop.Split{Shape: dag.ShapeIn(d.Node), Keep: keepDims(d.Node)}
	free := func(dim int) bool { return s.Keep && s.Shape[dim] == 1 } // it may be reduced or not
	for set := range dag.Subsets(len(s.Shape)) {
		s.Axes = nil
		whole := true
		for dim, in := range set {
			if in {
				s.Axes = append(s.Axes, dim)
			}
			whole = whole && (in || !free(dim))
		}
		if whole && len(s.Axes) > 0 && slices.Equal(s.Result(), dag.ShapeOut(d.Node)) {
			list = append(list, dag.Variant{Holds: set.Named(d.In[1], free), Node: dag.WithInts(d.Node, 1, set.List()...)})
		}
	}
	return list
}

// reduceSplit says along which dimensions a node reduces.
func reduceSplit(n *graph.Node, input bool) (tirop.Split, error) {
	list := n.Ints("axes")
	if input {
		list = nil
		if !op.Known(n, 1) {
			return tirop.Split{}, &op.OpenError{Input: 1}
		}
		if v := n.Input(1); v != nil && v.Const != nil {
			list = v.Const.Tensor().I
		}
	}
	return reducedAlong(n, n.Inputs[0].Shape, list)
}

// reducedAlong is how a node reduces a tensor along axes.
func reducedAlong(n *graph.Node, shape, axes []int64) (tirop.Split, error) {
	list, err := dimensions(axes, len(shape), n.Int("noop_with_empty_axes", 0) != 0)
	return tirop.Split{Shape: shape, Axes: list, Keep: keepDims(n)}, err
}

// dimensions returns axes as dimensions in order, each once; no axes mean all, or none if noop is set.
func dimensions(axes []int64, rank int, noop bool) ([]int, error) {
	var list []int
	for _, a := range axes {
		d, err := array.Axis(a, rank)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	if len(axes) == 0 && !noop {
		for d := range rank {
			list = append(list, d)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

func keepDims(n *graph.Node) bool { return n.Int("keepdims", 1) != 0 }

func inferReduce(of func(n *graph.Node) (tirop.Split, error)) op.InferFunc {
	return func(n *graph.Node) ([]op.Type, error) {
		t := n.Inputs[0].Type
		if v := n.Input(1); v != nil && v.Type != tir.I64 {
			return nil, op.Unsupported("a list of axes of type %s", v.Type)
		}
		s, err := of(n)
		if err != nil {
			return nil, err
		}
		return []op.Type{{DType: t, Shape: s.Result()}}, nil
	}
}

// work is the type that elements of type t are computed in.
func (r *reducer) work(t tir.DType) tir.DType {
	switch {
	case t == tir.Bool:
		return tir.U8
	case r.real && t.IsInt():
		return tir.F64
	case r.wide && t.IsInt() && t != tir.U64:
		return tir.I64
	}
	return Register(t)
}

// combiner returns how values of type t are folded.
func (r *reducer) combiner(t tir.DType) *compute.Combiner {
	if r.kind != compute.Tuple {
		return compute.NewCombiner(r.kind, t)
	}
	x, y := &tir.Var{Name: "x", Type: t}, &tir.Var{Name: "y", Type: t}
	return &compute.Combiner{
		Acc: []*tir.Var{x}, Src: []*tir.Var{y}, Result: []tir.Expr{Mul(x, y)}, Identity: []tir.Expr{tir.Const(t, 1)},
	}
}

// element is what an element of the operand adds to the fold.
func (r *reducer) element(x tir.Expr) tir.Expr {
	x = Cast(x, r.work(x.DType()))
	if r.pre != nil {
		x = r.pre(x)
	}
	return x
}

// finished is the result, of type t, of what was folded of count elements.
func (r *reducer) finished(x, count tir.Expr, t tir.DType) tir.Expr {
	if r.finish != nil {
		x = r.finish(x, count)
	}
	return CastTo(x, t)
}

// body makes as few stages as tir/op's reductions have: the fold, and another if something follows it.
func (r *reducer) body(b *op.Body, of func(n *graph.Node) (tirop.Split, error)) error {
	x, out := b.Node.Inputs[0], b.Node.Outputs[0]
	work := r.work(x.Type)
	c := r.combiner(work)
	if x.Elems() == 0 { // and the result has elements: each is of none
		b.Elementwise(func([]tir.Expr) tir.Expr { return r.finished(c.Start()[0], tir.Int(0), out.Type) })
		return nil
	}
	s, err := of(b.Node)
	if err != nil {
		return err
	}
	count := tir.Int(s.Count())
	if r.shifted {
		r.bodyShifted(b, s)
		return nil
	}
	folded := b.Stages(work).FoldAll("sum", s, c, func(at []tir.Expr) []tir.Expr {
		return []tir.Expr{r.element(b.Read(0, at...))}
	})[0]
	if r.finish == nil && work == out.Type {
		b.Output(folded)
		return nil
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr { return r.finished(folded.At(at...), count, out.Type) })
	return nil
}

// bodyShifted is log(sum(e^(x-m)))+m, where m is the largest x.
func (r *reducer) bodyShifted(b *op.Body, s tirop.Split) {
	out := b.Node.Outputs[0]
	read := func(at []tir.Expr) tir.Expr { return r.element(b.Read(0, at...)) }
	g := b.Stages(r.work(b.Node.Inputs[0].Type))
	largest := g.FoldSplit("maxelem", s, compute.MaxOf, read)
	shift := func(at []tir.Expr) tir.Expr { return finite(largest.At(at...)) }
	sum := g.FoldSplit("expsum", s, compute.Sum, func(at []tir.Expr) tir.Expr {
		return Fn(tir.Exp, Sub(read(at), shift(s.At(at))))
	})
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		return CastTo(Add(r.finish(sum.At(at...), nil), shift(at)), out.Type)
	})
}

// finite is x, or 0 if x is an infinity.
func finite(x tir.Expr) tir.Expr {
	return Sel(Eq(Sub(x, x), Num(x, 0)), x, Sel(Eq(x, x), Num(x, 0), x))
}

func finishWith(f tir.Intrinsic) func(x, count tir.Expr) tir.Expr {
	return func(x, _ tir.Expr) tir.Expr { return Fn(f, x) }
}

// divided is the mean of count numbers whose sum is x.
func divided(x, count tir.Expr) tir.Expr {
	n, known := count.(*tir.IntImm)
	switch {
	case known && x.DType().IsFloat():
		return tirop.Mean(x, n.Value)
	case known && n.Value == 0:
		return Num(x, 0)
	}
	return Quo(x, Cast(count, x.DType()))
}
