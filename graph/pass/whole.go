package pass

import (
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// multiplyWhole has a product of two operands that are dequantized from bytes, as those of attention are, multiply the
// whole numbers that the bytes are beyond their zero points:
//
//	y = MatMul(DequantizeLinear(x, s, z), DequantizeLinear(w, t, u))    =>    p = MatMul(x - z, w - u); y = Mul(p, s*t)
//
// bfloat16 holds whole numbers up to 256, so the operands are of that type. The sums, of float32, are exact up to 258
// products, whatever the zero points are; beyond that they round as those of the dequantized numbers do. It returns nil
// for other products.
func (e *editor) multiplyWhole(n *graph.Node) *graph.Value {
	x, w := e.made[n.Inputs[0]], e.made[n.Inputs[1]]
	if n.Op != "MatMul" || !dequantizes(x) || !dequantizes(w) || len(n.Inputs[0].Shape) < 2 || len(n.Inputs[1].Shape) < 2 {
		return nil
	}
	a, ok := quantizedByOf(x)
	b, too := quantizedByOf(w)
	steps, scale := n.Inputs[0].Shape[len(n.Inputs[0].Shape)-1], float64(a.scale*b.scale)
	if !ok || !too || !normal(float32(scale)) || steps%2 != 0 { // instructions add up pairs
		return nil
	}
	p := e.apply(n, "MatMul", []*graph.Value{e.whole(x), e.whole(w)}, graph.IntAttr("wide", 1))
	c := graph.NewTensor(tir.F32, e.alongChannel(n)...)
	for i := range c.F {
		c.F[i] = scale
	}
	return e.apply(n, "Mul", []*graph.Value{p, e.constant(n, "scale", c)})
}

// whole returns bytes less their zero point, as bfloat16.
func (e *editor) whole(d *graph.Node) *graph.Value {
	k := &graph.Node{Name: d.Name, Op: d.Op, Version: max(d.Version, 19),
		Inputs: []*graph.Value{d.Inputs[0], e.constant(d, "one", graph.Scalar(tir.BF16, 1)), d.Input(2)}}
	return e.make(d, k, nil)
}

// multipliesWhole reports whether n is such a product, or another one of bfloat16.
func multipliesWhole(n *graph.Node) bool { return n.Op == "MatMul" && n.Inputs[0].Type == tir.BF16 }
