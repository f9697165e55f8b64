package nn

import (
	"math"

	G "gorgonia.org/gorgonia"
)

// UnitEpsilon is the least length that Unit divides by.
const UnitEpsilon = 1e-6

// Unit scales each row to length 1.
func (n *Network) Unit(x Value) Value {
	cols := x.cols
	o := &op{name: "unit", inputs: []*G.Node{x.node}, rows: x.rows, cols: cols}
	o.forward = func(v [][]float32, out []float32) {
		for at := 0; at < len(out); at += cols {
			over := 1 / length(v[0][at:][:cols])
			for k, a := range v[0][at:][:cols] {
				out[at+k] = a * over
			}
		}
	}
	o.backward = func(output, grad *G.Node) []*op {
		// The derivative along the row is lost: (g - u*(u.g)) / length.
		d := &op{name: "unit by x", inputs: []*G.Node{x.node, output, grad}, rows: x.rows, cols: cols}
		d.forward = func(v [][]float32, out []float32) {
			for at := 0; at < len(out); at += cols {
				over := 1 / length(v[0][at:][:cols])
				u, g := v[1][at:][:cols], v[2][at:][:cols]
				var along float32
				for k, a := range u {
					along += a * g[k]
				}
				for k, a := range u {
					out[at+k] = (g[k] - a*along) * over
				}
			}
		}
		return []*op{d}
	}
	return n.add(o, x.fixed)
}

func length(row []float32) float32 {
	var sum float32
	for _, a := range row {
		sum += a * a
	}
	return max(float32(math.Sqrt(float64(sum))), UnitEpsilon)
}
