package tensor

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/dag"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Constants has operators that make tensors of a few numbers or of shapes, and tell the shape of a tensor.
var Constants = []op.Row{
	{Op: "Constant", Since: 1, In: "none", Infer: inferConstant, Eval: evalConstant},
	{Op: "ConstantOfShape", Since: 9, In: "T1:I", Infer: inferConstantOfShape,
		Eval: op.EvalBy(filling, evalConstantOfShape),
		Body: op.BodyBy(filling, bodyConstantOfShape), Opaque: dag.Claimed(claimConstantOfShape, 0)},
	{Op: "EyeLike", Since: 9, In: "T1:A", Traits: op.ShapesOnly, Infer: inferEyeLike, Eval: evalEyeLike,
		Body: bodyEyeLike},
	{Op: "Shape", Since: 1, In: "T:A", Traits: op.ShapesOnly | op.Extents, Infer: inferShape, Eval: evalShape,
		Decompose: decomposeShape},
	{Op: "Size", Since: 1, In: "T:A", Traits: op.ShapesOnly | op.Extents, Infer: inferSize, Eval: evalSize,
		Decompose: decomposeShape},
	{Op: "Range", Since: 11, In: "T:N T:N T:N", Infer: inferRange, Eval: evalRange, Body: bodyRange,
		Opaque: dag.Claimed(claimRange, 0, 1, 2)},
}

// constantOf returns the tensor in the attributes of a Constant.
func constantOf(n *graph.Node) (*graph.Tensor, error) {
	for _, a := range n.Attrs {
		switch {
		case (a.Name == "value" || a.Name == "sparse_value") && a.Tensor != nil:
			return a.Tensor.Tensor(), nil
		case a.Name == "value_float":
			return graph.Scalar(tir.F32, a.Float), nil
		case a.Name == "value_int":
			return &graph.Tensor{Type: tir.I64, I: []int64{a.Int}}, nil
		case a.Name == "value_floats":
			return &graph.Tensor{Type: tir.F32, Shape: []int64{int64(len(a.Floats))}, F: a.Floats}, nil
		case a.Name == "value_ints":
			return graph.Ints(a.Ints...), nil
		}
	}
	return nil, op.Unsupported("a constant that is not a tensor, a number or a list of numbers")
}

func inferConstant(n *graph.Node) ([]op.Type, error) {
	if a := n.Attr("value"); a != nil && a.Tensor != nil {
		return []op.Type{{DType: a.Tensor.Type, Shape: a.Tensor.Shape}}, nil
	}
	t, err := constantOf(n)
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: t.Type, Shape: t.Shape}}, nil
}

func evalConstant(_ *graph.Call, n *graph.Node, _ []*graph.Tensor) ([]*graph.Tensor, error) {
	t, err := constantOf(n)
	return []*graph.Tensor{t}, err
}

// filling returns the type and the number of a ConstantOfShape.
func filling(n *graph.Node) (*graph.Tensor, error) {
	a := n.Attr("value")
	if a == nil {
		return graph.Scalar(tir.F32, 0), nil
	}
	if a.Tensor == nil || graph.Elems(a.Tensor.Shape) != 1 {
		return nil, fmt.Errorf("its value must be a tensor of one element")
	}
	return a.Tensor.Tensor(), nil
}

func inferConstantOfShape(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	fill, err := filling(n)
	switch {
	case err != nil:
		return nil, err
	case x.Type != tir.I64 || len(x.Shape) != 1:
		return nil, op.Unsupported("a shape that is %s", x)
	case x.Elems() == 0:
		return []op.Type{{DType: fill.Type}}, nil
	case x.Const == nil:
		return nil, &op.OpenError{Input: 0}
	}
	shape := x.Const.Tensor().I
	return []op.Type{{DType: fill.Type, Shape: shape}}, checkExtents(shape)
}

func checkExtents(shape []int64) error {
	for _, d := range shape {
		if d < 0 {
			return fmt.Errorf("shape %v: an extent is negative", shape)
		}
	}
	return nil
}

