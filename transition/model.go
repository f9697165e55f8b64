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

// A Model is trained networks, whose values are averaged.
type Model struct {
	Kind    target.Kind // of the targets whose tasks it learned from; "" if the file does not say it
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
	for i, shape := range rolloutShapes(m.sizes, m.form) {
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

// formNames are the forms as model files say them.
var formNames = [...]string{Free: "free", Normalised: "normalised", Bag: "bag", Gated: "gated"}

// Version is that of the network in model files.
const Version = "1"

// kindKey is the key of Model.Kind in the metadata of model files.
const kindKey = "wmtune.kind"

// meta is what a model file says of itself beside its network.
func (m *Model) meta() map[string]string {
	meta := map[string]string{
		"wmtune.transition": Version, "wmtune.actions": VectorName,
		"wmtune.form": formNames[m.Form], "wmtune.members": strconv.Itoa(len(m.Members)),
		"wmtune.layers": strconv.Itoa(len(m.Members[0].head)),
	}
	if m.Kind != "" {
		meta[kindKey] = string(m.Kind)
	}
	return meta
}

// Bytes returns the model as an ONNX file, whose network is one step of each member
// k, and what comes before the first and after the last:
//
//	start_k  start of a task [batch, StartSize] -> first_k [batch, latent]
//	state_k  states [batch, latent], action [batch, Size] -> next_k, value_k [batch, 1] of state_k,
//	         and if it was trained to match the encoder encoded_k: what that would say of state_k
//
// The value of the model is the mean over members. The same model is always the
// same bytes.
func (m *Model) Bytes() ([]byte, error) { return m.bytes(m.meta()) }

func (m *Model) bytes(meta map[string]string) ([]byte, error) {
	b := onnx.New("transition")
	start := b.Input("start", onnx.Float32, "batch", strconv.Itoa(m.Members[0].start))
	action := b.Input("action", onnx.Float32, "batch", strconv.Itoa(Size))
	var outputs [][2]string
	for k, member := range m.Members {
		outputs = append(outputs, member.export(b, k, start, action)...)
	}
	for _, o := range outputs {
		b.Output(o[0], onnx.Float32, "batch", o[1])
	}
	data, err := b.Bytes(meta)
	if err != nil {
		return nil, fmt.Errorf("transition: %w", err)
	}
	return data, nil
}

// An exporter writes the network of one member.
type exporter struct {
	*onnx.Builder
	suffix string
}

func (e exporter) weight(name string, cols int, data []float32) string {
	shape := []int{len(data) / cols, cols}
	if strings.HasSuffix(name, ".bias") {
		shape = shape[1:]
	}
	return e.Weight(name+e.suffix, shape, data)
}

func (e exporter) constant(name string, v float32) string {
	return e.Weight(name+e.suffix, nil, []float32{v})
}

func (e exporter) two(op, x, y string) string { return e.Node(op, []string{x, y}) }

func (m *Member) export(b *onnx.Builder, k int, start, action string) [][2]string {
	e := exporter{b, fmt.Sprintf("_%d", k)}
	latent := strconv.Itoa(m.latent)
	z := b.Input("state"+e.suffix, onnx.Float32, "batch", latent)
	var w [rolloutInputs]string
	for i, s := range rolloutShapes(m.sizes, m.form) {
		w[i] = e.weight(s.layer+"."+s.part, s.cols, m.rollout[i])
	}
	e.Named("first"+e.suffix, "Add", []string{e.two("MatMul", start, w[startWeight]), w[startBias]})
	half, one, root := e.constant("half", 0.5), e.constant("one", 1), e.constant("root2", 1.4142135)
	gelu := func(x string) string {
		phi := e.two("Mul", e.two("Add", e.Node("Erf", []string{e.two("Div", x, root)}), one), half)
		return e.two("Mul", x, phi)
	}
	axis, tiny := e.Ints("axis"+e.suffix, []int{1}, []int64{1}), e.constant("tiny", 1e-12)
	unit := func(x string) []string {
		squares := b.Node("ReduceSum", []string{e.two("Mul", x, x), axis}, onnx.Int("keepdims", 1))
		return []string{x, b.Node("Sqrt", []string{e.two("Add", squares, tiny)})}
	}
	a := gelu(e.two("Add", e.two("MatMul", action, w[embedWeight]), w[embedBias]))
	d := e.two("MatMul", a, w[translationWeight])
	next := "next" + e.suffix
	if m.form == Bag {
		e.Named(next, "Add", []string{z, d})
	} else {
		n := b.Node("Div", unit(e.two("MatMul", a, w[normalWeight])))
		part := b.Node("ReduceSum", []string{e.two("Mul", n, z), axis}, onnx.Int("keepdims", 1))
		u := e.two("Add", e.two("Sub", z, e.two("Mul", part, n)), d)
		seen := e.two("MatMul", u, w[hiddenState])
		if m.form == Gated {
			seen = e.two("Mul", seen, e.two("Add", e.two("MatMul", a, w[gateWeight]), one))
		}
		h := e.two("Add", e.two("Add", seen, e.two("MatMul", a, w[hiddenAction])), w[hiddenBias])
		r := e.two("Add", e.two("MatMul", e.Node("Tanh", []string{h}), w[residual]), w[residualBias])
		if m.form == Normalised {
			e.Named(next, "Div", unit(e.two("Add", u, r)))
		} else {
			e.Named(next, "Add", []string{u, r})
		}
	}
	v := z
	for i, l := range m.head {
		in := []string{e.two("MatMul", v,
			e.Weight(fmt.Sprintf("value%d.weight%s", i, e.suffix), []int{len(l.weight) / len(l.bias), len(l.bias)}, l.weight)),
			e.Weight(fmt.Sprintf("value%d.bias%s", i, e.suffix), []int{len(l.bias)}, l.bias)}
		if i == len(m.head)-1 {
			e.Named("value"+e.suffix, "Add", in)
			break
		}
		v = gelu(e.Node("Add", in))
	}
	outputs := [][2]string{{"first" + e.suffix, latent}, {next, latent}, {"value" + e.suffix, "1"}}
	if width := len(m.match.bias); width > 0 {
		in := []string{e.two("MatMul", z, e.weight("match.weight", width, m.match.weight)),
			e.weight("match.bias", width, m.match.bias)}
		e.Named("encoded"+e.suffix, "Add", in)
		outputs = append(outputs, [2]string{"encoded" + e.suffix, strconv.Itoa(width)})
	}
	return outputs
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
	form := slices.Index(formNames[:], meta["wmtune.form"])
	members, err1 := strconv.Atoi(meta["wmtune.members"])
	layers, err2 := strconv.Atoi(meta["wmtune.layers"])
	if form < 0 || err1 != nil || err2 != nil || members < 1 || members > 16 || layers < 1 || layers > 16 {
		return nil, fmt.Errorf("transition: the file says form %q, %q networks of %q layers", meta["wmtune.form"],
			meta["wmtune.members"], meta["wmtune.layers"])
	}
	m := &Model{Form: Form(form), Kind: target.Kind(meta[kindKey])}
	for k := range members {
		r := &onnx.Reader{File: f, Suffix: fmt.Sprintf("_%d", k)}
		member := readMember(r, Form(form), layers)
		if r.Err != nil {
			return nil, fmt.Errorf("transition: %w", r.Err)
		}
		if k > 0 && member.start != m.Members[0].start {
			return nil, fmt.Errorf("transition: networks 0 and %d begin with %d and %d numbers", k, m.Members[0].start,
				member.start)
		}
		m.Members = append(m.Members, member)
	}
	return m, nil
}

// readMember reads one network.
func readMember(r *onnx.Reader, form Form, layers int) *Member {
	m := &Member{form: form}
	_, m.start, m.latent = r.Matrix("start.weight", StartSize, 0)
	_, _, m.embed = r.Matrix("embed.weight", Size, 0)
	_, _, m.hidden = r.Matrix("hidden.action", m.embed, 0)
	for i, s := range rolloutShapes(m.sizes, form) {
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
	if _, _, ok := r.File.Weight("match.weight" + r.Suffix); ok {
		var cols int
		m.match.weight, _, cols = r.Matrix("match.weight", m.latent, 0)
		m.match.bias, _, _ = r.Matrix("match.bias", 1, cols)
	}
	return m
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
