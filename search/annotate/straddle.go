package annotate

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// grainsOf returns by what a step of a reduction divides the axis of each split to find
// an operand, or 1: the channels of a group, of a grouped convolution.
func grainsOf(op *compute.Op, inner int, group []schedule.Step) []int64 {
	axes := slices.Concat(op.Axes, op.ReduceAxes)
	grains := make([]int64, len(group))
	for i, step := range group {
		sp := step.(schedule.Split)
		v := axes[sp.Iter-inner].Var
		inner += len(sp.Lengths)
		grains[i] = 1
		for _, body := range op.Body {
			tir.VisitExpr(body, func(e tir.Expr) bool {
				b, ok := e.(*tir.Binary)
				if !ok || b.Op != tir.FloorDiv && b.Op != tir.FloorMod || !tir.Uses(b.X, v) {
					return true
				}
				if n, ok := b.Y.(*tir.IntImm); ok {
					grains[i] = max(grains[i], n.Value)
				}
				return true
			})
		}
	}
	return grains
}

// straddles reports whether a vector of the innermost tile begins at another place of a
// group of channels in each tile, so that it must gather an operand. Of 40 samples of a
// convolution with 8 channels a group, tiles of 20 channels take 2.4 times as long as those
// of 40 at least, and tiles of 13, 26 and 52 six times as long as those of 8
// (lab/models/plan/sapphirerapids.arrow.zst).
func (a *Sampler) straddles(group []schedule.Step, grains []int64) bool {
	if a.Target.Hardware.WarpSize > 0 {
		return false
	}
	half := int64(max(a.Target.Hardware.VectorBytes/8, 1))
	for i, step := range group {
		if grains[i] == 1 || !isVectorSplit(group, i) {
			continue
		}
		lengths := step.(schedule.Split).Lengths
		tile := lengths[len(lengths)-1]
		common := arith.GCD(tile, grains[i])
		return common < min(tile, grains[i], half)
	}
	return false
}
