package onnx

import (
	"errors"
	"fmt"

	"github.com/wmtune/wmtune/graph"
)

// A function is a FunctionProto.
type function struct {
	name, domain, overload string
	inputs, outputs        [][]byte
	nodes                  [][]byte
	versions               map[string]int
	defaults               map[string][]byte // messages of attributes that a call may leave out
}

// An env is what nodes mean by names besides values: versions of operators, and, in a function, its attributes.
type env struct {
	versions map[string]int
	prefix   string // of names in a function
	depth    int    // of calls
	attrs    map[string]source
}

// A source is an attribute of a call: its message, and where that stands.
type source struct {
	message []byte
	scope   *scope
	env     *env
}

// maxCalls bounds how deep functions call each other.
const maxCalls = 32

func functionKey(domain, name, overload string) string {
	return domain + "\x00" + name + "\x00" + overload
}

// addFunction reads a function of the model. Versions are the model's, for domains of which the function says none.
func (d *decoder) addFunction(b []byte, versions map[string]int) error {
	if err := d.spend(costFunction + costSlice*2*len(versions)); err != nil {
		return err
	}
	f := &function{versions: map[string]int{}, defaults: map[string][]byte{}}
	err := d.fields(b, functionFields, func(x field) error {
		if err := d.spend(costAppend); err != nil {
			return err
		}
		switch x.number {
		case functionName:
			f.name = string(x.bytes)
			return d.spend(len(f.name))
		case functionDomain:
			f.domain = plainDomain(string(x.bytes))
			return d.spend(len(f.domain))
		case functionOverload:
			f.overload = string(x.bytes)
			return d.spend(len(f.overload))
		case functionInput:
			f.inputs = append(f.inputs, x.bytes)
		case functionOutput:
			f.outputs = append(f.outputs, x.bytes)
		case functionNode:
			f.nodes = append(f.nodes, x.bytes)
		case functionOpset:
			return d.opset(x.bytes, f.versions)
		case functionAttribute:
			var name string
			err := d.fields(x.bytes, attrNameFields, func(x field) error { name = string(x.bytes); return nil })
			f.defaults[name] = x.bytes
			return errors.Join(err, d.spend(costValue+len(name)))
		}
		return nil
	})
	if err == nil && f.name == "" {
		err = errors.New("damaged: it has no name")
	}
	if err == nil {
		err = d.checkVersions(f.versions)
	}
	if err != nil {
		return within(err, "function %q", f.name)
	}
	for domain, v := range versions {
		if _, ok := f.versions[domain]; !ok {
			f.versions[domain] = v
		}
	}
	key := functionKey(f.domain, f.name, f.overload)
	if d.functions[key] != nil {
		return fmt.Errorf("damaged: two functions are named %q", f.name)
	}
	d.functions[key] = f
	return nil
}

// call returns the nodes of a function's body for a call, which n is: its inputs and outputs are those of the call, its
// outputs are given, and inner values get names of their own.
func (d *decoder) call(f *function, n *graph.Node, p *proto, s *scope, e *env) ([]*graph.Node, error) {
	if e.depth == maxCalls {
		return nil, &limitError{fmt.Sprintf("its functions, %s among them, call each other more than %d deep", f.name,
			maxCalls)}
	}
	if len(n.Inputs) > len(f.inputs) || len(n.Outputs) > len(f.outputs) {
		return nil, fmt.Errorf("%d inputs and %d outputs: the function has %d and %d", len(n.Inputs), len(n.Outputs),
			len(f.inputs), len(f.outputs))
	}
	in := &env{versions: f.versions, depth: e.depth + 1, attrs: map[string]source{}}
	in.prefix = n.Name + "/"
	if n.Name == "" && len(n.Outputs) > 0 && n.Outputs[0] != nil {
		in.prefix = n.Outputs[0].Name + "/"
	}
	if err := d.callAttributes(f, in, p, s, e); err != nil {
		return nil, err
	}
	body := newScope(nil)
	body.depth = s.depth
	for i, name := range f.inputs {
		if _, twice := body.values[string(name)]; twice {
			return nil, fmt.Errorf("two inputs of the function are named %q", name)
		}
		body.values[string(name)] = n.Input(i)
	}
	given := map[string]*graph.Value{}
	for i, v := range n.Outputs {
		if name := string(f.outputs[i]); given[name] == nil && v != nil {
			given[name] = v
		}
	}
	if err := d.spend(costValue * (1 + len(f.inputs) + len(f.outputs))); err != nil {
		return nil, err
	}
	for _, b := range f.nodes {
		if err := d.defineOutputs(b, body, given, in.prefix); err != nil {
			return nil, within(err, "function %s", f.name)
		}
	}
	var nodes []*graph.Node
	for _, b := range f.nodes {
		list, err := d.node(b, body, in)
		if err != nil {
			return nil, within(err, "function %s", f.name)
		}
		nodes = append(nodes, list...)
	}
	return d.results(f, n, nodes, body)
}

// callAttributes finds the attributes of a call, and those that the function has for ones left out.
func (d *decoder) callAttributes(f *function, in *env, p *proto, s *scope, e *env) error {
	for name, b := range f.defaults {
		in.attrs[name] = source{message: b, scope: newScope(nil), env: &env{versions: f.versions}}
	}
	for _, b := range p.attrs {
		var name string
		err := d.fields(b, attrNameFields, func(x field) (err error) { name, err = d.text(x.bytes); return err })
		if err != nil {
			return err
		}
		in.attrs[name] = source{message: b, scope: s, env: e}
	}
	return d.spend(costValue * len(in.attrs))
}

// reference decodes the attribute of the call for which an attribute of a node of a function's body stands.
func (d *decoder) reference(name, ref string, e *env) (graph.Attr, bool, error) {
	a := graph.Attr{Name: name}
	if e.attrs == nil {
		return a, false, fmt.Errorf("it refers to attribute %q of a function, and stands in none", ref)
	}
	src, ok := e.attrs[ref]
	if !ok {
		return a, false, nil
	}
	a, there, err := d.attribute(src.message, src.scope, src.env)
	a.Name = name
	return a, there, err
}

// results adds what gives outputs of a call their values that no node of the body makes under that name: a function may
// return an input, or a value twice.
func (d *decoder) results(f *function, n *graph.Node, nodes []*graph.Node, body *scope) ([]*graph.Node, error) {
	for i, out := range n.Outputs {
		if out == nil {
			continue
		}
		v := body.values[string(f.outputs[i])]
		if v == nil {
			return nil, fmt.Errorf("function %s does not compute its output %q", f.name, f.outputs[i])
		}
		if v == out {
			continue
		}
		if err := d.spend(costNode); err != nil {
			return nil, err
		}
		nodes = append(nodes, &graph.Node{Name: n.Name, Op: "Identity", Version: max(f.versions[""], oldestOpset),
			Inputs: []*graph.Value{v}, Outputs: []*graph.Value{out}})
	}
	return nodes, nil
}
