package reduce

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Losses has the losses of classifiers. wmtune.Labels fails if a label is no class, and wmtune.Likelihood is a loss of
// labels that passed.
var Losses = []op.Row{
	{Op: "NegativeLogLikelihoodLoss", Since: 12, In: "T:F Tind:I T:F?", Class: op.Reduction, Infer: inferLikelihood,
		Eval: evalLikelihood, Decompose: decomposeLikelihood},
	{Op: "wmtune.Likelihood", In: "T:F Tind:I T:F?", Class: op.Reduction, Infer: inferLikelihood, Eval: evalLikelihood,
		Body: bodyLikelihood},
	{Op: "wmtune.Labels", In: "T:I", Class: op.Opaque, Infer: op.InferSame, Eval: evalLabels,
		Opaque: &op.Function{Make: opaqueLabels,
			Fault: func(*graph.Node) string { return "a label is no class" }}},
	{Op: "SoftmaxCrossEntropyLoss", Since: 12, In: "T:F Tind:I T:F?", Class: op.Reduction, Infer: inferCrossEntropy,
		Eval:      evalCrossEntropy,
		Decompose: decomposeCrossEntropy},
}

// checkLabels returns the shape of the losses before they are reduced: that of the labels.
func checkLabels(n *graph.Node) ([]int64, error) {
	x, labels, weight := n.Inputs[0], n.Inputs[1], n.Input(2)
	switch {
	case !x.Type.IsFloat() || len(x.Shape) < 2:
		return nil, op.Unsupported("an operand that is %s", x)
	case labels.Type != tir.I32 && labels.Type != tir.I64:
		return nil, op.Unsupported("labels of type %s", labels.Type)
	case !slices.Equal(labels.Shape, append(x.Shape[:1:1], x.Shape[2:]...)):
		return nil, fmt.Errorf("labels of shape %v for classes of shape %v", labels.Shape, x.Shape)
	case weight != nil && (weight.Type != x.Type || !slices.Equal(weight.Shape, x.Shape[1:2])):
		return nil, fmt.Errorf("the weights are %s: there must be one for each of %d classes", weight, x.Shape[1])
	}
	switch r := n.Str("reduction", "mean"); r {
	case "none":
		return labels.Shape, nil
	case "mean", "sum":
		return []int64{}, nil
	default:
		return nil, fmt.Errorf("attribute reduction is %q: it must be none, sum or mean", r)
	}
}

func inferLikelihood(n *graph.Node) ([]op.Type, error) {
	s, err := checkLabels(n)
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: s}}, nil
}

func evalLikelihood(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, labels := in[0], in[1]
	classes := x.Shape[1]
	inner := graph.Elems(x.Shape[2:])
	loss := graph.NewTensor(x.Type, labels.Shape...)
	ignore := n.Attr("ignore_index")
	total, weights := 0.0, 0.0
	for i, label := range labels.I {
		if ignore != nil && ignore.Int == label {
			continue
		}
		if label < 0 || label >= classes {
			return nil, fmt.Errorf("label %d is no class: there are %d", label, classes)
		}
		w := 1.0
		if len(in) > 2 && in[2] != nil {
			w = in[2].F[label]
		}
		batch, rest := int64(i)/inner, int64(i)%inner
		loss.F[i] = -w * x.F[(batch*classes+label)*inner+rest]
		total, weights = total+loss.F[i], weights+w
	}
	switch n.Str("reduction", "mean") {
	case "none":
		return []*graph.Tensor{loss}, nil
	case "mean":
		total /= weights
	}
	return []*graph.Tensor{{Type: x.Type, F: []float64{total}}}, nil
}

func decomposeLikelihood(d *op.Decomposer) error {
	classes := graph.IntAttr("classes", d.Input(0).Shape[1])
	labels := d.Apply("wmtune.Labels", []*graph.Value{d.Input(1)}, append(slices.Clone(d.Node.Attrs), classes)...)
	in := append([]*graph.Value{d.Input(0), labels}, d.Node.Inputs[2:]...)
	d.Output(d.Apply("wmtune.Likelihood", in, d.Node.Attrs...))
	return nil
}

// evalLabels returns the labels, each of which is below attribute classes or equals ignore_index.
func evalLabels(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	for _, label := range in[0].I {
		if a := n.Attr("ignore_index"); (label < 0 || label >= n.Int("classes", 0)) && (a == nil || a.Int != label) {
			return nil, fmt.Errorf("label %d is no class: there are %d", label, n.Int("classes", 0))
		}
	}
	return in, nil
}

