package nn

import "github.com/wmtune/wmtune/nn/kernel"

// Trees says how rows are the nodes of trees. It may change between runs.
type Trees struct {
	Up   []int32 // the parent of each row, -1 if it has none
	Ends []int   // level i has the rows from Ends[i-1] to Ends[i]; children of a row are in earlier levels
	Of   []int32 // the program of each row
}

// level returns the rows of a level.
func (t *Trees) level(i int) (first, end int) { return (&Segments{t.Ends}).bounds(i) }

// A TreeGRU gives each node of trees a state of its own input and of the sum s of its children's states (Tai et al.
// 2015; TreeGRU of "Learning to Optimize Tensor Programs", Chen et al. 2018):
//
//	r = sig(xr + s*Ur)    z = sig(xz + s*Uz)    n = tanh(xn + r*(s*Un + c))    h = (1-z)*n + z*s
//
// Its inputs are the rows [xr xz xn], the matrices [Ur Uz] and Un, and the row c. It may be used by one goroutine at a
// time.
type TreeGRU struct {
	Trees *Trees
	Width int

	gates, fresh, inner, sums []float32 // of the last pass: [r z], n, s*Un + c, s
}

// TreeGRU adds a TreeGRU, whose input has three times as many columns as its output.
func (l Layer) TreeGRU(x Value, t *Trees) Value {
	w := x.cols / 3
	g := &TreeGRU{Trees: t, Width: w}
	return l.net.Fused(Fused{
		Name: "tree gru", Rows: x.rows, Cols: w, Forward: g.Forward, Backward: g.Backward,
		Inputs: []Value{x, l.Matrix("gates", w, 2*w, 1), l.Matrix("new", w, w, 1), l.Matrix("bias", 1, w, 0)},
	})
}

// Forward sets the states of all nodes.
func (g *TreeGRU) Forward(in [][]float32, out []float32) {
	w, rows := g.Width, len(g.Trees.Up)
	g.gates, g.fresh = sized(g.gates, 2*w*rows), sized(g.fresh, w*rows)
	g.inner, g.sums = sized(g.inner, w*rows), sized(g.sums, w*rows)
	clear(g.sums)
	clear(out)
	for level := range g.Trees.Ends {
		first, end := g.Trees.level(level)
		gates, inner := g.gates[2*w*first:2*w*end], g.inner[w*first:w*end]
		for r := first; r < end; r++ {
			copy(gates[2*w*(r-first):], in[0][3*w*r:][:2*w])
			copy(inner[w*(r-first):], in[3])
		}
		if level > 0 && end > first {
			s := g.sums[w*first : w*end]
			multiply(gates, s, w, kernel.M(in[1], 2*w), true)
			multiply(inner, s, w, kernel.M(in[2], w), true)
		}
		Sigmoid(gates, gates)
		fresh := g.fresh[w*first : w*end]
		for r := range end - first {
			for k, m := range inner[w*r:][:w] {
				fresh[w*r+k] = in[0][3*w*(first+r)+2*w+k] + gates[2*w*r+k]*m
			}
		}
		kernel.Tanh(fresh, fresh)
		for r := first; r < end; r++ {
			for k, n := range g.fresh[w*r:][:w] {
				z := g.gates[2*w*r+w+k]
				out[w*r+k] = n + z*(g.sums[w*r+k]-n)
			}
			if up := int(g.Trees.Up[r]); up >= 0 {
				kernel.AddTimes(g.sums[w*up:][:w], 1, out[w*r:][:w])
			}
		}
	}
}

// Backward sets the derivatives by the inputs from those by the states; those that are nil are left out.
func (g *TreeGRU) Backward(in [][]float32, grad []float32, by [][]float32) {
	w, rows := g.Width, len(g.Trees.Up)
	bySum, byGates, byInner := make([]float32, w*rows), make([]float32, 2*w*rows), make([]float32, w*rows)
	clear(by[0])
	for level := len(g.Trees.Ends) - 1; level >= 0; level-- {
		first, end := g.Trees.level(level)
		for r := first; r < end; r++ {
			up := int(g.Trees.Up[r])
			for k, n := range g.fresh[w*r:][:w] {
				d := grad[w*r+k]
				if up >= 0 {
					d += bySum[w*up+k]
				}
				reset, z := g.gates[2*w*r+k], g.gates[2*w*r+w+k]
				dn := d * (1 - z) * (1 - n*n)
				bySum[w*r+k] = d * z
				byInner[w*r+k] = dn * reset
				byGates[2*w*r+k] = dn * g.inner[w*r+k] * reset * (1 - reset)
				byGates[2*w*r+w+k] = d * (g.sums[w*r+k] - n) * z * (1 - z)
				by[0][3*w*r+2*w+k] = dn
			}
			copy(by[0][3*w*r:], byGates[2*w*r:][:2*w])
		}
		if level > 0 && end > first {
			multiply(bySum[w*first:w*end], byGates[2*w*first:2*w*end], 2*w, kernel.M(in[1], 2*w).T(), true)
			multiply(bySum[w*first:w*end], byInner[w*first:w*end], w, kernel.M(in[2], w).T(), true)
		}
	}
	if by[1] == nil {
		return
	}
	clear(by[1])
	clear(by[2])
	clear(by[3])
	if leaves := g.Trees.Ends[0]; leaves < rows {
		transposed(by[1], g.sums[w*leaves:], w, byGates[2*w*leaves:], 2*w)
		transposed(by[2], g.sums[w*leaves:], w, byInner[w*leaves:], w)
	}
	for r := range rows {
		kernel.AddTimes(by[3], 1, byInner[w*r:][:w])
	}
}

