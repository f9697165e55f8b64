package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A split says along which axes a tensor is reduced. The result keeps the others, and the reduced ones with extent 1 if
// keep is set.
type split struct {
	shape []int64
	axes  []int // in order
	keep  bool
}

// result is the shape of the result.
func (s split) result() []int64 {
	r := []int64{}
	for d, n := range s.shape {
		switch {
		case !slices.Contains(s.axes, d):
			r = append(r, n)
		case s.keep:
			r = append(r, 1)
		}
	}
	return r
}

// count is the number of elements that become one.
func (s split) count() int64 {
	n := int64(1)
	for _, d := range s.axes {
		n *= s.shape[d]
	}
	return n
}

// at returns where the result has what the element of the tensor at a position goes into.
func (s split) at(position []tir.Expr) []tir.Expr {
	var list []tir.Expr
	for d, e := range position {
		switch {
		case !slices.Contains(s.axes, d):
			list = append(list, e)
		case s.keep:
			list = append(list, tir.Int(0))
		}
	}
	return list
}

// fold adds a stage that folds a value for each element of the tensor.
func (s split) fold(b *Body, name string, c *compute.Combiner, value func(at []tir.Expr) tir.Expr) compute.Tensor {
	return s.foldAll(b, name, c, func(at []tir.Expr) []tir.Expr { return []tir.Expr{value(at)} })[0]
}

// foldAll is fold of several values at once. Without axes to reduce, nothing is folded.
func (s split) foldAll(b *Body, name string, c *compute.Combiner, values func(at []tir.Expr) []tir.Expr,
) []compute.Tensor {
	kept, _ := b.Axes(s.result())
	var reduced []*compute.Axis
	at := make([]tir.Expr, len(s.shape))
	k := 0
	for d, n := range s.shape {
		if slices.Contains(s.axes, d) {
			a := compute.NewAxis(fmt.Sprintf("k%d", len(reduced)), n)
			reduced, at[d] = append(reduced, a), a.Var
			if !s.keep {
				continue
			}
		} else {
			at[d] = kept[k].Var
		}
		k++
	}
	if len(reduced) == 0 {
		c = nil
	}
	return b.Reduce(b.Unique(name), kept, reduced, c, values(at), compute.Attrs{})
}

// place returns the place of an element among those that become one, in row-major order.
func (s split) place(at []tir.Expr) tir.Expr {
	var e tir.Expr = tir.Int(0)
	for i, d := range s.axes {
		if i == 0 {
			e = at[d]
		} else {
			e = add(mul(e, tir.Int(s.shape[d])), at[d])
		}
	}
	return e
}

// each calls f with the offsets, in row-major order, of the elements that become one, for each element of the result,
// in order.
func (s split) each(f func(i int, places []int)) {
	outer, inner := slices.Clone(s.shape), ones(len(s.shape))
	for _, d := range s.axes {
		outer[d], inner[d] = 1, s.shape[d]
	}
	steps := strides(s.shape)
	places := make([]int, 0, graph.Elems(inner))
	walk(outer, func(i int, base []int64) {
		places = places[:0]
		first := int(base[0])
		walk(inner, func(_ int, at []int64) { places = append(places, first+int(at[0])) }, steps)
		f(i, places)
	}, steps)
}
