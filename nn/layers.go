package nn

import (
	"math"

	G "gorgonia.org/gorgonia"

	"github.com/wmtune/wmtune/nn/kernel"
)

// Linear multiplies rows by a matrix that is learned and adds a row that is
// learned: x*W + b, with cols columns.
func (n *Network) Linear(x Value, cols int) Value { return n.unnamed().Linear(x, cols) }

// Linear is Network.Linear with a name.
func (l Layer) Linear(x Value, cols int) Value {
	bound := 1 / math.Sqrt(float64(x.cols))
	w, b := l.param("weight", x.cols, cols, bound), l.param("bias", 1, cols, bound)
	in := x.cols
	o := &op{name: "linear", inputs: []*G.Node{x.node, w, b}, rows: x.rows, cols: cols}
	o.forward = func(v [][]float32, out []float32) {
		for at := 0; at < len(out); at += cols {
			copy(out[at:], v[2])
		}
		multiply(out, v[0], in, kernel.M(v[1], cols), true)
	}
	o.backward = func(_, grad *G.Node) []*op {
		byInput := &op{name: "linear by x", inputs: []*G.Node{grad, w}, rows: x.rows, cols: in}
		byInput.forward = func(v [][]float32, out []float32) {
			multiply(out, v[0], cols, kernel.M(v[1], cols).T(), false)
		}
		if x.fixed {
			byInput = nil
		}
		byWeight := &op{name: "linear by W", inputs: []*G.Node{x.node, grad}, rows: in, cols: cols}
		byWeight.forward = func(v [][]float32, out []float32) {
			transposed(out, v[0], in, v[1], cols)
		}
		return []*op{byInput, byWeight, sumRows(grad, cols)}
	}
	return l.net.add(o, false)
}

// ReLU sets negative values to 0.
func (n *Network) ReLU(x Value) Value {
	o := &op{name: "relu", inputs: []*G.Node{x.node}, rows: x.rows, cols: x.cols}
	o.forward = func(v [][]float32, out []float32) {
		for i, a := range v[0] {
			out[i] = max(a, 0)
		}
	}
	o.backward = func(output, grad *G.Node) []*op {
		d := &op{name: "relu by x", inputs: []*G.Node{output, grad}, rows: x.rows, cols: x.cols}
		d.forward = func(v [][]float32, out []float32) {
			for i, a := range v[0] {
				if a > 0 {
					out[i] = v[1][i]
				} else {
					out[i] = 0
				}
			}
		}
		return []*op{d}
	}
	return n.add(o, x.fixed)
}

// Add adds two values of one shape.
func (n *Network) Add(x, y Value) Value {
	o := &op{name: "add", inputs: []*G.Node{x.node, y.node}, rows: x.rows, cols: x.cols}
	o.forward = func(v [][]float32, out []float32) {
		for i, a := range v[0] {
			out[i] = a + v[1][i]
		}
	}
	o.backward = func(_, grad *G.Node) []*op {
		same := func() *op {
			d := &op{name: "add by x", inputs: []*G.Node{grad}, rows: x.rows, cols: x.cols}
			d.forward = func(v [][]float32, out []float32) { copy(out, v[0]) }
			return d
		}
		return []*op{same(), same()}
	}
	return n.add(o, x.fixed && y.fixed)
}

// Segments says which rows belong together: segment i has the rows from Ends[i-1]
// to Ends[i]. It may change between runs.
type Segments struct{ Ends []int }

// bounds returns the rows of segment i.
func (s *Segments) bounds(i int) (first, end int) {
	if i > 0 {
		first = s.Ends[i-1]
	}
	return first, s.Ends[i]
}

// SegmentSum adds up the rows of each segment, of at most so many; those that there
// are not have sums of 0.
func (n *Network) SegmentSum(x Value, s *Segments, most int) Value {
	cols := x.cols
	o := &op{name: "segment sum", inputs: []*G.Node{x.node}, rows: most, cols: cols}
	o.forward = func(v [][]float32, out []float32) {
		clear(out)
		for i := range s.Ends {
			first, end := s.bounds(i)
			sum := out[i*cols:][:cols]
			for at := first * cols; at < end*cols; at += cols {
				for k, a := range v[0][at:][:cols] {
					sum[k] += a
				}
			}
		}
	}
	o.backward = func(_, grad *G.Node) []*op {
		d := &op{name: "segment sum by x", inputs: []*G.Node{grad}, rows: x.rows, cols: cols}
		d.forward = func(v [][]float32, out []float32) {
			clear(out)
			for i := range s.Ends {
				first, end := s.bounds(i)
				for at := first * cols; at < end*cols; at += cols {
					copy(out[at:][:cols], v[0][i*cols:])
				}
			}
		}
		return []*op{d}
	}
	return n.add(o, x.fixed)
}

// Loss is the end of a network: a number to be minimised, and its derivative by
// each value of s, which of writes.
func (n *Network) Loss(s Value, of func(s, derivative []float32) float64) Value {
	scratch := make([]float32, s.rows*s.cols)
	o := &op{name: "loss", inputs: []*G.Node{s.node}}
	o.forward = func(v [][]float32, out []float32) { out[0] = float32(of(v[0], scratch)) }
	o.backward = func(_, _ *G.Node) []*op { // the derivative by the loss itself is 1
		d := &op{name: "loss by s", inputs: []*G.Node{s.node}, rows: s.rows, cols: s.cols}
		d.forward = func(v [][]float32, out []float32) { of(v[0], out) }
		return []*op{d}
	}
	return n.add(o, false)
}
