package array

import "github.com/wmtune/wmtune/graph"

// Like returns a tensor of the type of x and another shape, all zeros.
func Like(x *graph.Tensor, shape []int64) *graph.Tensor {
	r := graph.NewTensor(x.Type, shape...)
	r.Narrow = x.Narrow
	return r
}

// Put copies element j of src to element i of dst, which is of the same type.
func Put(dst *graph.Tensor, i int64, src *graph.Tensor, j int64) {
	if dst.F != nil {
		dst.F[i] = src.F[j]
	} else {
		dst.I[i] = src.I[j]
	}
}

// Reshaped returns x with another shape of as many elements.
func Reshaped(x *graph.Tensor, shape []int64) *graph.Tensor {
	return &graph.Tensor{Type: x.Type, Shape: shape, F: x.F, I: x.I, Narrow: x.Narrow}
}

// View returns the tensor of shape whose element is that of x at base + the sum of index times stride.
func View(x *graph.Tensor, shape []int64, base int64, strides []int64) *graph.Tensor {
	r := Like(x, shape)
	Walk(shape, func(i int, at []int64) { Put(r, int64(i), x, base+at[0]) }, strides)
	return r
}

// Pick returns the tensor whose element is that of x at the indices that tables[d] holds for index d, or fill where one
// of them is negative. A fill of nil is 0.
func Pick(x *graph.Tensor, tables [][]int64, fill *graph.Tensor) *graph.Tensor {
	shape := make([]int64, len(tables))
	for d, t := range tables {
		shape[d] = int64(len(t))
	}
	r, stride, i := Like(x, shape), Strides(x.Shape), int64(0)
	var visit func(d int, at int64, outside bool)
	visit = func(d int, at int64, outside bool) {
		if d < len(tables) {
			for _, j := range tables[d] {
				visit(d+1, at+j*stride[d], outside || j < 0)
			}
			return
		}
		if !outside {
			Put(r, i, x, at)
		} else if fill != nil {
			Put(r, i, fill, 0)
		}
		i++
	}
	visit(0, 0, false)
	return r
}

// UpTo returns 0, 1, ... n-1.
func UpTo(n int64) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return list
}
