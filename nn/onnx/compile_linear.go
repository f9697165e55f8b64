package onnx

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/nn/kernel"
)

// A linear layer multiplies rows by a packed matrix, adds a row and a residual, and
// applies an activation.
type linear struct {
	name     string
	x        int
	weight   *kernel.Packed
	in, out  int
	bias     []float32
	residual int // or -1
	apply    func(to, x []float32)
	output   int
}

// linear finds MatMul(x, weight), with what may follow: Add(bias), then Add(residual)
// or an activation.
func (c *compiler) linear(k *call) {
	if k.op.name != "MatMul" || !c.fixed[k.inputs[1]] || c.fixed[k.inputs[0]] {
		return
	}
	w := c.network.values[k.inputs[1]]
	if w.Type != Float32 || len(w.Shape) != 2 || len(w.Floats) == 0 {
		return
	}
	l := &linear{name: k.name, x: k.inputs[0], in: w.Shape[0], out: w.Shape[1], residual: -1}
	calls := []*call{k}
	if add := c.next(k, "Add"); add != nil {
		if b := add.other(k.outputs[0]); c.fixed[b] && slices.Equal(c.network.values[b].Shape, []int{l.out}) &&
			c.network.values[b].Type == Float32 {
			l.bias = c.network.values[b].Floats
			calls = append(calls, add)
		}
	}
	last := calls[len(calls)-1]
	if add := c.next(last, "Add"); add != nil && add.inputs[0] != add.inputs[1] {
		if r := add.other(last.outputs[0]); !c.fixed[r] {
			l.residual = r
			calls = append(calls, add)
		}
	} else if u := c.user[last.outputs[0]]; u != nil {
		calls = append(calls, c.activation(l, u)...)
	}
	l.output = calls[len(calls)-1].outputs[0]
	l.weight = kernel.Pack(kernel.M(w.Floats, l.out))
	c.replace(l, calls...)
}

// activation takes over a call of a function, or a layer that is GELU.
func (c *compiler) activation(l *linear, u *call) []*call {
	switch {
	case c.gone[u]:
		for last, s := range c.steps {
			if g, ok := s.(*gelu); ok && g.x == u.inputs[0] && g.first == u {
				l.apply = kernel.GELU
				delete(c.steps, last)
				return []*call{last}
			}
		}
		return nil
	case u.op.name == "Tanh":
		l.apply = kernel.Tanh
	case u.op.name == "Relu":
		l.apply = func(to, x []float32) {
			for i, v := range x {
				to[i] = max(v, 0)
			}
		}
	default:
		return nil
	}
	return []*call{u}
}

func (l *linear) run(m *memory, values []Tensor) error {
	return guarded(l.name, func() {
		x := values[l.x]
		rank := len(x.Shape)
		if len(wantFloats(x)) == 0 || rank == 0 || x.Shape[rank-1] != l.in {
			failf("rows of %v times a matrix of %d x %d", x.Shape, l.in, l.out)
		}
		out := m.tensor(append(slices.Clone(x.Shape[:rank-1]), l.out))
		var residual []float32
		if l.residual >= 0 && slices.Equal(values[l.residual].Shape, out.Shape) {
			residual = wantFloats(values[l.residual])
		}
		share(len(x.Floats)/l.in, l.in*l.out, func(first, end int) {
			l.rows(out.Floats[first*l.out:end*l.out], x.Floats[first*l.in:end*l.in], residual[min(first*l.out, len(residual)):])
		})
		if l.residual >= 0 && residual == nil { // of another shape
			r := values[l.residual]
			wantFloats(r)
			shape := broadcastShape(out.Shape, r.Shape)
			sum := m.tensor(shape)
			zip(sum.Floats, shape, out.Floats, out.Shape, r.Floats, r.Shape, func(x, y float32) float32 { return x + y })
			out = sum
		}
		values[l.output] = out
	})
}

// rows computes some rows.
func (l *linear) rows(out, x, residual []float32) {
	for at := 0; at < len(out); at += l.out {
		row := out[at:][:l.out]
		switch {
		case len(residual) > 0 && l.bias != nil:
			r := residual[at:][:l.out]
			for i, b := range l.bias {
				row[i] = b + r[i]
			}
		case len(residual) > 0:
			copy(row, residual[at:])
		case l.bias != nil:
			copy(row, l.bias)
		default:
			clear(row)
		}
	}
	l.weight.Multiply(out, kernel.M(x, l.in), true)
	if l.apply != nil {
		l.apply(out, out)
	}
}

