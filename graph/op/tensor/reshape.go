// Package tensor has the operators that move elements: reshapes, transposes, slices, joins, gathers, scatters,
// selections. It also has constants, ranges, and the shapes of tensors.
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

// Reshaping has the operators that change nothing but the shape.
var Reshaping = []op.Row{
	{Op: "Reshape", Since: 5, In: "T:A -:I", Traits: op.Alias, Infer: inferReshape, Eval: evalReshape, Body: bodyReshape,
		Opaque: dag.Claimed(claimReshape, 1)},
	{Op: "Flatten", Since: 1, In: "T:A", Traits: op.Alias, Infer: inferFlatten, Eval: evalAs(inferFlatten),
		Body: bodyReshape},
	{Op: "Squeeze", Since: 1, In: "T:A", Traits: op.Alias, Infer: inferSqueeze, Eval: evalAs(inferSqueeze),
		Body: bodyReshape},
	{Op: "Squeeze", Since: 13, In: "T:A -:I?", Traits: op.Alias, Infer: inferSqueeze, Eval: evalAs(inferSqueeze),
		Body: bodyReshape, Opaque: dag.Claimed(claimAxes(dag.ShapeIn, dag.ShapeOut), 1)},
	{Op: "Unsqueeze", Since: 1, In: "T:A", Traits: op.Alias, Infer: inferUnsqueeze, Eval: evalAs(inferUnsqueeze),
		Body: bodyReshape},
	{Op: "Unsqueeze", Since: 13, In: "T:A -:I", Traits: op.Alias, Infer: inferUnsqueeze, Eval: evalAs(inferUnsqueeze),
		Body: bodyReshape, Opaque: dag.Claimed(claimAxes(dag.ShapeOut, dag.ShapeIn), 1)},
	{Op: "Optional", Since: 15, In: "V:A", Traits: op.Alias, Infer: op.InferSame, Eval: evalFirst, Body: bodyReshape},
	{Op: "OptionalGetElement", Since: 15, In: "O:A", Traits: op.Alias, Infer: op.InferSame, Eval: evalFirst,
		Body: bodyReshape},
}

func evalFirst(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	return in[:1], nil
}

// evalAs computes an operator that changes the shape only, to the shape that its Infer says.
func evalAs(infer func(n *graph.Node) ([]op.Type, error)) graph.EvalFunc {
	return func(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
		k := *n
		k.Inputs = make([]*graph.Value, len(in))
		for i, t := range in {
			if t == nil {
				continue
			}
			k.Inputs[i] = &graph.Value{Name: n.Inputs[i].Name, Type: t.Type, Shape: t.Shape, Ranked: true}
			if i > 0 {
				k.Inputs[i].Const = t.Const()
			}
		}
		types, err := infer(&k)
		if err != nil {
			return nil, err
		}
		return []*graph.Tensor{array.Reshaped(in[0], types[0].Shape)}, nil
	}
}

func inferReshape(n *graph.Node) ([]op.Type, error) {
	want, err := op.Integers(n, 1)
	if err != nil {
		return nil, err
	}
	x := n.Inputs[0]
	s, err := reshapedShape(x.Shape, want, n.Int("allowzero", 0) != 0)
	return []op.Type{{DType: x.Type, Shape: s}}, err
}

func evalReshape(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	s, err := reshapedShape(in[0].Shape, in[1].I, n.Int("allowzero", 0) != 0)
	if err != nil {
		return nil, err
	}
	return []*graph.Tensor{array.Reshaped(in[0], s)}, nil
}

// reshapedShape returns the shape that Reshape makes of a shape: 0 keeps a dimension, unless zeros are allowed, and -1
// is what is left.
func reshapedShape(shape, want []int64, allowZero bool) ([]int64, error) {
	s, open, known := slices.Clone(want), -1, int64(1)
	for i, d := range want {
		switch {
		case d == -1 && open >= 0:
			return nil, fmt.Errorf("shape %v has two dimensions of -1", want)
		case d == -1:
			open = i
			continue
		case d < 0:
			return nil, fmt.Errorf("shape %v has a dimension of %d", want, d)
		case d == 0 && !allowZero:
			if i >= len(shape) {
				return nil, fmt.Errorf("shape %v keeps dimension %d of a tensor of shape %v", want, i, shape)
			}
			s[i] = shape[i]
		}
		known = graph.Times(known, s[i])
	}
	total := graph.Elems(shape)
	if open >= 0 {
		if known == 0 || total%known != 0 {
			return nil, fmt.Errorf("a tensor of shape %v does not take shape %v", shape, want)
		}
		s[open] = total / known
		known = total
	}
	if known != total {
		return nil, fmt.Errorf("a tensor of shape %v does not take shape %v: it has %d elements, not %d", shape, want, total,
			known)
	}
	return s, nil
}

func inferFlatten(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	at, err := array.Axis(n.Int("axis", 1), len(x.Shape)+1)
	if a := n.Int("axis", 1); a < 0 {
		at, err = array.Axis(a, len(x.Shape))
	}
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: x.Type, Shape: []int64{graph.Elems(x.Shape[:at]), graph.Elems(x.Shape[at:])}}}, nil
}

