package transition

import (
	"slices"

	"github.com/wmtune/wmtune/encoder/kernel"
)

// rolled is a network ready to be rolled out, and what it has computed.
type rolled struct {
	*Member
	first   []float32
	packed  [rolloutInputs]*kernel.Packed
	layers  []*kernel.Packed
	latents []float32 // by prefix
	w, d, c []float32 // by action
}

func pack(m *Member) *rolled {
	p := &rolled{Member: m}
	for i, s := range rolloutShapes(m.sizes) {
		if s.rows > 1 {
			p.packed[i] = kernel.Pack(kernel.M(m.rollout[i], s.cols))
		}
	}
	for _, l := range m.head {
		p.layers = append(p.layers, kernel.Pack(kernel.M(l.weight, len(l.bias))))
	}
	return p
}

// blocks calls f for blocks of rows.
func blocks(rows, workers int, f func(from, to int)) {
	parallel((rows+rollRows-1)/rollRows, workers, func(k int) { f(k*rollRows, min((k+1)*rollRows, rows)) })
}

// table computes what depends on new actions only.
func (m *rolled) table(actions []float32, workers int) {
	n, old := len(actions)/Size, len(m.w)/m.latent
	m.w, m.d, m.c = extend(m.w, n*m.latent), extend(m.d, n*m.latent), extend(m.c, n*m.hidden)
	blocks(n, workers, func(from, to int) {
		a := make([]float32, (to-from)*m.embed)
		m.linear(a, actions[from*Size:to*Size], Size, embedWeight, embedBias)
		kernel.GELU(a, a)
		x := kernel.M(a, m.embed)
		from, to = from+old, to+old
		m.packed[normalWeight].Multiply(m.w[from*m.latent:to*m.latent], x, false)
		for k := from; k < to; k++ {
			normalise(m.w[k*m.latent:][:m.latent])
		}
		m.packed[translationWeight].Multiply(m.d[from*m.latent:to*m.latent], x, false)
		m.linear(m.c[from*m.hidden:to*m.hidden], a, m.embed, hiddenAction, hiddenBias)
	})
}

// linear sets out to x*W + b.
func (m *rolled) linear(out, x []float32, columns, weight, bias int) {
	for at := 0; at < len(out); at += len(m.rollout[bias]) {
		copy(out[at:], m.rollout[bias])
	}
	m.packed[weight].Multiply(out, kernel.M(x, columns), true)
}

// step adds the states that actions make of parents.
func (m *rolled) step(parents, actions []int32, workers int) {
	d, h := m.latent, m.hidden
	old := len(m.latents) / d
	m.latents = extend(m.latents, len(parents)*d)
	blocks(len(parents), workers, func(from, to int) {
		rows := to - from
		scratch := make([]float32, rows*(d+h))
		u, hid := scratch[:rows*d], scratch[rows*d:]
		out := m.latents[(old+from)*d:][:rows*d]
		for i := range rows {
			z, id := m.latents[int(parents[from+i])*d:][:d], int(actions[from+i])
			project(u[i*d:][:d], z, m.w[id*d:][:d], m.d[id*d:][:d], m.form)
			copy(hid[i*h:][:h], m.c[id*h:])
		}
		if m.form == Bag {
			copy(out, u)
			return
		}
		m.packed[hiddenState].Multiply(hid, kernel.M(u, d), true)
		kernel.Tanh(hid, hid)
		for i := range rows {
			add2(out[i*d:][:d], u[i*d:][:d], m.rollout[residualBias])
		}
		m.packed[residual].Multiply(out, kernel.M(hid, h), true)
		if m.form == Normalised {
			for i := range rows {
				normalise(out[i*d:][:d])
			}
		}
	})
}

// values returns the values of states.
func (m *rolled) values(rows []int32, workers int) []float32 {
	out := make([]float32, len(rows))
	blocks(len(rows), workers, func(from, to int) {
		z := make([]float32, 0, (to-from)*m.latent)
		for _, r := range rows[from:to] {
			z = append(z, m.latents[int(r)*m.latent:][:m.latent]...)
		}
		for i, l := range m.layers {
			next := make([]float32, 0, (to-from)*len(m.head[i].bias))
			for range to - from {
				next = append(next, m.head[i].bias...)
			}
			l.Multiply(next, kernel.M(z, len(z)/(to-from)), true)
			if z = next; i < len(m.layers)-1 {
				kernel.GELU(z, z)
			}
		}
		copy(out[from:to], z)
	})
	return out
}

// extend makes room for n more numbers.
func extend(v []float32, n int) []float32 { return slices.Grow(v, n)[:len(v)+n] }

// First returns the state that a task begins with.
func (m *Member) First(start []float32) []float32 {
	out := slices.Clone(m.rollout[startBias])
	kernel.Pack(kernel.M(m.rollout[startWeight], m.latent)).Multiply(out, kernel.M(start, m.start), true)
	return out
}
