package onnx

import (
	"errors"
	"fmt"

	onnxgo "github.com/owulveryck/onnx-go"
	"github.com/owulveryck/onnx-go/backend"
	"gonum.org/v1/gonum/graph"
	"gorgonia.org/tensor"
)

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
