package nn

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
)

// A Fused operation is a part of a network that is one operation to gorgonia. Its
// derivatives by all inputs are computed in one go: a recurrent network of many
// steps as so many operations would take longer to walk than to compute.
type Fused struct {
	Name       string
	Rows, Cols int // of the output; no rows: it is a number, to be minimised
	Inputs     []Value
	// Forward sets all of the output.
	Forward func(in [][]float32, out []float32)
	// Backward sets the derivatives by the inputs from that by the output, after a
	// Forward of the same inputs. That of a fixed input is nil, and so is grad if the
	// output is a number.
	Backward func(in [][]float32, grad []float32, by [][]float32)
}

// Fused adds a fused operation.
func (n *Network) Fused(f Fused) Value {
	var nodes []*G.Node
	by := make([][]float32, len(f.Inputs))
	fixed := true
	for i, v := range f.Inputs {
		nodes = append(nodes, v.node)
		if !v.fixed {
			by[i] = make([]float32, v.rows*v.cols)
			fixed = false
		}
	}
	fresh := false // by has the derivatives of the last forward pass
	o := &op{name: f.Name, inputs: nodes, rows: f.Rows, cols: f.Cols}
	o.forward = func(in [][]float32, out []float32) {
		fresh = false
		f.Forward(in, out)
	}
	o.backward = func(_, grad *G.Node) []*op {
		list := make([]*op, len(f.Inputs))
		for i, v := range f.Inputs {
			if v.fixed {
				continue
			}
			d := &op{name: fmt.Sprintf("%s by input %d", f.Name, i), inputs: nodes, rows: v.rows, cols: v.cols}
			if f.Rows > 0 {
				d.inputs = append(nodes[:len(nodes):len(nodes)], grad)
			}
			d.forward = func(in [][]float32, out []float32) {
				if !fresh {
					var byOutput []float32 // of a number that is minimised: 1
					if f.Rows > 0 {
						byOutput = in[len(nodes)]
					}
					f.Backward(in[:len(nodes)], byOutput, by)
					fresh = true
				}
				copy(out, by[i])
			}
			list[i] = d
		}
		return list
	}
	return n.add(o, fixed)
}

// Matrix adds a matrix that is learned, drawn evenly from -scale to scale over the
// root of its rows: scale 1 is what the weights of a linear layer begin with.
func (l Layer) Matrix(part string, rows, cols int, scale float64) Value {
	return Value{node: l.param(part, rows, cols, scale/math.Sqrt(float64(rows))), rows: rows, cols: cols}
}
