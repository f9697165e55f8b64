package transition

import (
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/nn/kernel"
)

// rolled is a network ready to be rolled out, and what it has computed.
type rolled struct {
	*Member
	first   []float32
	packed  [rolloutInputs]*kernel.Packed
	layers  []*kernel.Packed
	latents pages // by prefix
	w, d, c pages // by action
}

// Pages are rows of numbers in memory that never moves.
type pages struct {
	columns int
	list    [][]float32
	rows    int
}

// pageRows is how many rows a page has: whole blocks of rows.
const pageRows = 16 * rollRows

// grow adds rows and returns the number of the first.
func (p *pages) grow(rows int) int {
	first := p.rows
	for p.rows += rows; len(p.list)*pageRows < p.rows; {
		p.list = append(p.list, make([]float32, pageRows*p.columns))
	}
	return first
}

// row returns row i.
func (p *pages) row(i int) []float32 {
	return p.list[i/pageRows][i%pageRows*p.columns:][:p.columns]
}

// run returns the rows from i to the end of its page, at most n.
func (p *pages) run(i, n int) []float32 {
	at := i % pageRows
	return p.list[i/pageRows][at*p.columns:][:min(n, pageRows-at)*p.columns]
}

func pack(m *Member) *rolled {
	p := &rolled{Member: m}
	p.latents.columns, p.w.columns, p.d.columns, p.c.columns = m.latent, m.latent, m.latent, m.hidden
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

// runs calls f for runs of new rows that lie on one page, from the first of n.
func runs(first, n, workers int, f func(row, rows int)) {
	if first%rollRows+n <= rollRows { // one run, as after most steps: no goroutine is worth it
		if n > 0 {
			f(first, n)
		}
		return
	}
	var g errgroup.Group
	g.SetLimit(workers)
	for row := first; row < first+n; {
		from, rows := row, min(first+n-row, rollRows-row%rollRows)
		g.Go(func() error { f(from, rows); return nil })
		row += rows
	}
	_ = g.Wait() // f does not fail
}

// table computes what depends on new actions only.
func (m *rolled) table(actions []float32, workers int) {
	n := len(actions) / Size
	first := m.w.grow(n)
	m.d.grow(n)
	m.c.grow(n)
	runs(first, n, workers, func(row, rows int) {
		a := make([]float32, rows*m.embed)
		m.linear(a, actions[(row-first)*Size:][:rows*Size], Size, embedWeight, embedBias)
		kernel.GELU(a, a)
		x := kernel.M(a, m.embed)
		w := m.w.run(row, rows)
		m.packed[normalWeight].Multiply(w, x, false)
		for k := range rows {
			normalise(w[k*m.latent:][:m.latent])
		}
		m.packed[translationWeight].Multiply(m.d.run(row, rows), x, false)
		m.linear(m.c.run(row, rows), a, m.embed, hiddenAction, hiddenBias)
	})
}

// linear sets out to x*W + b.
func (m *rolled) linear(out, x []float32, columns, weight, bias int) {
	for at := 0; at < len(out); at += len(m.rollout[bias]) {
		copy(out[at:], m.rollout[bias])
	}
	m.packed[weight].Multiply(out, kernel.M(x, columns), true)
}

// blocks has memory for the rows that go through a step together.
var blocks = sync.Pool{New: func() any { return new([]float32) }}

// step adds the states that actions make of parents.
func (m *rolled) step(parents, actions []int32, workers int) {
	d, h := m.latent, m.hidden
	first := m.latents.grow(len(parents))
	runs(first, len(parents), workers, func(row, rows int) {
		from := row - first
		held := blocks.Get().(*[]float32)
		defer blocks.Put(held)
		*held = slices.Grow((*held)[:0], rows*(d+h))[:rows*(d+h)]
		u, hid := (*held)[:rows*d], (*held)[rows*d:]
		out := m.latents.run(row, rows)
		for i := range rows {
			id := int(actions[from+i])
			project(u[i*d:][:d], m.latents.row(int(parents[from+i])), m.w.row(id), m.d.row(id), m.form)
			copy(hid[i*h:][:h], m.c.row(id))
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
	runs(0, len(rows), workers, func(from, n int) {
		z := make([]float32, 0, n*m.latent)
		for _, r := range rows[from : from+n] {
			z = append(z, m.latents.row(int(r))...)
		}
		for i, l := range m.layers {
			next := make([]float32, 0, n*len(m.head[i].bias))
			for range n {
				next = append(next, m.head[i].bias...)
			}
			l.Multiply(next, kernel.M(z, len(z)/n), true)
			if z = next; i < len(m.layers)-1 {
				kernel.GELU(z, z)
			}
		}
		copy(out[from:from+n], z)
	})
	return out
}

// First returns the state that a task begins with.
func (m *Member) First(start []float32) []float32 {
	out := slices.Clone(m.rollout[startBias])
	kernel.Pack(kernel.M(m.rollout[startWeight], m.latent)).Multiply(out, kernel.M(start, m.start), true)
	return out
}
