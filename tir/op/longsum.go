package op

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// longSum is how many float32 numbers of a model are added up in float64 at least, in a wide sum. In float32, a sum of
// so many may lose several digits, how many depends on the schedule, and the sum of equal numbers is off by their
// number.
const longSum = 1000

// isLong reports whether c adds up so many numbers over the reduce axes of s that float32 would lose digits.
func (g *Builder) isLong(s *Stage, c *compute.Combiner) bool {
	count := int64(1)
	for _, a := range s.Reduce {
		count *= a.Extent
	}
	return g.style.model && c.Kind == compute.Sum && c.Acc[0].Type == tir.F32 && count >= longSum
}

// Mean is the mean of n numbers from their sum. That of many is a quotient, which rounds once, and that of few a
// product.
func Mean(sum tir.Expr, n int64) tir.Expr {
	if n >= longSum {
		return tir.Bin(tir.Div, sum, tir.Const(sum.DType(), float64(n)))
	}
	return mul(sum, tir.Const(sum.DType(), 1/float64(n)))
}

// sumLong is Fold of a long sum. It has a stage of its own that rounds it, as an output of a program is float32:
//
//	sum(i) += x[i, k]
//	=>
//	sum_wide(i) += x[i, k]
//	sum(i) = sum_wide[i]
func (g *Builder) sumLong(s *Stage, c *compute.Combiner, source tir.Expr) compute.Tensor {
	c.Wide = true
	sum := g.Reduce(g.unique(s.name+"_wide"), s.Axes, s.Reduce, c, []tir.Expr{source}, compute.Attrs{})[0]
	var axes []*compute.Axis
	for _, a := range s.Axes {
		axes = append(axes, compute.NewAxis(a.Var.Name, a.Extent))
	}
	return g.Compute(s.name, axes, sum.At(compute.Vars(axes)...))
}
