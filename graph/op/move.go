package op

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// like returns a tensor of the type of x and another shape, all zeros.
func like(x *graph.Tensor, shape []int64) *graph.Tensor { return graph.NewTensor(x.Type, shape...) }

// put copies element j of src to element i of dst, which is of the same type.
func put(dst *graph.Tensor, i int64, src *graph.Tensor, j int64) {
	if dst.F != nil {
		dst.F[i] = src.F[j]
	} else {
		dst.I[i] = src.I[j]
	}
}

// reshaped returns x with another shape of as many elements.
func reshaped(x *graph.Tensor, shape []int64) *graph.Tensor {
	return &graph.Tensor{Type: x.Type, Shape: shape, F: x.F, I: x.I}
}

// view returns the tensor of shape whose element is that of x at base + the sum of index times stride.
func view(x *graph.Tensor, shape []int64, base int64, strides []int64) *graph.Tensor {
	r := like(x, shape)
	walk(shape, func(i int, at []int64) { put(r, int64(i), x, base+at[0]) }, strides)
	return r
}

// pick returns the tensor whose element is that of x at the indices that tables[d] holds for index d, or fill where one
// of them is negative. A fill of nil is 0.
func pick(x *graph.Tensor, tables [][]int64, fill *graph.Tensor) *graph.Tensor {
	shape := make([]int64, len(tables))
	for d, t := range tables {
		shape[d] = int64(len(t))
	}
	r, stride, i := like(x, shape), strides(x.Shape), int64(0)
	var visit func(d int, at int64, outside bool)
	visit = func(d int, at int64, outside bool) {
		if d < len(tables) {
			for _, j := range tables[d] {
				visit(d+1, at+j*stride[d], outside || j < 0)
			}
			return
		}
		if !outside {
			put(r, i, x, at)
		} else if fill != nil {
			put(r, i, fill, 0)
		}
		i++
	}
	visit(0, 0, false)
	return r
}

// upTo returns 0, 1, ... n-1.
func upTo(n int64) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return list
}

// integers returns the elements of an operand that is a list of integers, or nil for one that is left out. It is an
// *OpenError if they are not known ahead of time.
func integers(n *graph.Node, i int) ([]int64, error) {
	v := n.Input(i)
	if v == nil {
		return nil, nil
	}
	if !v.Type.IsInt() || len(v.Shape) > 1 {
		return nil, fmt.Errorf("input %d is %s: it must be a list of integers", i, v)
	}
	if v.Elems() == 0 {
		return []int64{}, nil
	}
	if v.Const == nil {
		return nil, &OpenError{Input: i}
	}
	return v.Const.Tensor().I, nil
}

// list returns the elements of an argument that is a list of integers, or nil for one that is left out.
func list(in []*graph.Tensor, i int) []int64 {
	if i >= len(in) || in[i] == nil {
		return nil
	}
	return in[i].I
}

// plus returns e + c.
func plus(e tir.Expr, c int64) tir.Expr {
	switch {
	case c == 0:
		return e
	case c < 0:
		return sub(e, tir.Int(-c))
	}
	return add(e, tir.Int(c))
}

// times returns e * c.
func times(e tir.Expr, c int64) tir.Expr {
	if c == 1 {
		return e
	}
	return mul(e, tir.Int(c))
}
