package tensor

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/dag"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Selecting has the operators that decide for each place whether it gets an element or which one.
var Selecting = []op.Row{
	{Op: "Trilu", Since: 14, In: "T:A -:I?", Infer: inferTrilu, Eval: evalTrilu, Body: bodyTrilu},
	{Op: "OneHot", Since: 9, In: "T1:N T2:N T3:A", Infer: inferOneHot, Eval: evalOneHot, Body: bodyOneHot,
		Opaque: dag.Claimed(claimOneHot, 1)},
	{Op: "ReverseSequence", Since: 10, In: "T:A -:I", Infer: inferReverse, Eval: evalReverse, Decompose: decomposeReverse},
	{Op: "wmtune.ReverseSequence", In: "T:A -:I", Infer: inferReverse, Eval: evalReverse, Body: bodyReverse},
}

func inferTrilu(n *graph.Node) ([]op.Type, error) {
	if err := op.Single(n, 1); err != nil {
		return nil, err
	}
	if x := n.Inputs[0]; len(x.Shape) < 2 {
		return nil, fmt.Errorf("a tensor of shape %v is no matrix", x.Shape)
	}
	return op.InferSame(n)
}

func evalTrilu(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, k := in[0], int64(0)
	if l := array.List(in, 1); l != nil {
		k = l[0]
	}
	r := array.Like(x, x.Shape)
	rows, columns := x.Shape[len(x.Shape)-2], x.Shape[len(x.Shape)-1]
	for i := range int64(x.Len()) {
		row, column := i/columns%rows, i%columns
		if upper := n.Int("upper", 1) != 0; upper && column-row >= k || !upper && column-row <= k {
			array.Put(r, i, x, i)
		}
	}
	return []*graph.Tensor{r}, nil
}

func bodyTrilu(b *op.Body) error {
	op := tir.GE
	if b.Node.Int("upper", 1) == 0 {
		op = tir.LE
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		row, column := at[len(at)-2], at[len(at)-1]
		x := b.Read(0, at...)
		diagonal := tir.Expr(tir.Int(0))
		if k := b.Node.Input(1); k != nil {
			diagonal = b.Read(1, Zeros(len(k.Shape))...)
		}
		return Sel(tir.Bin(op, Sub(column, row), diagonal), x, Num(x, 0))
	})
	return nil
}

// oneHotShape returns the shape of a OneHot of some depth, and the dimension that it adds.
func oneHotShape(n *graph.Node, shape []int64, depth int64) ([]int64, int, error) {
	at, err := array.Axis(n.Int("axis", -1), len(shape)+1)
	if err == nil && depth < 0 {
		err = fmt.Errorf("the depth is %d", depth)
	}
	if err != nil {
		return nil, 0, err
	}
	return slices.Insert(slices.Clone(shape), at, depth), at, nil
}

func inferOneHot(n *graph.Node) ([]op.Type, error) {
	if v := n.Inputs[2]; n.Inputs[1].Elems() != 1 || len(v.Shape) != 1 || v.Shape[0] != 2 {
		return nil, fmt.Errorf("depth is %s and values is %s: they must have 1 and 2 elements", n.Inputs[1], v)
	}
	if n.Inputs[1].Const == nil {
		return nil, &op.OpenError{Input: 1}
	}
	shape, _, err := oneHotShape(n, n.Inputs[0].Shape, int64(n.Inputs[1].Const.Tensor().At(0)))
	return []op.Type{{DType: n.Inputs[2].Type, Shape: shape}}, err
}

// evalOneHot: indices of version 9 do not count from the end.
func evalOneHot(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, depth, values := in[0], int64(in[1].At(0)), in[2]
	shape, at, err := oneHotShape(n, x.Shape, depth)
	if err != nil {
		return nil, err
	}
	r := array.Like(values, shape)
	for i := range int64(r.Len()) {
		array.Put(r, i, values, 0)
	}
	run := graph.Elems(x.Shape[at:])
	for i := range int64(x.Len()) {
		k := int64(x.At(int(i)))
		if k < 0 && n.Version >= 11 {
			k += depth
		}
		if k >= 0 && k < depth {
			array.Put(r, (i/run*depth+k)*run+i%run, values, 1)
		}
	}
	return []*graph.Tensor{r}, nil
}

