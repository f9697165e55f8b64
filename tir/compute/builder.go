package compute

import (
	"errors"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// A Builder makes a DAG op by op. The first mistake is kept and returned by
// Build, so that operators need no error handling of their own:
//
//	b := compute.NewBuilder()
//	x := b.Placeholder("x", tir.F32, 128, 64)
//	w := b.Placeholder("w", tir.F32, 64, 32)
//	i, j, k := compute.NewAxis("i", 128), compute.NewAxis("j", 32), compute.NewAxis("k", 64)
//	c := b.Sum("c", compute.Axes(i, j), compute.Axes(k), tir.Bin(tir.Mul, x.At(i.Var, k.Var), w.At(k.Var, j.Var)))
//	dag, err := b.Build(c)
type Builder struct {
	ops      []*Op // in the order made
	producer map[*tir.Buffer]*Op
	err      error
}

// A Tensor is a result of an op, to be read by others.
type Tensor struct{ *tir.Buffer }

// At reads one element.
func (t Tensor) At(index ...tir.Expr) tir.Expr { return &tir.Load{Buffer: t.Buffer, Index: index} }

// NewBuilder returns a builder of an empty DAG.
func NewBuilder() *Builder { return &Builder{producer: map[*tir.Buffer]*Op{}} }

// NewAxis returns an axis over 0..extent-1.
func NewAxis(name string, extent int64) *Axis { return &Axis{Var: tir.NewVar(name), Extent: extent} }

// Axes returns its arguments as a list.
func Axes(list ...*Axis) []*Axis { return list }

// Vars returns the variables of axes as expressions, ready for Tensor.At.
func Vars(axes []*Axis) []tir.Expr {
	list := make([]tir.Expr, len(axes))
	for i, a := range axes {
		list[i] = a.Var
	}
	return list
}

// Placeholder adds an input.
func (b *Builder) Placeholder(name string, t tir.DType, shape ...int64) Tensor {
	for _, n := range shape {
		if n < 1 {
			b.fail("%s: dimension %d: must be at least 1", name, n)
		}
	}
	buf := &tir.Buffer{Name: name, Type: t, Shape: shape}
	return b.add(&Op{Name: name, Results: []*tir.Buffer{buf}})[0]
}

// Compute adds an op without a reduction: an element of the result for each
// point of the axes.
func (b *Builder) Compute(name string, axes []*Axis, body tir.Expr) Tensor {
	return b.With(name, axes, body, Attrs{})
}

// With is Compute with attributes.
func (b *Builder) With(name string, axes []*Axis, body tir.Expr, attrs Attrs) Tensor {
	return b.Reduce(name, axes, nil, nil, []tir.Expr{body}, attrs)[0]
}

// Sum adds an op that sums source over the reduce axes.
func (b *Builder) Sum(name string, axes, reduce []*Axis, source tir.Expr) Tensor {
	return b.SumWith(name, axes, reduce, source, Attrs{})
}

// SumWith is Sum with attributes.
func (b *Builder) SumWith(name string, axes, reduce []*Axis, source tir.Expr, attrs Attrs) Tensor {
	return b.Reduce(name, axes, reduce, NewCombiner(Sum, source.DType()), []tir.Expr{source}, attrs)[0]
}

// Reduce adds an op with any combiner and one result per body, all of one
// shape. Combine is nil without reduce axes.
func (b *Builder) Reduce(name string, axes, reduce []*Axis, combine *Combiner, bodies []tir.Expr,
	attrs Attrs,
) []Tensor {
	shape := make([]int64, len(axes))
	for i, a := range axes {
		shape[i] = a.Extent
	}
	op := &Op{Name: name, Axes: axes, ReduceAxes: reduce, Body: bodies, Combine: combine, Attrs: attrs}
	if op.Axes == nil {
		op.Axes = []*Axis{}
	}
	for i, e := range bodies {
		result := name
		if len(bodies) > 1 {
			result = fmt.Sprintf("%s.v%d", name, i)
		}
		op.Results = append(op.Results, &tir.Buffer{Name: result, Type: e.DType(), Shape: shape})
	}
	return b.add(op)
}

func (b *Builder) add(op *Op) []Tensor {
	if err := checkOp(op, b.producer); err != nil && b.err == nil {
		b.err = err
	}
	b.ops = append(b.ops, op)
	list := make([]Tensor, len(op.Results))
	for i, r := range op.Results {
		b.producer[r] = op
		list[i] = Tensor{r}
	}
	return list
}

func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("compute: "+format, args...)
	}
}

// Build returns the DAG that computes outputs. Its inputs are the placeholders
// in the order they were made; it is an error if one is not needed.
func (b *Builder) Build(outputs ...Tensor) (*DAG, error) { return b.build(outputs, false) }

