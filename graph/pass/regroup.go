package pass

import (
	"cmp"
	"slices"

	"github.com/wmtune/wmtune/graph"
)

// behindReshape has a transpose stand behind the reshape n that reads it, if it is undone there, or if it then moves
// dimensions of extent 1 only. One that others read too is not repeated unless all that read n's result undo it:
//
//	a = Transpose(x: [1, 196, 64]) perm=[0, 2, 1]; y = Reshape(a) to [1, 64, 14, 14]
//	=>
//	b = Reshape(x) to [1, 14, 14, 64]; y = Transpose(b) perm=[0, 3, 1, 2]
func (e *editor) behindReshape(n *graph.Node) bool {
	t, y := e.made[n.Inputs[0]], n.Outputs[0]
	perm := permOf(t)
	if perm == nil || y.Extents != nil || t.Inputs[0].Extents != nil || !y.Known() || !t.Inputs[0].Known() {
		return false
	}
	shape, order := regroup(t.Inputs[0].Shape, perm, y.Shape)
	if order == nil || !slices.IsSorted(order) && !e.paysBehind(n, order) {
		return false
	}
	return e.becomes(n, e.transposeOrReshape(n, e.reshape(n, t.Inputs[0], shape), order))
}

// paysBehind reports whether a transpose before the reshape n is undone behind it, and is not there twice then.
func (e *editor) paysBehind(n *graph.Node, order []int64) bool {
	if others, leaves := e.readers(n.Inputs[0]); len(others) == 1 && !leaves {
		return e.undone(n.Outputs[0], order)
	}
	list, leaves := e.readers(n.Outputs[0])
	back := inverse(order)
	return !leaves && len(list) > 0 &&
		!slices.ContainsFunc(list, func(k *graph.Node) bool { return !slices.Equal(permOf(k), back) })
}

// readers lists the nodes that read v now, and says whether v leaves the graph, or is read inside of a node.
func (e *editor) readers(v *graph.Value) (list []*graph.Node, leaves bool) {
	is := func(x *graph.Value) bool { return e.now(x) == v }
	for _, n := range e.g.Nodes {
		if slices.ContainsFunc(n.Inputs, is) {
			list = append(list, n)
		}
		leaves = leaves || readInside(n, is)
	}
	return list, leaves || slices.ContainsFunc(e.g.Outputs, is)
}

// readInside reports whether the graphs in the attributes of n read such a value.
func readInside(n *graph.Node, is func(*graph.Value) bool) bool {
	for _, a := range n.Attrs {
		for _, g := range a.Graphs {
			if slices.ContainsFunc(g.Outputs, is) || slices.ContainsFunc(g.Nodes, func(k *graph.Node) bool {
				return slices.ContainsFunc(k.Inputs, is) || readInside(k, is)
			}) {
				return true
			}
		}
	}
	return false
}

// regroup returns a shape and an order of dimensions: a tensor reshaped and then transposed by them is what it is if it
// is transposed by perm and then reshaped to out. There are such if out divides dimensions, and joins those that lie
// side by side in the tensor; else both are nil.
func regroup(in, perm, out []int64) (shape, order []int64) {
	from, to := longer(permute(in, perm)), longer(out) // dimensions of extent 1 may be anywhere
	var groups []group
	for len(from) > 0 && len(to) > 0 {
		last := perm[from[0]]
		g := group{in: last, out: to[0]}
		before, after := in[last], out[to[0]]
		from, to = from[1:], to[1:]
		for before != after {
			switch {
			case before > after && len(to) > 0:
				after, to = after*out[to[0]], to[1:]
			case before < after && len(from) > 0:
				next := perm[from[0]]
				if next < last || len(longer(in[last+1:next])) > 0 {
					return nil, nil
				}
				before, last, from = before*in[next], next, from[1:]
			default:
				return nil, nil
			}
		}
		groups = append(groups, g)
	}
	if len(groups) == 0 || len(from)+len(to) > 0 {
		return nil, nil
	}
	if groups[0].out > 0 {
		groups = slices.Insert(groups, 0, group{in: -1}) // the dimensions before stay the first ones
	}
	for i := range groups {
		groups[i].end = len(out)
		if i > 0 {
			groups[i-1].end = groups[i].out
		}
	}
	slices.SortFunc(groups, func(a, b group) int { return cmp.Compare(a.in, b.in) })
	order = make([]int64, len(out))
	for _, g := range groups {
		for d := g.out; d < g.end; d++ {
			order[d] = int64(len(shape))
			shape = append(shape, out[d])
		}
	}
	return shape, order
}

// A group is dimensions side by side, that a reshape makes others of.
type group struct {
	in       int64 // the first of them
	out, end int   // what they become
}

// longer lists the dimensions whose extent is not 1.
func longer(shape []int64) []int {
	var list []int
	for d, n := range shape {
		if n != 1 {
			list = append(list, d)
		}
	}
	return list
}
