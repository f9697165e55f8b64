package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// attending has the operator that mixes values by attention: a softmax along the last axis of scores, times values,
// which transB transposes as that of wmtune.MatMul. Its program divides by the sum of a row after the product (M. N.
// Rabe, C. Staats, "Self-attention Does Not Need O(n^2) Memory", 2021, section 2), so that the weights are passed over
// once less.
var attending = []Row{
	{Op: "wmtune.Attend", In: "T:F T:F", Class: ComplexOut, Infer: inferAttend, Eval: evalAttend, Body: bodyAttend},
}

func inferAttend(n *graph.Node) ([]Type, error) {
	m, err := matmulOf(n)
	if err != nil {
		return nil, err
	}
	if m.row || m.col || !slices.Equal(m.batch, m.x[:len(m.x)-2]) || !slices.Equal(m.batch, m.y[:len(m.y)-2]) {
		return nil, fmt.Errorf("scores of shape %v and values of shape %v: both must be stacks of as many matrices", m.x,
			m.y)
	}
	return []Type{{DType: n.Inputs[0].Type, Shape: m.shape()}}, nil
}

func evalAttend(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	softmax := evalMaskedSoftmax
	if n.Int("masked", 0) == 0 {
		softmax = evalSoftmax
	}
	weights, err := softmax(call, &graph.Node{Op: "Softmax", Version: 13}, in[:1])
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
func bodyAttend(b *Body) error {
	m, err := matmulOf(b.Node)
	if err != nil {
		return err
	}
	rank := len(m.x)
	s := split{shape: m.x, axes: []int{rank - 1}}
	masked := b.Node.Int("masked", 0) != 0
	exp, sum := s.powers(b, masked, 1)

	names := map[int][]string{0: {}, 1: {"q"}}[len(m.batch)]
	axes := append(named(names, "q", m.batch), compute.NewAxis("i", m.m), compute.NewAxis("j", m.n))
	k := compute.NewAxis("k", m.k)
	row := slices.Clone(compute.Vars(axes[:rank-1]))
	column := append(slices.Clone(row[:rank-2]), exchange(m.transY, k.Var, axes[rank-1].Var)...)
	product := mul(exp.At(append(row, k.Var)...), Cast(b.Input(1).At(column...), exp.Type))
	mixed := b.SumWith(b.Unique("batch_matmul"), axes, compute.Axes(k), product, compute.Attrs{})
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		total := sum.At(s.at(at)...)
		if masked {
			total = maxOf(total, num(total, 1))
		}
		return quo(mixed.At(at...), total)
	})
	return nil
}
