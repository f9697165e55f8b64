package pass

import (
	"context"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// foldBatchNorm folds a batch norm into the convolution before it:
//
//	a = Conv(x, w, b); y = BatchNormalization(a, scale, shift, mean, var)
//	=>
//	y = Conv(x, w*s, (b-mean)*s+shift)    with s = scale/sqrt(var+epsilon)
//
// The convolution must have constant weights and no other reader, and s must be finite. An Identity may stand between
// both. Products of small floats are left alone: they would be rounded once more.
func foldBatchNorm(ctx context.Context, g *graph.Graph) error {
	readers := g.Readers()
	e := edit(ctx, g, "batchnorm")
	alone := func(v *graph.Value) bool { // v has one reader, which is a node
		return len(readers[v]) == 1 && !slices.ContainsFunc(g.Outputs, func(o *graph.Value) bool { return e.now(o) == v })
	}
	return e.each(func(n *graph.Node) bool {
		if n.Op != "BatchNormalization" || n.Domain != "" {
			return false
		}
		x := n.Inputs[0]
		for p := e.made[x]; p != nil && p.Op == "Identity" && p.Domain == "" && alone(x); p = e.made[x] {
			x = p.Inputs[0]
		}
		conv := e.made[x]
		if conv == nil || !foldable(n, conv) || !alone(x) || !fold(n, conv) {
			return false
		}
		readers[x] = readers[n.Outputs[0]]
		return e.becomes(n, x)
	})
}

func foldable(norm, conv *graph.Node) bool {
	if conv.Op != "Conv" || conv.Domain != "" || conv.Inputs[1].Const == nil || len(norm.Outputs) != 1 {
		return false
	}
	if t := conv.Inputs[1].Type; t != tir.F32 && t != tir.F64 || norm.Int("spatial", 1) == 0 {
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

// fold changes the weights and the bias of conv in place, and reports whether it did: not if a factor is not finite.
func fold(norm, conv *graph.Node) bool {
	num := func(i int) []float64 { return norm.Inputs[i].Const.Tensor().F }
	scale, shift, mean, variance := num(1), num(2), num(3), num(4)
	epsilon := norm.Float("epsilon", 1e-5)
	w := conv.Inputs[1].Const.Tensor()
	bias := make([]float64, len(scale))
	if b := conv.Input(2); b != nil {
		copy(bias, b.Const.Tensor().F)
	}
	each := len(w.F) / max(1, len(scale)) // there may be no channels
	for c := range scale {
		s := scale[c] / math.Sqrt(variance[c]+epsilon)
		if math.IsInf(s, 0) || math.IsNaN(s) {
			return false
		}
		for i := range each {
			w.F[c*each+i] *= s
		}
		bias[c] = (bias[c]-mean[c])*s + shift[c]
	}
	name, b := conv.Outputs[0].Name, &graph.Tensor{Type: w.Type, Shape: []int64{int64(len(bias))}, F: bias}
	conv.Inputs = []*graph.Value{conv.Inputs[0], graph.Constant(name+".w", w), graph.Constant(name+".b", b)}
	return true
}
