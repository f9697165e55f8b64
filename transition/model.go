package transition

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/nn/kernel"
)

// A Model is trained networks, whose values are averaged.
type Model struct {
	Form    Form
	Members []*Member
}

// A Member is one trained network. Its inputs are numbers as they come.
type Member struct {
	sizes
	form    Form
	rollout [rolloutInputs][]float32
	head    []layer
	match   layer // empty if no vectors were matched
}

// A layer is a linear one.
type layer struct{ weight, bias []float32 }

// member copies what was learned.
func (t *trainer) member() *Member {
	m := &Member{sizes: t.roll.sizes, form: t.recipe.Form}
	learned := func(name string) []float32 { return slices.Clone(t.net.Parameters().Find(name).Value) }
	for i, shape := range rolloutShapes(m.sizes) {
		m.rollout[i] = learned(shape.layer + "." + shape.part)
	}
	t.scale.fold(m.rollout[embedWeight], m.rollout[embedBias])
	t.start.fold(m.rollout[startWeight], m.rollout[startBias])
	linear := func(name string) layer { return layer{learned(name + ".weight"), learned(name + ".bias")} }
	for i := range t.recipe.Head {
		m.head = append(m.head, linear(fmt.Sprintf("head%d", i)))
	}
	m.head = append(m.head, linear("value"))
	if t.recipe.Match > 0 {
		m.match = linear("match")
	}
	return m
}

// apply returns x*W + b.
func (l layer) apply(x []float32) []float32 {
	cols := len(l.bias)
	in := len(l.weight) / cols
	out := make([]float32, len(x)/in*cols)
	affine(out, kernel.M(x, in), kernel.M(l.weight, cols), l.bias)
	return out
}

// value returns the values of states.
func (m *Member) value(z []float32) []float32 {
	for i, l := range m.head {
		z = l.apply(z)
		if i < len(m.head)-1 {
			kernel.GELU(z, z)
		}
	}
	return z
}

// Final returns the last states of samples of a group, one row each.
func (m *Member) Final(d *Data, group int, samples []*Sample) []float32 {
	var list []picked
	for _, s := range samples {
		list = append(list, picked{group: group, sample: s})
	}
	return m.final(d, list)
}

// final returns the last states of trajectories, one row each.
func (m *Member) final(d *Data, list []picked) []float32 {
	out := make([]float32, len(list)*m.latent)
	const most = 256
	r := rollout{sizes: m.sizes, form: m.form}
	for at := 0; at < len(list); at += most {
		part := list[at:min(at+most, len(list))]
		b, order := assemble(d, part, identity(Size), identity(m.start))
		r.b = b
		z := make([]float32, len(part)*m.latent)
		r.forward(m.rollout[:], z)
		for k, i := range order {
			copy(out[(at+i)*m.latent:][:m.latent], z[k*m.latent:])
		}
	}
	return out
}

// identity changes nothing.
func identity(columns int) affineScale {
	return affineScale{make([]float32, columns), slices.Repeat([]float32{1}, columns)}
}

// Score returns the values of samples of a group, and nil if there are none. Higher
// is faster; they are comparable within a task.
func (m *Model) Score(d *Data, group int, samples []*Sample) []float64 {
	out := make([]float64, len(samples))
	for _, member := range m.Members {
		for i, v := range member.value(member.Final(d, group, samples)) {
			out[i] += float64(v) / float64(len(m.Members))
		}
	}
	return out
}
