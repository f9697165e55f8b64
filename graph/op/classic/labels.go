package classic

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

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

// of adds what makes labels of the numbers of classes.
func (l labels) of(d *op.Decomposer, number *graph.Value) *graph.Value {
	if slices.Equal(l, array.UpTo(int64(len(l)))) {
		return number
	}
	return apply(d, "wmtune.Gather", d.Const(graph.Ints(l...)), number)
}

// largest adds what finds the label of the largest score of each row, the first of equal ones.
func (l labels) largest(d *op.Decomposer, scores *graph.Value) *graph.Value {
	return l.of(d, d.Apply("ArgMax", []*graph.Value{scores}, graph.IntAttr("axis", 1), graph.IntAttr("keepdims", 0)))
}

// where adds what gives each row the second label where a condition, a column, holds, and else the first.
func (l labels) where(d *op.Decomposer, cond *graph.Value) *graph.Value {
	return d.Reshape(apply(d, "Where", cond, d.Const(graph.Ints(l[1])), d.Const(graph.Ints(l[0]))), cond.Shape[0])
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

// A classifier says how many scores a row has, and gives a row its label and scores.
type classifier interface {
	columns() int64
	operand(n *graph.Node) tir.DType // what the row is given as
	classify(row []float64) (int64, []float64)
}

func inferClasses[C classifier](c C, n *graph.Node) ([]op.Type, error) {
	shape, err := rows(n.Inputs[0].Shape)
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: tir.I64, Shape: shape[:1]}, {DType: tir.F32, Shape: []int64{shape[0], c.columns()}}}, nil
}

// evalClasses classifies rows of features.
func evalClasses[C classifier](c C, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	shape, err := rows(in[0].Shape)
	if err != nil {
		return nil, err
	}
	label, scores := graph.NewTensor(tir.I64, shape[0]), graph.NewTensor(tir.F32, shape[0], c.columns())
	for i := range shape[0] {
		var list []float64
		label.I[i], list = c.classify(row(in[0], i, shape[1], c.operand(n)))
		copy(scores.F[i*c.columns():], list)
	}
	return []*graph.Tensor{label, scores}, nil
}
