package transition

import "github.com/wmtune/wmtune/nn/kernel"

// affine sets out to x*w + b.
func affine(out []float32, x, w kernel.Matrix, b []float32) {
	for at := 0; at < len(out); at += len(b) {
		copy(out[at:], b)
	}
	kernel.Multiply(out, x, w, true)
}

// add2 sets out to a + b.
func add2(out, a, b []float32) {
	out, b = out[:len(a)], b[:len(a)]
	for i, v := range a {
		out[i] = v + b[i]
	}
}

// accumulate adds v to sum.
func accumulate(sum, v []float32) { kernel.AddTimes(sum, 1, v) }

// sumRows adds rows as long as sum to it.
func sumRows(sum, rows []float32) {
	for at := 0; at < len(rows); at += len(sum) {
		accumulate(sum, rows[at:at+len(sum)])
	}
}
