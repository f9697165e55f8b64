package sequence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
)

// Recurrent has the recurrent networks of one layer. Each becomes one product of all of the input with its weights, and
// wmtune.Recurrence, which goes from time to time: see recurrence.go.
var Recurrent = []op.Row{
	{Op: "RNN", Since: 7, In: "T:F T:F T:F T:F? T1:I? T:F?", Class: op.Opaque, Infer: inferRNN,
		Eval:      op.EvalBy(rnnOf, evalRNN),
		Decompose: decomposeRNN},
	{Op: "GRU", Since: 7, In: "T:F T:F T:F T:F? T1:I? T:F?", Class: op.Opaque, Infer: inferRNN,
		Eval:      op.EvalBy(rnnOf, evalRNN),
		Decompose: decomposeRNN},
	{Op: "LSTM", Since: 7, In: "T:F T:F T:F T:F? T1:I? T:F? T:F? T:F?", Class: op.Opaque, Infer: inferRNN,
		Eval:      op.EvalBy(rnnOf, evalRNN),
		Decompose: decomposeRNN},
	{Op: "com.microsoft.DynamicQuantizeLSTM", Since: 1, In: "T:F T2:I T2:I T:F? T1:I? T:F? T:F? T:F? T:F T2:I T:F T2:I",
		Class: op.Opaque, Infer: inferRNN,
		Eval:      op.EvalBy(rnnOf, evalBytes),
		Decompose: decomposeBytes},
	{Op: "wmtune.Recurrence", Class: op.Opaque, Infer: inferRecurrence, Eval: evalRecurrence,
		Opaque: &op.Function{Make: opaqueRecurrence,
			Fault: func(*graph.Node) string { return "a length of sequence_lens is negative, or above that of the input" }}},
}

// gatesOf is the number of gates of a cell.
var gatesOf = map[string]int64{"RNN": 1, "GRU": 3, "LSTM": 4}

// An rnn has the sizes of an RNN, GRU or LSTM.
type rnn struct {
	kind                         string // RNN, GRU or LSTM
	gates, directions            int64
	time, batch, features, width int64
	batchFirst                   bool // of x and the results
	bytes                        bool // weights are bytes, the gates last; so are the input and the state to be multiplied
}

func rnnOf(n *graph.Node) (*rnn, error) {
	x, w, r := n.Inputs[0].Shape, n.Inputs[1].Shape, n.Inputs[2].Shape
	if len(x) != 3 || len(w) != 3 || len(r) != 3 {
		return nil, fmt.Errorf("x %v, weights %v and recurrent weights %v: each must have 3 dimensions", x, w, r)
	}
	kind, bytes := strings.CutPrefix(n.Op, "DynamicQuantize")
	a := &rnn{kind: kind, gates: gatesOf[kind], directions: 1, time: x[0], batch: x[1], features: x[2], width: r[2],
		batchFirst: n.Int("layout", 0) != 0, bytes: bytes}
	if a.batchFirst {
		a.time, a.batch = x[1], x[0]
	}
	if bytes {
		a.width = r[1]
	}
	switch d := n.Str("direction", "forward"); d {
	case "forward", "reverse":
	case "bidirectional":
		a.directions = 2
	default:
		return nil, fmt.Errorf("attribute direction is %q: known are forward reverse bidirectional", d)
	}
	if h := n.Int("hidden_size", a.width); h != a.width {
		return nil, fmt.Errorf("attribute hidden_size is %d, but recurrent weights have shape %v", h, r)
	}
	state := []int64{a.directions, a.batch, a.width}
	if a.batchFirst {
		state = []int64{a.batch, a.directions, a.width}
	}
	rows := a.gates * a.width
	wants := [][]int64{x, {a.directions, rows, a.features}, {a.directions, rows, a.width}, {a.directions, 2 * rows},
		{a.batch},
		state, state, {a.directions, 3 * a.width}}
	if bytes {
		wants[1], wants[2] = []int64{a.directions, a.features, rows}, []int64{a.directions, a.width, rows}
	}
	for i, v := range n.Inputs {
		switch {
		case v == nil:
		case bytes && i >= len(wants): // scales and zero points
			if v.Elems() != a.directions && v.Elems() != a.directions*rows {
				return nil, fmt.Errorf("input %d has shape %v: it must be [%d] or [%d %d]", i, v.Shape, a.directions, a.directions,
					rows)
			}
		case i >= len(wants) || !slices.Equal(v.Shape, wants[i]):
			return nil, fmt.Errorf("input %d has shape %v: it must be %v", i, v.Shape, wants[min(i, len(wants)-1)])
		}
	}
	_, err := cellOf(n, kind)
	return a, err
}

func inferRNN(n *graph.Node) ([]op.Type, error) {
	a, err := rnnOf(n)
	if err != nil {
		return nil, err
	}
	t := n.Inputs[0].Type
	y, state := []int64{a.time, a.directions, a.batch, a.width}, []int64{a.directions, a.batch, a.width}
	if a.batchFirst {
		y, state = []int64{a.batch, a.time, a.directions, a.width}, []int64{a.batch, a.directions, a.width}
	}
	types := []op.Type{{DType: t, Shape: y}, {DType: t, Shape: state}}
	if a.kind == "LSTM" {
		types = append(types, op.Type{DType: t, Shape: state})
	}
	return types, nil
}

