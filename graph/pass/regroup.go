package pass

import (
	"cmp"
	"slices"

	"github.com/wmtune/wmtune/graph"
)

// behindReshape has a transpose stand behind the reshape n that reads it, if it is undone there:
//
//	a = Transpose(x: [1, 196, 64]) perm=[0, 2, 1]; y = Reshape(a) to [1, 64, 14, 14]
//	=>
//	b = Reshape(x) to [1, 14, 14, 64]; y = Transpose(b) perm=[0, 3, 1, 2]
func (e *editor) behindReshape(n *graph.Node) (bool, error) {
	t, y := e.made[n.Inputs[0]], n.Outputs[0]
	perm := permOf(t)
	if perm == nil || y.Extents != nil || t.Inputs[0].Extents != nil {
		return false, nil
	}
	shape, order := regroup(t.Inputs[0].Shape, perm, y.Shape)
	if order == nil || !slices.IsSorted(order) && !e.undone(y, order) {
		return false, nil
	}
	x, err := e.reshape(n, t.Inputs[0], shape)
	if err == nil {
		x, err = e.transposeOrReshape(n, x, order)
	}
	if err != nil {
		return false, err
	}
	e.replace(y, x)
	return true, nil
}

// regroup returns the shape and then the order of dimensions that make of a tensor what its dimensions in the order of
// perm and then the shape out make of it; nil if none do. That is so if out divides dimensions, and joins those that lie
// side by side before.
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
