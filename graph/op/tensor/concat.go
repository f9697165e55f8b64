package tensor

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/dag"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Joining has the operators that join and part tensors.
var Joining = []op.Row{
	{Op: "Concat", Since: 4, In: "T:A*", Infer: inferConcat, Eval: evalConcat, Body: bodyConcat},
	{Op: "Split", Since: 2, In: "T:A", Infer: inferSplit, Eval: evalSplit, Decompose: decomposeSplit},
	{Op: "Split", Since: 13, In: "T:A -:N?", Infer: inferSplit, Eval: evalSplit, Decompose: decomposeSplit,
		Opaque: dag.Claimed(claimSplit, 1)},
}

func inferConcat(n *graph.Node) ([]op.Type, error) {
	var shapes [][]int64
	for _, v := range n.Inputs {
		if v.Type != n.Inputs[0].Type {
			return nil, fmt.Errorf("inputs of types %s and %s", n.Inputs[0].Type, v.Type)
		}
		shapes = append(shapes, v.Shape)
	}
	s, _, err := concatShape(n, shapes)
	return []op.Type{{DType: n.Inputs[0].Type, Shape: s}}, err
}

// concatShape returns the shape of a Concat of tensors, and the dimension that they are joined along.
func concatShape(n *graph.Node, shapes [][]int64) ([]int64, int, error) {
	s := slices.Clone(shapes[0])
	at, err := array.Axis(n.Int("axis", 0), len(s))
	if err != nil {
		return nil, 0, err
	}
	s[at] = 0
	for _, t := range shapes {
		if len(t) != len(s) {
			return nil, 0, fmt.Errorf("tensors of shapes %v and %v", shapes[0], t)
		}
		for d, e := range t {
			if d == at {
				s[d] = graph.Plus(s[d], e)
			} else if e != s[d] {
				return nil, 0, fmt.Errorf("tensors of shapes %v and %v do not join along axis %d", shapes[0], t, at)
			}
		}
	}
	return s, at, nil
}

func evalConcat(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	var shapes [][]int64
	for _, t := range in {
		shapes = append(shapes, t.Shape)
	}
	s, at, err := concatShape(n, shapes)
	if err != nil {
		return nil, err
	}
	r := array.Like(in[0], s)
	if r.Len() == 0 {
		return []*graph.Tensor{r}, nil
	}
	to := int64(0)
	for range graph.Elems(s[:at]) {
		for _, t := range in {
			run := graph.Elems(t.Shape[at:])
			from := to / graph.Elems(s[at:]) * run
			for i := range run {
				array.Put(r, to+i, t, from+i)
			}
			to += run
		}
	}
	return []*graph.Tensor{r}, nil
}

// bodyConcat finds the tensor that an element is of by bisection.
func bodyConcat(b *op.Body) error {
	out := b.Node.Outputs[0]
	along, err := array.Axis(b.Node.Int("axis", 0), len(out.Shape))
	if err != nil {
		return err
	}
	var parts []int // inputs that have elements
	begin := map[int]int64{}
	end := int64(0)
	for i, v := range b.Node.Inputs {
		if v.Shape[along] > 0 {
			parts, begin[i] = append(parts, i), end
			end += v.Shape[along]
		}
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		var among func(parts []int) tir.Expr
		among = func(parts []int) tir.Expr {
			if len(parts) == 1 {
				index := slices.Clone(at)
				index[along] = Plus(at[along], -begin[parts[0]])
				return b.Read(parts[0], index...)
			}
			half := len(parts) / 2
			return tir.IfThenElse(Lt(at[along], tir.Int(begin[parts[half]])), among(parts[:half]),
				among(parts[half:]))
		}
		return among(parts)
	})
	return nil
}

