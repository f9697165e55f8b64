// Package onnx writes networks as ONNX files, and reads and runs such files.
//
// Writing: a Builder collects weights and nodes and encodes them (opset 17, IR 8).
// The bytes are written with protowire, field by field: the code that protoc would
// generate from onnx.proto is longer than this writer, and under its own name it
// panics at start beside the copy inside onnx-go, since both register onnx.* .
//
// Reading: the bytes are checked before anything is decoded (check.go), onnx-go
// decodes them into our backend (network), and the program that results runs
// node by node (Reference) or, where its patterns are known, as fused layers over
// nn/kernel (compile.go). Both give the same numbers up to rounding.
//
// The package must not know what a network computes: names of weights and of inputs
// are the caller's.
package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	onnxgo "github.com/owulveryck/onnx-go"
	"github.com/owulveryck/onnx-go/backend"
	"gonum.org/v1/gonum/graph"
	"gorgonia.org/tensor"
)

// A Program is a network that was read from a file. It may run in several
// goroutines at a time.
type Program struct {
	file    *file
	network *network
	values  map[string]int // by name
	plan    []step         // what Run does
	memory  sync.Pool
}

// A step computes some values from others.
type step interface {
	run(m *memory, values []Tensor) error
}

// Load reads a file. Whatever the bytes are, it returns an error or a program, and
// takes no more memory than a small multiple of their number.
func Load(b []byte) (p *Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("onnx: the file is damaged: %v", r)
		}
	}()
	f, err := checkFile(b)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	p = &Program{file: f, network: newNetwork(), values: map[string]int{}}
	p.memory.New = func() any { return new(memory) }
	if err := onnxgo.NewModel(p.network).UnmarshalBinary(f.slim); err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	for _, c := range p.network.calls {
		c.opset = f.opset
	}
	f.slim, f.graph = nil, nil
	for _, n := range p.network.nodes {
		p.values[n.name] = int(n.id)
	}
	for _, info := range slices.Concat(f.inputs, f.outputs) {
		if _, ok := p.values[info.Name]; !ok {
			return nil, fmt.Errorf("onnx: %q is in no graph", info.Name)
		}
	}
	var outputs []int
	for _, out := range f.outputs {
		outputs = append(outputs, p.values[out.Name])
	}
	p.plan = compile(p.network, outputs, func(v int) bool { return f.weights[p.network.nodes[v].name] })
	return p, nil
}

// Meta returns the metadata of the file.
func (p *Program) Meta() map[string]string { return maps.Clone(p.file.meta) }

// Weight returns a constant tensor of floats. The caller must not change it.
func (p *Program) Weight(name string) (shape []int, data []float32, ok bool) {
	i, ok := p.values[name]
	if !ok || !p.file.weights[name] || p.network.values[i].Type != Float32 {
		return nil, nil, false
	}
	return p.network.values[i].Shape, p.network.values[i].Floats, true
}

// Run computes the outputs. It changes no input, and what it returns shares no
// memory with anything else. Where a layer does not expect what its inputs are, the
// network runs node by node.
func (p *Program) Run(inputs map[string]Tensor) (map[string]Tensor, error) {
	m := p.memory.Get().(*memory)
	defer func() {
		m.reset()
		p.memory.Put(m)
	}()
	out, err := p.run(p.plan, m, inputs)
	if err != nil {
		return p.Reference(inputs)
	}
	return out, nil
}

// Reference is Run node by node, without fused layers: what every fused layer is
// compared with.
func (p *Program) Reference(inputs map[string]Tensor) (map[string]Tensor, error) {
	plan := make([]step, len(p.network.calls))
	for i, c := range p.network.calls {
		plan[i] = c
	}
	return p.run(plan, new(memory), inputs)
}

func (p *Program) run(plan []step, m *memory, inputs map[string]Tensor) (map[string]Tensor, error) {
	values := slices.Clone(p.network.values)
	for _, in := range p.file.inputs {
		t, ok := inputs[in.Name]
		if !ok {
			return nil, fmt.Errorf("onnx: input %q is missing", in.Name)
		}
		if err := in.accepts(t); err != nil {
			return nil, fmt.Errorf("onnx: input %q: %w", in.Name, err)
		}
		t.Type = in.Type
		values[p.values[in.Name]] = t
	}
	for name := range inputs {
		if !slices.ContainsFunc(p.file.inputs, func(in Info) bool { return in.Name == name }) {
			return nil, fmt.Errorf("onnx: the network has no input %q", name)
		}
	}
	for _, s := range plan {
		if err := s.run(m, values); err != nil {
			return nil, fmt.Errorf("onnx: %w", err)
		}
	}
	outputs := map[string]Tensor{}
	for _, out := range p.file.outputs {
		t := values[p.values[out.Name]]
		outputs[out.Name] = Tensor{Type: t.Type, Shape: slices.Clone(t.Shape), Floats: slices.Clone(t.Floats),
			Ints: slices.Clone(t.Ints)}
	}
	return outputs, nil
}

