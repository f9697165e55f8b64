package product

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/reduce"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Attending has the operator that mixes values by attention: a softmax along the last axis of scores, times values,
// which transB transposes as that of wmtune.MatMul. Its program divides by the sum of a row after the product (M. N.
// Rabe, C. Staats, "Self-attention Does Not Need O(n^2) Memory", 2021, section 2), so that the weights are passed over
// once less.
var Attending = []op.Row{
	{Op: "wmtune.Attend", In: "T:F T:F", Class: op.ComplexOut, Infer: op.InferBy(matmulOf, inferAttend),
		Eval: evalAttend, Body: op.BodyBy(matmulOf, bodyAttend)},
}

func inferAttend(m *matmul, n *graph.Node) ([]op.Type, error) {
	if m.Row || m.Col || !slices.Equal(m.Batch, m.X[:len(m.X)-2]) || !slices.Equal(m.Batch, m.Y[:len(m.Y)-2]) {
		return nil, fmt.Errorf("scores of shape %v and values of shape %v: both must be stacks of as many matrices", m.X,
			m.Y)
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: m.Output()}}, nil
}

func evalAttend(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	softmax := &graph.Node{Op: "Softmax", Version: 13}
	if n.Int("masked", 0) != 0 {
		softmax.Op = "MaskedSoftmax"
	}
	weights, err := reduce.EvalSoftmax(call, softmax, in[:1])
	if err != nil {
		return nil, err
	}
	return evalMatMul(call, n, append(weights, in[1]))
}

// bodyAttend makes the stages of softmax, but for the last, and of a product:
//
//	maxelem(i0, i1) max= s[i0, i1, k]
//	exp(i0, i1, i2) = tir.exp((s[i0, i1, i2] - maxelem[i0, i1]))    0 where that is below the smallest normal number
//	expsum(i0, i1) += exp[i0, i1, k]
//	batch_matmul(q, i, j) += (exp[q, i, k]*v[q, k, j])
//	attend(i0, i1, i2) = (batch_matmul[i0, i1, i2]/expsum[i0, i1])
//
// With attribute masked, a row of minus infinity is all zeros, as that of wmtune.MaskedSoftmax.
func bodyAttend(m *matmul, b *op.Body) error {
	rank := len(m.X)
	s := tirop.Split{Shape: m.X, Axes: []int{rank - 1}}
	masked := b.Node.Int("masked", 0) != 0
	exp, sum := reduce.Powers(b, s, masked, 1)

	g := b.Stages(exp.Type)
	m.Stacked = true
	mixed := g.Product("batch_matmul", &m.Product, exp, b.Input(1), compute.Attrs{})
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		return Quo(mixed.At(at...), reduce.RowSum(sum.At(s.At(at)...), masked))
	})
	return nil
}