// splitSizes returns the extents along the axis of the parts that Split makes, and the axis. Sizes, which an attribute
// or an operand says, may be left out.
func splitSizes(n *graph.Node, shape, sizes []int64) ([]int64, int, error) {
	at, err := array.Axis(n.Int("axis", 0), len(shape))
	if err != nil {
		return nil, 0, err
	}
	parts := int64(len(n.Outputs))
	if sizes == nil {
		if parts = n.Int("num_outputs", parts); parts < 1 {
			return nil, 0, fmt.Errorf("%d parts", parts)
		}
		if parts != int64(len(n.Outputs)) {
			return nil, 0, fmt.Errorf("%d outputs for %d parts", len(n.Outputs), parts)
		}
		each := (shape[at] + parts - 1) / parts
		if n.Version < 18 && shape[at]%parts != 0 {
			return nil, 0, fmt.Errorf("axis %d of shape %v does not split into %d equal parts", at, shape, parts)
		}
		for left := shape[at]; int64(len(sizes)) < parts; left -= each {
			sizes = append(sizes, max(0, min(left, each)))
		}
	}
	sum := int64(0)
	for _, s := range sizes {
		if s < 0 {
			return nil, 0, fmt.Errorf("parts of %v elements", sizes)
		}
		sum = graph.Plus(sum, s)
	}
	if sum != shape[at] || len(sizes) != len(n.Outputs) {
		return nil, 0, fmt.Errorf("axis %d of shape %v does not split into %d parts of %v", at, shape, len(n.Outputs), sizes)
	}
	return sizes, at, nil
}

func inferSplit(n *graph.Node) ([]op.Type, error) {
	sizes := n.Ints("split")
	if n.Version >= 13 {
		var err error
		if sizes, err = op.Integers(n, 1); err != nil {
			return nil, cmp.Or(op.DeclaredLike(n, n.Inputs[0]), err)
		}
	}
	x := n.Inputs[0]
	sizes, at, err := splitSizes(n, x.Shape, sizes)
	if err != nil {
		return nil, err
	}
	types := make([]op.Type, len(sizes))
	for i, s := range sizes {
		types[i] = op.Type{DType: x.Type, Shape: slices.Clone(x.Shape)}
		types[i].Shape[at] = s
	}
	return types, nil
}

func evalSplit(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	sizes := n.Ints("split")
	if n.Version >= 13 {
		sizes = array.List(in, 1)
	}
	x := in[0]
	sizes, at, err := splitSizes(n, x.Shape, sizes)
	if err != nil {
		return nil, err
	}
	out := make([]*graph.Tensor, len(sizes))
	begin := int64(0)
	for i, s := range sizes {
		shape := slices.Clone(x.Shape)
		shape[at] = s
		stride := array.Strides(x.Shape)
		out[i] = array.View(x, shape, begin*stride[at], stride)
		begin += s
	}
	return out, nil
}

// decomposeSplit makes a Slice of each part that has a name.
func decomposeSplit(d *op.Decomposer) error {
	x := d.Input(0)
	types, err := inferSplit(d.Node)
	if err != nil {
		return err
	}
	at, err := array.Axis(d.Node.Int("axis", 0), len(x.Shape))
	if err != nil {
		return err
	}
	out := make([]*graph.Value, len(types))
	begin := int64(0)
	for i, t := range types {
		end := begin + t.Shape[at]
		if d.Node.Outputs[i] != nil {
			out[i] = d.Slice(x, at, begin, end)
		}
		begin = end
	}
	d.Output(out...)
	return nil
}

// claimSplit: the sizes are those of the parts that are declared.
func claimSplit(d *dag.Draft) []dag.Variant {
	x := d.Inputs[0].Shape
	along, err := array.Axis(d.Int("axis", 0), len(x))
	if d.Err = err; err != nil {
		return nil
	}
	var sizes []int64
	for i, v := range d.Outputs {
		if v == nil {
			d.Err = fmt.Errorf("part %d has no name, so its size is not known: give it one, or fix the sizes", i)
			return nil
		}
		sizes = append(sizes, v.Shape[along])
	}
	return []dag.Variant{{Holds: tir.AllOf(dag.Entries(d.In[1], sizes)...), Node: dag.WithInts(d.Node, 1, sizes...)}}
}
