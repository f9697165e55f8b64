package nn

import (
	"math"

	G "gorgonia.org/gorgonia"

	"github.com/wmtune/wmtune/nn/kernel"
)

// Attention lets the rows of a segment look at each other: softmax(q*k'/sqrt(d))*v
// in each of several heads (Vaswani et al. 2017). The columns of x are q, k and v,
// those of a head together. Rows outside of segments become 0.
func (n *Network) Attention(x Value, s *Segments, heads int) Value {
	width := x.cols / 3
	a := &attention{segments: s, heads: heads, width: width, size: width / heads}
	o := &op{name: "attention", inputs: []*G.Node{x.node}, rows: x.rows, cols: width}
	o.forward = func(v [][]float32, out []float32) { a.forward(v[0], out) }
	o.backward = func(_, grad *G.Node) []*op {
		d := &op{name: "attention by x", inputs: []*G.Node{x.node, grad}, rows: x.rows, cols: x.cols}
		d.forward = func(v [][]float32, out []float32) { a.backward(v[0], v[1], out) }
		return []*op{d}
	}
	return n.add(o, false)
}

type attention struct {
	segments           *Segments
	heads, width, size int

	scratch [pieces]headScratch
}

// headScratch is memory for one head of one segment.
type headScratch struct{ q, k, v, p, o, dp []float32 }

// each calls f for each head of each segment, its rows gathered in q, k and v and
// its weights computed in p. Each piece of the segments is a goroutine.
func (a *attention) each(x []float32, f func(w *headScratch, first, rows, head int)) {
	cut(len(a.segments.Ends), func(piece, from, to int) {
		w := &a.scratch[piece]
		for i := from; i < to; i++ {
			first, end := a.segments.bounds(i)
			if first == end {
				continue
			}
			for h := range a.heads {
				a.weigh(w, x, first, end-first, h)
				f(w, first, end-first, h)
			}
		}
	})
}

// weigh gathers a head of a segment and computes its weights.
func (a *attention) weigh(w *headScratch, x []float32, first, rows, head int) {
	w.q = a.gather(w.q, x, first, rows, 3*a.width, head*a.size)
	w.k = a.gather(w.k, x, first, rows, 3*a.width, a.width+head*a.size)
	w.v = a.gather(w.v, x, first, rows, 3*a.width, 2*a.width+head*a.size)
	w.p = sized(w.p, rows*rows)
	kernel.Multiply(w.p, kernel.M(w.q, a.size), kernel.M(w.k, a.size).T(), false)
	for r := range rows {
		kernel.Softmax(w.p[r*rows:][:rows], float32(1/math.Sqrt(float64(a.size))))
	}
}

func (a *attention) forward(x, out []float32) {
	clear(out)
	a.each(x, func(w *headScratch, first, rows, head int) {
		w.o = sized(w.o, rows*a.size)
		kernel.Multiply(w.o, kernel.M(w.p, rows), kernel.M(w.v, a.size), false)
		a.scatter(out, w.o, first, rows, a.width, head*a.size)
	})
}

// backward sets out to the derivative by x, from that by the output:
//
//	dv = p'*do,  dp = do*v',  ds = p*(dp - sum(p*dp)),  dq = ds*k/sqrt(d),  dk = ds'*q/sqrt(d)
func (a *attention) backward(x, grad, out []float32) {
	clear(out)
	scale := float32(1 / math.Sqrt(float64(a.size)))
	a.each(x, func(w *headScratch, first, rows, head int) {
		w.o = a.gather(w.o, grad, first, rows, a.width, head*a.size)
		w.dp = sized(w.dp, rows*rows)
		kernel.Multiply(w.dp, kernel.M(w.o, a.size), kernel.M(w.v, a.size).T(), false)
		kernel.Multiply(w.v, kernel.M(w.p, rows).T(), kernel.M(w.o, a.size), false)
		a.scatter(out, w.v, first, rows, 3*a.width, 2*a.width+head*a.size)
		for r := range rows {
			p, d := w.p[r*rows:][:rows], w.dp[r*rows:][:rows]
			var sum float32
			for k, v := range p {
				sum += v * d[k]
			}
			for k, v := range p {
				d[k] = v * (d[k] - sum) * scale
			}
		}
		kernel.Multiply(w.o, kernel.M(w.dp, rows), kernel.M(w.k, a.size), false)
		a.scatter(out, w.o, first, rows, 3*a.width, head*a.size)
		kernel.Multiply(w.o, kernel.M(w.dp, rows).T(), kernel.M(w.q, a.size), false)
		a.scatter(out, w.o, first, rows, 3*a.width, a.width+head*a.size)
	})
}

// gather copies one head's columns of some rows together.
func (a *attention) gather(to, from []float32, first, rows, stride, column int) []float32 {
	to = sized(to, rows*a.size)
	for r := range rows {
		copy(to[r*a.size:][:a.size], from[(first+r)*stride+column:])
	}
	return to
}

// scatter is the reverse of gather.
func (a *attention) scatter(to, from []float32, first, rows, stride, column int) {
	for r := range rows {
		copy(to[(first+r)*stride+column:][:a.size], from[r*a.size:])
	}
}

func sized(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}