func evalConstantOfShape(fill *graph.Tensor, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor,
	error) {
	if err := checkExtents(in[0].I); err != nil {
		return nil, err
	}
	r := graph.NewTensor(fill.Type, in[0].I...)
	for i := range r.F {
		r.F[i] = fill.F[0]
	}
	for i := range r.I {
		r.I[i] = fill.I[0]
	}
	return []*graph.Tensor{r}, nil
}

// number returns element 0 of a tensor as a constant to compute with.
func number(t *graph.Tensor) tir.Expr {
	if t.F != nil {
		return tir.Float(Register(t.Type), t.F[0])
	}
	return &tir.IntImm{Value: t.I[0], Type: t.Type}
}

func bodyConstantOfShape(fill *graph.Tensor, b *op.Body) error {
	b.Elementwise(func([]tir.Expr) tir.Expr { return number(fill) })
	return nil
}

func claimConstantOfShape(d *dag.Draft) []dag.Variant {
	return dag.Holding(dag.Entries(d.In[0], dag.ShapeOut(d.Node))...)
}

func inferEyeLike(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	if len(x.Shape) != 2 {
		return nil, fmt.Errorf("its input has %d dimensions: it must have 2", len(x.Shape))
	}
	t := x.Type
	if n.Has("dtype") {
		var err error
		if t, err = op.ElementType(n.Int("dtype", 0)); err != nil {
			return nil, err
		}
	}
	return []op.Type{{DType: t, Shape: x.Shape}}, nil
}

func evalEyeLike(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	t := in[0].Type
	if n.Has("dtype") {
		var err error
		if t, err = op.ElementType(n.Int("dtype", 0)); err != nil {
			return nil, err
		}
	}
	r := graph.NewTensor(t, in[0].Shape...)
	for i := range in[0].Shape[0] {
		j := i + n.Int("k", 0)
		switch columns := in[0].Shape[1]; {
		case j < 0 || j >= columns:
		case r.F != nil:
			r.F[i*columns+j] = 1
		default:
			r.I[i*columns+j] = 1
		}
	}
	return []*graph.Tensor{r}, nil
}

func bodyEyeLike(b *op.Body) error {
	t := Register(b.Node.Outputs[0].Type)
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		on := Eq(Sub(at[1], at[0]), tir.Int(b.Node.Int("k", 0)))
		return Sel(on, tir.Const(t, 1), tir.Const(t, 0))
	})
	return nil
}

// shapeRange returns the dimensions that a Shape tells: those from start on, before end.
func shapeRange(n *graph.Node, rank int) (start, end int64) {
	r := int64(rank)
	clamp := func(d int64) int64 {
		if d < 0 {
			d += r
		}
		return min(max(d, 0), r)
	}
	start, end = clamp(n.Int("start", 0)), clamp(n.Int("end", r))
	return start, max(start, end)
}

func inferShape(n *graph.Node) ([]op.Type, error) {
	start, end := shapeRange(n, len(n.Inputs[0].Shape))
	return []op.Type{{DType: tir.I64, Shape: []int64{end - start}}}, nil
}

func evalShape(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	start, end := shapeRange(n, len(in[0].Shape))
	return []*graph.Tensor{graph.Ints(in[0].Shape[start:end]...)}, nil
}

func inferSize(n *graph.Node) ([]op.Type, error) {
	return []op.Type{{DType: tir.I64, Shape: []int64{}}}, nil
}

func evalSize(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	return []*graph.Tensor{{Type: tir.I64, I: []int64{graph.Elems(in[0].Shape)}}}, nil
}

// decomposeShape is for an input whose extents depend on data: they are a vector of their own.
func decomposeShape(d *op.Decomposer) error {
	extents := d.Input(0).Extents
	switch {
	case extents == nil && d.Node.Op == "Size":
		d.Output(d.Const(&graph.Tensor{Type: tir.I64, I: []int64{d.Input(0).Elems()}}))
		return nil
	case extents == nil:
		start, end := shapeRange(d.Node, len(d.Input(0).Shape))
		d.Output(d.Const(graph.Ints(d.Input(0).Shape[start:end]...)))
		return nil
	case d.Node.Op == "Size":
		d.Output(d.Apply("ReduceProd", []*graph.Value{extents}, graph.IntAttr("keepdims", 0)))
		return nil
	}
	start, end := shapeRange(d.Node, len(d.Input(0).Shape))
	at := []*graph.Value{extents, d.Const(graph.Ints(start)), d.Const(graph.Ints(end))}
	d.Output(d.Apply("Slice", at))
	return nil
}

