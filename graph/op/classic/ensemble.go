package classic

import (
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// Ensembles has decision trees that regress.
var Ensembles = []op.Row{
	{Op: "ai.onnx.ml.TreeEnsemble", Since: 5, In: "T:F", Infer: op.InferBy(forestOf, inferScores),
		Eval: op.EvalBy(forestOf, evalScores), Decompose: decomposeScores(forestOf)},
	{Op: "ai.onnx.ml.TreeEnsembleRegressor", Since: 1, In: "T:N", Infer: op.InferBy(regressorOf, inferScores),
		Eval: op.EvalBy(regressorOf, evalScores), Decompose: decomposeScores(regressorOf)},
}

func regressorOf(n *graph.Node) (*forest, error) { return oldForestOf(n, "target_") }

// result returns the type of scores: float32 before version 5.
func result(n *graph.Node) tir.DType {
	if n.Op == "TreeEnsemble" {
		return n.Inputs[0].Type
	}
	return tir.F32
}

func inferScores(f *forest, n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	if err := f.features(x); err != nil {
		return nil, err
	}
	return []op.Type{{DType: result(n), Shape: []int64{x.Shape[0], f.width}}}, nil
}

// offset returns what is added to the score of a target that leaves scored: base_values.
func (f *forest) offset(target int64) float64 {
	if int64(len(f.base)) != f.width {
		return 0
	}
	return f.base[target]
}

func evalScores(f *forest, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	r := graph.NewTensor(result(n), in[0].Shape[0], f.width)
	for i := range r.Shape[0] {
		s, said := f.scores(row(in[0], i, in[0].Shape[1], work(n)))
		for k := range s {
			if said[k] > 0 || f.width == 1 {
				s[k] += f.offset(int64(k))
			}
		}
		f.post.apply(s)
		copy(r.F[i*f.width:], s)
	}
	return []*graph.Tensor{r}, nil
}

func decomposeScores(of func(n *graph.Node) (*forest, error)) func(d *op.Decomposer) error {
	return func(d *op.Decomposer) error {
		f, err := of(d.Node)
		if err != nil {
			return err
		}
		offsets, count := graph.NewTensor(work(d.Node), 1, f.width), false
		for k := range f.width {
			always, ever := f.scored(k)
			if ever || f.width == 1 {
				offsets.F[k] = f.offset(k)
			}
			count = count || ever && !always && f.width > 1 && f.offset(k) != 0
		}
		y, said := f.walk(d, count)
		if offset := d.Const(offsets); said != nil {
			y = apply(d, "Add", y, apply(d, "Mul", d.Cast(said, y.Type), offset))
		} else if f.base != nil {
			y = apply(d, "Add", y, offset)
		}
		d.Output(d.Cast(f.post.nodes(d, y), result(d.Node)))
		return nil
	}
}
