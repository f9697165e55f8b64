package graph

import (
	"cmp"
	"slices"
)

// An AttrKind says which field of an Attr holds its value.
type AttrKind uint8

// The kinds of attributes.
const (
	AttrInt AttrKind = iota + 1
	AttrFloat
	AttrString
	AttrInts
	AttrFloats
	AttrStrings
	AttrTensor
	AttrGraph // Graphs has one entry
)

var attrKindNames = [...]string{"nothing", "an int", "a float", "a string", "ints", "floats", "strings", "a tensor",
	"a graph"}

func (k AttrKind) String() string { return attrKindNames[k] }

// An Attr is an attribute of a node.
type Attr struct {
	Name    string
	Kind    AttrKind
	Int     int64
	Float   float64
	String  string
	Ints    []int64
	Floats  []float64
	Strings []string
	Tensor  *Const
	Graphs  []*Graph
}

// Attr returns the attribute of a name, or nil.
func (n *Node) Attr(name string) *Attr {
	i, ok := slices.BinarySearchFunc(n.Attrs, name, func(a Attr, name string) int { return cmp.Compare(a.Name, name) })
	if !ok {
		return nil
	}
	return &n.Attrs[i]
}

// Has reports whether the node has an attribute.
func (n *Node) Has(name string) bool { return n.Attr(name) != nil }

// Int returns an attribute that is a number, or what stands for one that is left out.
func (n *Node) Int(name string, missing int64) int64 {
	if a := n.Attr(name); a != nil && a.Kind == AttrInt {
		return a.Int
	}
	return missing
}

// Float returns an attribute that is a float, or what stands for one that is left out.
func (n *Node) Float(name string, missing float64) float64 {
	if a := n.Attr(name); a != nil && a.Kind == AttrFloat {
		return a.Float
	}
	return missing
}

// Str returns an attribute that is a text, or what stands for one that is left out.
func (n *Node) Str(name, missing string) string {
	if a := n.Attr(name); a != nil && a.Kind == AttrString {
		return a.String
	}
	return missing
}

// Ints returns an attribute that is a list of numbers, or nil.
func (n *Node) Ints(name string) []int64 {
	if a := n.Attr(name); a != nil {
		return a.Ints
	}
	return nil
}

// Floats returns an attribute that is a list of floats, or nil.
func (n *Node) Floats(name string) []float64 {
	if a := n.Attr(name); a != nil {
		return a.Floats
	}
	return nil
}

// Graph returns an attribute that is a graph, or nil.
func (n *Node) Graph(name string) *Graph {
	if a := n.Attr(name); a != nil && len(a.Graphs) == 1 {
		return a.Graphs[0]
	}
	return nil
}

// SetAttr adds attributes, or puts them in the place of those of their names.
func (n *Node) SetAttr(attrs ...Attr) {
	for _, a := range attrs {
		i, ok := slices.BinarySearchFunc(n.Attrs, a.Name, func(a Attr, name string) int { return cmp.Compare(a.Name, name) })
		if ok {
			n.Attrs[i] = a
		} else {
			n.Attrs = slices.Insert(n.Attrs, i, a)
		}
	}
}

// IntAttr returns an attribute that is a number.
func IntAttr(name string, v int64) Attr { return Attr{Name: name, Kind: AttrInt, Int: v} }

// FloatAttr returns an attribute that is a float.
func FloatAttr(name string, v float64) Attr { return Attr{Name: name, Kind: AttrFloat, Float: v} }

// StrAttr returns an attribute that is a text.
func StrAttr(name, v string) Attr { return Attr{Name: name, Kind: AttrString, String: v} }

// IntsAttr returns an attribute that is a list of numbers.
func IntsAttr(name string, v ...int64) Attr { return Attr{Name: name, Kind: AttrInts, Ints: v} }
