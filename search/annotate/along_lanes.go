package annotate

import (
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// alongLanes reports whether a sum of products whose result has few columns goes along lanes
// (tir/lower/lanewise.go). Its last loop is whole: what tiles leave of vectors would go through the other loops again.
func (a *Sampler) alongLanes(op *compute.Op, group []schedule.Step) bool {
	if a.Target.Hardware.WarpSize > 0 || !a.suitsMatter() || !isTile(group) || len(op.ReduceAxes) == 0 {
		return false
	}
	k := op.ReduceAxes[len(op.ReduceAxes)-1]
	lanes := int64(a.Target.Hardware.VectorBytes / 4)
	columns := op.Axes[len(op.Axes)-1].Extent
	long := columns == 1 && 2*k.Extent >= lanes || 2*columns < lanes && k.Extent >= manyVectors*lanes
	return long && k.Extent <= mostAlongLanes && len(op.ReduceAxes) > 1 && !liesApart(op, k.Var)
}

// mostAlongLanes is how long the last loop of a sum is at most that tiles have whole, manyVectors how many vectors it
// has at least where there are several columns: their tiles have one each.
const (
	mostAlongLanes = 256
	manyVectors    = 8
)

// isAlongLanes reports whether grains are those of a sum that goes along lanes.
func isAlongLanes(grains []int64) bool { return grains[len(grains)-1] == wholeColumn }
