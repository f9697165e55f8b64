package op

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// rows folds each row of x (axis 1) or column (axis 0).
func rows(axis int, x array, fold func(list []float64) float64) array {
	m, n := x.shape[0], x.shape[1]
	if axis == 0 {
		return each([]int{1, n}, func(at []int) float64 {
			list := make([]float64, m)
			for i := range list {
				list[i] = x.at(i, at[1])
			}
			return fold(list)
		})
	}
	return each([]int{m, 1}, func(at []int) float64 {
		return fold(x.data[at[0]*n : (at[0]+1)*n])
	})
}

func average(list []float64) float64 { return total(list) / float64(len(list)) }

func firstLargest(list []float64) float64 {
	best := 0
	for i, v := range list {
		if v > list[best] {
			best = i
		}
	}
	return float64(best)
}

func TestReduce(t *testing.T) {
	for _, c := range []struct {
		op     string
		dtypes []string
		fold   func(list []float64) float64
	}{
		{"sum", allTypes, total},
		{"max", allTypes, largest},
		{"min", allTypes, func(l []float64) float64 {
			m := math.Inf(1)
			for _, v := range l {
				m = min(m, v)
			}
			return m
		}},
		{"mean", floatTypes, average},
		{"argmax", allTypes, firstLargest},
	} {
		for _, shape := range []string{"m=6,n=13", "m=3,n=13,batch=2", "m=6,n=1"} {
			for axis := range 2 {
				spec := fmt.Sprintf("%s:%s,axis=%d", c.op, shape, axis)
				if axis == 0 && strings.Contains(shape, "batch") {
					refused(t, spec, "batch=2 with axis=0: a column would run through all 2 problems")
					continue
				}
				compare(t, spec, c.dtypes, func(in []array) array { return rows(axis, in[0], c.fold) })
			}
		}
	}
	refused(t, "variance:m=3,n=13,batch=2,axis=0", "batch=2 with axis=0")
	refusedInts(t, "mean:m=4,n=4")
	refusedInts(t, "variance:m=4,n=4")
}

// TestArgmaxOfEquals: the first place wins.
func TestArgmaxOfEquals(t *testing.T) {
	few := func(r *rand.Rand, _ tir.DType) float64 { return float64(r.IntN(3)) }
	compareOn(t, "argmax:m=40,n=9", allTypes, few, func(in []array) array { return rows(1, in[0], firstLargest) })
}

func TestVariance(t *testing.T) {
	for axis := range 2 {
		compare(t, fmt.Sprintf("variance:m=5,n=9,axis=%d", axis), floatTypes, func(in []array) array {
			at := 0
			return rows(axis, in[0], func(list []float64) float64 {
				mean := in[1].data[at] // whatever the caller says
				at++
				return sumOver(len(list), func(i int) float64 { return (list[i] - mean) * (list[i] - mean) }) / float64(len(list))
			})
		})
	}
}

func TestSoftmax(t *testing.T) {
	for _, spec := range []string{"softmax:m=4,n=9", "softmax:m=2,n=9,batch=2"} {
		compare(t, spec, floatTypes, func(in []array) array {
			return each([]int{4, 9}, func(at []int) float64 {
				row := in[0].data[at[0]*9 : at[0]*9+9]
				return math.Exp(row[at[1]]) / sumOver(9, func(i int) float64 { return math.Exp(row[i]) })
			})
		})
	}
	large := func(r *rand.Rand, t tir.DType) float64 { return 200 + anyNumber(r, t) }
	compareOn(t, "softmax:m=4,n=9", []string{"f32", "f64"}, large, func(in []array) array {
		return each([]int{4, 9}, func(at []int) float64 {
			row := in[0].data[at[0]*9 : at[0]*9+9]
			return 1 / sumOver(9, func(i int) float64 { return math.Exp(row[i] - row[at[1]]) })
		})
	})
	refusedInts(t, "softmax:m=4,n=4")
}

func TestLayerNorm(t *testing.T) {
	for _, spec := range []string{"layernorm:m=4,n=9", "layernorm:m=2,n=9,batch=2"} {
		compare(t, spec, floatTypes, func(in []array) array {
			return each([]int{4, 9}, func(at []int) float64 {
				row := in[0].data[at[0]*9 : at[0]*9+9]
				mean := average(row)
				variance := sumOver(9, func(i int) float64 { return (row[i] - mean) * (row[i] - mean) }) / 9
				return (row[at[1]]-mean)/math.Sqrt(variance+1e-5)*in[1].at(at[1]) + in[2].at(at[1])
			})
		})
	}
	refusedInts(t, "layernorm:m=4,n=4")
}
