package sequence

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
)

// evalRNN is the reference of RNN, GRU and LSTM.
func evalRNN(a *rnn, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	c, err := cellOf(n, a.kind)
	if err != nil {
		return nil, err
	}
	c.quantized = a.bytes
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
	a := recurrentOf(n)
	t := n.Inputs[0].Type
	state := []int64{a.directions, a.batch, a.width}
	return []op.Type{{DType: t, Shape: []int64{a.time, a.directions, a.batch, a.width}}, {DType: t, Shape: state},
		{DType: t, Shape: state}}, nil
}

// recurrentOf returns the sizes of a Recurrence.
func recurrentOf(n *graph.Node) *rnn {
	x, directions := n.Inputs[inX].Shape, n.Inputs[inR].Shape[0]
	a := &rnn{kind: n.Str("cell", ""), directions: directions, time: x[0], batch: x[1], bytes: n.Input(inScale) != nil}
	a.gates = gatesOf[a.kind]
	a.width = x[2] / (directions * a.gates)
	return a
}

// evalRecurrence is the reference of wmtune.Recurrence.
func evalRecurrence(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	a := recurrentOf(n)
	c, err := cellOf(n, a.kind)
	if err != nil {
		return nil, err
	}
	c.quantized = a.bytes
	types, err := inferRecurrence(n)
	if err != nil {
		return nil, err
	}
	var out []*graph.Tensor
	for _, t := range types {
		out = append(out, graph.NewTensor(t.DType, t.Shape...))
	}
	for i := range 2 {
		if t := array.Argument(in, inH+i); t != nil {
			copy(out[1+i].F, t.F)
		}
	}
	rows, given, before := a.gates*a.width, array.Argument(in, Given), int64(0)
	for dir := range a.directions {
		r := unpacked(a, in, dir)
		for b := range a.batch {
			at := (dir*a.batch + b) * a.width
			e := &cellEval{cell: c, width: a.width, dir: int(dir), r: r, p: part(array.Argument(in, inPeep), dir, 3*a.width),
				h: out[1].F[at : at+a.width], c: out[2].F[at : at+a.width], rounds: call.Rounds()}
			length, err := lengthOf(array.Argument(in, inLengths), b, a.time)
			if err != nil {
				return nil, err
			}
			for s := range length {
				t := s
				if dir == 1 || n.Str("direction", "forward") == "reverse" {
					t = length - 1 - s
				}
				if given != nil && s > 0 {
					copy(e.h, given.F[before:][:a.width])
				}
				late := make([]float64, rows)
				if l := part(array.Argument(in, inLate), dir, a.width); l != nil {
					copy(late[2*a.width:], l)
				}
				e.step(slices.Clone(in[inX].F[((t*a.batch+b)*a.directions+dir)*rows:][:rows]), late)
				before = ((t*a.directions+dir)*a.batch + b) * a.width
				copy(out[0].F[before:], e.h)
			}
		}
	}
	return out, nil
}

// unpacked returns the recurrent weights of a direction, a row for each element of a gate.
func unpacked(a *rnn, in []*graph.Tensor, dir int64) []float64 {
	r := make([]float64, a.gates*a.width*a.width)
	row := int64(0)
	for _, t := range []*graph.Tensor{in[inR], array.Argument(in, inLast)} {
		if t == nil {
			continue
		}
		blocks, groups, gates, depth := t.Shape[1], t.Shape[2], t.Shape[3], t.Shape[5]
		for gate := range gates {
			for unit := range a.width {
				for k := range a.width {
					at := ((dir*blocks+unit/blockUnits)*groups+k/depth)*gates + gate
					r[row*a.width+k] = t.At(int((at*blockUnits+unit%blockUnits)*depth + k%depth))
					if i := int(dir*a.gates*a.width + row); a.bytes {
						r[row*a.width+k] = (r[row*a.width+k] - in[inZero].At(i)) * in[inScale].F[i]
					}
				}
				row++
			}
		}
	}
	return r
}
