package nn

import (
	G "gorgonia.org/gorgonia"

	"github.com/wmtune/wmtune/nn/kernel"
)

// GELU multiplies values by the normal distribution up to them (Hendrycks and Gimpel
// 2016).
func (n *Network) GELU(x Value) Value {
	o := &op{name: "gelu", inputs: []*G.Node{x.node}, rows: x.rows, cols: x.cols}
	o.forward = func(v [][]float32, out []float32) {
		cut(len(out), func(_, first, end int) { kernel.GELU(out[first:end], v[0][first:end]) })
	}
	o.backward = func(_, grad *G.Node) []*op {
		d := &op{name: "gelu by x", inputs: []*G.Node{x.node, grad}, rows: x.rows, cols: x.cols}
		d.forward = func(v [][]float32, out []float32) {
			cut(len(out), func(_, first, end int) {
				kernel.GELUGrad(out[first:end], v[0][first:end], v[1][first:end])
			})
		}
		return []*op{d}
	}
	return n.add(o, x.fixed)
}
