package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// products has the products of matrices. Those of wmtune.MatMul may be transposed: transA and transB, as in Gemm.
var products = []Row{
	{Op: "MatMul", Since: 1, In: "T:N T:N", Class: ComplexOut, Infer: inferMatMul, Eval: evalMatMul, Body: bodyMatMul},
	{Op: "wmtune.MatMul", In: "T:N T:N", Class: ComplexOut, Infer: inferMatMul, Eval: evalMatMul, Body: bodyMatMul},
	{Op: "Gemm", Since: 7, In: "T:N T:N T:N | 11 T:N T:N T:N?", Class: ComplexOut, Infer: inferGemm, Eval: evalGemm,
		Body: bodyGemm},
	{Op: "Einsum", Since: 12, In: "T:N*", Class: Reduction, Infer: inferEinsum, Eval: evalEinsum, Body: bodyEinsum},
}

// A matmul is a product of stacks of matrices, as NumPy has it: a vector stands for a matrix of one row or column,
// whose dimension the result does not have.
type matmul struct {
	batch          []int64 // to which those of both operands broadcast
	m, n, k        int64
	row, col       bool // of the first and the second operand, if it is a vector
	x, y           []int64
	transX, transY bool // whether the last two dimensions stand the other way round
}

func matmulOf(n *graph.Node) (*matmul, error) {
	m := &matmul{x: n.Inputs[0].Shape, y: n.Inputs[1].Shape}
	if len(m.x) == 0 || len(m.y) == 0 {
		return nil, fmt.Errorf("operands of shapes %v and %v: a scalar has no product of matrices", m.x, m.y)
	}
	if m.row = len(m.x) == 1; m.row {
		m.x = []int64{1, m.x[0]}
	}
	if m.col = len(m.y) == 1; m.col {
		m.y = []int64{m.y[0], 1}
	}
	m.transX, m.transY = n.Int("transA", 0) != 0 && !m.row, n.Int("transB", 0) != 0 && !m.col
	p, q := len(m.x)-2, len(m.y)-2
	m.m, m.k = swapped(m.transX, m.x[p], m.x[p+1])
	inner, outer := swapped(m.transY, m.y[q], m.y[q+1])
	if m.n = outer; inner != m.k {
		return nil, fmt.Errorf("operands of shapes %v and %v: the inner lengths %d and %d differ", n.Inputs[0].Shape,
			n.Inputs[1].Shape, m.k, inner)
	}
	var err error
	m.batch, err = broadcast(m.x[:p], m.y[:q])
	return m, err
}

// swapped returns two numbers, or exchanges them.
func swapped(exchanged bool, x, y int64) (int64, int64) {
	if exchanged {
		return y, x
	}
	return x, y
}

// shape is that of the result.
func (m *matmul) shape() []int64 {
	s := slices.Clone(m.batch)
	if !m.row {
		s = append(s, m.m)
	}
	if !m.col {
		s = append(s, m.n)
	}
	return s
}

func inferMatMul(n *graph.Node) ([]Type, error) {
	m, err := matmulOf(n)
	if err != nil {
		return nil, err
	}
	return []Type{{DType: n.Inputs[0].Type, Shape: m.shape()}}, nil
}

// bodyMatMul makes products as tir/op does:
//
//	matmul(i, j) += (x[i, k]*y[k, j])
//	batch_matmul(q, i, j) += (x[q, i, k]*y[q, k, j])
//
// A constant second operand of two dimensions may be laid out anew.
func bodyMatMul(b *Body) error {
	m, err := matmulOf(b.Node)
	if err != nil {
		return err
	}
	out := b.Node.Outputs[0].Type
	t := Register(out)
	shape := m.shape()
	names := map[int][]string{1: {"q"}}[len(m.batch)]
	if len(m.batch) == 0 {
		names = []string{}
	}
	axes := named(names, "q", m.batch)
	at := compute.Vars(axes)
	i, j := tir.Expr(tir.Int(0)), tir.Expr(tir.Int(0))
	if !m.row {
		axes = append(axes, compute.NewAxis("i", m.m))
		i = axes[len(axes)-1].Var
	}
	if !m.col {
		axes = append(axes, compute.NewAxis("j", m.n))
		j = axes[len(axes)-1].Var
	}
	k := compute.NewAxis("k", m.k)
	index := func(operand []int64, vector bool, rest ...tir.Expr) []tir.Expr {
		if vector {
			return []tir.Expr{k.Var}
		}
		return append(repeated(operand[:len(operand)-2], at), rest...)
	}
	x := Cast(b.Input(0).At(index(m.x, m.row, exchange(m.transX, i, k.Var)...)...), t)
	y := Cast(b.Input(1).At(index(m.y, m.col, exchange(m.transY, k.Var, j)...)...), t)
	name, attrs := "batch_matmul", compute.Attrs{}
	if len(m.batch) == 0 {
		name = "matmul"
	}
	if len(m.y) == 2 {
		attrs = b.layoutFree(1)
	}
	r := b.SumWith(b.Unique(name), axes, compute.Axes(k), mul(x, y), attrs)
	if r.Type != out {
		axes, at := b.Axes(shape)
		r = b.Stage("cast", out, axes, r.At(at...))
	}
	b.Output(r)
	return nil
}

