package interp

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A Reference computes single elements of the tensors of a compute DAG from its
// definition, as RunDAG computes all, and keeps them. It is for one goroutine.
type Reference struct {
	frame  *frame
	places map[*tir.Buffer]int
}

// NewReference returns the reference of d for given inputs, in the order of
// d.Inputs.
func NewReference(d *compute.DAG, inputs []*Tensor) (*Reference, error) {
	if len(inputs) != len(d.Inputs()) {
		return nil, fmt.Errorf("interp: %d inputs for a DAG of %d", len(inputs), len(d.Inputs()))
	}
	c := newCompiler(Options{})
	for _, op := range d.Ops {
		for _, b := range op.Results {
			c.declare(b)
		}
	}
	evals := make([]*opEval, len(d.Ops))
	for i, op := range d.Ops {
		if !op.IsPlaceholder() {
			evals[i] = newOpEval(c, op)
		}
	}
	r := &run{name: "reference", vars: c.varNames}
	f := r.newFrame(c)
	for i, b := range d.Inputs() {
		if inputs[i].Type != b.Type || int64(len(inputs[i].Data)) != b.Bytes() {
			return nil, fmt.Errorf("interp: input %d is %d bytes of %s, tensor %s is %d of %s",
				i, len(inputs[i].Data), inputs[i].Type, b.Name, b.Bytes(), b.Type)
		}
		f.memories[c.buffer(b)] = memoryOf(b, inputs[i].Data)
	}
	for i, op := range d.Ops {
		for _, b := range op.Results {
			if f.memories[c.buffer(b)] == nil {
				f.memories[c.buffer(b)] = memoryOf(b, make([]byte, b.Bytes())).track(0)
				f.memories[c.buffer(b)].rest = &Rest{}
			}
		}
		if evals[i] != nil {
			evals[i].answer(f, op, c)
		}
	}
	return &Reference{frame: f, places: c.buffers}, nil
}

// answer makes the memories of an op's results compute an element when it is
// read. Values of variables are those of the op that reads it, so they are put
// back.
func (e *opEval) answer(f *frame, op *compute.Op, c *compiler) {
	var results []*memory
	for _, b := range op.Results {
		results = append(results, f.memories[c.buffer(b)])
	}
	g := *f
	g.vars, g.floats, g.active = make([]int64, len(c.varNames)), make([]float64, c.floatSlots),
		make([]bool, len(c.varNames))
	for _, slot := range append(append([]int(nil), e.axes...), e.reduce...) {
		g.active[slot] = true
	}
	for _, m := range results {
		m.rest.Make = func(_ *Tensor, at int64) {
			rest := at
			for d, slot := range e.axes {
				g.vars[slot] = rest / m.strides[d]
				rest %= m.strides[d]
			}
			e.point(&g)
			for i, r := range results {
				e.values[i].store(&g, r.tensor(), int(at))
				r.element(at).initialise()
			}
		}
	}
}

// At returns the tensor of a buffer of the DAG, in which the element at an
// offset is computed. The error is an *Error if the DAG is at fault.
func (r *Reference) At(b *tir.Buffer, at int64) (t *Tensor, err error) {
	slot, ok := r.places[b]
	if !ok {
		panic("BUG: interp: " + b.Name + " is not of the reference's DAG")
	}
	m := r.frame.memories[slot]
	err = r.frame.run.protect(func() {
		if e := m.element(at); !e.initialised() {
			m.rest.fill(e)
		}
	})
	return m.tensor(), err
}
