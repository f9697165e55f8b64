package graph

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// Fprint writes g as text, a line for each input, initializer that is read, node and output:
//
//	graph main
//	  input x: float32[1, 3, 224, 224]
//	  const w: float32[64, 3, 7, 7] 1f3a09c2d4e5b687
//	  y: float32[1, 64, 112, 112] = Conv(x, w, b) pads=[3, 3, 3, 3] strides=[2, 2]
//	  output y
//
// Small constants show their elements, others a hash. Graphs in attributes follow their node, indented.
func Fprint(w io.Writer, g *Graph) error {
	p := &printer{w: w, seen: map[*Value]bool{}}
	p.graph(g, "")
	return p.err
}

// String returns the text of Fprint.
func (g *Graph) String() string {
	var b strings.Builder
	_ = Fprint(&b, g) // a Builder returns no error
	return b.String()
}

// String returns the line of the node.
func (n *Node) String() string {
	var b strings.Builder
	p := &printer{w: &b, seen: map[*Value]bool{}}
	p.node(n, "")
	return strings.TrimSuffix(b.String(), "\n")
}

// String returns the name, type and shape of the value, such as "x: float32[1, 3]", with ? for what is not known.
func (v *Value) String() string {
	shape := "[?]"
	if v.Ranked {
		dims := make([]string, len(v.Shape))
		for i, d := range v.Shape {
			dims[i] = strconv.FormatInt(d, 10)
			if d == Open {
				dims[i] = "?"
				if i < len(v.DimNames) && v.DimNames[i] != "" {
					dims[i] = v.DimNames[i]
				}
			}
		}
		shape = "[" + strings.Join(dims, ", ") + "]"
	}
	typ := "?"
	if v.Type != tir.Invalid {
		typ = v.Type.String()
	}
	if v.Narrow != nil {
		typ = v.Narrow.Name
	}
	return fmt.Sprintf("%s: %s%s", v.Name, typ, shape)
}

type printer struct {
	w    io.Writer
	seen map[*Value]bool
	err  error
}

// line prints a line. A name that has a line break does not begin another one.
func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", `\n`))
	}
}

func (p *printer) graph(g *Graph, indent string) {
	p.line("%sgraph %s", indent, g.Name)
	indent += "  "
	for _, v := range g.Inputs {
		p.line("%sinput %s", indent, v)
	}
	for _, n := range g.Nodes {
		p.node(n, indent)
	}
	for _, v := range g.Outputs {
		p.constant(v, indent)
		p.line("%soutput %s", indent, v.Name)
	}
}

// constant writes the initializer that v is, once.
func (p *printer) constant(v *Value, indent string) {
	if v != nil && v.Const != nil && !p.seen[v] {
		p.seen[v] = true
		p.line("%sconst %s %s", indent, v, v.Const)
	}
}

func (p *printer) node(n *Node, indent string) {
	for _, v := range n.Inputs {
		p.constant(v, indent)
	}
	names := make([]string, len(n.Inputs))
	for i, v := range n.Inputs {
		names[i] = "_"
		if v != nil {
			names[i] = v.Name
		}
	}
	outs := make([]string, len(n.Outputs))
	for i, v := range n.Outputs {
		outs[i] = "_"
		if v != nil {
			outs[i] = v.String()
			if v.Extents != nil {
				outs[i] += " within " + v.Extents.Name
			}
		}
	}
	op := n.Op
	if n.Domain != "" {
		op = n.Domain + "." + op
	}
	text := fmt.Sprintf("%s%s = %s(%s)", indent, strings.Join(outs, ", "), op, strings.Join(names, ", "))
	for _, a := range n.Attrs {
		if a.Kind != AttrGraph {
			text += " " + a.Name + "=" + a.text()
		}
	}
	p.line("%s", text)
	for _, a := range n.Attrs {
		for _, g := range a.Graphs {
			p.line("%s  %s:", indent, a.Name)
			p.graph(g, indent+"    ")
		}
	}
}

func (a Attr) text() string {
	switch a.Kind {
	case AttrInt:
		return strconv.FormatInt(a.Int, 10)
	case AttrFloat:
		return strconv.FormatFloat(a.Float, 'g', -1, 32)
	case AttrString:
		return strconv.Quote(a.String)
	case AttrInts:
		return strings.ReplaceAll(fmt.Sprint(a.Ints), " ", ", ")
	case AttrFloats:
		return strings.ReplaceAll(fmt.Sprint(a.Floats), " ", ", ")
	case AttrStrings:
		return fmt.Sprintf("%q", a.Strings)
	case AttrTensor:
		return a.Tensor.String()
	}
	return "?"
}

// String returns the elements of a constant of at most 8, else a hash of its bytes.
func (c *Const) String() string {
	if Elems(c.Shape) > 8 {
		return c.Hash()[:16]
	}
	t := c.Tensor()
	list := make([]string, t.Len())
	for i := range list {
		if t.Type.IsFloat() {
			list[i] = strconv.FormatFloat(t.F[i], 'g', -1, min(max(t.Type.Bits(), 32), 64))
			if math.IsInf(t.F[i], 0) || math.IsNaN(t.F[i]) {
				list[i] = strings.ToLower(list[i])
			}
		} else {
			list[i] = t.Type.FormatInt(t.I[i])
		}
	}
	return "{" + strings.Join(list, ", ") + "}"
}