// A gelu is x*Phi(x).
type gelu struct {
	name      string
	x, output int
	first     *call // that reads x before the error function
}

// gelu finds x*(erf(x/sqrt(2)) + 1)/2, its factors in any order.
func (c *compiler) gelu(k *call) {
	if k.op.name != "Erf" {
		return
	}
	x := -1
	first := c.only(k.inputs[0], "Div")
	if first != nil && c.is(first.inputs[1], math.Sqrt2) {
		x = first.inputs[0]
	} else if first = c.only(k.inputs[0], "Mul"); first != nil {
		for i := range 2 {
			if c.is(first.inputs[i], 1/math.Sqrt2) {
				x = first.inputs[1-i]
			}
		}
	}
	add := c.next(k, "Add")
	if x < 0 || add == nil || !c.is(add.other(k.outputs[0]), 1) {
		return
	}
	calls := []*call{first, k, add}
	half, times := false, false
	for last := add; !half || !times; {
		mul := c.next(last, "Mul")
		if mul == nil {
			return
		}
		factor := mul.other(last.outputs[0])
		switch before := c.only(factor, "Mul"); {
		case !half && c.is(factor, 0.5):
			half = true
		case !times && factor == x:
			times = true
		case !half && !times && before != nil &&
			(before.inputs[0] == x && c.is(before.inputs[1], 0.5) || before.inputs[1] == x && c.is(before.inputs[0], 0.5)):
			half, times = true, true
			calls = append(calls, before)
		default:
			return
		}
		calls = append(calls, mul)
		last = mul
	}
	c.user[x] = c.onlyUsers(x, calls)
	c.replace(&gelu{name: k.name, x: x, output: calls[len(calls)-1].outputs[0], first: first}, calls...)
}

// onlyUsers returns the first of some calls if nothing but them uses a value: to
// those outside, the layer that they become is one user.
func (c *compiler) onlyUsers(value int, calls []*call) *call {
	for _, k := range c.network.calls {
		if slices.Contains(k.inputs, value) && !slices.Contains(calls, k) {
			return nil
		}
	}
	if c.output[value] {
		return nil
	}
	return calls[0]
}

func (g *gelu) run(m *memory, values []Tensor) error {
	return guarded(g.name, func() {
		x := values[g.x]
		out := m.tensor(x.Shape)
		kernel.GELU(out.Floats, wantFloats(x))
		values[g.output] = out
	})
}

// A norm normalises rows.
type norm struct {
	name        string
	x, output   int
	gamma, beta []float32
	epsilon     float32
}

// norm finds LayerNormalization over the last axis, with weights.
func (c *compiler) norm(k *call) {
	if k.op.name != "LayerNormalization" || len(k.outputs) != 1 || !c.fixed[k.inputs[1]] {
		return
	}
	if a, ok := k.attrs["axis"].(int64); ok && a != -1 || !ok && k.attrs["axis"] != nil {
		return
	}
	n := &norm{name: k.name, x: k.inputs[0], output: k.outputs[0], epsilon: 1e-5}
	if n.gamma = c.network.values[k.inputs[1]].Floats; len(c.network.values[k.inputs[1]].Shape) != 1 {
		return
	}
	if len(k.inputs) > 2 && k.inputs[2] >= 0 {
		if !c.fixed[k.inputs[2]] || len(c.network.values[k.inputs[2]].Floats) != len(n.gamma) {
			return
		}
		n.beta = c.network.values[k.inputs[2]].Floats
	}
	if e, ok := k.attrs["epsilon"].(float32); ok {
		n.epsilon = e
	}
	if len(n.gamma) > 0 {
		c.replace(n, k)
	}
}

func (n *norm) run(m *memory, values []Tensor) error {
	return guarded(n.name, func() {
		x := values[n.x]
		width := len(n.gamma)
		wantFloats(x)
		if len(x.Shape) == 0 || x.Shape[len(x.Shape)-1] != width {
			failf("rows of %v, and weights of %d", x.Shape, width)
		}
		out := m.tensor(x.Shape)
		share(len(x.Floats)/width, 4*width, func(first, end int) {
			for at := first * width; at < end*width; at += width {
				kernel.LayerNorm(out.Floats[at:][:width], x.Floats[at:][:width], n.gamma, n.beta, n.epsilon)
			}
		})
		values[n.output] = out
	})
}
