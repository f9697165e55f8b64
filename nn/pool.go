package nn

import G "gorgonia.org/gorgonia"

// SegmentMean is the mean of the rows of each segment, of at most so many; those
// that there are not have means of 0.
func (n *Network) SegmentMean(x Value, s *Segments, most int) Value {
	sum := n.SegmentSum(x, s, most)
	o := &op{name: "mean", inputs: []*G.Node{sum.node}, rows: most, cols: x.cols}
	divide := func(in, out []float32) {
		clear(out)
		for i := range s.Ends {
			first, end := s.bounds(i)
			for k, a := range in[i*x.cols:][:x.cols] {
				out[i*x.cols+k] = a / float32(max(1, end-first))
			}
		}
	}
	o.forward = func(v [][]float32, out []float32) { divide(v[0], out) }
	o.backward = func(_, grad *G.Node) []*op {
		d := &op{name: "mean by sum", inputs: []*G.Node{grad}, rows: most, cols: x.cols}
		d.forward = func(v [][]float32, out []float32) { divide(v[0], out) }
		return []*op{d}
	}
	return n.add(o, x.fixed)
}
