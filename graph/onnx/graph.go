package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"

	"github.com/wmtune/wmtune/graph"
)

// A scope holds the values of a graph by their names in the file. A nil value is an input of a function that the call
// leaves out.
type scope struct {
	outer  *scope
	depth  int
	values map[string]*graph.Value
}

func newScope(outer *scope) *scope {
	s := &scope{outer: outer, values: map[string]*graph.Value{}}
	if outer != nil {
		s.depth = outer.depth + 1
	}
	return s
}

// find returns the value of a name, of s or a scope around it.
func (s *scope) find(name []byte) (*graph.Value, bool) {
	for ; s != nil; s = s.outer {
		if v, ok := s.values[string(name)]; ok {
			return v, true
		}
	}
	return nil, false
}

// maxDepth bounds how deep graphs lie in attributes of nodes.
const maxDepth = 32

// define makes the value of a name of the file. In the graph it has that name, or, where another value has it already,
// one with a suffix.
func (d *decoder) define(s *scope, name []byte, prefix string) (*graph.Value, error) {
	if len(name) == 0 {
		return nil, errors.New("a value has no name")
	}
	key := string(name)
	if _, twice := s.values[key]; twice {
		return nil, fmt.Errorf("two values are named %q", key)
	}
	v := &graph.Value{Name: d.unique(prefix + key)}
	s.values[key] = v
	return v, d.spend(costValue + 2*len(key) + len(v.Name))
}

// unique returns a name that no value has.
func (d *decoder) unique(name string) string {
	base := name
	for {
		if _, taken := d.names[name]; !taken {
			d.names[name] = 0
			return name
		}
		d.names[base]++
		name = base + "." + strconv.Itoa(d.names[base])
	}
}

// parts are the messages of a graph.
type parts struct {
	name                                                string
	initializers, sparse, inputs, outputs, infos, nodes [][]byte
}

func (d *decoder) parts(b []byte) (*parts, error) {
	var counts [graphSparse + 1]int
	p := &parts{}
	err := d.fields(b, graphFields, func(x field) error {
		counts[x.number]++
		switch x.number {
		case graphName:
			p.name = string(x.bytes)
			return d.spend(len(p.name))
		}
		return d.spend(costSlice)
	})
	if err != nil {
		return nil, err
	}
	lists := map[int]*[][]byte{graphInitializer: &p.initializers, graphSparse: &p.sparse, graphInput: &p.inputs,
		graphOutput: &p.outputs, graphInfo: &p.infos, graphNode: &p.nodes}
	for id, list := range lists {
		*list = make([][]byte, 0, counts[id])
	}
	return p, d.fields(b, graphFields, func(x field) error {
		if list := lists[int(x.number)]; list != nil {
			*list = append(*list, x.bytes)
		}
		return nil
	})
}

// graph decodes a graph; whole says that it is the model's, and not one in an attribute.
func (d *decoder) graph(b []byte, s *scope, e *env, whole bool) (*graph.Graph, error) {
	if s.depth > maxDepth {
		return nil, &limitError{fmt.Sprintf("its graphs lie more than %d deep in one another", maxDepth)}
	}
	p, err := d.parts(b)
	if err != nil {
		return nil, within(err, "graph")
	}
	g := &graph.Graph{Name: p.name}
	fail := func(err error) (*graph.Graph, error) { return nil, within(err, "graph %q", p.name) }
	for i, b := range slices.Concat(p.initializers, p.sparse) {
		read := d.constant
		if i >= len(p.initializers) {
			read = d.sparse
		}
		if err := d.initializer(s, b, e.prefix, read); err != nil {
			return fail(err)
		}
	}
	if err := d.inputs(g, p, s, e.prefix, whole); err != nil {
		return fail(err)
	}
	for i, b := range p.nodes {
		if err := d.defineOutputs(b, s, nil, e.prefix); err != nil {
			return fail(within(err, "node %d", i))
		}
	}
	if err := d.declared(p, s); err != nil {
		return fail(err)
	}
	if _, classic := e.versions["ai.onnx.ml"]; classic { // converters declare one row where a batch has more
		for _, v := range s.values {
			if v != nil && v.Const == nil && !slices.Contains(g.Inputs, v) {
				v.Shape, v.Ranked, v.DimNames = nil, false, nil
			}
		}
	}
	for i, b := range p.nodes {
		nodes, err := d.node(b, s, e)
		if err != nil {
			return fail(within(err, "node %d", i))
		}
		g.Nodes = append(g.Nodes, nodes...)
	}
	for _, b := range p.outputs {
		name, _, err := d.info(b)
		if err != nil {
			return fail(err)
		}
		v, ok := s.find(name)
		if !ok || v == nil {
			return fail(fmt.Errorf("output %q is computed by no node", name))
		}
		g.Outputs = append(g.Outputs, v)
	}
	if whole && len(g.Outputs) == 0 {
		return fail(errors.New("it has no outputs"))
	}
	if g.Nodes, err = sorted(g); err != nil {
		return fail(err)
	}
	return g, nil
}

