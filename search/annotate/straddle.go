package annotate

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Grains that say which length a tile has. Of columns that are fewer than the lanes of a vector a tile has all, or goes
// through them one by one.
const (
	wholeColumn = math.MaxInt64 - iota
	oneByOne
	oneRow // of an axis of an image of which a tile has one row
)

// longSum is how many vectors of a sum are worth the sum of their lanes.
const longSum = 16

// grainsOf returns by what a step of a reduction divides the axis of each split to find
// an operand, or 1: the channels of a group, of a grouped convolution. Few columns are a whole, unless a long sum
// can go along lanes: what is left of a vector would be numbers that are added one by one.
func (a *Sampler) grainsOf(ops []*compute.Op, op *compute.Op, inner int, group []schedule.Step) []int64 {
	axes := slices.Concat(op.Axes, op.ReduceAxes)
	grains, inner0 := make([]int64, len(group)), inner
	for i, step := range group {
		sp := step.(schedule.Split)
		v := axes[sp.Iter-inner].Var
		inner += len(sp.Lengths)
		grains[i] = 1
		if lanes := int64(a.Target.Hardware.VectorBytes / 4); sp.Extent > 1 && sp.Extent < lanes && isTile(group) &&
			IsColumnSplit(group, i) {
			k := op.ReduceAxes[len(op.ReduceAxes)-1]
			switch {
			case liesApart(op, k.Var):
				grains[i] = wholeColumn
				continue
			case liesApart(op, v) && 4*sp.Extent < 3*lanes && k.Extent >= longSum*lanes:
				grains[i] = oneByOne
				continue
			}
		}
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
	a.apart(ops, op, inner0, group, grains)
	return grains
}

// fillWhole fills the open splits of a stage. A tile has all of few columns.
func (c *choice) fillWhole(steps []schedule.Step, open int, grains []int64) {
	c.fillGroup(steps, open)
	for i := range open {
		switch sp := steps[i].(schedule.Split); grains[i] {
		case wholeColumn:
			sp.Lengths = slices.Repeat([]int64{1}, len(sp.Lengths))
			sp.Lengths[len(sp.Lengths)-1] = sp.Extent
			steps[i] = sp
		case oneByOne:
			sp.Lengths = append(c.Lengths(sp.Extent, len(sp.Lengths)-1, false, c.rng), 1)
			steps[i] = sp
		case oneRow:
			sp.Lengths = append(c.Lengths(sp.Extent, len(sp.Lengths)-2, false, c.rng), 1, 1)
			steps[i] = sp
		}
	}
}

// liesApart reports whether an operand of a sum, whose layout is given, has no neighbours along an axis.
func liesApart(op *compute.Op, k *tir.Var) bool {
	return slices.ContainsFunc(op.Body, func(e tir.Expr) bool {
		return tir.HasExpr(e, func(x tir.Expr) bool {
			l, ok := x.(*tir.Load)
			if !ok || slices.Contains(op.Attrs.LayoutFree, l.Buffer) {
				return false
			}
			step := int64(0)
			for d, stride := range l.Buffer.ElemStrides() {
				n, affine := arith.Coefficient(l.Index[d], k)
				if !affine {
					return false
				}
				step += n * stride
			}
			return step != 0 && step != 1
		})
	})
}

// straddles reports whether a vector of the innermost tile begins at another place of a
// group of channels in each tile, so that it must gather an operand, or has some of few columns. Of 40 samples of a
// convolution with 8 channels a group, tiles of 20 channels take 2.4 times as long as those
// of 40 at least, and tiles of 13, 26 and 52 six times as long as those of 8
// (lab/models/plan/sapphirerapids.arrow.zst).
func (a *Sampler) straddles(group []schedule.Step, grains []int64) bool {
	if a.Target.Hardware.WarpSize > 0 {
		return false
	}
	half := int64(max(a.Target.Hardware.VectorBytes/8, 1))
	for i, step := range group {
		if lengths := step.(schedule.Split).Lengths; grains[i] == oneRow {
			if slices.Max(lengths[len(lengths)-2:]) > 1 {
				return true
			}
			continue
		}
		if grains[i] == 1 || !isVectorSplit(group, i) {
			continue
		}
		lengths := step.(schedule.Split).Lengths
		tile := lengths[len(lengths)-1]
		if few := grains[i] >= oneByOne; few {
			if tile != map[int64]int64{wholeColumn: step.(schedule.Split).Extent, oneByOne: 1}[grains[i]] {
				return true
			}
			continue
		}
		common := arith.GCD(tile, grains[i])
		return common < min(tile, grains[i], half)
	}
	return false
}
