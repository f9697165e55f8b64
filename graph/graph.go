package graph

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// Open is the extent of a dimension that is not known yet.
const Open = -1

// A Value is a tensor of a graph: an input, an initializer, or the result of a node.
type Value struct {
	Name  string
	Type  tir.DType // Invalid while it is not known
	Shape []int64   // extents, Open where one is not known; no dimensions: a scalar. Means nothing unless Ranked
	// Narrow, if not nil, is the type of fewer bits that the numbers are of: Type holds them (Elements).
	Narrow *Element
	// Ranked says that the number of dimensions is known.
	Ranked bool
	// DimNames holds, for inputs of a file, the name of each dimension that is Open, else "".
	DimNames []string

	// Const holds the elements of an initializer, or of a value that was folded.
	Const *Const

	// Dequantized is the DequantizeLinear of a constant that Const was folded from, or nil.
	Dequantized *Node

	// Extents, if not nil, is a vector of int64, made by the same node, that holds the true extents, which depend on data:
	// Shape is then a bound for each dimension. The elements lie packed, as those of a tensor of the true shape, at the
	// beginning of the memory that Shape needs.
	Extents *Value
}

// Known reports whether type and all extents are known.
func (v *Value) Known() bool {
	return v.Ranked && v.Type != tir.Invalid && !slices.Contains(v.Shape, Open)
}

// Elems returns the number of elements. The value must be Known.
func (v *Value) Elems() int64 { return Elems(v.Shape) }

// Bytes returns the size of all elements. The value must be Known.
func (v *Value) Bytes() int64 { return Times(v.Elems(), int64(v.Type.Bytes())) }

// A Node applies an operator.
type Node struct {
	Name    string // as the file has it; may be empty
	Op      string // such as "Conv"
	Domain  string // "" is ONNX's own; "wmtune" has operators that passes make
	Version int    // of the operator set that the model asks for
	Inputs  []*Value
	Outputs []*Value // nil stands for one that is left out, in Inputs too
	Attrs   []Attr   // sorted by name

	InFloats string // of a product of dequantized numbers, why it does not multiply the integers; for people
}

// Input returns input i, or nil if the node has none there.
func (n *Node) Input(i int) *Value {
	if i < len(n.Inputs) {
		return n.Inputs[i]
	}
	return nil
}

// Output returns output i, or nil if the node has none there.
func (n *Node) Output(i int) *Value {
	if i < len(n.Outputs) {
		return n.Outputs[i]
	}
	return nil
}

// A Graph computes its outputs from its inputs. Graphs in attributes of nodes (If, Loop, Scan) also read values of the
// graphs around them.
type Graph struct {
	Name    string
	Inputs  []*Value // initializers are not among them
	Outputs []*Value // may hold inputs and initializers, and a value twice
	Nodes   []*Node  // each after those that it reads
	// Meta is the model's metadata, by key.
	Meta map[string]string
}

// Producers returns the node that makes each value.
func (g *Graph) Producers() map[*Value]*Node {
	m := map[*Value]*Node{}
	for _, n := range g.Nodes {
		for _, v := range n.Outputs {
			if v != nil {
				m[v] = n
				if v.Extents != nil {
					m[v.Extents] = n
				}
			}
		}
	}
	return m
}

// Readers returns the nodes that read each value, those whose subgraphs read it included, in order, each once.
func (g *Graph) Readers() map[*Value][]*Node {
	m := map[*Value][]*Node{}
	for _, n := range g.Nodes {
		for _, v := range n.Reads() {
			m[v] = append(m[v], n)
		}
	}
	return m
}

// Reads returns the values that a node reads, each once: its inputs, and what its subgraphs read of the graphs around
// them.
func (n *Node) Reads() []*Value {
	var list []*Value
	var seen map[*Value]bool // once there are many
	add := func(v *Value) {
		switch {
		case v == nil || seen[v] || seen == nil && slices.Contains(list, v):
			return
		case seen != nil:
			seen[v] = true
		case len(list) == 16:
			seen = map[*Value]bool{v: true}
			for _, w := range list {
				seen[w] = true
			}
		}
		list = append(list, v)
	}
	for _, v := range n.Inputs {
		add(v)
	}
	for _, a := range n.Attrs {
		for _, g := range a.Graphs {
			for _, v := range g.Captures() {
				add(v)
			}
		}
	}
	return list
}

// Captures returns the values, initializers excepted, that g reads and does not make: those of graphs around it.
func (g *Graph) Captures() []*Value {
	own := map[*Value]bool{}
	for _, v := range g.Inputs {
		own[v] = true
	}
	var list []*Value
	read := func(v *Value) {
		if v != nil && v.Const == nil && !own[v] {
			own[v] = true
			list = append(list, v)
		}
	}
	for _, n := range g.Nodes {
		for _, v := range n.Reads() {
			read(v)
		}
		for _, v := range n.Outputs {
			if v != nil {
				own[v] = true
			}
		}
	}
	for _, v := range g.Outputs {
		read(v)
	}
	return list
}

// Clone returns a copy of g with values and nodes of its own, and the value that stands for each of g's. Contents of
// initializers are shared. Values of graphs around g stay.
func (g *Graph) Clone() (*Graph, map[*Value]*Value) {
	m := map[*Value]*Value{}
	return g.clone(m), m
}

func (g *Graph) clone(m map[*Value]*Value) *Graph {
	own := func(v *Value) *Value {
		if v == nil {
			return nil
		}
		if m[v] == nil {
			c := *v
			c.Shape, c.DimNames = slices.Clone(v.Shape), slices.Clone(v.DimNames)
			m[v] = &c
		}
		return m[v]
	}
	read := func(v *Value) *Value {
		if v == nil || m[v] != nil || v.Const == nil {
			if c := m[v]; c != nil {
				return c
			}
			return v
		}
		return own(v)
	}
	c := &Graph{Name: g.Name, Meta: g.Meta}
	for _, v := range g.Inputs {
		c.Inputs = append(c.Inputs, own(v))
	}
	for _, n := range g.Nodes {
		k := *n
		k.Inputs, k.Outputs, k.Attrs = nil, nil, slices.Clone(n.Attrs)
		for _, v := range n.Inputs {
			k.Inputs = append(k.Inputs, read(v))
		}
		for i, a := range k.Attrs {
			k.Attrs[i].Graphs = nil
			for _, sub := range a.Graphs {
				k.Attrs[i].Graphs = append(k.Attrs[i].Graphs, sub.clone(m))
			}
		}
		for _, v := range n.Outputs {
			k.Outputs = append(k.Outputs, own(v))
		}
		c.Nodes = append(c.Nodes, &k)
	}
	for _, v := range g.Outputs {
		c.Outputs = append(c.Outputs, read(v))
	}
	for old, v := range m {
		if old.Extents != nil && m[old.Extents] != nil {
			v.Extents = m[old.Extents]
		}
	}
	return c
}
