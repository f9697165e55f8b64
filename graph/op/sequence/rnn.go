package sequence

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
)

// Recurrent has the recurrent networks of one layer. Each becomes one product of all of the input with its weights, and
// wmtune.Recurrence, which goes from time to time: see recurrence.go. wmtune.LSTM may have attribute quantized_state,
// which rounds the state to bytes before each product.
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
	{Op: "wmtune.LSTM", In: "T:F T:F T:F T:F? T1:I? T:F? T:F? T:F?", Class: op.Opaque, Infer: inferRNN,
		Eval:      op.EvalBy(rnnOf, evalRNN),
		Decompose: decomposeRNN},
	{Op: "wmtune.Recurrence", Class: op.Opaque, Infer: inferRecurrence, Eval: evalRecurrence,
		Opaque: &op.Function{Make: opaqueRecurrence,
			Fault: func(*graph.Node) string { return "a length of sequence_lens is negative, or above that of the input" }}},
}

// gatesOf is the number of gates of a cell.
var gatesOf = map[string]int64{"RNN": 1, "GRU": 3, "LSTM": 4}

// An rnn has the sizes of an RNN, GRU or LSTM.
type rnn struct {
	gates, directions            int64
	time, batch, features, width int64
	batchFirst                   bool // of x and the results
}

