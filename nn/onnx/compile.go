package onnx

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/nn/kernel"
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
		network: n, fixed: make([]bool, len(n.nodes)), output: make([]bool, len(n.nodes)),
		producer: make([]*call, len(n.nodes)), user: make([]*call, len(n.nodes)),
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

// An attention is softmax(scale*q*k' + bias)*v for each matrix of a batch and each
// head. Its inputs are batch x head x length x size, or are read in the order
// batch x length x head x size, without the Transpose that the file has there.
type attention struct {
	name    string
	q, k, v operand
	bias    int // or -1
	scale   float32
	joined  bool // the output is batch x length x head x size
	output  int
	scratch sync.Pool
}

// An operand is a value, and whether its heads come after its rows.
type operand struct {
	value   int
	swapped bool
}

// attention finds the calls around a softmax.
func (c *compiler) attention(s *call) {
	if s.op.name != "Softmax" {
		return
	}
	if a, ok := s.attrs["axis"].(int64); s.attrs["axis"] != nil && (!ok || a != -1 && a != 3) {
		return
	}
	at := &attention{name: s.name, bias: -1, scale: 1}
	calls := []*call{s}
	scores := s.inputs[0]
	if add := c.only(scores, "Add"); add != nil {
		for i := range 2 {
			if in := add.inputs[i]; c.only(in, "Mul") != nil || c.only(in, "Div") != nil || c.only(in, "MatMul") != nil {
				scores, at.bias = in, add.inputs[1-i]
				calls = append(calls, add)
				break
			}
		}
		if at.bias < 0 {
			return
		}
	}
	if mul := c.only(scores, "Mul"); mul != nil {
		for i := range 2 {
			if f, ok := c.number(mul.inputs[i]); ok && f > 0 {
				at.scale, scores = f, mul.inputs[1-i]
				calls = append(calls, mul)
				break
			}
		}
	} else if div := c.only(scores, "Div"); div != nil {
		if f, ok := c.number(div.inputs[1]); ok && f > 0 {
			at.scale, scores = 1/f, div.inputs[0]
			calls = append(calls, div)
		}
	}
	product, out := c.only(scores, "MatMul"), c.next(s, "MatMul")
	if product == nil || out == nil || out.inputs[0] != s.outputs[0] {
		return
	}
	turn := c.only(product.inputs[1], "Transpose")
	if turn == nil {
		return
	}
	switch perm, _ := turn.attrs["perm"].([]int64); {
	case slices.Equal(perm, []int64{0, 1, 3, 2}):
		at.k = c.operand(turn.inputs[0], &calls)
	case slices.Equal(perm, []int64{0, 2, 3, 1}):
		at.k = operand{turn.inputs[0], true}
	default:
		return
	}
	calls = append(calls, product, out, turn)
	at.q, at.v = c.operand(product.inputs[0], &calls), c.operand(out.inputs[1], &calls)
	at.output = out.outputs[0]
	if t := c.next(out, "Transpose"); t != nil && swaps(t) {
		at.joined, at.output = true, t.outputs[0]
		calls = append(calls, t)
	}
	c.replace(at, calls...)
}

// swaps reports whether a Transpose exchanges heads and rows.
func swaps(t *call) bool {
	perm, _ := t.attrs["perm"].([]int64)
	return slices.Equal(perm, []int64{0, 2, 1, 3})
}

// operand looks through a Transpose that exchanges heads and rows.
func (c *compiler) operand(value int, calls *[]*call) operand {
	if t := c.only(value, "Transpose"); t != nil && swaps(t) {
		*calls = append(*calls, t)
		return operand{t.inputs[0], true}
	}
	return operand{value, false}
}

// A heads is an operand at run time.
type heads struct {
	data                      []float32
	batch, head, rows, size   int
	byBatch, byHead, byOneRow int
}

