package pass

import (
	"context"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
)

// foldBatchNorm folds a batch norm into the convolution before it:
//
//	a = Conv(x, w, b); y = BatchNormalization(a, scale, shift, mean, var)
//	=>
//	y = Conv(x, w*s, (b-mean)*s+shift)    with s = scale/sqrt(var+epsilon)
//
// The convolution must have constant weights and no other reader.
func foldBatchNorm(ctx context.Context, g *graph.Graph) error {
	readers := g.Readers()
	e := edit(ctx, g, "batchnorm")
	for _, n := range g.Nodes {
		e.update(n)
		conv := (*graph.Node)(nil)
		if n.Op == "BatchNormalization" && n.Domain == "" {
			conv = e.made[n.Inputs[0]]
		}
		if conv == nil || !foldable(n, conv) || len(readers[conv.Outputs[0]]) != 1 ||
			slices.Contains(g.Outputs, conv.Outputs[0]) {
			e.add(n)
			continue
		}
		fold(n, conv)
		e.replace(n.Outputs[0], conv.Outputs[0])
		readers[conv.Outputs[0]] = readers[n.Outputs[0]]
	}
	e.done()
	return nil
}

func foldable(norm, conv *graph.Node) bool {
	if conv.Op != "Conv" || conv.Domain != "" || conv.Inputs[1].Const == nil || len(norm.Outputs) != 1 {
		return false
	}
	if bias := conv.Input(2); bias != nil && bias.Const == nil {
		return false
	}
	for _, v := range norm.Inputs[1:] {
		if v == nil || v.Const == nil {
			return false
		}
	}
	return norm.Int("training_mode", 0) == 0
}

// fold changes the weights and the bias of conv in place.
func fold(norm, conv *graph.Node) {
	num := func(i int) []float64 { return norm.Inputs[i].Const.Tensor().F }
	scale, shift, mean, variance := num(1), num(2), num(3), num(4)
	epsilon := norm.Float("epsilon", 1e-5)
	w := conv.Inputs[1].Const.Tensor()
	bias := make([]float64, len(scale))
	if b := conv.Input(2); b != nil {
		copy(bias, b.Const.Tensor().F)
	}
	each := len(w.F) / len(scale)
	for c := range scale {
		s := scale[c] / math.Sqrt(variance[c]+epsilon)
		for i := range each {
			w.F[c*each+i] *= s
		}
		bias[c] = (bias[c]-mean[c])*s + shift[c]
	}
	value := func(old *graph.Value, suffix string, t *graph.Tensor) *graph.Value {
		return &graph.Value{Name: conv.Outputs[0].Name + suffix, Type: t.Type, Shape: t.Shape, Ranked: true, Const: t.Const()}
	}
	b := &graph.Tensor{Type: w.Type, Shape: []int64{int64(len(bias))}, F: bias}
	conv.Inputs = []*graph.Value{conv.Inputs[0], value(conv.Inputs[1], ".w", w), value(nil, ".b", b)}
}