func rnnOf(n *graph.Node) (*rnn, error) {
	x, w, r := n.Inputs[0].Shape, n.Inputs[1].Shape, n.Inputs[2].Shape
	if len(x) != 3 || len(w) != 3 || len(r) != 3 {
		return nil, fmt.Errorf("x %v, weights %v and recurrent weights %v: each must have 3 dimensions", x, w, r)
	}
	a := &rnn{gates: gatesOf[n.Op], directions: 1, time: x[0], batch: x[1], features: x[2], width: r[2],
		batchFirst: n.Int("layout", 0) != 0}
	if a.batchFirst {
		a.time, a.batch = x[1], x[0]
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
	for i, v := range n.Inputs {
		if v != nil && (i >= len(wants) || !slices.Equal(v.Shape, wants[i])) {
			return nil, fmt.Errorf("input %d has shape %v: it must be %v", i, v.Shape, wants[min(i, len(wants)-1)])
		}
	}
	_, err := cellOf(n, n.Op)
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
	if n.Op == "LSTM" {
		types = append(types, op.Type{DType: t, Shape: state})
	}
	return types, nil
}

// decomposeRNN multiplies all of the input by the weights of both directions and adds what biases it can.
func decomposeRNN(d *op.Decomposer) error {
	n := d.Node
	a, err := rnnOf(n)
	if err != nil {
		return err
	}
	x := timeFirst(d, a, d.Input(0))
	rows := a.directions * a.gates * a.width
	inputs := []*graph.Value{d.Reshape(x, a.time*a.batch, a.features), d.Reshape(d.Input(1), rows, a.features)}
	bias, late := biases(d, a)
	if bias != nil {
		inputs = append(inputs, bias)
	}
	product := d.Apply("Gemm", inputs, graph.IntAttr("transB", 1))
	r := d.Apply("Transpose", []*graph.Value{d.Input(2)}, graph.IntsAttr("perm", 0, 2, 1))
	attrs := []graph.Attr{graph.StrAttr("cell", n.Op), graph.StrAttr("direction", n.Str("direction", "forward"))}
	for _, name := range []string{"activations", "activation_alpha", "activation_beta", "clip", "linear_before_reset",
		"input_forget", "quantized_state"} {
		if v := n.Attr(name); v != nil {
			attrs = append(attrs, *v)
		}
	}
	count := 2
	if n.Op == "LSTM" {
		count = 3
	}
	outputs := d.ApplyN("wmtune.Recurrence", count, []*graph.Value{d.Reshape(product, a.time, a.batch, rows), r, late,
		d.Input(4),
		timeFirst(d, a, d.Input(5)), timeFirst(d, a, d.Input(6)), d.Input(7)}, attrs...)
	if a.batchFirst {
		outputs[0] = d.Apply("Transpose", []*graph.Value{outputs[0]}, graph.IntsAttr("perm", 2, 0, 1, 3))
		for i := range outputs[1:] {
			outputs[1+i] = timeFirst(d, a, outputs[1+i])
		}
	}
	d.Output(outputs[:len(n.Outputs)]...)
	return nil
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

// evalRNN is the reference of RNN, GRU and LSTM.
func evalRNN(a *rnn, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	c, err := cellOf(n, n.Op)
	if err != nil {
		return nil, err
	}
	types, err := inferRNN(n)
	if err != nil {
		return nil, err
	}
	y := graph.NewTensor(types[0].DType, types[0].Shape...)
	h, cell := graph.NewTensor(types[1].DType, types[1].Shape...), graph.NewTensor(types[1].DType, types[1].Shape...)
	for i, state := range []*graph.Tensor{h, cell} {
		if t := array.Argument(in, 5+i); t != nil {
			copy(state.F, t.F)
		}
	}
	rows := a.gates * a.width
	for dir := range a.directions {
		for b := range a.batch {
			e := &cellEval{cell: c, width: a.width, dir: int(dir),
				r: in[2].F[dir*rows*a.width:][:rows*a.width], p: part(array.Argument(in, 7), dir, 3*a.width)}
			at := (dir*a.batch + b) * a.width
			if a.batchFirst {
				at = (b*a.directions + dir) * a.width
			}
			e.h, e.c, e.rounds = h.F[at:at+a.width], cell.F[at:at+a.width], call.Rounds()
			bias := part(array.Argument(in, 3), dir, 2*rows)
			length, err := lengthOf(array.Argument(in, 4), b, a.time)
			if err != nil {
				return nil, err
			}
			for s := range length {
				t := s
				if dir == 1 || n.Str("direction", "forward") == "reverse" {
					t = length - 1 - s
				}
				from, to := t*a.batch+b, ((t*a.directions+dir)*a.batch+b)*a.width
				if a.batchFirst {
					from, to = b*a.time+t, ((b*a.time+t)*a.directions+dir)*a.width
				}
				x := in[0].F[from*a.features:][:a.features]
				gates, late := make([]float64, rows), make([]float64, rows)
				for i := range gates {
					gates[i] = array.Dot(x, in[1].F[(dir*rows+int64(i))*a.features:])
					if bias != nil {
						gates[i] += bias[i]
						late[i] = bias[int(rows)+i]
					}
				}
				e.step(gates, late)
				copy(y.F[to:], e.h)
			}
		}
	}
	return []*graph.Tensor{y, h, cell}[:len(types)], nil
}

// lengthOf returns the length of a sequence of a batch: time, if lengths is nil.
func lengthOf(lengths *graph.Tensor, b, time int64) (int64, error) {
	if lengths == nil {
		return time, nil
	}
	if l := lengths.I[b]; l < 0 || l > time {
		return 0, fmt.Errorf("sequence %d has length %d: it must be from 0 to %d", b, l, time)
	}
	return lengths.I[b], nil
}

// part returns the rows of a direction, or nil of nil.
func part(t *graph.Tensor, dir, size int64) []float64 {
	if t == nil {
		return nil
	}
	return t.F[dir*size:][:size]
}

func inferRecurrence(n *graph.Node) ([]op.Type, error) {
	x, r := n.Inputs[0].Shape, n.Inputs[1].Shape
	if len(x) != 3 || len(r) != 3 || x[2] != r[0]*r[2] {
		return nil, fmt.Errorf("BUG: Recurrence of %v and %v", x, r)
	}
	t := n.Inputs[0].Type
	state := []int64{r[0], x[1], r[1]}
	return []op.Type{{DType: t, Shape: []int64{x[0], r[0], x[1], r[1]}}, {DType: t, Shape: state},
		{DType: t, Shape: state}}, nil
}

// evalRecurrence is the reference of wmtune.Recurrence. It alone may have input 7, states like output 0, from which it
// takes each next step: what a step does is then judged apart from what the steps before it rounded.
func evalRecurrence(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	c, err := cellOf(n, n.Str("cell", ""))
	if err != nil {
		return nil, err
	}
	types, err := inferRecurrence(n)
	if err != nil {
		return nil, err
	}
	var out []*graph.Tensor
	for _, t := range types {
		out = append(out, graph.NewTensor(t.DType, t.Shape...))
	}
	for i := range 2 {
		if t := array.Argument(in, 4+i); t != nil {
			copy(out[1+i].F, t.F)
		}
	}
	time, batch, directions, width := in[0].Shape[0], in[0].Shape[1], in[1].Shape[0], in[1].Shape[1]
	rows, given, before := in[1].Shape[2], array.Argument(in, 7), int64(0)
	for dir := range directions {
		r := make([]float64, rows*width) // transposed back
		for k := range width {
			for i := range rows {
				r[i*width+k] = in[1].F[(dir*width+k)*rows+i]
			}
		}
		for b := range batch {
			at := (dir*batch + b) * width
			e := &cellEval{cell: c, width: width, dir: int(dir), r: r, p: part(array.Argument(in, 6), dir, 3*width),
				h: out[1].F[at : at+width], c: out[2].F[at : at+width], rounds: call.Rounds()}
			length, err := lengthOf(array.Argument(in, 3), b, time)
			if err != nil {
				return nil, err
			}
			for s := range length {
				t := s
				if dir == 1 || n.Str("direction", "forward") == "reverse" {
					t = length - 1 - s
				}
				if given != nil && s > 0 {
					copy(e.h, given.F[before:][:width])
				}
				late := make([]float64, rows)
				if l := part(array.Argument(in, 2), dir, width); l != nil {
					copy(late[2*width:], l)
				}
				e.step(slices.Clone(in[0].F[((t*batch+b)*directions+dir)*rows:][:rows]), late)
				before = ((t*directions+dir)*batch + b) * width
				copy(out[0].F[before:], e.h)
			}
		}
	}
	return out, nil
}