// accepts says what is wrong with a tensor for an input.
func (in Info) accepts(t Tensor) error {
	if err := t.check(); err != nil {
		return err
	}
	if (in.Type == Float32) != (t.Type == Float32) {
		return fmt.Errorf("it is of %s, and the network wants %s", t.Type, in.Type)
	}
	if in.Dims == nil {
		return nil
	}
	wrong := len(in.Dims) != len(t.Shape)
	for i := 0; i < len(in.Dims) && !wrong; i++ {
		wrong = in.Dims[i] >= 0 && in.Dims[i] != t.Shape[i]
	}
	if wrong {
		return fmt.Errorf("it has the shape %v, and the network wants %v", t.Shape, in.Dims)
	}
	return nil
}

// run computes the outputs of a call.
func (c *call) run(m *memory, values []Tensor) error {
	in := make([]Tensor, len(c.inputs))
	for i, id := range c.inputs {
		if id >= 0 {
			in[i] = values[id]
			if in[i].Type == 0 {
				return fmt.Errorf("%s: input %d has no value", c.name, i)
			}
		} else if i < c.op.least {
			return fmt.Errorf("%s: input %d is left out", c.name, i)
		}
	}
	out, err := c.compute(m, in)
	if err != nil {
		return err
	}
	if len(out) < len(c.outputs) {
		return fmt.Errorf("%s: only the first %d of %d outputs are supported", c.name, len(out), len(c.outputs))
	}
	for i, id := range c.outputs {
		values[id] = out[i]
	}
	return nil
}

// compute calls the operator. What the operator finds wrong, and what it trips over,
// is an error: attributes and shapes are as the file has them.
func (c *call) compute(m *memory, in []Tensor) (out []Tensor, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			out, err = nil, fmt.Errorf("%s: %s", c.name, string(r))
		case error:
			out, err = nil, fmt.Errorf("%s: inputs that do not fit: %w", c.name, r)
		default:
			panic(r)
		}
	}()
	out = c.op.run(m, c, in)
	if len(out) == 0 {
		return nil, errors.New("BUG: onnx: no output of " + c.name)
	}
	return out, nil
}

// A failure is what an operator cannot do. It is thrown, so that operators are
// formulas, and becomes an error in compute.
type failure string

func failf(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

// A Tensor is a value: numbers in row-major order, in Floats if its type is Float32,
// else in Ints (of booleans: 0 and 1). No shape means one number. What a Tensor
// holds is not changed once it is made: tensors share memory.
type Tensor struct {
	Type   Type
	Shape  []int
	Floats []float32
	Ints   []int64
}

// FloatTensor returns a tensor of floats, around data.
func FloatTensor(data []float32, shape ...int) Tensor {
	return Tensor{Type: Float32, Shape: shape, Floats: data}
}

// IntTensor returns a tensor of integers, around data.
func IntTensor(data []int64, shape ...int) Tensor {
	return Tensor{Type: Int64, Shape: shape, Ints: data}
}

// maxElements is the largest number of elements of a tensor: a shape that a damaged
// file asks for must not cost the machine its memory.
const maxElements = 1 << 26

// elements is the number of elements of a shape, -1 if there are too many or a
// dimension is negative.
func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 || d > maxElements {
			return -1
		}
		if n *= d; n > maxElements {
			return -1
		}
	}
	return n
}

// check says what is wrong with a tensor that a caller made.
func (t Tensor) check() error {
	n, have := elements(t.Shape), len(t.Ints)
	if t.Type == Float32 {
		have = len(t.Floats)
	}
	if n < 0 || n != have {
		return fmt.Errorf("a tensor of %s of shape %v has %d values", t.Type, t.Shape, have)
	}
	return nil
}

// reshaped returns the numbers of t in another shape.
func (t Tensor) reshaped(shape []int) Tensor {
	t.Shape = shape
	return t
}

