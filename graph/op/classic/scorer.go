package classic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// Scorers has the operators that work row by row.
var Scorers = []op.Row{
	rowOf("TreeEnsemble", 5, "T:F", forestOf),
	rowOf("TreeEnsembleRegressor", 1, "T:N", regressorOf),
	rowOf("TreeEnsembleClassifier", 1, "T:N", votersOf),
	rowOf("LinearRegressor", 1, "T:N", linearOf),
	rowOf("LinearClassifier", 1, "T:N", linearClassifierOf),
	rowOf("SVMRegressor", 1, "T:N", svmRegressorOf),
	rowOf("SVMClassifier", 1, "T:N", svmClassifierOf),
	rowOf("Scaler", 1, "T:N", scalerOf),
	rowOf("Normalizer", 1, "T:N", normalizerOf),
}

// A scorer gives a row of features its scores and, if it classifies, its label.
type scorer interface {
	columns() int64 // scores of a row
	score(row []float64) (label int64, scores []float64)
	nodes(d *op.Decomposer, x *graph.Value) (label, scores *graph.Value)
}

// rowOf returns the row of an operator that is a scorer.
func rowOf[S scorer](name string, since int, in string, of func(n *graph.Node) (S, error)) op.Row {
	return op.Row{Op: "ai.onnx.ml." + name, Since: since, In: in, Infer: op.InferBy(of, infer[S]),
		Eval: op.EvalBy(of, eval[S]),
		Decompose: func(d *op.Decomposer) error {
			s, err := of(d.Node)
			if err != nil {
				return err
			}
			types, _ := infer(s, d.Node)
			shape, _ := rows(d.Input(0).Shape)
			label, scores := s.nodes(d, d.Reshape(d.Cast(d.Input(0), operand(d.Node)), shape...))
			last := types[len(types)-1]
			if scores = d.Reshape(d.Cast(scores, last.DType), last.Shape...); label == nil {
				d.Output(scores)
				return nil
			}
			d.Output(d.Reshape(label, shape[0]), scores)
			return nil
		}}
}

// rows returns a shape as that of a matrix: a vector is one row.
func rows(shape []int64) ([]int64, error) {
	switch len(shape) {
	case 1:
		return []int64{1, shape[0]}, nil
	case 2:
		return shape, nil
	}
	return nil, fmt.Errorf("an operand of shape %v: it must have 1 or 2 dimensions", shape)
}

// operand returns the type in which a node computes: float64 if its operand is one, but for linear models and support
// vectors, else float32.
func operand(n *graph.Node) tir.DType {
	if n.Inputs[0].Type != tir.F64 || strings.HasPrefix(n.Op, "Linear") || strings.HasPrefix(n.Op, "SVM") {
		return tir.F32
	}
	return tir.F64
}

func infer[S scorer](s S, n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	shape, err := rows(x.Shape)
	if err != nil {
		return nil, err
	}
	scores := op.Type{DType: tir.F32, Shape: []int64{shape[0], s.columns()}}
	switch {
	case strings.HasSuffix(n.Op, "Classifier"):
		return []op.Type{{DType: tir.I64, Shape: shape[:1]}, scores}, nil
	case n.Op == "TreeEnsemble":
		scores.DType = x.Type
	case n.Op == "Scaler" || n.Op == "Normalizer":
		scores.Shape = x.Shape
	}
	return []op.Type{scores}, nil
}

func eval[S scorer](s S, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	types, err := infer(s, n)
	if err != nil {
		return nil, err
	}
	shape, _ := rows(in[0].Shape)
	last := types[len(types)-1]
	labels, scores := graph.NewTensor(tir.I64, shape[0]), graph.NewTensor(last.DType, last.Shape...)
	row := make([]float64, shape[1])
	for i := range int(shape[0]) {
		for k := range row {
			row[k] = tir.Rounded(operand(n), in[0].At(i*len(row)+k)) // what a program compares has its type
		}
		var list []float64
		labels.I[i], list = s.score(row)
		copy(scores.F[i*int(s.columns()):], list)
	}
	if len(types) == 1 {
		return []*graph.Tensor{scores}, nil
	}
	return []*graph.Tensor{labels, scores}, nil
}

// labels are the classes of a classifier. A class whose label is a text is its number.
type labels []int64

func labelsOf(n *graph.Node) labels {
	for _, name := range []string{"classlabels_ints", "classlabels_int64s"} {
		if list := n.Ints(name); list != nil {
			return list
		}
	}
	if a := n.Attr("classlabels_strings"); a != nil {
		return array.UpTo(int64(len(a.Strings)))
	}
	return nil
}

// pair returns the labels of what is not and of what is: those of two classes, or 0 and 1.
func (l labels) pair() labels {
	if len(l) == 2 {
		return l
	}
	return labels{0, 1}
}

// choose returns the second of two labels if a condition holds, and else the first.
func (l labels) choose(second bool) int64 {
	if second {
		return l[1]
	}
	return l[0]
}

// where adds choose for each row of a column of scores: whether it is above a limit.
func (l labels) where(d *op.Decomposer, score *graph.Value, limit float64) *graph.Value {
	return apply(d, "Where", apply(d, "Greater", score, d.Number(score, limit)), d.Const(graph.Ints(l[1])),
		d.Const(graph.Ints(l[0])))
}

// largest adds what finds the label of the largest score of each row, the first of equal ones.
func (l labels) largest(d *op.Decomposer, scores *graph.Value) *graph.Value {
	at := d.Apply("ArgMax", []*graph.Value{scores}, graph.IntAttr("axis", 1))
	if slices.Equal(l, array.UpTo(int64(len(l)))) {
		return at
	}
	return apply(d, "wmtune.Gather", d.Const(graph.Ints(l...)), at)
}

// argmax returns the number of the largest score, the first of equal ones.
func argmax(list []float64) int {
	at := 0
	for i, v := range list {
		if v > list[at] {
			at = i
		}
	}
	return at
}

// apply adds an operator without attributes.
func apply(d *op.Decomposer, name string, inputs ...*graph.Value) *graph.Value {
	return d.Apply(name, inputs)
}