// A gemm is alpha·x·y + beta·c, with x and y transposed or not.
type gemm struct {
	m, n, k        int64
	transX, transY bool
	alpha, beta    float64
}

func gemmOf(n *graph.Node) (*gemm, error) {
	x, y := n.Inputs[0].Shape, n.Inputs[1].Shape
	if len(x) != 2 || len(y) != 2 {
		return nil, fmt.Errorf("operands of shapes %v and %v: both must be matrices", x, y)
	}
	g := &gemm{
		transX: n.Int("transA", 0) != 0, transY: n.Int("transB", 0) != 0,
		alpha: n.Float("alpha", 1), beta: n.Float("beta", 1),
	}
	g.m, g.k, g.n = x[0], x[1], y[1]
	if g.transX {
		g.m, g.k = g.k, g.m
	}
	inner := y[0]
	if g.transY {
		g.n, inner = y[0], y[1]
	}
	if inner != g.k {
		return nil, fmt.Errorf("operands of shapes %v and %v: the inner lengths %d and %d differ", x, y, g.k, inner)
	}
	if c := n.Input(2); c != nil {
		if s, err := broadcast(c.Shape, []int64{g.m, g.n}); err != nil || !slices.Equal(s, []int64{g.m, g.n}) {
			return nil, fmt.Errorf("an addend of shape %v does not broadcast to %dx%d", c.Shape, g.m, g.n)
		}
	}
	return g, nil
}

func inferGemm(n *graph.Node) ([]Type, error) {
	g, err := gemmOf(n)
	if err != nil {
		return nil, err
	}
	return []Type{{DType: n.Inputs[0].Type, Shape: []int64{g.m, g.n}}}, nil
}

// bodyGemm makes layers as tir/op does:
//
//	dense(i, j) += (x[i, k]*w[j, k])
//	bias_add(i0, i1) = (dense[i0, i1] + c[i1])
//
// with a stage called matmul if w is not transposed.
func bodyGemm(b *Body) error {
	g, err := gemmOf(b.Node)
	if err != nil {
		return err
	}
	out := b.Node.Outputs[0].Type
	t := Register(out)
	i, j, k := compute.NewAxis("i", g.m), compute.NewAxis("j", g.n), compute.NewAxis("k", g.k)
	name := "matmul"
	if g.transY {
		name = "dense"
	}
	var r compute.Tensor
	if g.k == 0 {
		r = b.Stage(name, t, compute.Axes(i, j), tir.Const(t, 0))
	} else {
		x := Cast(b.Input(0).At(exchange(g.transX, i.Var, k.Var)...), t)
		y := Cast(b.Input(1).At(exchange(g.transY, k.Var, j.Var)...), t)
		r = b.SumWith(b.Unique(name), compute.Axes(i, j), compute.Axes(k), mul(x, y), b.layoutFree(1))
	}
	axes, at := b.Axes(r.Shape)
	v := r.At(at...)
	if g.alpha != 1 {
		v = mul(v, tir.Const(t, g.alpha))
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
		c = mul(c, tir.Const(t, g.beta))
	}
	b.Output(b.Stage("bias_add", out, axes, add(v, c)))
	return nil
}

func exchange(exchanged bool, x, y tir.Expr) []tir.Expr {
	if exchanged {
		return []tir.Expr{y, x}
	}
	return []tir.Expr{x, y}
}