// hot says whether the index k names the place i of a OneHot.
func hot(n *graph.Node, k, i tir.Expr, depth int64) tir.Expr {
	k = Cast(k, tir.Index)
	if n.Version < 11 {
		return Eq(k, i)
	}
	return Or(Eq(k, i), Eq(Plus(k, depth), i))
}

func bodyOneHot(b *op.Body) error {
	out := b.Node.Outputs[0]
	_, along, err := oneHotShape(b.Node, b.Node.Inputs[0].Shape, 0)
	if err != nil {
		return err
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		k := b.Read(0, slices.Concat(at[:along], at[along+1:])...)
		return Sel(hot(b.Node, k, at[along], out.Shape[along]), b.Read(2, tir.Int(1)), b.Read(2, tir.Int(0)))
	})
	return nil
}

// claimOneHot: the depth is that of the declared shape.
func claimOneHot(d *dag.Draft) []dag.Variant {
	_, along, err := oneHotShape(d.Node, d.Inputs[0].Shape, 0)
	if err != nil {
		return nil
	}
	return dag.Holding(dag.Entries(d.In[1], dag.ShapeOut(d.Node)[along:along+1])...)
}

// sequences returns the axes of time and of the batch of a ReverseSequence.
func sequences(n *graph.Node, shape, lens []int64) (time, batch int, err error) {
	time, batch = int(n.Int("time_axis", 0)), int(n.Int("batch_axis", 1))
	if len(shape) < 2 || time+batch != 1 || time*batch != 0 || len(lens) != 1 || lens[0] != shape[batch] {
		return 0, 0, fmt.Errorf("a tensor of shape %v with time axis %d and batch axis %d, and lengths of shape %v", shape,
			time, batch, lens)
	}
	return time, batch, nil
}

func inferReverse(n *graph.Node) ([]op.Type, error) {
	if _, _, err := sequences(n, n.Inputs[0].Shape, n.Inputs[1].Shape); err != nil {
		return nil, err
	}
	return op.InferSame(n)
}

func evalReverse(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, lens := in[0], in[1].I
	time, batch, err := sequences(n, x.Shape, in[1].Shape)
	if err != nil {
		return nil, err
	}
	for _, l := range lens {
		if l < 0 || l > x.Shape[time] {
			return nil, fmt.Errorf("a sequence of %d elements of %d", l, x.Shape[time])
		}
	}
	r, stride := array.Like(x, x.Shape), array.Strides(x.Shape)
	for i := range int64(x.Len()) {
		t, l := i/stride[time]%x.Shape[time], lens[i/stride[batch]%x.Shape[batch]]
		from := i
		if t < l {
			from += (l - 1 - 2*t) * stride[time]
		}
		array.Put(r, i, x, from)
	}
	return []*graph.Tensor{r}, nil
}

func decomposeReverse(d *op.Decomposer) error {
	x := d.Input(0)
	time, batch, err := sequences(d.Node, x.Shape, d.Input(1).Shape)
	if err != nil {
		return err
	}
	lens := d.Apply("wmtune.CheckIndices", []*graph.Value{d.Input(1)}, graph.IntsAttr("limits", x.Shape[time]+1),
		graph.IntAttr("positive", 1))
	d.Output(d.Apply("wmtune.ReverseSequence", []*graph.Value{x, lens}, graph.IntAttr("time_axis", int64(time)),
		graph.IntAttr("batch_axis", int64(batch))))
	return nil
}

func bodyReverse(b *op.Body) error {
	x := b.Node.Inputs[0]
	time, batch, err := sequences(b.Node, x.Shape, b.Node.Inputs[1].Shape)
	if err != nil {
		return err
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		if _, ok := b.Scalar(0); ok {
			return b.Read(0, at...)
		}
		index, n := slices.Clone(at), Cast(b.Read(1, at[batch]), tir.Index)
		index[time] = Within(Sel(Lt(at[time], n), Sub(Plus(n, -1), at[time]), at[time]), x.Shape[time])
		return b.Read(0, index...)
	})
	return nil
}
