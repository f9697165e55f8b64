// Package array has what references share: broadcasting, strides, conversions, and work divided over goroutines.
package array

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
)

// Broadcast returns the shape to which shapes broadcast, as NumPy and ONNX have it.
func Broadcast(shapes ...[]int64) ([]int64, error) {
	var r []int64
	for _, s := range shapes {
		if len(s) > len(r) {
			r = append(Ones(len(s)-len(r)), r...)
		}
		for i, d := range s {
			at := len(r) - len(s) + i
			if r[at] == 1 {
				r[at] = d
			} else if d != 1 && d != r[at] {
				return nil, fmt.Errorf("shapes %v do not broadcast", shapes)
			}
		}
	}
	return r, nil
}

func Ones(n int) []int64 { return slices.Repeat([]int64{1}, n) }

// Strides returns the distance between neighbours along each dimension of a row-major tensor.
func Strides(shape []int64) []int64 {
	s := make([]int64, len(shape))
	n := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = n
		n *= shape[i]
	}
	return s
}

// BroadcastStrides returns the strides of a tensor of shape as one of shape to: 0 along dimensions that repeat.
func BroadcastStrides(shape, to []int64) []int64 {
	s := make([]int64, len(to))
	for i, d := range Strides(shape) {
		if shape[i] != 1 {
			s[len(to)-len(shape)+i] = d
		}
	}
	return s
}

// Walk calls do for each point of shape, in row-major order, with its position and the offsets that lists of strides
// give it. The offsets are do's only during the call.
func Walk(shape []int64, do func(i int, at []int64), strides ...[]int64) {
	index, at := make([]int64, len(shape)), make([]int64, len(strides))
	for i := range int(graph.Elems(shape)) {
		do(i, at)
		for d := len(shape) - 1; d >= 0; d-- {
			index[d]++
			for k, s := range strides {
				at[k] += s[d]
			}
			if index[d] < shape[d] {
				break
			}
			for k, s := range strides {
				at[k] -= s[d] * shape[d]
			}
			index[d] = 0
		}
	}
}

// Axis returns a dimension that may be counted from the end as one from the beginning.
func Axis(a int64, rank int) (int, error) {
	if a < 0 {
		a += int64(rank)
	}
	if a < 0 || a >= int64(rank) {
		return 0, fmt.Errorf("axis %d of a tensor of %d dimensions", a, rank)
	}
	return int(a), nil
}
