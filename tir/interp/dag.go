package interp

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// RunDAG evaluates a compute DAG from its definition, op by op, every
// reduction in the order of its axes. Args are the contents of d.Tensors;
// outputs are overwritten. The error is an *Error if the DAG is at fault: an
// index outside of a tensor, a division by zero.
func RunDAG(d *compute.DAG, args []*Tensor) error {
	if len(args) != len(d.Tensors) {
		return fmt.Errorf("interp: %d arguments for %d tensors", len(args), len(d.Tensors))
	}
	contents := map[*tir.Buffer]*Tensor{}
	for i, b := range d.Tensors {
		if args[i].Type != b.Type || int64(len(args[i].Data)) != b.Bytes() {
			return fmt.Errorf("interp: argument %d is %d bytes of %s, tensor %s is %d of %s",
				i, len(args[i].Data), args[i].Type, b.Name, b.Bytes(), b.Type)
		}
		contents[b] = args[i]
	}
	for _, op := range d.Ops {
		for _, b := range op.Results {
			if contents[b] == nil {
				contents[b] = NewTensor(b)
			}
		}
		if op.IsPlaceholder() {
			continue
		}
		if err := runOp(op, contents); err != nil {
			return err
		}
	}
	return nil
}

func runOp(op *compute.Op, contents map[*tir.Buffer]*Tensor) error {
	c := newCompiler(Options{})
	e := newOpEval(c, op)
	r := &run{name: op.Name, vars: c.varNames}
	f := r.newFrame(c)
	for b, slot := range c.buffers {
		f.memories[slot] = memoryOf(b, contents[b].Data)
	}
	for _, slot := range append(append([]int(nil), e.axes...), e.reduce...) {
		f.active[slot] = true
	}
	return r.protect(func() {
		at := 0
		odometer(f, e.axes, op.Axes, func() {
			e.point(f)
			for i, b := range op.Results {
				e.values[i].store(f, contents[b], at)
			}
			at++
		})
	})
}

// odometer runs body for each value of the axes, the last running fastest.
func odometer(f *frame, slots []int, axes []*compute.Axis, body func()) {
	for _, s := range slots {
		f.vars[s] = 0
	}
	for {
		body()
		d := len(slots) - 1
		for ; d >= 0; d-- {
			if f.vars[slots[d]]++; f.vars[slots[d]] < axes[d].Extent {
				break
			}
			f.vars[slots[d]] = 0
		}
		if d < 0 {
			return
		}
	}
}

// A value is a scalar of any type in a frame: an accumulator, a source.
type value struct {
	isFloat bool
	slot    int
}

func (c *compiler) value(v *tir.Var) value {
	if v.Type.IsFloat() {
		return value{true, c.floatSlot(v)}
	}
	return value{false, c.slot(v)}
}

func (v value) store(f *frame, t *Tensor, at int) {
	if v.isFloat {
		storeFloat(t.Type, t.Data, at, f.floats[v.slot])
		return
	}
	storeInt(t.Type, t.Data, at, f.vars[v.slot])
}

// assign compiles v = e.
func (c *compiler) assign(v value, e tir.Expr) stmtFn {
	if v.isFloat {
		x := c.floatExpr(e)
		return func(f *frame) { f.floats[v.slot] = x(f) }
	}
	x := c.intExpr(e)
	return func(f *frame) { f.vars[v.slot] = x(f) }
}

// An opEval computes one point of an op into values, one per result.
type opEval struct {
	axes, reduce []int // slots
	values       []value
	point        func(*frame)
}

func newOpEval(c *compiler, op *compute.Op) *opEval {
	e := &opEval{}
	for _, a := range op.Axes {
		e.axes = append(e.axes, c.slot(a.Var))
	}
	for _, a := range op.ReduceAxes {
		e.reduce = append(e.reduce, c.slot(a.Var))
	}
	for _, x := range op.Body {
		for l := range tir.ExprsIn[*tir.Load](x) {
			if _, known := c.buffers[l.Buffer]; !known {
				c.declare(l.Buffer)
			}
		}
	}
	if op.Combine == nil {
		var steps []stmtFn
		for i, x := range op.Body {
			v := c.value(&tir.Var{Name: op.Results[i].Name, Type: op.Results[i].Type})
			e.values = append(e.values, v)
			steps = append(steps, c.assign(v, x))
		}
		e.point = func(f *frame) { runAll(f, steps) }
		return e
	}
	e.reduction(c, op)
	return e
}

func runAll(f *frame, steps []stmtFn) {
	for _, s := range steps {
		s(f)
	}
}

func (e *opEval) reduction(c *compiler, op *compute.Op) {
	var init, source, fold, keep []stmtFn
	combine, start, body := op.Combine, op.Combine.Start(), op.Body
	if combine.Wide {
		combine = compute.NewCombiner(compute.Sum, tir.F64)
		start = []tir.Expr{&tir.Cast{X: start[0], To: tir.F64}}
		body = []tir.Expr{&tir.Cast{X: body[0], To: tir.F64}}
	}
	for i, b := range op.Results {
		acc, src := c.value(combine.Acc[i]), c.value(combine.Src[i])
		next := c.value(&tir.Var{Name: b.Name + ".next", Type: combine.Acc[i].Type})
		e.values = append(e.values, acc)
		init = append(init, c.assign(acc, start[i]))
		source = append(source, c.assign(src, body[i]))
		fold = append(fold, c.assign(next, combine.Fold()[i]))
		keep = append(keep, func(f *frame) {
			if acc.isFloat {
				f.floats[acc.slot] = f.floats[next.slot]
			} else {
				f.vars[acc.slot] = f.vars[next.slot]
			}
		})
	}
	e.point = func(f *frame) {
		runAll(f, init)
		odometer(f, e.reduce, op.ReduceAxes, func() {
			runAll(f, source)
			runAll(f, fold)
			runAll(f, keep)
		})
	}
}

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
