package onnx

import (
	"fmt"
	"math"
	"runtime"
	"sync"
)

// A compiler finds layers among the calls of a network, each of which becomes one
// step at the place of its last call. What it does not know stays a call.
type compiler struct {
	network  *network
	fixed    []bool  // weights and constants
	output   []bool  // of the network
	producer []*call // of each value
	user     []*call // of each value that is used once
	place    map[*call]int
	gone     map[*call]bool // calls inside of layers
	steps    map[*call]step // by the last call
}

// compile returns the steps of a network.
func compile(n *network, outputs []int, weight func(value int) bool) []step {
	c := &compiler{
		network: n, fixed: make([]bool, len(n.nodes)), output: make([]bool, len(n.nodes)), producer: make([]*call, len(n.nodes)), user: make([]*call, len(n.nodes)),
		place: map[*call]int{}, gone: map[*call]bool{}, steps: map[*call]step{},
	}
	for i := range n.nodes {
		c.fixed[i] = weight(i)
	}
	uses := make([]int, len(n.nodes))
	for _, v := range outputs {
		c.output[v] = true
	}
	for i, k := range n.calls {
		c.place[k] = i
		for _, v := range k.outputs {
			c.producer[v] = k
		}
		for _, v := range k.inputs {
			if v >= 0 {
				uses[v]++
				c.user[v] = k
			}
		}
		c.constant(k)
	}
	for v, count := range uses {
		if count != 1 || c.output[v] {
			c.user[v] = nil
		}
	}
	for _, find := range []func(*call){c.gelu, c.attention, c.linear, c.norm} {
		for _, k := range n.calls {
			if !c.gone[k] {
				find(k)
			}
		}
	}
	var plan []step
	for _, k := range n.calls {
		switch {
		case c.steps[k] != nil:
			plan = append(plan, c.steps[k])
		case !c.gone[k]:
			plan = append(plan, k)
		}
	}
	return plan
}

// constant computes what needs no input.
func (c *compiler) constant(k *call) {
	if k.op.name != "Constant" || len(k.outputs) != 1 {
		return
	}
	if out, err := k.compute(nil, nil); err == nil {
		c.network.values[k.outputs[0]] = out[0]
		c.fixed[k.outputs[0]], c.gone[k] = true, true
	}
}

// by returns the call that computes a value, if it is of an operator and no part of a
// layer.
func (c *compiler) by(value int, op string) *call {
	if value < 0 {
		return nil
	}
	if k := c.producer[value]; k != nil && k.op.name == op && !c.gone[k] {
		return k
	}
	return nil
}

// only is by, for a value that is used once.
func (c *compiler) only(value int, op string) *call {
	if value < 0 || c.user[value] == nil {
		return nil
	}
	return c.by(value, op)
}

// next returns the only call that uses the output of a call, if it is of an operator
// and no part of a layer.
func (c *compiler) next(k *call, op string) *call {
	if len(k.outputs) != 1 {
		return nil
	}
	if u := c.user[k.outputs[0]]; u != nil && u.op.name == op && !c.gone[u] {
		return u
	}
	return nil
}

// other returns the input of a call of two inputs beside one.
func (k *call) other(value int) int {
	if k.inputs[0] == value {
		return k.inputs[1]
	}
	return k.inputs[0]
}

// number returns the float that a value always is.
func (c *compiler) number(value int) (float32, bool) {
	if value < 0 || !c.fixed[value] {
		return 0, false
	}
	t := c.network.values[value]
	if t.Type != Float32 || len(t.Floats) != 1 || len(t.Shape) > 1 {
		return 0, false
	}
	return t.Floats[0], true
}

// is reports whether a value always is a number, up to how it was rounded.
func (c *compiler) is(value int, want float64) bool {
	v, ok := c.number(value)
	return ok && math.Abs(float64(v)/want-1) < 1e-5
}

// replace makes calls one layer, which runs where the last of them did.
func (c *compiler) replace(s step, calls ...*call) {
	last := calls[0]
	for _, k := range calls {
		c.gone[k] = true
		if c.place[k] > c.place[last] {
			last = k
		}
	}
	c.steps[last] = s
}

// guarded runs a layer. Like an operator it throws what does not fit.
func guarded(name string, f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = fmt.Errorf("%s: %s", name, string(r))
		case error:
			err = fmt.Errorf("%s: inputs that do not fit: %w", name, r)
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// worthwhile is how many operations are worth a goroutine.
const worthwhile = 1 << 20

// share cuts n things of so many operations each into pieces, which f computes at
// once. Nothing may depend on where the cuts are.
func share(n, each int, f func(first, end int)) {
	pieces := min(runtime.GOMAXPROCS(0), n*each/worthwhile+1, n)
	if pieces < 2 {
		f(0, n)
		return
	}
	var wait sync.WaitGroup
	for p := range pieces {
		wait.Go(func() { f(p*n/pieces, (p+1)*n/pieces) })
	}
	wait.Wait()
}
