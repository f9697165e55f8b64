package nn

import (
	"math"

	G "gorgonia.org/gorgonia"
)

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
