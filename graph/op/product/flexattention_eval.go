package product

import (
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
)

// evalFlexAttention is the reference of FlexAttention.
func evalFlexAttention(a *attention, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	t, err := flexPrecision(n)
	if err != nil {
		return nil, err
	}
	scores := graph.NewTensor(t, a.batch, a.heads, a.queries, a.keys)
	i := 0
	array.WalkIndex(scores.Shape, func(at []int64) {
		q := in[0].F[((at[0]*a.heads+at[1])*a.queries+at[2])*a.size:][:a.size]
		k := in[1].F[((at[0]*a.keyHeads+at[1]/a.perKeyHead())*a.keys+at[3])*a.size:]
		scores.F[i] = array.Dot(q, k) * a.scale
		i++
	})
	change := func(attr string, x *graph.Tensor) (*graph.Tensor, error) {
		g := n.Graph(attr)
		if g == nil {
			return x, nil
		}
		out, err := call.Run(g, []*graph.Tensor{x})
		if err != nil {
			return nil, err
		}
		return out[0], nil
	}
	if scores, err = change("score_mod", scores); err != nil {
		return nil, err
	}
	p := graph.NewTensor(t, scores.Shape...)
	for i := 0; i < p.Len(); i += int(a.keys) {
		copy(p.F[i:i+int(a.keys)], softmaxOf(scores.F[i:i+int(a.keys)]))
	}
	if p, err = change("prob_mod", p); err != nil {
		return nil, err
	}
	y := graph.NewTensor(in[0].Type, a.batch, a.heads, a.queries, a.valueSize)
	i = 0
	array.WalkIndex(y.Shape, func(at []int64) {
		for j := range a.keys {
			w := p.F[((at[0]*a.heads+at[1])*a.queries+at[2])*a.keys+j]
			y.F[i] += w * in[2].F[((at[0]*a.keyHeads+at[1]/a.perKeyHead())*a.keys+j)*a.valueSize+at[3]]
		}
		i++
	})
	return []*graph.Tensor{y}, nil
}