// Sigmoid sets to to 1/(1+e^-x). They may be the same.
func Sigmoid(to, x []float32) {
	for i, v := range x {
		to[i] = v / 2
	}
	kernel.Tanh(to, to)
	for i, v := range to {
		to[i] = (v + 1) / 2
	}
}

// Sigmoid is 1/(1+e^-x) of each value.
func (n *Network) Sigmoid(x Value) Value {
	return n.each("sigmoid", x, func(in, out []float32) { Sigmoid(out, in) }, func(_, out, grad, by []float32) {
		for i, s := range out {
			by[i] = grad[i] * s * (1 - s)
		}
	})
}

// A Scatter adds each node's state h to the memory slots of its program, in shares softmax(h*V) that sum up to 1 (the
// same paper, section 3.1). Its inputs are the states and V. It may be used by one goroutine at a time.
type Scatter struct {
	Trees        *Trees
	Width, Slots int

	shares []float32 // of each row, of the last pass
}

// Scatter adds a Scatter of at most so many programs; the slots of those that there are not are 0.
func (l Layer) Scatter(x Value, t *Trees, slots, most int) Value {
	s := &Scatter{Trees: t, Width: x.cols, Slots: slots}
	return l.net.Fused(Fused{
		Name: "scatter", Rows: most, Cols: slots * x.cols, Inputs: []Value{x, l.Matrix("slots", x.cols, slots, 1)},
		Forward: s.Forward, Backward: s.Backward,
	})
}

// Forward sets the slots of all programs.
func (s *Scatter) Forward(in [][]float32, out []float32) {
	w, rows := s.Width, len(s.Trees.Up)
	s.shares = sized(s.shares, rows*s.Slots)
	kernel.Multiply(s.shares, kernel.M(in[0][:rows*w], w), kernel.M(in[1], s.Slots), false)
	clear(out)
	for r, p := range s.Trees.Of {
		shares := s.shares[r*s.Slots:][:s.Slots]
		kernel.Softmax(shares, 1)
		for i, share := range shares {
			kernel.AddTimes(out[(int(p)*s.Slots+i)*w:][:w], share, in[0][r*w:][:w])
		}
	}
}

// Backward sets the derivatives by the inputs from those by the slots; those that are nil are left out.
func (s *Scatter) Backward(in [][]float32, grad []float32, by [][]float32) {
	w, rows := s.Width, len(s.Trees.Up)
	byLogit := make([]float32, rows*s.Slots)
	clear(by[0])
	for r, p := range s.Trees.Of {
		shares, d := s.shares[r*s.Slots:][:s.Slots], byLogit[r*s.Slots:][:s.Slots]
		mean := float32(0)
		for i, share := range shares {
			slot := grad[(int(p)*s.Slots+i)*w:][:w]
			d[i] = kernel.Dot(slot, in[0][r*w:][:w])
			mean += share * d[i]
			kernel.AddTimes(by[0][r*w:][:w], share, slot)
		}
		for i, share := range shares {
			d[i] = share * (d[i] - mean)
		}
	}
	kernel.Multiply(by[0][:rows*w], kernel.M(byLogit, s.Slots), kernel.M(in[1], s.Slots).T(), true)
	if by[1] != nil {
		transposed(by[1], in[0][:rows*w], w, byLogit, s.Slots)
	}
}

// A Dense is the weights of a linear layer as they were, apart from any network: x*W + b.
type Dense struct {
	Weight, Bias []float32
	Out          int
}

// Dense returns a copy of the weights of a linear layer.
func (p *Parameters) Dense(name string) Dense {
	w, b := p.Find(name+".weight"), p.Find(name+".bias")
	return Dense{append([]float32(nil), w.Value...), append([]float32(nil), b.Value...), w.Cols}
}

// Of returns x*W + b.
func (d *Dense) Of(x []float32) []float32 {
	in := len(d.Weight) / d.Out
	var y []float32
	for range len(x) / in {
		y = append(y, d.Bias...)
	}
	kernel.Multiply(y, kernel.M(x, in), kernel.M(d.Weight, d.Out), true)
	return y
}

// Back returns the derivative by x from that by x*W + b.
func (d *Dense) Back(by []float32) []float32 {
	x := make([]float32, len(by)/d.Out*(len(d.Weight)/d.Out))
	kernel.Multiply(x, kernel.M(by, d.Out), kernel.M(d.Weight, d.Out).T(), false)
	return x
}