func opaqueLabels(n *graph.Node) (*tir.Func, error) {
	x, out, fault := Flat("labels", n.Inputs[0]), Flat("out", n.Outputs[0]), ErrorFlag()
	body := Loop("i", n.Inputs[0].Elems(), func(i tir.Expr) tir.Stmt {
		label := Cast(Load(x, i), tir.I64)
		bad := Or(Lt(label, tir.Int(0)), Ge(label, tir.Int(n.Int("classes", 0))))
		if a := n.Attr("ignore_index"); a != nil {
			bad = And(bad, Ne(label, tir.Int(a.Int)))
		}
		return Seq(&tir.If{Cond: bad, Then: SetFault(fault)}, Store(out, Load(x, i), i))
	})
	return NewFunc("labels", 2, Seq(ClearFault(fault), body), x, out, fault), nil
}

// bodyLikelihood reads what the class of each label adds.
func bodyLikelihood(b *op.Body) error {
	x, labels, weight := b.Node.Inputs[0], b.Node.Inputs[1], b.Node.Input(2)
	work := Register(x.Type)
	all := tirop.Split{Shape: labels.Shape}
	for d := range labels.Shape {
		all.Axes = append(all.Axes, d)
	}
	// ofLabel is a value of the class that a label names, or 0 if it is to be ignored.
	ofLabel := func(at []tir.Expr, value func(class tir.Expr) tir.Expr) tir.Expr {
		label := Cast(b.Read(1, at...), tir.Index)
		v := value(Within(label, x.Shape[1]))
		if a := b.Node.Attr("ignore_index"); a != nil {
			v = Sel(Eq(label, tir.Int(a.Int)), Num(v, 0), v)
		}
		return v
	}
	weightOf := func(class tir.Expr) tir.Expr {
		if weight != nil {
			return b.Read(2, class)
		}
		return tir.Float(work, 1)
	}
	loss := func(at []tir.Expr) tir.Expr {
		return ofLabel(at, func(class tir.Expr) tir.Expr {
			v := Neg(b.Read(0, slices.Insert(slices.Clone(at), 1, class)...))
			if weight != nil {
				v = Mul(v, weightOf(class))
			}
			return v
		})
	}
	reduction := b.Node.Str("reduction", "mean")
	if reduction == "none" {
		b.Elementwise(loss)
		return nil
	}
	g := b.Stages(work)
	total := g.FoldSplit("total", all, compute.Sum, loss)
	if reduction == "sum" {
		b.Elementwise(func([]tir.Expr) tir.Expr { return total.At() })
		return nil
	}
	count := g.FoldSplit("weights", all, compute.Sum, func(at []tir.Expr) tir.Expr { return ofLabel(at, weightOf) })
	b.Elementwise(func([]tir.Expr) tir.Expr { return Quo(total.At(), count.At()) })
	return nil
}

func inferCrossEntropy(n *graph.Node) ([]op.Type, error) {
	s, err := checkLabels(n)
	if err != nil {
		return nil, err
	}
	x := n.Inputs[0]
	return []op.Type{{DType: x.Type, Shape: s}, {DType: x.Type, Shape: x.Shape}}, nil
}

func evalCrossEntropy(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	k := &graph.Node{Op: "LogSoftmax", Version: 13}
	k.SetAttr(graph.IntAttr("axis", 1))
	logs, err := EvalSoftmax(c, k, in[:1])
	if err != nil {
		return nil, err
	}
	loss, err := evalLikelihood(c, n, slices.Concat(logs, in[1:]))
	return append(loss, logs...), err
}

// decomposeCrossEntropy takes the logarithms of the softmax along dimension 1, and the likelihood of those.
func decomposeCrossEntropy(d *op.Decomposer) error {
	version := max(d.Node.Version, 13) // before, a softmax had another axis
	x := d.ApplyAt(version, "LogSoftmax", 1, []*graph.Value{d.Input(0)}, graph.IntAttr("axis", 1))[0]
	in := append([]*graph.Value{x}, d.Node.Inputs[1:]...)
	d.Output(d.Apply("NegativeLogLikelihoodLoss", in, d.Node.Attrs...), x)
	return nil
}
