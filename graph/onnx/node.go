package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
)

// maxOperands bounds the inputs and the outputs of a node.
const maxOperands = 1 << 14

// A proto is a node as it stands in the file.
type proto struct {
	op, domain, overload, name string
	inputs, outputs, attrs     [][]byte
}

func (p *proto) label() string {
	l := p.op
	if p.domain != "" {
		l = p.domain + "." + l
	}
	if p.name != "" {
		return fmt.Sprintf("%s %q", l, p.name)
	}
	if len(p.outputs) > 0 {
		return fmt.Sprintf("%s that makes %q", l, p.outputs[0])
	}
	return l
}

func (d *decoder) proto(b []byte) (*proto, error) {
	p := &proto{}
	err := d.fields(b, nodeFields, func(x field) (err error) {
		switch x.number {
		case nodeInput:
			p.inputs = append(p.inputs, x.bytes)
		case nodeOutput:
			p.outputs = append(p.outputs, x.bytes)
		case nodeAttribute:
			p.attrs = append(p.attrs, x.bytes)
		case nodeName:
			p.name = string(x.bytes)
			return d.spend(len(p.name))
		case nodeOp:
			p.op, err = d.text(x.bytes)
		case nodeDomain:
			p.domain, err = d.text(x.bytes)
		case nodeOverload:
			p.overload, err = d.text(x.bytes)
		}
		if len(p.inputs) > maxOperands || len(p.outputs) > maxOperands || len(p.attrs) > maxOperands {
			return fmt.Errorf("more than %d inputs, outputs or attributes", maxOperands)
		}
		return err
	})
	p.domain = plainDomain(p.domain)
	return p, err
}

// defineOutputs makes the values that a node makes. Those in given are there already: the outputs of a call.
func (d *decoder) defineOutputs(b []byte, s *scope, given map[string]*graph.Value, prefix string) error {
	return d.fields(b, outputFields, func(x field) error {
		if len(x.bytes) == 0 {
			return nil // left out
		}
		if v := given[string(x.bytes)]; v != nil {
			if _, twice := s.values[string(x.bytes)]; twice {
				return fmt.Errorf("two values are named %q", x.bytes)
			}
			s.values[string(x.bytes)] = v
			return d.spend(costValue)
		}
		_, err := d.define(s, x.bytes, prefix)
		if err != nil {
			if p, perr := d.proto(b); perr == nil {
				err = fmt.Errorf("%s: %w", p.label(), err)
			}
		}
		return err
	})
}

// node decodes a node whose outputs are defined: several if it calls a function.
func (d *decoder) node(b []byte, s *scope, e *env) ([]*graph.Node, error) {
	p, err := d.proto(b)
	if err != nil {
		return nil, err
	}
	nodes, err := d.apply(p, s, e)
	return nodes, within(err, "%s", p.label())
}

func (d *decoder) apply(p *proto, s *scope, e *env) ([]*graph.Node, error) {
	if p.op == "" {
		return nil, errors.New("damaged: it has no operator")
	}
	n := &graph.Node{Op: p.op, Domain: p.domain}
	if err := d.spend(costNode + 8*(len(p.inputs)+len(p.outputs)) + costSlice*len(p.attrs)); err != nil {
		return nil, err
	}
	if p.name != "" {
		n.Name = e.prefix + p.name
		if err := d.spend(len(n.Name)); err != nil {
			return nil, err
		}
	}
	var err error
	if n.Inputs, err = values(s, p.inputs); err != nil {
		return nil, err
	}
	if n.Outputs, err = values(s, p.outputs); err != nil {
		return nil, err
	}
	if f := d.functions[functionKey(p.domain, p.op, p.overload)]; f != nil {
		return d.call(f, n, p, s, e)
	}
	if p.domain == reserved {
		return nil, fmt.Errorf("the domain %q is reserved for wmtune's own operators", reserved)
	}
	var ok bool
	if n.Version, ok = e.versions[p.domain]; !ok {
		return nil, fmt.Errorf("damaged: the file does not say which version of the operators of domain %q it asks for",
			p.domain)
	}
	if len(n.Outputs) == 0 { // nobody can read what it computes
		return nil, nil
	}
	if p.domain == "" && (p.op == "Split" || p.op == "If") { // what they make depends on how many outputs they have
		n.Outputs = append(n.Outputs, make([]*graph.Value, len(p.outputs)-len(n.Outputs))...)
	}
	return []*graph.Node{n}, d.attributes(n, p, s, e)
}

// reserved is the domain of operators that wmtune's passes make.
const reserved = "wmtune"

