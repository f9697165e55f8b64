// Package transition is the part of the world model that knows actions: what a
// step does to a state, as numbers and as text, and what becomes of a state that
// only a network knows.
//
// An Action is a step resolved against the state that it is applied to: FSP and
// FFSP steps carry the lengths that they come to, iterators their extents, stages
// their roles. Its vector has Size numbers, most of them between 0 and 1; vector.go
// says which is which. 24 iterations are 2^3 times 3^1 there, so that a size never
// seen is made of known ones.
//
// A Model takes a latent state through actions (rollout.go has the formulas) and
// says how good the last one is. Train makes one of Data, by a Recipe; a Roller rolls
// the candidates of a search out.
//
// The package must not know how steps are chosen (search), how programs are
// lowered, or how values are mixed with other scores (ranker).
package transition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/nn/kernel"
	"github.com/wmtune/wmtune/nn/onnx"
	"github.com/wmtune/wmtune/tir/target"
)

// A Model is a trained network. Its inputs are numbers as they come.
type Model struct {
	Kind target.Kind // of the targets whose tasks it learned from; "" if the file does not say it
	sizes
	rollout [rolloutInputs][]float32
	head    []layer
}

// A layer is a linear one.
type layer struct{ weight, bias []float32 }

// model copies what was learned.
func (t *trainer) model() *Model {
	m := &Model{sizes: t.roll.sizes}
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
func (m *Model) value(z []float32) []float32 {
	for i, l := range m.head {
		z = l.apply(z)
		if i < len(m.head)-1 {
			kernel.GELU(z, z)
		}
	}
	return z
}

// final returns the last states of samples of a group, one row each.
func (m *Model) final(d *Data, group int, samples []*Sample) []float32 {
	out := make([]float32, 0, len(samples)*m.latent)
	r := rollout{sizes: m.sizes}
	for part := range slices.Chunk(samples, 256) {
		var list []picked
		for _, s := range part {
			list = append(list, picked{group, s})
		}
		var order []int
		r.b, order = assemble(d, list, identity(Size), identity(m.start))
		z := make([]float32, len(part)*m.latent)
		r.forward(m.rollout[:], z)
		at := len(out)
		out = out[:at+len(z)]
		for k, i := range order {
			copy(out[at+i*m.latent:][:m.latent], z[k*m.latent:])
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
	for i, v := range m.value(m.final(d, group, samples)) {
		out[i] = float64(v)
	}
	return out
}

// Version is that of the network in model files.
const Version = "1"

// What files say of other networks that once could be trained: how a step changes a state, and how many there are.
const onlyForm, onlyMembers = "free", "1"

// kindKey is the key of Model.Kind in the metadata of model files.
const kindKey = "wmtune.kind"

// meta is what a model file says of itself beside its network.
func (m *Model) meta() map[string]string {
	meta := map[string]string{
		"wmtune.transition": Version, "wmtune.actions": VectorName,
		"wmtune.form": onlyForm, "wmtune.members": onlyMembers, "wmtune.layers": strconv.Itoa(len(m.head)),
	}
	if m.Kind != "" {
		meta[kindKey] = string(m.Kind)
	}
	return meta
}

// Bytes returns the model as an ONNX file, whose network is one step, and what comes before the first and after the
// last:
//
//	start_0  start of a task [batch, StartSize] -> first_0 [batch, latent]
//	state_0  states [batch, latent], action [batch, Size] -> next_0, value_0 [batch, 1] of state_0
//
// The same model is always the same bytes.
func (m *Model) Bytes() ([]byte, error) { return m.bytes(m.meta()) }

func (m *Model) bytes(meta map[string]string) ([]byte, error) {
	b := onnx.New("transition")
	start := b.Input("start", onnx.Float32, "batch", strconv.Itoa(m.start))
	action := b.Input("action", onnx.Float32, "batch", strconv.Itoa(Size))
	m.export(exporter{b}, start, action)
	latent := strconv.Itoa(m.latent)
	b.Output("first"+suffix, onnx.Float32, "batch", latent)
	b.Output("next"+suffix, onnx.Float32, "batch", latent)
	b.Output("value"+suffix, onnx.Float32, "batch", "1")
	data, err := b.Bytes(meta)
	if err != nil {
		return nil, fmt.Errorf("transition: %w", err)
	}
	return data, nil
}

// suffix ends the names of a file's weights and values.
const suffix = "_0"

// An exporter writes the network.
type exporter struct{ *onnx.Builder }

func (e exporter) weight(name string, cols int, data []float32) string {
	shape := []int{len(data) / cols, cols}
	if strings.HasSuffix(name, ".bias") {
		shape = shape[1:]
	}
	return e.Weight(name+suffix, shape, data)
}

func (e exporter) constant(name string, v float32) string {
	return e.Weight(name+suffix, nil, []float32{v})
}

func (e exporter) two(op, x, y string) string { return e.Node(op, []string{x, y}) }

func (m *Model) export(e exporter, start, action string) {
	z := e.Input("state"+suffix, onnx.Float32, "batch", strconv.Itoa(m.latent))
	var w [rolloutInputs]string
	for i, s := range rolloutShapes(m.sizes) {
		w[i] = e.weight(s.layer+"."+s.part, s.cols, m.rollout[i])
	}
	e.Named("first"+suffix, "Add", []string{e.two("MatMul", start, w[startWeight]), w[startBias]})
	half, one, root := e.constant("half", 0.5), e.constant("one", 1), e.constant("root2", 1.4142135)
	gelu := func(x string) string {
		phi := e.two("Mul", e.two("Add", e.Node("Erf", []string{e.two("Div", x, root)}), one), half)
		return e.two("Mul", x, phi)
	}
	axis, tiny := e.Ints("axis"+suffix, []int{1}, []int64{1}), e.constant("tiny", 1e-12)
	a := gelu(e.two("Add", e.two("MatMul", action, w[embedWeight]), w[embedBias]))
	d := e.two("MatMul", a, w[translationWeight])
	n := e.two("MatMul", a, w[normalWeight])
	squares := e.Node("ReduceSum", []string{e.two("Mul", n, n), axis}, onnx.Int("keepdims", 1))
	n = e.two("Div", n, e.Node("Sqrt", []string{e.two("Add", squares, tiny)}))
	part := e.Node("ReduceSum", []string{e.two("Mul", n, z), axis}, onnx.Int("keepdims", 1))
	u := e.two("Add", e.two("Sub", z, e.two("Mul", part, n)), d)
	seen := e.two("MatMul", u, w[hiddenState])
	h := e.two("Add", e.two("Add", seen, e.two("MatMul", a, w[hiddenAction])), w[hiddenBias])
	r := e.two("Add", e.two("MatMul", e.Node("Tanh", []string{h}), w[residual]), w[residualBias])
	e.Named("next"+suffix, "Add", []string{u, r})
	v := z
	for i, l := range m.head {
		in := []string{e.two("MatMul", v,
			e.Weight(fmt.Sprintf("value%d.weight%s", i, suffix), []int{len(l.weight) / len(l.bias), len(l.bias)}, l.weight)),
			e.Weight(fmt.Sprintf("value%d.bias%s", i, suffix), []int{len(l.bias)}, l.bias)}
		if i == len(m.head)-1 {
			e.Named("value"+suffix, "Add", in)
			break
		}
		v = gelu(e.Node("Add", in))
	}
}

// Load reads the model of an ONNX file that Bytes wrote. Whatever the bytes are, it
// returns an error or a model whose numbers are usable.
func Load(data []byte) (*Model, error) {
	f, err := onnx.Load(data)
	if err != nil {
		return nil, fmt.Errorf("transition: %w", err)
	}
	meta := f.Meta()
	if v := meta["wmtune.transition"]; v != Version {
		return nil, fmt.Errorf("transition: the file has a network of version %q, this program reads %s", v, Version)
	}
	if v := meta["wmtune.actions"]; v != VectorName {
		return nil, fmt.Errorf("transition: the network was trained on action vectors %q, this program has %s: "+
			"train it again", v, VectorName)
	}
	form, members := meta["wmtune.form"], meta["wmtune.members"]
	layers, err := strconv.Atoi(meta["wmtune.layers"])
	if form != onlyForm || members != onlyMembers || err != nil || layers < 1 || layers > 16 {
		return nil, fmt.Errorf("transition: the file says form %q, %q networks of %q layers; this program has one of form "+
			"%s: train it again", form, members, meta["wmtune.layers"], onlyForm)
	}
	m := &Model{Kind: target.Kind(meta[kindKey])}
	if err := m.read(&onnx.Reader{File: f, Suffix: suffix}, layers); err != nil {
		return nil, fmt.Errorf("transition: %w", err)
	}
	return m, nil
}

func (m *Model) read(r *onnx.Reader, layers int) error {
	_, m.start, m.latent = r.Matrix("start.weight", StartSize, 0)
	_, _, m.embed = r.Matrix("embed.weight", Size, 0)
	_, _, m.hidden = r.Matrix("hidden.action", m.embed, 0)
	for i, s := range rolloutShapes(m.sizes) {
		m.rollout[i], _, _ = r.Matrix(s.layer+"."+s.part, s.rows, s.cols)
	}
	width := m.latent
	for i := range layers {
		name, cols := fmt.Sprintf("value%d", i), 0
		if i == layers-1 {
			cols = 1
		}
		var l layer
		next := 0
		l.weight, _, next = r.Matrix(name+".weight", width, cols)
		l.bias, _, _ = r.Matrix(name+".bias", 1, next)
		m.head, width = append(m.head, l), next
	}
	return r.Err
}

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