// BuildNeeded is Build of a DAG whose inputs are only those that are needed.
func (b *Builder) BuildNeeded(outputs ...Tensor) (*DAG, error) { return b.build(outputs, true) }

func (b *Builder) build(outputs []Tensor, needed bool) (*DAG, error) {
	if b.err != nil {
		return nil, b.err
	}
	if len(outputs) == 0 {
		return nil, errors.New("compute: a DAG needs an output")
	}
	var ops []*Op
	seen := map[*Op]bool{}
	var visit func(op *Op)
	visit = func(op *Op) {
		if seen[op] {
			return
		}
		seen[op] = true
		for _, r := range op.Reads() {
			visit(b.producer[r])
		}
		ops = append(ops, op)
	}
	for _, t := range outputs {
		op := b.producer[t.Buffer]
		if op == nil {
			return nil, fmt.Errorf("compute: output %s is of another builder", t.Name)
		}
		if op.IsPlaceholder() {
			return nil, fmt.Errorf("compute: output %s is an input", t.Name)
		}
		visit(op)
	}
	var tensors []*tir.Buffer
	for _, op := range b.ops {
		if !op.IsPlaceholder() {
			continue
		}
		switch {
		case seen[op]:
			tensors = append(tensors, op.Results[0])
		case !needed:
			return nil, fmt.Errorf("compute: input %s is never read", op.Name)
		}
	}
	for _, t := range outputs {
		tensors = append(tensors, t.Buffer)
	}
	return FromOps(tensors, len(outputs), ops)
}

// FromOps returns the DAG of ops, which stand in the given order: every op
// after those that it reads. Tensors are the arguments, the last outputs of
// which are outputs.
func FromOps(tensors []*tir.Buffer, outputs int, ops []*Op) (*DAG, error) {
	made := make(map[*tir.Buffer]*Op, len(ops))
	for _, op := range ops {
		if err := checkOp(op, made); err != nil {
			return nil, err
		}
		for _, r := range op.Results {
			made[r] = op
		}
	}
	for _, t := range tensors {
		if made[t] == nil {
			return nil, fmt.Errorf("compute: no op makes argument %s", t.Name)
		}
	}
	return &DAG{Tensors: tensors, Outputs: outputs, Ops: ops}, nil
}

// Reads returns the buffers that op reads, each once, in first-read order.
func (op *Op) Reads() []*tir.Buffer {
	var list []*tir.Buffer
	for _, e := range op.Body {
		tir.VisitExpr(e, func(e tir.Expr) bool {
			if l, ok := e.(*tir.Load); ok && !slices.Contains(list, l.Buffer) {
				list = append(list, l.Buffer)
			}
			return true
		})
	}
	return list
}

// checkOp checks that op is well formed and reads only what is made.
func checkOp(op *Op, made map[*tir.Buffer]*Op) error {
	if op.IsPlaceholder() {
		return nil
	}
	if (op.Combine != nil) != (len(op.ReduceAxes) > 0) {
		return fmt.Errorf("compute: %s: a combiner and reduce axes go together", op.Name)
	}
	names := map[string]bool{}
	vars := map[*tir.Var]bool{}
	for _, a := range append(append([]*Axis(nil), op.Axes...), op.ReduceAxes...) {
		if names[a.Var.Name] {
			return fmt.Errorf("compute: %s: two axes are called %s", op.Name, a.Var.Name)
		}
		if a.Extent < 1 {
			return fmt.Errorf("compute: %s: axis %s has extent %d: must be at least 1", op.Name, a.Var.Name, a.Extent)
		}
		names[a.Var.Name], vars[a.Var] = true, true
	}
	var err error
	if op.Combine != nil {
		err = op.Combine.check(op.Name)
	}
	for _, e := range op.Body {
		tir.VisitExpr(e, func(e tir.Expr) bool {
			switch e := e.(type) {
			case *tir.Var:
				if !vars[e] && err == nil {
					err = fmt.Errorf("compute: %s: variable %s is none of its axes", op.Name, e.Name)
				}
			case *tir.Load:
				if made[e.Buffer] == nil && err == nil {
					err = fmt.Errorf("compute: %s reads %s, which is not made before it", op.Name, e.Buffer.Name)
				}
				if len(e.Index) != len(e.Buffer.Shape) && err == nil {
					err = fmt.Errorf("compute: %s reads %s with %d indices: it has %d dimensions", op.Name, e.Buffer.Name,
						len(e.Index), len(e.Buffer.Shape))
				}
			}
			return true
		})
	}
	return err
}