// values returns the values of names; an empty name is one that is left out, and the last ones are dropped.
func values(s *scope, names [][]byte) ([]*graph.Value, error) {
	list := make([]*graph.Value, len(names))
	last := 0
	for i, name := range names {
		if len(name) == 0 {
			continue
		}
		v, ok := s.find(name)
		if !ok {
			return nil, fmt.Errorf("input %d, %q, is no value of the graph", i, name)
		}
		if v != nil {
			list[i], last = v, i+1
		}
	}
	return list[:last], nil
}

func (d *decoder) attributes(n *graph.Node, p *proto, s *scope, e *env) error {
	for _, b := range p.attrs {
		a, ok, err := d.attribute(b, s, e)
		var no *unsupportedError
		if errors.As(err, &no) {
			d.unsupported("%s: attribute %q is %s", p.label(), a.Name, no.what)
			continue
		}
		if err != nil {
			return within(err, "attribute %q", a.Name)
		}
		if ok {
			n.Attrs = append(n.Attrs, a)
		}
	}
	slices.SortStableFunc(n.Attrs, func(a, b graph.Attr) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(n.Attrs); i++ {
		if n.Attrs[i].Name == n.Attrs[i-1].Name {
			return fmt.Errorf("damaged: two attributes are named %q", n.Attrs[i].Name)
		}
	}
	return nil
}

// attribute decodes an attribute. It is not there if it stands for one of the function's that the call leaves out.
func (d *decoder) attribute(b []byte, s *scope, e *env) (a graph.Attr, there bool, err error) {
	kind, ref := uint64(0), ""
	var has [attrSparse + 1]int
	err = d.fields(b, attrFields, func(x field) error {
		switch x.number {
		case attrName:
			a.Name, err = d.text(x.bytes)
			return err
		case attrKind:
			kind = x.value
		case attrRef:
			ref = string(x.bytes)
			return d.spend(len(ref))
		case attrFloats, attrInts:
			n, err := x.count(attrFields[x.number])
			has[x.number] += n
			return err
		default:
			has[x.number]++
		}
		return nil
	})
	if err == nil {
		err = d.spend(costAttr)
	}
	if err != nil {
		return a, false, err
	}
	if a.Name == "" {
		return a, false, errors.New("damaged: it has no name")
	}
	if ref != "" {
		return d.reference(a.Name, ref, e)
	}
	if kind == 0 {
		kind = impliedKind(has)
	}
	if err := d.attributeValue(&a, b, kind, has, s, e); err != nil {
		return a, false, err
	}
	return a, true, nil
}

// impliedKind returns the kind of an attribute that does not say it, as those of old files: what it has.
func impliedKind(has [attrSparse + 1]int) uint64 {
	for kind, k := range attrKinds {
		if k.field > 0 && has[k.field] > 0 {
			return uint64(kind)
		}
	}
	return 0
}

// attributeValue reads the value of an attribute; has counts what is in its fields.
func (d *decoder) attributeValue(a *graph.Attr, b []byte, kind uint64, has [attrSparse + 1]int, s *scope,
	e *env) error {
	if otherKinds[kind] != "" {
		return &unsupportedError{what: "a " + otherKinds[kind]}
	}
	if kind == 0 || kind >= uint64(len(attrKinds)) || attrKinds[kind].field == 0 {
		return fmt.Errorf("damaged: kind %d", kind)
	}
	k := attrKinds[kind]
	a.Kind = k.kind
	count := has[k.field]
	if err := d.spend(8*count + 8*has[attrStrings]); err != nil {
		return err
	}
	switch kind {
	case kindFloats:
		a.Floats = make([]float64, 0, count)
	case kindInts:
		a.Ints = make([]int64, 0, count)
	case kindStrings:
		a.Strings = make([]string, 0, count)
	case kindTensor, kindGraph, kindSparse:
		if count != 1 {
			return fmt.Errorf("damaged: it has %d values", count)
		}
	}
	return d.fields(b, k.value, func(x field) (err error) {
		switch kind {
		case kindFloat:
			a.Float = float(x.value)
		case kindInt:
			a.Int = int64(x.value)
		case kindString:
			a.String, err = d.text(x.bytes)
		case kindTensor:
			a.Tensor, _, err = d.constant(x.bytes)
		case kindSparse:
			a.Tensor, _, err = d.sparse(x.bytes)
		case kindGraph:
			var g *graph.Graph
			if g, err = d.graph(x.bytes, newScope(s), e, false); err == nil {
				a.Graphs = []*graph.Graph{g}
			}
		case kindFloats:
			return x.each(singles, func(v uint64) error { a.Floats = append(a.Floats, float(v)); return nil })
		case kindInts:
			return x.each(numbers, func(v uint64) error { a.Ints = append(a.Ints, int64(v)); return nil })
		case kindStrings:
			var t string
			t, err = d.text(x.bytes)
			a.Strings = append(a.Strings, t)
		}
		return err
	})
}

func float(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }
