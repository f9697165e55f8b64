package op

import (
	"fmt"
	"testing"
)

// product is the plain matrix product of batches: x[b][i][k] and y[b][k][j] are
// found by the functions.
func product(shape []int, k int, x, y func(at []int, k int) float64) array {
	return each(shape, func(at []int) float64 {
		return sumOver(k, func(k int) float64 { return x(at, k) * y(at, k) })
	})
}

func TestMatmul(t *testing.T) {
	for _, c := range []struct{ ta, tb int }{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
		compare(t, fmt.Sprintf("matmul:m=5,n=7,k=11,ta=%d,tb=%d", c.ta, c.tb), allTypes, func(in []array) array {
			return product([]int{5, 7}, 11,
				func(at []int, k int) float64 { return flip(in[0], c.ta, nil, at[0], k) },
				func(at []int, k int) float64 { return flip(in[1], c.tb, nil, k, at[1]) })
		})
		for _, spec := range []string{"batch_matmul:b=3,m=5,n=7,k=4", "batch_matmul:b=1,m=5,n=7,k=4,batch=3", "matmul:m=5,n=7,k=4,batch=3"} {
			compare(t, fmt.Sprintf("%s,ta=%d,tb=%d", spec, c.ta, c.tb), allTypes, func(in []array) array {
				return product([]int{3, 5, 7}, 4,
					func(at []int, k int) float64 { return flip(in[0], c.ta, at[:1], at[1], k) },
					func(at []int, k int) float64 { return flip(in[1], c.tb, at[:1], k, at[2]) })
			})
		}
	}
}

// flip reads a[..., i, j], or a[..., j, i] if it is stored transposed.
func flip(a array, transposed int, lead []int, i, j int) float64 {
	if transposed == 1 {
		i, j = j, i
	}
	return a.at(append(append([]int(nil), lead...), i, j)...)
}

func TestDense(t *testing.T) {
	for _, spec := range []string{"dense:m=6,n=5,k=13", "dense:m=3,n=5,k=13,batch=2"} {
		compare(t, spec, allTypes, func(in []array) array {
			return product([]int{6, 5}, 13,
				func(at []int, k int) float64 { return in[0].at(at[0], k) },
				func(at []int, k int) float64 { return in[1].at(at[1], k) })
		})
	}
}

// TestConstantOperands: weights may be re-laid-out, what a model computes not.
func TestConstantOperands(t *testing.T) {
	for spec, want := range map[string]string{
		"matmul:m=4,n=4,k=4":                                 "",
		"batch_matmul:b=2,m=4,n=4,k=4":                       "",
		"dense:m=4,n=4,k=4":                                  "w",
		"conv2d:h=4,w=4,ci=4,co=4,k=3":                       "kernel",
		"depthwise:h=4,w=4,c=4,k=3":                          "kernel",
		"conv2d_transpose:h=4,w=4,ci=4,co=4,k=3":             "kernel",
		"conv2d_winograd:h=4,w=4,ci=4,co=4":                  "kernel",
		"conv3d:d=4,h=4,w=4,ci=4,co=4,k=3,p=1,epilogue=bias": "kernel",
	} {
		w, err := Parse(spec)
		if err != nil {
			t.Error(err)
			continue
		}
		got := ""
		for _, o := range w.DAG.Ops {
			for _, b := range o.Attrs.LayoutFree {
				got += b.Name
			}
		}
		if got != want {
			t.Errorf("%s: free layouts of %q, want %q", spec, got, want)
		}
	}
}
