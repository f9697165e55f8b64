package nn

import G "gorgonia.org/gorgonia"

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
	o := &op{name: "dropout", inputs: []*G.Node{x.node}, rows: x.rows, cols: x.cols}
	o.forward = func(v [][]float32, out []float32) { apply(v[0], out) }
	o.backward = func(_, grad *G.Node) []*op {
		d := &op{name: "dropout by x", inputs: []*G.Node{grad}, rows: x.rows, cols: x.cols}
		d.forward = func(v [][]float32, out []float32) { apply(v[0], out) }
		return []*op{d}
	}
	return n.add(o, x.fixed)
}

// mix is the output function of SplitMix64 (Steele et al. 2014).
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
