package nn

import G "gorgonia.org/gorgonia"

// Concat puts the columns of y behind those of x.
func (n *Network) Concat(x, y Value) Value {
	cols := x.cols + y.cols
	o := &op{name: "concat", inputs: []*G.Node{x.node, y.node}, rows: x.rows, cols: cols}
	o.forward = func(v [][]float32, out []float32) {
		for r := range x.rows {
			copy(out[r*cols:], v[0][r*x.cols:][:x.cols])
			copy(out[r*cols+x.cols:], v[1][r*y.cols:][:y.cols])
		}
	}
	o.backward = func(_, grad *G.Node) []*op {
		part := func(of Value, from int) *op {
			if of.fixed {
				return nil
			}
			d := &op{name: "concat by part", inputs: []*G.Node{grad}, rows: of.rows, cols: of.cols}
			d.forward = func(v [][]float32, out []float32) {
				for r := range of.rows {
					copy(out[r*of.cols:][:of.cols], v[0][r*cols+from:])
				}
			}
			return d
		}
		return []*op{part(x, 0), part(y, x.cols)}
	}
	return n.add(o, x.fixed && y.fixed)
}

// Scale multiplies values by a constant.
func (n *Network) Scale(x Value, by float32) Value {
	o := &op{name: "scale", inputs: []*G.Node{x.node}, rows: x.rows, cols: x.cols}
	times := func(v [][]float32, out []float32) {
		for i, a := range v[0] {
			out[i] = a * by
		}
	}
	o.forward = times
	o.backward = func(_, grad *G.Node) []*op {
		return []*op{{name: "scale by x", inputs: []*G.Node{grad}, rows: x.rows, cols: x.cols, forward: times}}
	}
	return n.add(o, x.fixed)
}