// inputs defines the inputs that are no initializers.
func (d *decoder) inputs(g *graph.Graph, p *parts, s *scope, prefix string, whole bool) error {
	for _, b := range p.inputs {
		name, typ, err := d.info(b)
		if err != nil {
			return within(err, "input %q", name)
		}
		if v := s.values[string(name)]; v != nil && v.Const != nil {
			continue // up to version 3 of the format, initializers are inputs; later, they stand for those left out
		}
		v, err := d.define(s, name, prefix)
		if err != nil {
			return within(err, "inputs")
		}
		missing := len(d.missing)
		if err := d.declare(v, typ, false); err != nil {
			return err
		}
		if whole && v.Type == 0 && len(d.missing) == missing && d.more == 0 {
			return fmt.Errorf("input %q has no type", name)
		}
		g.Inputs = append(g.Inputs, v)
	}
	return nil
}

// declared gives the values of a graph the types that the file declares.
func (d *decoder) declared(p *parts, s *scope) error {
	for _, b := range slices.Concat(p.infos, p.outputs) {
		name, typ, err := d.info(b)
		if err != nil {
			return within(err, "value %q", name)
		}
		if v := s.values[string(name)]; v != nil && v.Const == nil {
			if err := d.declare(v, typ, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// initializer defines an initializer, which read decodes.
func (d *decoder) initializer(s *scope, b []byte, prefix string,
	read func(b []byte) (*graph.Const, string, error)) error {
	c, name, err := read(b)
	var no *unsupportedError
	if errors.As(err, &no) {
		d.unsupported("initializer %q is %s", name, no.what)
		_, err := d.define(s, []byte(name), prefix)
		return err
	}
	if err != nil {
		return within(err, "initializer %q", name)
	}
	v, err := d.define(s, []byte(name), prefix)
	if err != nil {
		return within(err, "initializers")
	}
	v.Const = d.share(c)
	v.Type, v.Narrow, v.Shape, v.Ranked = c.Type, c.Narrow, c.Shape, true
	return nil
}

var seed = maphash.MakeSeed()

// share returns the first constant that is equal to c.
func (d *decoder) share(c *graph.Const) *graph.Const {
	alike := fmt.Sprint(c.Type, c.Shape)
	if d.shared[alike] == nil { // its data may stay unread
		d.shared[alike] = []*graph.Const{c}
		return c
	}
	if first := d.shared[alike][0]; first != nil {
		d.shared[alike][0] = nil
		d.shared[sum(first)] = []*graph.Const{first}
	}
	key := sum(c)
	for _, old := range d.shared[key] {
		if bytes.Equal(old.Data, c.Data) {
			return old
		}
	}
	d.shared[key] = append(d.shared[key], c)
	return c
}

// sum is one text for constants that are equal, and another one for most others.
func sum(c *graph.Const) string {
	return fmt.Sprint(c.Type, c.Shape, maphash.Bytes(seed, c.Data))
}
