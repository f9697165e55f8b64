package nn

import (
	"fmt"
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

// each adds an operation of one value that keeps its shape. Backward sets by to the derivative by
// the input, from the input, the output and the derivative by that.
func (n *Network) each(
	name string, x Value, forward func(in, out []float32), backward func(in, out, grad, by []float32),
) Value {
	o := &op{name: name, inputs: []*G.Node{x.node}, rows: x.rows, cols: x.cols}
	o.forward = func(v [][]float32, out []float32) { forward(v[0], out) }
	o.backward = func(output, grad *G.Node) []*op {
		d := &op{name: name + " by x", inputs: []*G.Node{x.node, output, grad}, rows: x.rows, cols: x.cols}
		d.forward = func(v [][]float32, by []float32) { backward(v[0], v[1], v[2], by) }
		return []*op{d}
	}
	return n.add(o, x.fixed)
}

// ReLU sets negative values to 0.
func (n *Network) ReLU(x Value) Value {
	return n.each("relu", x, func(in, out []float32) {
		for i, a := range in {
			out[i] = max(a, 0)
		}
	}, func(_, out, grad, by []float32) {
		for i, a := range out {
			by[i] = 0
			if a > 0 {
				by[i] = grad[i]
			}
		}
	})
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

// NormEpsilon is added to the variance by LayerNorm.
const NormEpsilon = 1e-5

// Norm moves and scales each row to mean 0 and variance 1, and then each column by
// what is learned (Ba et al. 2016): (x-mean)/sqrt(variance+epsilon)*(1+scale)+bias.
// The scale is kept less 1, so that decay pulls it there.
func (l Layer) Norm(x Value) Value {
	w, b := l.param("scale", 1, x.cols, 0), l.param("bias", 1, x.cols, 0)
	cols := x.cols
	o := &op{name: "norm", inputs: []*G.Node{x.node, w, b}, rows: x.rows, cols: cols}
	o.forward = func(v [][]float32, out []float32) {
		cut(x.rows, func(_, first, end int) {
			for at := first * cols; at < end*cols; at += cols {
				row, to := v[0][at:][:cols], out[at:][:cols]
				mean, over := moments(row)
				for k, a := range row {
					to[k] = (a-mean)*over*(1+v[1][k]) + v[2][k]
				}
			}
		})
	}
	o.backward = func(_, grad *G.Node) []*op {
		byInput := &op{name: "norm by x", inputs: []*G.Node{x.node, w, grad}, rows: x.rows, cols: cols}
		byInput.forward = func(v [][]float32, out []float32) {
			cut(x.rows, func(_, first, end int) {
				for at := first * cols; at < end*cols; at += cols {
					normByRow(v[0][at:][:cols], v[1], v[2][at:][:cols], out[at:][:cols])
				}
			})
		}
		byScale := &op{name: "norm by scale", inputs: []*G.Node{x.node, grad}, rows: 1, cols: cols}
		byScale.forward = func(v [][]float32, out []float32) {
			clear(out)
			for at := 0; at < len(v[0]); at += cols {
				row, g := v[0][at:][:cols], v[1][at:][:cols]
				mean, over := moments(row)
				for k, a := range row {
					out[k] += g[k] * (a - mean) * over
				}
			}
		}
		if x.fixed {
			byInput = nil
		}
		return []*op{byInput, byScale, sumRows(grad, cols)}
	}
	return l.net.add(o, false)
}

// moments returns the mean of a row and 1 over its deviation.
func moments(row []float32) (mean, over float32) {
	for _, a := range row {
		mean += a
	}
	mean /= float32(len(row))
	var squares float32
	for _, a := range row {
		squares += (a - mean) * (a - mean)
	}
	return mean, float32(1 / math.Sqrt(float64(squares/float32(len(row))+NormEpsilon)))
}

// normByRow sets out to the derivative by a row: with h the normalised row and
// d = grad*(1+scale), it is (d - mean(d) - h*mean(d*h)) / deviation.
func normByRow(row, scale, grad, out []float32) {
	mean, over := moments(row)
	var sum, along float32
	for k, a := range row {
		out[k] = grad[k] * (1 + scale[k])
		sum += out[k]
		along += out[k] * (a - mean) * over
	}
	sum /= float32(len(row))
	along /= float32(len(row))
	for k, a := range row {
		out[k] = (out[k] - sum - (a-mean)*over*along) * over
	}
}

// sumRows is the derivative by a row that was added to all rows.
func sumRows(grad *G.Node, cols int) *op {
	d := &op{name: "sum of rows", inputs: []*G.Node{grad}, rows: 1, cols: cols}
	d.forward = func(v [][]float32, out []float32) {
		clear(out)
		for at := 0; at < len(v[0]); at += cols {
			for k, g := range v[0][at:][:cols] {
				out[k] += g
			}
		}
	}
	return d
}

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
		d.forward = func(v [][]float32, out []float32) { addRows(out, v[0], ids, cols) }
		return []*op{d}
	}
	return l.net.add(o, false)
}

// addRows sets the rows of a table to the sums of the rows that ids says are of it.
func addRows(table, rows []float32, ids *IDs, cols int) {
	clear(table)
	for r, id := range ids.List {
		to := table[int(id)*cols:][:cols]
		for k, g := range rows[r*cols:][:cols] {
			to[k] += g
		}
	}
}

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

// Noise says how much a network forgets in a run: a share of the values, which ones
// by the seed. It may change between runs; a share of 0 is none.
type Noise struct {
	Share float64
	Seed  uint64
}

// Dropout sets values to 0 by chance, and scales the others up (Srivastava et al.
// 2014). The derivative is of the same values.
func (n *Network) Dropout(x Value, noise *Noise) Value {
	place := uint64(len(n.graph.AllNodes())) // other values in each place
	apply := func(in, out []float32) {
		if noise.Share <= 0 {
			copy(out, in)
			return
		}
		limit := uint32(noise.Share * (1 << 32))
		scale := float32(1 / (1 - noise.Share))
		seed := mix(noise.Seed ^ mix(place))
		cut(len(out), func(_, first, end int) {
			for i := first; i < end; i++ {
				out[i] = 0
				if uint32(mix(seed+uint64(i))) >= limit {
					out[i] = in[i] * scale
				}
			}
		})
	}
	return n.each("dropout", x, apply, func(_, _, grad, by []float32) { apply(grad, by) })
}

// mix is the output function of SplitMix64 (Steele et al. 2014).
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

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
	times := func(in, out []float32) {
		for i, a := range in {
			out[i] = a * by
		}
	}
	return n.each("scale", x, times, func(_, _, grad, by []float32) { times(grad, by) })
}

// SegmentMean is the mean of the rows of each segment, of at most so many; those
// that there are not have means of 0.
func (n *Network) SegmentMean(x Value, s *Segments, most int) Value {
	divide := func(in, out []float32) {
		clear(out)
		for i := range s.Ends {
			first, end := s.bounds(i)
			for k, a := range in[i*x.cols:][:x.cols] {
				out[i*x.cols+k] = a / float32(max(1, end-first))
			}
		}
	}
	return n.each("mean", n.SegmentSum(x, s, most), divide, func(_, _, grad, by []float32) { divide(grad, by) })
}

// UnitEpsilon is the least length that Unit divides by.
const UnitEpsilon = 1e-6

// Unit scales each row to length 1.
func (n *Network) Unit(x Value) Value {
	cols := x.cols
	return n.each("unit", x, func(in, out []float32) {
		for at := 0; at < len(out); at += cols {
			over := 1 / length(in[at:][:cols])
			for k, a := range in[at:][:cols] {
				out[at+k] = a * over
			}
		}
	}, func(in, out, grad, by []float32) {
		// The derivative along the row is lost: (g - u*(u.g)) / length.
		for at := 0; at < len(by); at += cols {
			over := 1 / length(in[at:][:cols])
			u, g := out[at:][:cols], grad[at:][:cols]
			var along float32
			for k, a := range u {
				along += a * g[k]
			}
			for k, a := range u {
				by[at+k] = (g[k] - a*along) * over
			}
		}
	})
}

func length(row []float32) float32 {
	var sum float32
	for _, a := range row {
		sum += a * a
	}
	return max(float32(math.Sqrt(float64(sum))), UnitEpsilon)
}

// GELU multiplies values by the normal distribution up to them (Hendrycks and Gimpel
// 2016).
func (n *Network) GELU(x Value) Value {
	return n.each("gelu", x, func(in, out []float32) {
		cut(len(out), func(_, first, end int) { kernel.GELU(out[first:end], in[first:end]) })
	}, func(in, _, grad, by []float32) {
		cut(len(by), func(_, first, end int) { kernel.GELUGrad(by[first:end], in[first:end], grad[first:end]) })
	})
}