func inferRange(n *graph.Node) ([]op.Type, error) {
	var in []*graph.Tensor
	for i, v := range n.Inputs[:3] {
		switch {
		case v.Elems() != 1:
			return nil, fmt.Errorf("input %d has %d elements: it must be one number", i, v.Elems())
		case v.Const == nil:
			return nil, &op.OpenError{Input: i}
		}
		in = append(in, v.Const.Tensor())
	}
	count, err := rangeCount(in)
	return []op.Type{{DType: n.Inputs[0].Type, Shape: []int64{count}}}, err
}

// rangeCount returns the number of elements of a Range from start to limit in steps of delta.
func rangeCount(in []*graph.Tensor) (int64, error) {
	if in[0].F == nil {
		start, limit, delta := in[0].I[0], in[1].I[0], in[2].I[0]
		switch {
		case delta == 0:
			return 0, fmt.Errorf("the step is 0")
		case delta > 0 && start < limit:
			return steps(uint64(limit)-uint64(start), uint64(delta)), nil
		case delta < 0 && start > limit:
			return steps(uint64(start)-uint64(limit), -uint64(delta)), nil
		}
		return 0, nil
	}
	count := math.Ceil((in[1].F[0] - in[0].F[0]) / in[2].F[0])
	if !(count <= graph.MaxElems) {
		return 0, fmt.Errorf("from %v to %v in steps of %v there are %v elements", in[0].F[0], in[1].F[0], in[2].F[0], count)
	}
	return int64(max(count, 0)), nil
}

// steps returns how many steps of a length lead over a span, the last one perhaps beyond it.
func steps(span, step uint64) int64 { return int64(min((span-1)/step+1, math.MaxInt64)) }

func evalRange(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	count, err := rangeCount(in)
	if err != nil {
		return nil, err
	}
	r := graph.NewTensor(in[0].Type, count)
	for i := range r.F {
		r.F[i] = in[0].F[0] + float64(i)*in[2].F[0]
	}
	for i := range r.I {
		r.I[i] = array.Wrap(r.Type, in[0].I[0]+int64(i)*in[2].I[0])
	}
	return []*graph.Tensor{r}, nil
}

func bodyRange(b *op.Body) error {
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		start, delta := b.ReadBroadcast(0, at...), b.ReadBroadcast(2, at...)
		return Add(start, Mul(Cast(at[0], delta.DType()), delta))
	})
	return nil
}

// claimRange: the operands lead to as many elements as are declared.
func claimRange(d *dag.Draft) []dag.Variant {
	wide := tir.I64
	if d.Inputs[0].Type.IsFloat() {
		wide = tir.F64
	}
	var in [3]tir.Expr // start, limit, delta
	for i, b := range d.In {
		in[i] = Cast(Cast(Load(b, ElementOf(b, Zero)...), Register(b.Type)), wide)
	}
	none, one, span, step := Num(in[0], 0), Num(in[0], 1), Sub(in[1], in[0]), in[2]
	var count tir.Expr
	if wide == tir.F64 {
		count = MaxOf(Fn(tir.Ceil, Quo(span, step)), none)
	} else {
		up := Gt(step, none)
		some := Sel(up, Gt(span, none), Lt(span, none))
		steps := Quo(Sel(up, Sub(span, one), Add(span, one)), Sel(Eq(step, none), one, step))
		count = Sel(Eq(step, none), Num(none, -1), Sel(some, Add(steps, one), none))
	}
	return dag.Holding(Eq(count, Num(count, float64(d.Outputs[0].Elems()))))
}
