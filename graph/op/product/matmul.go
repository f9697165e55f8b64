// Package product has matrix products, attention, quantization, and products of quantized numbers.
package product

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Products has the products of matrices. Those of wmtune.MatMul may be transposed: transA and transB, as in Gemm.
// Passes make MatMul of integers of 8 bits, whose signs may differ: the result is of int32.
var Products = []op.Row{
	{Op: "MatMul", Since: 1, In: "T:N T:N", Class: op.ComplexOut, Infer: op.ProductBy(matmulOf), Eval: evalMatMul,
		Body: op.BodyBy(matmulOf, (*matmul).body)},
	{Op: "wmtune.MatMul", In: "T:N T:N", Class: op.ComplexOut, Infer: op.ProductBy(matmulOf), Eval: evalMatMul,
		Body: op.BodyBy(matmulOf, (*matmul).body)},
	{Op: "Gemm", Since: 7, In: "T:N T:N T:N | 11 T:N T:N T:N?", Class: op.ComplexOut, Infer: op.ShapeBy(gemmOf),
		Eval: op.EvalBy(gemmOf, (*gemm).eval), Body: op.BodyBy(gemmOf, (*gemm).body)},
	{Op: "Einsum", Since: 12, In: "T:N*", Class: op.Reduction, Infer: op.ShapeBy(einsumOf),
		Eval: op.EvalBy(einsumOf, (*einsum).eval), Body: op.BodyBy(einsumOf, (*einsum).body)},
}

// A matmul is a product of stacks of matrices, as NumPy has it.
type matmul struct{ tirop.Product }

func matmulOf(n *graph.Node) (*matmul, error) {
	m := &matmul{tirop.Product{X: n.Inputs[0].Shape, Y: n.Inputs[1].Shape}}
	if len(m.X) == 0 || len(m.Y) == 0 {
		return nil, fmt.Errorf("operands of shapes %v and %v: a scalar has no product of matrices", m.X, m.Y)
	}
	if m.Row = len(m.X) == 1; m.Row {
		m.X = []int64{1, m.X[0]}
	}
	if m.Col = len(m.Y) == 1; m.Col {
		m.Y = []int64{m.Y[0], 1}
	}
	if err := m.lengths(n); err != nil {
		return nil, err
	}
	var err error
	m.Batch, err = array.Broadcast(m.X[:len(m.X)-2], m.Y[:len(m.Y)-2])
	return m, err
}

// lengths finds which operands are transposed, and the extents of the matrices.
func (m *matmul) lengths(n *graph.Node) error {
	m.TransX, m.TransY = n.Int("transA", 0) != 0 && !m.Row, n.Int("transB", 0) != 0 && !m.Col
	p, q := len(m.X)-2, len(m.Y)-2
	m.M, m.K = swapped(m.TransX, m.X[p], m.X[p+1])
	inner, outer := swapped(m.TransY, m.Y[q], m.Y[q+1])
	if m.N = outer; inner != m.K {
		return fmt.Errorf("operands of shapes %v and %v: the inner lengths %d and %d differ", n.Inputs[0].Shape,
			n.Inputs[1].Shape, m.K, inner)
	}
	return nil
}

// swapped returns two numbers, or exchanges them.
func swapped(exchanged bool, x, y int64) (int64, int64) {
	if exchanged {
		return y, x
	}
	return x, y
}

// Output is the shape of the result.
func (m *matmul) Output() []int64 {
	s := slices.Clone(m.Batch)
	if !m.Row {
		s = append(s, m.M)
	}
	if !m.Col {
		s = append(s, m.N)
	}
	return s
}

// body makes a product:
//
//	matmul(i, j) += (x[i, k]*y[k, j])
//	batch_matmul(q, i, j) += (x[q, i, k]*y[q, k, j])
//
// A constant second operand of two dimensions may be laid out anew.
func (m *matmul) body(b *op.Body) error {
	key, attrs := "batch_matmul", compute.Attrs{}
	if len(m.Batch) == 0 {
		key = "matmul"
	}
	x, y := b.Input(0), b.Input(1)
	if len(m.Y) == 2 {
		attrs = b.LayoutFree(1)
	}
	out := b.Node.Outputs[0].Type
	b.Output(b.Stored(b.Stages(out).Product(key, &m.Product, x, y, attrs), out))
	return nil
}

// A gemm is alpha·x·y + beta·c, with x and y transposed or not.
type gemm struct {
	matmul
	alpha, beta float64
}

func gemmOf(n *graph.Node) (*gemm, error) {
	x, y := n.Inputs[0].Shape, n.Inputs[1].Shape
	if len(x) != 2 || len(y) != 2 {
		return nil, fmt.Errorf("operands of shapes %v and %v: both must be matrices", x, y)
	}
	g := &gemm{matmul{tirop.Product{X: x, Y: y}}, n.Float("alpha", 1), n.Float("beta", 1)}
	if err := g.lengths(n); err != nil {
		return nil, err
	}
	if c := n.Input(2); c != nil {
		if s, err := array.Broadcast(c.Shape, g.Output()); err != nil || !slices.Equal(s, g.Output()) {
			return nil, fmt.Errorf("an addend of shape %v does not broadcast to %dx%d", c.Shape, g.M, g.N)
		}
	}
	return g, nil
}

// body makes a layer:
//
//	dense(i, j) += (x[i, k]*w[j, k])
//	bias_add(i0, i1) = (dense[i0, i1] + c[i1])
//
// with a stage called matmul if w is not transposed.
func (g *gemm) body(b *op.Body) error {
	out := b.Node.Outputs[0].Type
	t, key := Register(out), "matmul"
	if g.TransY {
		key = "dense"
	}
	var r compute.Tensor
	if g.K == 0 {
		axes := op.Named([]string{"i", "j"}, "i", g.Output())
		r = b.Stage(key, t, axes, tir.Const(t, 0))
	} else {
		r = b.Stages(out).Product(key, &g.Product, b.Input(0), b.Input(1), b.LayoutFree(1))
	}
	axes, at := b.Axes(r.Shape)
	v := r.At(at...)
	if g.alpha != 1 {
		v = Mul(v, tir.Const(t, g.alpha))
	}
	if b.Node.Input(2) == nil || g.beta == 0 {
		if g.alpha != 1 || out != t {
			r = b.Stage("scale", out, axes, v)
		}
		b.Output(r)
		return nil
	}
	c := b.ReadBroadcast(2, at...)
	if g.beta != 1 {
		c = Mul(c, tir.Const(t, g.beta))
	}
	b.Output(b.Stage("bias_add", out, axes, Add(v, c)))
	return nil
}
