package classic

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// Linear has linear models.
var Linear = []op.Row{
	{Op: "ai.onnx.ml.LinearRegressor", Since: 1, In: "T:N", Infer: op.InferBy(linearOf, inferLinear),
		Eval: op.EvalBy(linearOf, evalLinear), Decompose: decomposeLinear},
	{Op: "ai.onnx.ml.LinearClassifier", Since: 1, In: "T:N",
		Infer: op.InferBy(linearClassifierOf, inferClasses[*linearClassifier]),
		Eval:  op.EvalBy(linearClassifierOf, evalClasses[*linearClassifier]), Decompose: decomposeLinearClassifier},
}

// A linear is what the attributes of a linear model say: a row of coefficients, and an intercept, for each score.
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

// matrix returns an operand as float32 and with two dimensions.
func matrix(d *op.Decomposer) *graph.Value {
	x := d.Cast(d.Input(0), tir.F32)
	shape, _ := rows(x.Shape)
	return d.Reshape(x, shape...)
}

func inferLinear(l *linear, n *graph.Node) ([]op.Type, error) {
	return []op.Type{{DType: tir.F32, Shape: []int64{n.Inputs[0].Elems() / max(l.features, 1), l.width}}}, nil
}

// row returns a row of an operand, as a type of floats.
func row(x *graph.Tensor, i, features int64, t tir.DType) []float64 {
	list := make([]float64, features)
	for k := range list {
		list[k] = array.Round(t, x.At(int(i*features)+k))
	}
	return list
}

// scores returns the scores of a row.
func (l *linear) scores(row []float64) []float64 {
	list := make([]float64, l.width)
	for i := range list {
		list[i] = l.intercepts[i] + array.Dot(row, l.coefficients[int64(i)*l.features:])
	}
	return list
}

func evalLinear(l *linear, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	types, _ := inferLinear(l, n)
	r := graph.NewTensor(tir.F32, types[0].Shape...)
	for i := range r.Shape[0] {
		list := l.scores(row(in[0], i, l.features, tir.F32))
		l.post.apply(list)
		copy(r.F[i*l.width:], list)
	}
	return []*graph.Tensor{r}, nil
}

// nodes adds the nodes that compute the scores.
func (l *linear) nodes(d *op.Decomposer) *graph.Value {
	w := d.Const(&graph.Tensor{Type: tir.F32, Shape: []int64{l.width, l.features}, F: l.coefficients})
	b := d.Const(&graph.Tensor{Type: tir.F32, Shape: []int64{l.width}, F: l.intercepts})
	return d.Apply("Gemm", []*graph.Value{matrix(d), w, b}, graph.IntAttr("transB", 1))
}

func decomposeLinear(d *op.Decomposer) error {
	l, err := linearOf(d.Node)
	if err == nil {
		d.Output(l.post.nodes(d, l.nodes(d)))
	}
	return err
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
	if c.second() && l.post == probit {
		return nil, op.Unsupported("post_transform %s of one score for two classes", l.post)
	}
	return c, nil
}

// second reports whether one score becomes two.
func (c *linearClassifier) second() bool { return c.width == 1 && len(c.labels) == 2 }

func (c *linearClassifier) columns() int64 {
	if c.second() {
		return 2
	}
	return c.width
}

func (c *linearClassifier) operand(*graph.Node) tir.DType { return tir.F32 }

func (c *linearClassifier) classify(row []float64) (int64, []float64) {
	s := c.scores(row)
	if c.width > 1 {
		label := c.labels[argmax(s)]
		c.post.apply(s)
		return label, s
	}
	label := c.pair()[0]
	if s[0] > 0 {
		label = c.pair()[1]
	}
	if c.second() {
		return label, c.post.pair(s[0])
	}
	c.post.apply(s)
	return label, s
}

func decomposeLinearClassifier(d *op.Decomposer) error {
	c, err := linearClassifierOf(d.Node)
	if err != nil {
		return err
	}
	s := c.nodes(d)
	switch {
	case c.width > 1:
		d.Output(c.largest(d, s), c.post.nodes(d, s))
	case c.second():
		d.Output(c.pair().where(d, apply(d, "Greater", s, d.Number(s, 0))), c.post.pairNodes(d, s))
	default:
		d.Output(c.pair().where(d, apply(d, "Greater", s, d.Number(s, 0))), c.post.nodes(d, s))
	}
	return nil
}