// decomposeRNN multiplies all of the input by the weights of both directions and adds what biases it can.
func decomposeRNN(d *op.Decomposer) error {
	a, err := rnnOf(d.Node)
	if err != nil {
		return err
	}
	rows := a.directions * a.gates * a.width
	inputs := []*graph.Value{d.Reshape(timeFirst(d, a, d.Input(0)), a.time*a.batch, a.features),
		d.Reshape(d.Input(1), rows, a.features)}
	bias, late := biases(d, a)
	if bias != nil {
		inputs = append(inputs, bias)
	}
	in := [Given]*graph.Value{inX: d.Apply("Gemm", inputs, graph.IntAttr("transB", 1)), inLate: late}
	r, gates := d.Input(2), a.gates
	if d.Node.Op == "GRU" && d.Node.Int("linear_before_reset", 0) == 0 {
		gates--
		in[inLast] = packed(d, a, d.Cut(r, 1, gates*a.width, a.gates*a.width), 1, 1)
	}
	in[inR] = packed(d, a, d.Cut(r, 1, 0, gates*a.width), gates, 1)
	recur(d, a, in)
	return nil
}

// packedSteps divides the number of steps of packed weights.
const packedSteps = 8

// packed returns recurrent weights [directions, gates*width, width] in the order of reading:
// [directions, blocks, steps/depth, gates, blockUnits, depth], with zeros beyond the width. Sums may have packedSteps
// parts.
func packed(d *op.Decomposer, a *rnn, r *graph.Value, gates, depth int64) *graph.Value {
	blocks := (a.width + blockUnits - 1) / blockUnits
	steps := (a.width + packedSteps - 1) / packedSteps * packedSteps
	r = d.Reshape(r, a.directions, gates, a.width, a.width)
	for axis, n := range map[int]int64{2: blocks * blockUnits, 3: steps} {
		if r.Shape[axis] < n {
			shape := slices.Clone(r.Shape)
			shape[axis] = n - shape[axis]
			zeros := d.Const(graph.NewTensor(r.Type, shape...))
			r = d.Apply("Concat", []*graph.Value{r, zeros}, graph.IntAttr("axis", int64(axis)))
		}
	}
	return d.Transpose(d.Reshape(r, a.directions, gates, blocks, blockUnits, steps/depth, depth),
		[]int64{0, 2, 4, 1, 3, 5})
}

// recur adds the Recurrence of some inputs, with those that the node has as they are, and gives it the outputs of the
// node.
func recur(d *op.Decomposer, a *rnn, in [Given]*graph.Value) {
	n := d.Node
	in[inX] = d.Reshape(in[inX], a.time, a.batch, a.directions*a.gates*a.width)
	in[inLengths], in[inPeep] = d.Input(4), d.Input(7)
	in[inH], in[inC] = timeFirst(d, a, d.Input(5)), timeFirst(d, a, d.Input(6))
	attrs := []graph.Attr{graph.StrAttr("cell", a.kind), graph.StrAttr("direction", n.Str("direction", "forward"))}
	for _, name := range []string{"activations", "activation_alpha", "activation_beta", "clip", "linear_before_reset",
		"input_forget"} {
		if v := n.Attr(name); v != nil {
			attrs = append(attrs, *v)
		}
	}
	count := 2
	if a.kind == "LSTM" {
		count = 3
	}
	outputs := d.ApplyN("wmtune.Recurrence", count, in[:], attrs...)
	if a.batchFirst {
		outputs[0] = d.Apply("Transpose", []*graph.Value{outputs[0]}, graph.IntsAttr("perm", 2, 0, 1, 3))
		for i := range outputs[1:] {
			outputs[1+i] = timeFirst(d, a, outputs[1+i])
		}
	}
	d.Output(outputs[:len(n.Outputs)]...)
}

// timeFirst exchanges the first two of three dimensions if the node has the batch first.
func timeFirst(d *op.Decomposer, a *rnn, v *graph.Value) *graph.Value {
	if v == nil || !a.batchFirst {
		return v
	}
	return d.Apply("Transpose", []*graph.Value{v}, graph.IntsAttr("perm", 1, 0, 2))
}

// biases returns the biases that are added to the product with the input, and those of a GRU's hidden gate that are
// added to the product with the state before it is reset, if they are; either may be nil.
func biases(d *op.Decomposer, a *rnn) (early, late *graph.Value) {
	b := d.Input(3)
	if b == nil {
		return nil, nil
	}
	rows := a.gates * a.width
	w, r := d.Cut(b, 1, 0, rows), d.Cut(b, 1, rows, 2*rows)
	if d.Node.Op == "GRU" && d.Node.Int("linear_before_reset", 0) != 0 {
		late = d.Cut(r, 1, 2*a.width, rows)
		zero := d.Const(graph.NewTensor(b.Type, a.directions, a.width))
		r = d.Apply("Concat", []*graph.Value{d.Cut(r, 1, 0, 2*a.width), zero}, graph.IntAttr("axis", 1))
	}
	return d.Reshape(d.Two("Add", w, r), a.directions*rows), late
}
