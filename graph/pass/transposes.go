package pass

import (
	"context"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/dag"
	"github.com/wmtune/wmtune/graph/op/extent"
)

// sinkTransposes moves transposes behind what does not care, so that they meet and cancel:
//
//	a = Transpose(x) perm=p; y = Relu(a)         =>    b = Relu(x); y = Transpose(b) perm=p
//	a = Transpose(x) perm=p; y = Transpose(a) perm=q    =>    y = Transpose(x) perm=p[q], or x itself
//
// What does not care are elementwise nodes and concatenations most of whose elements were transposed alike, reductions,
// and, if the result is transposed back somewhere, slices, paddings, resizing, and reshapes that divide dimensions or
// join neighbours. A transpose that moves only dimensions of extent 1 becomes a Reshape.
func sinkTransposes(ctx context.Context, g *graph.Graph) error {
	e := edit(ctx, g, "transposes")
	if err := e.each(e.sink); err != nil {
		return err
	}
	return unused(ctx, g)
}

// sink reports whether it has replaced n.
func (e *editor) sink(n *graph.Node) bool {
	if perm := permOf(n); perm != nil {
		return e.cancel(n, perm)
	}
	if n.Domain == "" && n.Op == "DynamicQuantizeLinear" {
		return e.behindDynamic(n)
	}
	if len(n.Outputs) != 1 || len(n.Inputs) == 0 {
		return false
	}
	if isReshape(n) {
		return e.behindReshape(n)
	}
	perm := e.transposed(n)
	if perm == nil {
		return false
	}
	inputs, attrs, ok := e.before(n, perm)
	return ok && e.becomes(n, e.transposeOrReshape(n, e.like(n, inputs, attrs...), perm))
}

// behindDynamic has a transpose stand behind the DynamicQuantizeLinear n that reads it: then it moves bytes.
func (e *editor) behindDynamic(n *graph.Node) bool {
	t := e.made[n.Inputs[0]]
	perm := permOf(t)
	if perm == nil || t.Inputs[0].Extents != nil {
		return false
	}
	k := &graph.Node{Name: n.Name, Op: n.Op, Version: n.Version, Inputs: t.Inputs[:1:1]}
	for _, v := range n.Outputs {
		k.Outputs = append(k.Outputs, &graph.Value{Name: e.name(first(n).Name + ".")})
		if v != nil {
			e.replace(v, k.Outputs[len(k.Outputs)-1])
		}
	}
	_, err := op.InferNode(e.ctx, k)
	e.check(err)
	e.add(k)
	if y := n.Outputs[0]; y != nil {
		e.replace(y, e.transposeOrReshape(n, k.Outputs[0], perm))
	}
	return true
}

// cancel joins a transpose with one before it.
func (e *editor) cancel(n *graph.Node, perm []int64) bool {
	x := n.Inputs[0]
	if p := e.made[x]; permOf(p) != nil {
		perm, x = permute(permOf(p), perm), p.Inputs[0]
	}
	if x == n.Inputs[0] && !keepsOrder(x.Shape, perm) {
		return false
	}
	return e.becomes(n, e.transposeOrReshape(n, x, perm))
}

// transposeOrReshape transposes x as cheaply as can be.
func (e *editor) transposeOrReshape(like *graph.Node, x *graph.Value, perm []int64) *graph.Value {
	shape := permute(x.Shape, perm)
	switch {
	case slices.IsSorted(perm):
		return x
	case keepsOrder(x.Shape, perm):
		return e.reshape(like, x, shape)
	}
	return e.transpose(like, x, perm)
}

// isReshape reports whether a node, or nil, is a reshape and no more: one whose shape is computed checks it as well.
func isReshape(n *graph.Node) bool {
	return n != nil && n.Domain == "" && n.Op == "Reshape" && op.IsAlias(n)
}

func (e *editor) reshape(like *graph.Node, x *graph.Value, shape []int64) *graph.Value {
	if slices.Equal(x.Shape, shape) {
		return x
	}
	if n := e.made[x]; isReshape(n) {
		return e.reshape(like, n.Inputs[0], shape)
	}
	to := graph.Constant(e.name(x.Name+".shape"), graph.Ints(shape...))
	return e.apply(like, "Reshape", []*graph.Value{x, to}, graph.IntAttr("allowzero", 1))
}

// transposed returns the order by which the first transposed operand of n was, or nil.
func (e *editor) transposed(n *graph.Node) []int64 {
	for _, v := range n.Inputs {
		if perm := permOf(e.made[v]); perm != nil && len(v.Shape) == len(n.Outputs[0].Shape) {
			return perm
		}
	}
	return nil
}

