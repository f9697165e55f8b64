package nn

import (
	"math"

	G "gorgonia.org/gorgonia"
)

// IDs says which row of a table each row of an embedding is. It may change between
// runs; rows beyond it are 0.
type IDs struct{ List []int32 }

// Embedding looks rows up in a table that is learned, of so many rows and columns.
func (l Layer) Embedding(ids *IDs, rows, table, cols int) Value {
	// A deviation of .05: norms make it 1, and steps of an optimiser, whose size does
	// not depend on it, change a row that is rarely met the faster the smaller it is.
	w := l.param("table", table, cols, 0.05*math.Sqrt(3))
	o := &op{name: "embedding", inputs: []*G.Node{w}, rows: rows, cols: cols}
	o.forward = func(v [][]float32, out []float32) {
		for r, id := range ids.List {
			copy(out[r*cols:][:cols], v[0][int(id)*cols:])
		}
		clear(out[len(ids.List)*cols:])
	}
	o.backward = func(_, grad *G.Node) []*op {
		d := &op{name: "embedding by table", inputs: []*G.Node{grad}, rows: table, cols: cols}
		d.forward = func(v [][]float32, out []float32) {
			clear(out)
			for r, id := range ids.List {
				to := out[int(id)*cols:][:cols]
				for k, g := range v[0][r*cols:][:cols] {
					to[k] += g
				}
			}
		}
		return []*op{d}
	}
	return l.net.add(o, false)
}
