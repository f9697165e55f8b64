package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// A Body adds what a node computes to a compute DAG, which may hold what other nodes compute as well. Input, Scalar and
// Read give its operands; Output ends it.
type Body struct {
	*compute.Builder
	Node *graph.Node

	// Tensor returns the tensor of a value: of another node of the DAG, or a placeholder, made when it is first asked for.
	// Weights are values of which the layout may be chosen.
	Tensor func(v *graph.Value) compute.Tensor
	// Unique makes a name that no other stage of the DAG has.
	Unique func(name string) string

	outputs []compute.Tensor
}

// Input returns the tensor of input i, which must be there.
func (b *Body) Input(i int) compute.Tensor { return b.Tensor(b.Node.Inputs[i]) }

// Scalar returns the number that input i holds, if it is a constant of one element.
func (b *Body) Scalar(i int) (float64, bool) {
	v := b.Node.Input(i)
	if v == nil || v.Const == nil || v.Elems() != 1 {
		return 0, false
	}
	return v.Const.Tensor().At(0), true
}

// Read reads an element of input i as a number to compute with: floats of 16 bits become float32, and a constant of one
// element becomes a constant of the program.
func (b *Body) Read(i int, at ...tir.Expr) tir.Expr {
	v := b.Node.Inputs[i]
	t := Register(v.Type)
	if c := v.Const; c != nil && v.Elems() == 1 {
		if x := c.Tensor(); v.Type.IsFloat() {
			return tir.Float(t, x.F[0])
		} else {
			return &tir.IntImm{Value: x.I[0], Type: t}
		}
	}
	return Cast(b.Input(i).At(at...), t)
}

// Parameter is Read for numbers that differ from layer to layer, as scales do: one that is constant is an operand of
// the program, too, and not a part of it.
func (b *Body) Parameter(i int, at ...tir.Expr) tir.Expr {
	return Cast(b.Input(i).At(at...), Register(b.Node.Inputs[i].Type))
}

// ReadBroadcast is Read for an input that broadcasts to the axes at.
func (b *Body) ReadBroadcast(i int, at ...tir.Expr) tir.Expr {
	return b.Read(i, Repeated(b.Node.Inputs[i].Shape, at)...)
}

// Reader returns Read for input i.
func (b *Body) Reader(i int) tirop.Reader {
	return func(at []tir.Expr) tir.Expr { return b.Read(i, at...) }
}

// Axes returns an axis for each dimension of a shape, and their variables.
func (b *Body) Axes(shape []int64) ([]*compute.Axis, []tir.Expr) {
	axes := make([]*compute.Axis, len(shape))
	for i, n := range shape {
		axes[i] = compute.NewAxis(fmt.Sprintf("i%d", i), n)
	}
	return axes, compute.Vars(axes)
}

// Named returns axes of the given extents and names; if the names are not as many, axes are numbered after prefix.
func Named(names []string, prefix string, extents []int64) []*compute.Axis {
	list := make([]*compute.Axis, len(extents))
	for i, n := range extents {
		name := fmt.Sprint(prefix, i)
		if len(names) == len(extents) {
			name = names[i]
		}
		list[i] = compute.NewAxis(name, n)
	}
	return list
}

// Stages returns what adds stages that operators of models share with those of workloads. They compute in the numbers
// that elements of type t are read as, or in those (see SumType).
func (b *Body) Stages(t tir.DType) *tirop.Builder {
	if b.Node.Int("wide", 0) < 0 {
		return tirop.OfModel(b.Builder, t, b.Unique)
	}
	return tirop.OfModel(b.Builder, Register(t), b.Unique)
}

// Stage adds a stage of a value for each point of the axes, stored as type t. An element that is only moved is stored
// as it was read.
func (b *Body) Stage(name string, t tir.DType, axes []*compute.Axis, value tir.Expr) compute.Tensor {
	if c, ok := value.(*tir.Cast); ok && c.To == Register(t) && c.X.DType() == t {
		value = c.X
	}
	return b.Compute(b.Unique(name), axes, Cast(value, t))
}

// Elementwise makes output 0 of a value for each element.
func (b *Body) Elementwise(value func(at []tir.Expr) tir.Expr) {
	out := b.Node.Outputs[0]
	axes, at := b.Axes(out.Shape)
	b.Output(b.Stage(b.Node.Op, out.Type, axes, value(at)))
}

// Output says which tensors the outputs are, in order.
func (b *Body) Output(t ...compute.Tensor) { b.outputs = t }

// Outputs returns what Output was told.
func (b *Body) Outputs() []compute.Tensor { return b.outputs }

// LayoutFree marks input i, which the body reads by Input, as one whose layout may be chosen, if it is constant.
func (b *Body) LayoutFree(i int) compute.Attrs {
	if b.Node.Inputs[i].Const == nil {
		return compute.Attrs{}
	}
	return compute.Attrs{LayoutFree: []*tir.Buffer{b.Input(i).Buffer}}
}

// ReadVector is Read for an input of one dimension or of one element.
func (b *Body) ReadVector(i int, at tir.Expr) tir.Expr {
	return b.Read(i, slices.Repeat([]tir.Expr{at}, len(b.Node.Inputs[i].Shape))...)
}

// Stored converts y to type t, if it is of another one.
func (b *Body) Stored(y compute.Tensor, t tir.DType) compute.Tensor {
	if y.Type == t {
		return y
	}
	axes, at := b.Axes(y.Shape)
	return b.Stage("cast", t, axes, y.At(at...))
}

// Register returns the type that output 0 is computed in.
func (b *Body) Register() tir.DType { return Register(b.Node.Outputs[0].Type) }