// decoded takes over a tensor of onnx-go.
func decoded(t tensor.Tensor) (Tensor, error) {
	out := Tensor{Shape: slices.Clone([]int(t.Shape()))}
	switch v := t.Data().(type) {
	case []float32:
		out.Type, out.Floats = Float32, v
	case float32:
		out.Type, out.Floats = Float32, []float32{v}
	case []int64:
		out.Type, out.Ints = Int64, v
	case int64:
		out.Type, out.Ints = Int64, []int64{v}
	case []int32:
		out.Type, out.Ints = Int32, widened(v)
	case int32:
		out.Type, out.Ints = Int32, []int64{int64(v)}
	case []bool:
		out.Type = Bool
		for _, b := range v {
			out.Ints = append(out.Ints, truth(b))
		}
	case bool:
		out.Type, out.Ints = Bool, []int64{truth(v)}
	default:
		return out, fmt.Errorf("a tensor of %T", v)
	}
	return out, out.check()
}

func widened(v []int32) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// blockSize is how many numbers a block of memory has.
const blockSize = 1 << 20

// memory gives room for values and takes all of it back at once: a run of a network
// asks for the same again and again, and fresh memory costs more than the arithmetic.
// A nil memory always allocates.
type memory struct {
	blocks [][]float32
	block  int // in use
	used   int // of that block
	total  int // of the run
}

// reset takes everything back.
func (m *memory) reset() { m.block, m.used, m.total = 0, 0, 0 }

// floats returns room for n numbers, which may hold anything.
func (m *memory) floats(n int) []float32 {
	if n < 0 || n > maxElements {
		failf("a value of more than %d numbers", maxElements)
	}
	if m == nil {
		return make([]float32, n)
	}
	m.count(n)
	for m.block < len(m.blocks) && m.used+n > len(m.blocks[m.block]) {
		m.block, m.used = m.block+1, 0
	}
	if m.block == len(m.blocks) {
		m.blocks = append(m.blocks, make([]float32, max(n, blockSize)))
	}
	out := m.blocks[m.block][m.used:][:n:n]
	m.used += n
	return out
}

// count ends a run that would take all memory there is.
func (m *memory) count(n int) {
	if m == nil {
		return
	}
	if m.total += n; m.total > 4*maxElements {
		failf("more than %d numbers in one run", 4*maxElements)
	}
}

// tensor returns a tensor of floats with room for its numbers.
func (m *memory) tensor(shape []int) Tensor {
	return Tensor{Type: Float32, Shape: shape, Floats: m.floats(elements(shape))}
}

// ints returns a tensor of integers, all 0.
func (m *memory) ints(t Type, shape []int) Tensor {
	n := elements(shape)
	if n < 0 {
		failf("a value of more than %d numbers", maxElements)
	}
	m.count(2 * n)
	return Tensor{Type: t, Shape: shape, Ints: make([]int64, n)}
}

// of returns a tensor of a type with room for its numbers.
func (m *memory) of(t Type, shape []int) Tensor {
	if t == Float32 {
		return m.tensor(shape)
	}
	return m.ints(t, shape)
}

// A network is what onnx-go decodes a file into: values, and the calls that compute
// them, in the order of the file. Gonum's own graphs keep one edge between two
// nodes, which is one too few for Mul(x, x).
type network struct {
	nodes   []*node
	values  []Tensor // by node: weights, inputs, and what Run computed
	calls   []*call
	pending map[int64]map[int]int // edges of the call being decoded: output, position, input
}

var _ backend.ComputationBackend = (*network)(nil)

// A node is a value of the network.
type node struct {
	id      int64
	name    string
	network *network
}

// A call is an operation on values; -1 is an input that is left out.
type call struct {
	op              *operator
	name            string
	inputs, outputs []int
	attrs           map[string]any
	opset           int
}

func newNetwork() *network { return &network{pending: map[int64]map[int]int{}} }

// ID returns the place of the value.
func (n *node) ID() int64 { return n.id }

// SetName is called by the decoder.
func (n *node) SetName(name string) { n.name = name }

// GetName returns the name in the file.
func (n *node) GetName() string { return n.name }

// SetTensor is called by the decoder for weights.
func (n *node) SetTensor(t tensor.Tensor) error {
	v, err := decoded(t)
	if err != nil {
		return fmt.Errorf("%q: %w", n.name, err)
	}
	n.network.values[n.id] = v
	return nil
}

