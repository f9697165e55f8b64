package classic

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// A linear is a linear model: a row of coefficients, and an intercept, for each score.
type linear struct {
	coefficients, intercepts []float64
	width, features          int64
	post                     transform
}

func linearOf(n *graph.Node) (*linear, error) {
	l := &linear{coefficients: n.Floats("coefficients"), intercepts: n.Floats("intercepts"), width: n.Int("targets", 1)}
	if n.Op == "LinearClassifier" {
		l.width = int64(len(l.intercepts))
	}
	var err error
	if l.post, err = transformOf(n); err != nil {
		return nil, err
	}
	shape, err := rows(n.Inputs[0].Shape)
	if err != nil {
		return nil, err
	}
	if l.features = shape[1]; l.width <= 0 || int64(len(l.coefficients)) != l.width*l.features {
		return nil, fmt.Errorf("%d coefficients for %d scores of %d features", len(l.coefficients), l.width, l.features)
	}
	if int64(len(l.intercepts)) != l.width {
		l.intercepts = make([]float64, l.width)
	}
	return l, nil
}

func (l *linear) columns() int64 { return l.width }

// plain returns the scores before they are transformed.
func (l *linear) plain(row []float64) []float64 {
	list := make([]float64, l.width)
	for i := range list {
		list[i] = l.intercepts[i] + array.Dot(row, l.coefficients[int64(i)*l.features:])
	}
	return list
}

func (l *linear) score(row []float64) (int64, []float64) { return 0, l.post.apply(l.plain(row)) }

func (l *linear) plainNodes(d *op.Decomposer, x *graph.Value) *graph.Value {
	w, b := constant(d, l.width, l.features, l.coefficients), constant(d, 1, l.width, l.intercepts)
	return d.Apply("Gemm", []*graph.Value{x, w, b}, graph.IntAttr("transB", 1))
}

func (l *linear) nodes(d *op.Decomposer, x *graph.Value) (label, scores *graph.Value) {
	return nil, l.post.nodes(d, l.plainNodes(d, x))
}

// constant returns a matrix of float32.
func constant(d *op.Decomposer, rows, columns int64, list []float64) *graph.Value {
	return d.Const(&graph.Tensor{Type: tir.F32, Shape: []int64{rows, columns}, F: list})
}

// A linearClassifier is a linear model that classifies. One score of two classes, that of the second, becomes two.
type linearClassifier struct {
	*linear
	labels
}

func linearClassifierOf(n *graph.Node) (*linearClassifier, error) {
	l, err := linearOf(n)
	if err != nil {
		return nil, err
	}
	c := &linearClassifier{l, labelsOf(n)}
	if l.width > 1 && int64(len(c.labels)) < l.width {
		return nil, fmt.Errorf("%d labels for %d scores", len(c.labels), l.width)
	}
	if c.columns() > l.width && l.post == probit {
		return nil, op.Unsupported("post_transform %s of one score for two classes", l.post)
	}
	return c, nil
}

func (c *linearClassifier) columns() int64 {
	if c.width == 1 && len(c.labels) == 2 {
		return 2
	}
	return c.width
}

func (c *linearClassifier) score(row []float64) (int64, []float64) {
	s := c.plain(row)
	switch {
	case c.width > 1:
		return c.labels[argmax(s)], c.post.apply(s)
	case c.columns() == 2:
		return c.pair().choose(s[0] > 0), c.post.pair(s[0])
	}
	return c.pair().choose(s[0] > 0), c.post.apply(s)
}

func (c *linearClassifier) nodes(d *op.Decomposer, x *graph.Value) (label, scores *graph.Value) {
	s := c.plainNodes(d, x)
	switch {
	case c.width > 1:
		return c.largest(d, s), c.post.nodes(d, s)
	case c.columns() == 2:
		return c.pair().where(d, s, 0), c.post.pairNodes(d, s)
	}
	return c.pair().where(d, s, 0), c.post.nodes(d, s)
}
