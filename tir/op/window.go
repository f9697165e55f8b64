package op

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A window slides along one dimension.
type window struct {
	size, stride, dilation, pad int64
}

// outputs returns how many positions the window has along n elements.
func (w window) outputs(n int64) int64 {
	span := n + 2*w.pad - (w.size-1)*w.dilation - 1
	if span < 0 {
		return 0
	}
	return span/w.stride + 1
}

// at returns the padded position that output position o reads at offset r.
func (w window) at(o, r tir.Expr) tir.Expr {
	return add(times(o, w.stride), times(r, w.dilation))
}

// slide returns the number of outputs per dimension. It refuses windows that are
// larger than the padded input.
func (g *graph) slide(in []int64, ws []window) []int64 {
	out := make([]int64, len(in))
	for i, w := range ws {
		out[i] = w.outputs(in[i])
		if out[i] < 1 {
			g.refuse("a window of %d with dilation %d does not fit into %d elements with padding %d: the output would be empty",
				w.size, w.dilation, in[i], w.pad)
			out[i] = 1
		}
	}
	return out
}

// A margin is what is added around one dimension.
type margin struct{ before, after int64 }

// pad surrounds x with value:
//
//	pad(i0, i1) = tir.if_then_else(((i1 >= 1) && (i1 < 9)), x[i0, (i1 - 1)], 0f)
//
// Without any margin it is x itself, unless the style wants a stage.
func (g *graph) pad(key string, x compute.Tensor, margins []margin, value float64) compute.Tensor {
	if !slices.ContainsFunc(margins, func(m margin) bool { return m != margin{} }) && !g.style.padAlways {
		return x
	}
	shape := slices.Clone(x.Shape)
	for d, m := range margins {
		shape[d] += m.before + m.after
	}
	s := g.stage(key, shape, nil)
	var inside []tir.Expr
	index := s.index()
	for d, m := range margins {
		var conds []tir.Expr
		if m.before > 0 {
			conds = append(conds, tir.Bin(tir.GE, s.at(d), tir.Int(m.before)))
			index[d] = sub(s.at(d), tir.Int(m.before))
		}
		if m.after > 0 {
			conds = append(conds, tir.Bin(tir.LT, s.at(d), tir.Int(m.before+x.Shape[d])))
		}
		if len(conds) > 1 && !g.style.padFlat && key != "pool_pad" {
			conds = []tir.Expr{tir.AllOf(conds...)}
		}
		inside = append(inside, conds...)
	}
	if len(inside) == 0 {
		return g.pointwise(s, x.At(index...))
	}
	return g.pointwise(s, tir.IfThenElse(tir.AllOf(inside...), x.At(index...), constant(x.Type, value)))
}
