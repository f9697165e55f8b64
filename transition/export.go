package transition

import (
	"fmt"
	"strconv"

	"github.com/wmtune/wmtune/nn/onnx"
)

// formNames are the forms as model files say them.
var formNames = [...]string{Free: "free", Normalised: "normalised", Bag: "bag"}

// fileVersion is the version of the network in model files.
const fileVersion = "1"

// meta is what a model file says of itself beside its network.
func (m *Model) meta() map[string]string {
	return map[string]string{
		"wmtune.transition": fileVersion, "wmtune.actions": VectorName,
		"wmtune.form": formNames[m.Form], "wmtune.members": strconv.Itoa(len(m.Members)),
		"wmtune.layers": strconv.Itoa(len(m.Members[0].head)),
	}
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
	shape := []int{cols}
	if len(data) > cols {
		shape = []int{len(data) / cols, cols}
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
	for i, s := range rolloutShapes(m.sizes) {
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
		h := e.two("Add", e.two("Add", e.two("MatMul", u, w[hiddenState]), e.two("MatMul", a, w[hiddenAction])), w[hiddenBias])
		r := e.two("Add", e.two("MatMul", e.Node("Tanh", []string{h}), w[residual]), w[residualBias])
		if m.form == Normalised {
			e.Named(next, "Div", unit(e.two("Add", u, r)))
		} else {
			e.Named(next, "Add", []string{u, r})
		}
	}
	v := z
	for i, l := range m.head {
		in := []string{e.two("MatMul", v, e.Weight(fmt.Sprintf("value%d.weight%s", i, e.suffix), []int{len(l.weight) / len(l.bias), len(l.bias)}, l.weight)),
			e.Weight(fmt.Sprintf("value%d.bias%s", i, e.suffix), []int{len(l.bias)}, l.bias)}
		if i == len(m.head)-1 {
			e.Named("value"+e.suffix, "Add", in)
			break
		}
		v = gelu(e.Node("Add", in))
	}
	outputs := [][2]string{{"first" + e.suffix, latent}, {next, latent}, {"value" + e.suffix, "1"}}
	if width := len(m.match.bias); width > 0 {
		in := []string{e.two("MatMul", z, e.weight("match.weight", width, m.match.weight)), e.weight("match.bias", width, m.match.bias)}
		e.Named("encoded"+e.suffix, "Add", in)
		outputs = append(outputs, [2]string{"encoded" + e.suffix, strconv.Itoa(width)})
	}
	return outputs
}