// GetTensor returns a copy of the value, nil if there is none.
func (n *node) GetTensor() tensor.Tensor {
	switch v := n.network.values[n.id]; {
	case v.Floats != nil:
		return tensor.New(tensor.WithShape(v.Shape...), tensor.WithBacking(append([]float32(nil), v.Floats...)))
	case v.Ints != nil:
		return tensor.New(tensor.WithShape(v.Shape...), tensor.WithBacking(append([]int64(nil), v.Ints...)))
	}
	return nil
}

// NewNode returns a value that AddNode adds.
func (g *network) NewNode() graph.Node { return &node{id: int64(len(g.nodes)), network: g} }

// AddNode adds a value.
func (g *network) AddNode(n graph.Node) {
	v, ok := n.(*node)
	if !ok || v.id != int64(len(g.nodes)) {
		panic(fmt.Sprintf("BUG: onnx: value %v is added as number %d", n, len(g.nodes)))
	}
	g.nodes = append(g.nodes, v)
	g.values = append(g.values, Tensor{})
}

// NewWeightedEdge returns an edge from an output to an input, whose weight is the
// position of the input.
func (g *network) NewWeightedEdge(from, to graph.Node, position float64) graph.WeightedEdge {
	return edge{from, to, position}
}

// SetWeightedEdge adds an edge.
func (g *network) SetWeightedEdge(e graph.WeightedEdge) {
	inputs := g.pending[e.From().ID()]
	if inputs == nil {
		inputs = map[int]int{}
		g.pending[e.From().ID()] = inputs
	}
	inputs[int(e.Weight())] = int(e.To().ID())
}

// ApplyOperation adds the call that the last edges belong to.
func (g *network) ApplyOperation(o onnxgo.Operation, outputs ...graph.Node) error {
	c := &call{op: operatorNamed(o.Name), attrs: o.Attributes, name: fmt.Sprintf("node %d (%s)", len(g.calls), o.Name)}
	if c.op == nil {
		return fmt.Errorf("%s: an operator that is not supported", c.name)
	}
	if len(outputs) == 0 {
		return errors.New("BUG: onnx: a call without outputs")
	}
	edges := g.pending[outputs[0].ID()]
	for i := range len(edges) {
		in := edges[i]
		if g.nodes[in].name == "" {
			in = -1
		}
		c.inputs = append(c.inputs, in)
	}
	if o.Name == "Constant" {
		c.inputs = nil // the decoder makes one up
	}
	for _, out := range outputs {
		c.outputs = append(c.outputs, int(out.ID()))
	}
	for len(c.inputs) > 0 && c.inputs[len(c.inputs)-1] < 0 {
		c.inputs = c.inputs[:len(c.inputs)-1]
	}
	clear(g.pending)
	if n := len(c.inputs); n < c.op.least || n > c.op.most {
		return fmt.Errorf("%s has %d inputs", c.name, n)
	}
	g.calls = append(g.calls, c)
	return nil
}

// Run computes all values, call by call, from those that are set.
func (g *network) Run() error {
	for _, c := range g.calls {
		if err := c.run(nil, g.values); err != nil {
			return err
		}
	}
	return nil
}

// What follows is what a gonum graph has and the decoder does not ask for.

type edge struct {
	from, to graph.Node
	weight   float64
}

func (e edge) From() graph.Node         { return e.from }
func (e edge) To() graph.Node           { return e.to }
func (e edge) ReversedEdge() graph.Edge { return edge{e.to, e.from, e.weight} }
func (e edge) Weight() float64          { return e.weight }

// Node returns a value.
func (g *network) Node(id int64) graph.Node {
	if id < 0 || id >= int64(len(g.nodes)) {
		return nil
	}
	return g.nodes[id]
}

// Nodes returns no nodes: nobody walks this graph through gonum.
func (g *network) Nodes() graph.Nodes { return graph.Empty }

// From returns no nodes.
func (g *network) From(int64) graph.Nodes { return graph.Empty }

// To returns no nodes.
func (g *network) To(int64) graph.Nodes { return graph.Empty }

// HasEdgeBetween returns false.
func (g *network) HasEdgeBetween(int64, int64) bool { return false }

// HasEdgeFromTo returns false.
func (g *network) HasEdgeFromTo(int64, int64) bool { return false }

// Edge returns nil.
func (g *network) Edge(int64, int64) graph.Edge { return nil }
