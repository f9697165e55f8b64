package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	onnxgo "github.com/owulveryck/onnx-go"
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

// Inputs returns the inputs, in the order of the file.
func (p *Program) Inputs() []Info { return slices.Clone(p.file.inputs) }

// Outputs returns the outputs, in the order of the file.
func (p *Program) Outputs() []Info { return slices.Clone(p.file.outputs) }

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
		outputs[out.Name] = Tensor{Type: t.Type, Shape: slices.Clone(t.Shape), Floats: slices.Clone(t.Floats), Ints: slices.Clone(t.Ints)}
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