func (o operand) heads(values []Tensor) heads {
	t := values[o.value]
	if len(wantFloats(t)) == 0 || len(t.Shape) != 4 {
		failf("attention between values of shape %v", t.Shape)
	}
	h := heads{data: t.Floats, batch: t.Shape[0], head: t.Shape[1], rows: t.Shape[2], size: t.Shape[3]}
	h.byOneRow, h.byHead = h.size, h.rows*h.size
	if o.swapped {
		h.head, h.rows = h.rows, h.head
		h.byOneRow, h.byHead = h.head*h.size, h.size
	}
	h.byBatch = h.head * h.rows * h.size
	return h
}

// gather copies the rows of one head together.
func (h heads) gather(to []float32, batch, head int) {
	from := h.data[batch*h.byBatch+head*h.byHead:]
	for r := range h.rows {
		copy(to[r*h.size:][:h.size], from[r*h.byOneRow:])
	}
}

func (a *attention) run(m *memory, values []Tensor) error {
	return guarded(a.name, func() {
		q, k, v := a.q.heads(values), a.k.heads(values), a.v.heads(values)
		if q.size != k.size || k.rows != v.rows || q.batch != k.batch || q.batch != v.batch || q.head != k.head ||
			q.head != v.head {
			failf("attention between values of shape %v, %v and %v", values[a.q.value].Shape, values[a.k.value].Shape,
				values[a.v.value].Shape)
		}
		scores := []int{q.batch, q.head, q.rows, k.rows}
		var bias []float32
		var by []int
		if a.bias >= 0 {
			b := values[a.bias]
			bias = wantFloats(b)
			if got := broadcastShape(b.Shape, scores); !slices.Equal(got, scores) {
				failf("scores of shape %v, to which %v is added", scores, b.Shape)
			}
			by = strides(b.Shape, scores)
		}
		shape := []int{q.batch, q.head, q.rows, v.size}
		to := heads{batch: q.batch, head: q.head, rows: q.rows, size: v.size, byOneRow: v.size, byHead: q.rows * v.size,
			byBatch: q.head * q.rows * v.size}
		if a.joined {
			shape[1], shape[2] = shape[2], shape[1]
			to.byOneRow, to.byHead = q.head*v.size, v.size
		}
		out := m.tensor(shape)
		to.data = out.Floats
		share(q.batch*q.head, q.rows*k.rows*(q.size+v.size), func(first, end int) {
			for i := first; i < end; i++ {
				a.one(to, q, k, v, bias, by, i/q.head, i%q.head)
			}
		})
		values[a.output] = out
	})
}

// one computes one head of one matrix.
func (a *attention) one(to, q, k, v heads, bias []float32, by []int, batch, head int) {
	n := q.rows*q.size + k.rows*k.size + v.rows*v.size + q.rows*v.size + q.rows*k.rows
	scratch, _ := a.scratch.Get().(*[]float32)
	if scratch == nil || len(*scratch) < n {
		fresh := make([]float32, n)
		scratch = &fresh
	}
	defer a.scratch.Put(scratch)
	room := *scratch
	next := func(n int) []float32 {
		part := room[:n:n]
		room = room[n:]
		return part
	}
	qs, ks, vs := next(q.rows*q.size), next(k.rows*k.size), next(v.rows*v.size)
	q.gather(qs, batch, head)
	k.gather(ks, batch, head)
	v.gather(vs, batch, head)
	p := next(q.rows * k.rows)
	kernel.Multiply(p, kernel.M(qs, q.size), kernel.M(ks, k.size).T(), false)
	for r := range q.rows {
		row := p[r*k.rows:][:k.rows]
		if bias == nil {
			kernel.Softmax(row, a.scale)
			continue
		}
		at := batch*by[0] + head*by[1] + r*by[2]
		if by[3] == 1 {
			kernel.AddTimes(row, 1/a.scale, bias[at:][:k.rows])
		} else { // one number for all of the row
			for i := range row {
				row[i] += bias[at] / a.scale
			}
		}
		kernel.Softmax(row, a.scale)
	}
	o := next(q.rows * v.size)
	kernel.Multiply(o, kernel.M(p, k.rows), kernel.M(vs, v.size), false)
	for r := range q.rows {
		copy(to.data[batch*to.byBatch+head*to.byHead+r*to.byOneRow:][:v.size], o[r*v.size:])
	}
}