// before returns the inputs and attributes that n has if it stands before the transpose of its operands by perm; ok is
// false if it cannot, or if that would not pay.
func (e *editor) before(n *graph.Node, perm []int64) (inputs []*graph.Value, attrs []graph.Attr, ok bool) {
	source := func(v *graph.Value) *graph.Value { // of a value that was transposed by perm, or nil
		if p := e.made[v]; slices.Equal(permOf(p), perm) {
			return p.Inputs[0]
		}
		return nil
	}
	concat := n.Domain == "" && n.Op == "Concat"
	switch {
	case concat:
		attrs = []graph.Attr{graph.IntAttr("axis", movedAxes([]int64{n.Int("axis", 0)}, perm)[0])}
	case movesPlaces(n):
		if source(n.Inputs[0]) == nil || !e.undone(n.Outputs[0], perm) {
			return nil, nil, false
		}
		return e.beforeMove(n, perm)
	case n.Domain == "" && reduces[n.Op] && n.Int("keepdims", 1) == 1:
		return e.beforeReduction(n, perm)
	case extent.IsMask(n):
		return []*graph.Value{e.made[n.Inputs[0]].Inputs[0], n.Inputs[1]}, extent.Transposed(n, perm), true
	case !dag.Pointwise(n):
		return nil, nil, false
	}
	gain := int64(0)
	for _, v := range n.Inputs {
		x := source(v)
		switch {
		case x != nil && len(v.Shape) == len(perm):
			gain += v.Elems()
		case v == nil || v.Elems() == 1 && len(v.Shape) <= len(perm) && !concat:
			x = v // in any order; some operators want it as a scalar
		default:
			if v.Const == nil && !keepsOrder(expand(v.Shape, len(perm)), inverse(perm)) {
				gain -= v.Elems()
			}
			x = e.transposeOrReshape(n, e.reshape(n, v, expand(v.Shape, len(perm))), inverse(perm))
		}
		inputs = append(inputs, x)
	}
	return inputs, attrs, gain > 0
}

// undone reports whether one that reads v, or what elementwise nodes and the like make of it, transposes that back.
func (e *editor) undone(v *graph.Value, perm []int64) bool {
	key, back := fmt.Sprint(perm), inverse(perm)
	if e.undoes[key] == nil {
		list := map[*graph.Value]bool{}
		for _, n := range slices.Backward(e.g.Nodes) {
			p := permOf(n)
			passes := p == nil && len(n.Outputs) == 1 && list[n.Outputs[0]] &&
				(n.Domain == "" && n.Op == "Concat" || movesPlaces(n) || extent.IsMask(n) || dag.Pointwise(n))
			if passes || slices.Equal(p, back) {
				for _, x := range n.Inputs {
					list[x] = true
				}
			}
		}
		e.undoes[key] = list
	}
	return e.undoes[key][v]
}

// expand puts dimensions of extent 1 before a shape.
func expand(shape []int64, rank int) []int64 {
	return append(slices.Repeat([]int64{1}, rank-len(shape)), shape...)
}

// reduces are the reductions whose axes are an attribute or a constant input.
var reduces = map[string]bool{
	"ReduceMean": true, "ReduceSum": true, "ReduceMax": true, "ReduceMin": true, "ReduceProd": true, "ReduceL1": true,
	"ReduceL2": true, "ReduceLogSum": true, "ReduceLogSumExp": true, "ReduceSumSquare": true,
}

func (e *editor) beforeReduction(n *graph.Node, perm []int64) ([]*graph.Value, []graph.Attr, bool) {
	inputs := []*graph.Value{e.made[n.Inputs[0]].Inputs[0]}
	if axes := n.Ints("axes"); len(axes) > 0 {
		return inputs, []graph.Attr{graph.IntsAttr("axes", movedAxes(axes, perm)...)}, true
	}
	axes := n.Input(1)
	if axes == nil {
		return inputs, nil, true
	}
	if axes.Const == nil {
		return nil, nil, false
	}
	return append(inputs, e.ints(axes.Name, movedAxes(axes.Const.Tensor().I, perm))), nil, true
}

// movesPlaces reports whether n takes or places elements along single axes.
func movesPlaces(n *graph.Node) bool {
	return n.Domain == "" && (n.Op == "Slice" || n.Op == "Pad") ||
		n.Domain == "wmtune" && (n.Op == "ResizeAxis" || n.Op == "Gather" && computed(n.Inputs[1]))
}

// computed reports whether v is a vector of indices that are known at run time.
func computed(v *graph.Value) bool { return v.Const == nil && len(v.Shape) == 1 }

// beforeMove is before of such a node, whose first input was transposed.
func (e *editor) beforeMove(n *graph.Node, perm []int64) ([]*graph.Value, []graph.Attr, bool) {
	inputs := slices.Clone(n.Inputs)
	inputs[0] = e.made[n.Inputs[0]].Inputs[0]
	constant := func(i int) bool { return n.Input(i) != nil && n.Inputs[i].Const != nil }
	known := func(i int) bool { return n.Input(i) == nil || constant(i) }
	switch {
	case n.Op == "ResizeAxis" || n.Op == "Gather":
		return inputs, []graph.Attr{graph.IntAttr("axis", perm[n.Int("axis", 0)])}, true
	case n.Op == "Slice" && n.Version >= 10 && constant(1) && constant(2) && known(3) && known(4):
		axes := unchanged(int(n.Inputs[1].Elems()))
		if n.Input(3) != nil {
			axes = n.Inputs[3].Const.Tensor().I
		}
		inputs = append(inputs, nil)[:max(4, len(inputs))]
		inputs[3] = e.ints(n.Outputs[0].Name, movedAxes(axes, perm))
		return inputs, nil, true
	case n.Op == "Pad" && n.Version >= 11 && constant(1) && n.Input(3) == nil:
		pads, back := n.Inputs[1].Const.Tensor().I, inverse(perm)
		before, after := pads[:len(perm)], pads[len(perm):]
		inputs[1] = e.ints(n.Inputs[1].Name, append(permute(before, back), permute(after, back)...))
		return inputs, nil, true
	}
	return nil, nil, false
}

// movedAxes returns which axes of a tensor axes are after it was transposed by perm.
func movedAxes(axes, perm []int64) []int64 {
	r := make([]int64, len(axes))
	for i, a := range axes {
		if a < 0 {
			a += int64(len(perm))
		}
		r[i] = perm[a]
	}
	return r
}