// axesOf returns the dimensions that an operator of a version before 13 names in an attribute, and later ones in an
// input, and whether it names any.
func axesOf(n *graph.Node, rank int) (map[int]bool, bool, error) {
	axes := n.Ints("axes")
	if n.Version >= 13 {
		var err error
		if axes, err = op.Integers(n, 1); err != nil {
			return nil, false, err
		}
	}
	set := map[int]bool{}
	for _, a := range axes {
		d, err := array.Axis(a, rank)
		if err != nil {
			return nil, false, err
		}
		if set[d] {
			return nil, false, fmt.Errorf("axes %v name a dimension twice", axes)
		}
		set[d] = true
	}
	return set, axes != nil, nil
}

func inferSqueeze(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	set, named, err := axesOf(n, len(x.Shape))
	if err != nil {
		return nil, err
	}
	shape := []int64{}
	for d, e := range x.Shape {
		switch {
		case set[d] && e != 1:
			return nil, fmt.Errorf("axis %d of shape %v is not 1", d, x.Shape)
		case !set[d] && (named || e != 1):
			shape = append(shape, e)
		}
	}
	return []op.Type{{DType: x.Type, Shape: shape}}, nil
}

func inferUnsqueeze(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	count := len(n.Ints("axes"))
	if n.Version >= 13 {
		axes, err := op.Integers(n, 1)
		if err != nil {
			return nil, err
		}
		count = len(axes)
	}
	rank := len(x.Shape) + count
	set, _, err := axesOf(n, rank)
	if err != nil {
		return nil, err
	}
	shape, from := array.Ones(rank), x.Shape
	for d := range shape {
		if !set[d] {
			shape[d], from = from[0], from[1:]
		}
	}
	return []op.Type{{DType: x.Type, Shape: shape}}, nil
}

// bodyReshape reads the element of the same place in row-major order.
func bodyReshape(b *op.Body) error {
	from, to := b.Node.Inputs[0].Shape, b.Node.Outputs[0].Shape
	b.Elementwise(func(at []tir.Expr) tir.Expr { return b.Read(0, reindex(at, to, from)...) })
	return nil
}

// reindex returns the indices in a tensor of shape from of the element that has indices at in one of shape to, both of
// as many elements, at least one. Only dimensions that do not stay as they are need quotients and remainders.
func reindex(at []tir.Expr, to, from []int64) []tir.Expr {
	index := make([]tir.Expr, len(from))
	i := 0
	for j := 0; j < len(from); {
		if from[j] == 1 {
			index[j] = tir.Int(0)
			j++
			continue
		}
		for to[i] == 1 {
			i++
		}
		// The fewest dimensions of both that have as many elements.
		i0, j0, p, q := i, j, to[i], from[j]
		i, j = i+1, j+1
		for p != q {
			if p < q {
				p *= to[i]
				i++
			} else {
				q *= from[j]
				j++
			}
		}
		delinearize(index[j0:j], from[j0:j], linearize(at[i0:i], to[i0:i]))
	}
	return index
}

// linearize returns the place in row-major order of the element at.
func linearize(at []tir.Expr, shape []int64) tir.Expr {
	var e tir.Expr
	for d, s := range array.Strides(shape) {
		if shape[d] == 1 {
			continue
		}
		if x := Times(at[d], s); e == nil {
			e = x
		} else {
			e = Add(e, x)
		}
	}
	if e == nil {
		return tir.Int(0)
	}
	return e
}

// delinearize sets index to the indices of the element at a place in row-major order.
func delinearize(index []tir.Expr, shape []int64, place tir.Expr) {
	first := true
	for d, s := range array.Strides(shape) {
		if shape[d] == 1 {
			index[d] = tir.Int(0)
			continue
		}
		index[d] = place
		if s > 1 {
			index[d] = tir.Bin(tir.FloorDiv, place, tir.Int(s))
		}
		if !first {
			index[d] = tir.Bin(tir.FloorMod, index[d], tir.Int(shape[d]))
		}
		first = false
	}
}

// claimReshape: each dimension is the one declared, -1, or 0 where a dimension stays.
func claimReshape(d *dag.Draft) []dag.Variant {
	in, out := dag.ShapeIn(d.Node), dag.ShapeOut(d.Node)
	if Elems(d.In[1]) != len(out) {
		return nil
	}
	var all []tir.Expr
	for i, e := range out {
		s := Entry(d.In[1], i)
		ok := Or(Eq(s, tir.Int(e)), Eq(s, tir.Int(-1)))
		if d.Int("allowzero", 0) == 0 && i < len(in) && in[i] == e {
			ok = Or(ok, Eq(s, tir.Int(0)))
		}
		all = append(all, ok)
	}
	return dag.Holding(all...)
}

// claimAxes returns the claim that one shape is the other with dimensions of 1 at the axes that input 1 names: wide is
// the longer one.
func claimAxes(wide, narrow func(n *graph.Node) []int64) dag.Claim {
	return func(d *dag.Draft) []dag.Variant {
		if len(d.In) < 2 || d.In[1] == nil {
			return dag.Holding()
		}
		w, any := wide(d.Node), tir.Expr(tir.BoolImm(false))
		for set := range dag.Subsets(len(w)) {
			var rest []int64
			for i, e := range w {
				if !set[i] || e != 1 {
					rest = append(rest, e)
				}
			}
			if slices.Equal(rest, narrow(d.Node)) && len(set.List())+len(rest) == len(w) {
				any = Or(any, set.Named(d.In[1], nil))
			}
		}
		return dag.Holding(any)
	}
}
