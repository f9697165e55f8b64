package nn

import "math"

// PoolBound bounds the scores of SegmentPool: b*tanh(s/b), so that exponentials of any
// two can be compared in float32 whatever else is pooled.
const PoolBound = 16

// SegmentPool is the mean of the rows of each segment, of at most so many, weighted in
// each of several heads by the exponential of a score of the row, which PoolBound
// bounds: between the mean and the row of the largest score. The columns of a head are
// together; scores have a column for each. Segments that there are not have means of 0.
func (n *Network) SegmentPool(x, scores Value, s *Segments, most int) Value {
	p := &pool{segments: s, cols: x.cols, heads: scores.cols}
	return n.Fused(Fused{
		Name: "segment pool", Rows: most, Cols: x.cols, Inputs: []Value{x, scores},
		Forward: p.forward, Backward: p.backward,
	})
}

type pool struct {
	segments    *Segments
	cols, heads int

	weights []float32 // of each row and head, which add up to 1 in a segment
	out     []float32 // of the last pass
}

func (p *pool) forward(in [][]float32, out []float32) {
	clear(out)
	p.weights = sized(p.weights, len(in[1]))
	clear(p.weights)
	width := p.cols / p.heads
	for i := range p.segments.Ends {
		first, end := p.segments.bounds(i)
		for h := range p.heads {
			sum := 0.0
			for r := first; r < end; r++ {
				w := math.Exp(PoolBound * math.Tanh(float64(in[1][r*p.heads+h])/PoolBound))
				p.weights[r*p.heads+h] = float32(w)
				sum += w
			}
			to := out[i*p.cols+h*width:][:width]
			for r := first; r < end; r++ {
				w := float32(float64(p.weights[r*p.heads+h]) / sum)
				p.weights[r*p.heads+h] = w
				for k, v := range in[0][r*p.cols+h*width:][:width] {
					to[k] += w * v
				}
			}
		}
	}
	p.out = append(p.out[:0], out...)
}

// backward: with weights w and the output o, by a row it is w*g, and by its score
// w*(g.x - g.o), times the derivative of the bound.
func (p *pool) backward(in [][]float32, grad []float32, by [][]float32) {
	width := p.cols / p.heads
	for _, b := range by {
		clear(b)
	}
	for i := range p.segments.Ends {
		first, end := p.segments.bounds(i)
		for h := range p.heads {
			g, o := grad[i*p.cols+h*width:][:width], p.out[i*p.cols+h*width:][:width]
			for r := first; r < end; r++ {
				at := r*p.cols + h*width
				w, along := p.weights[r*p.heads+h], float32(0)
				for k, v := range in[0][at:][:width] {
					along += g[k] * (v - o[k])
				}
				if by[0] != nil {
					for k, v := range g {
						by[0][at+k] = w * v
					}
				}
				if by[1] != nil {
					t := math.Tanh(float64(in[1][r*p.heads+h]) / PoolBound)
					by[1][r*p.heads+h] = w * along * float32(1-t*t)
				}
			}
		}
	}
}
