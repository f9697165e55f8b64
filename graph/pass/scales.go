package pass

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// mostScale bounds the numbers that move behind a product, and their reciprocals: a product of other operands must not
// leave the range of floats where that of these does not.
const mostScale = 1 << 20

// moveScales moves multiplications by numbers from the operands of products to their results, where they share a
// kernel, while the product reads the operands where they are:
//
//	s = Mul(q, 0.35); t = Mul(k, 0.35); y = MatMul(s, t)    =>    a = MatMul(q, k); y = Mul(a, 0.1225)
//
// Nobody else may read the multiplied operand.
func moveScales(ctx context.Context, g *graph.Graph) error {
	readers := g.Readers()
	e := edit(ctx, g, "scales")
	err := e.each(func(n *graph.Node) bool {
		if n.Op != "MatMul" || len(n.Outputs) != 1 {
			return false
		}
		inputs, scale := slices.Clone(n.Inputs), 1.0
		for i, v := range inputs {
			if len(readers[v]) == 1 && !slices.Contains(g.Outputs, v) {
				x, c := e.unscaled(v)
				inputs[i], scale = x, scale*c
			}
		}
		if slices.Equal(inputs, n.Inputs) || scale == 1 {
			return false
		}
		y := e.like(n, inputs)
		e.names++
		c := graph.Constant(fmt.Sprint(first(n).Name, ".scale", e.names), graph.Scalar(n.Outputs[0].Type, scale))
		return e.becomes(n, e.apply(n, "Mul", []*graph.Value{y, c}))
	})
	if err != nil {
		return err
	}
	return unused(ctx, g)
}

// unscaled returns what v is without a multiplication by a number, and the number. Quotients whose reciprocal is no
// float stay.
func (e *editor) unscaled(v *graph.Value) (*graph.Value, float64) {
	n := e.made[v]
	if n == nil || n.Domain != "" || n.Op != "Mul" && n.Op != "Div" || v.Type != tir.F32 && v.Type != tir.F64 {
		return v, 1
	}
	x, by := n.Inputs[0], n.Inputs[1]
	if n.Op == "Mul" && by.Const == nil {
		x, by = by, x
	}
	if by.Const == nil || by.Elems() != 1 || x.Const != nil || !slices.Equal(x.Shape, v.Shape) {
		return v, 1
	}
	c := by.Const.Tensor().At(0)
	if n.Op == "Div" {
		if f, _ := math.Frexp(c); math.Abs(f) != 0.5 {
			return v, 1
		}
		c = 1 / c
	}
	if a := math.Abs(c); !(a <= mostScale && a >= 1.0/mostScale) {
		return v, 1
	}
	return x, c
}
