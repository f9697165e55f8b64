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
// through them one by one. Where columns lie apart, as the steps of their sum do, a tile has whole vectors of them, and
// steps in blocks that are read at once and transposed.
const (
	wholeColumn = math.MaxInt64 - iota
	oneByOne
	oneRow // of an axis of an image or of a batch of which a tile has one
	fullVectors
	inBlocks
)

// mostVectors is how many vectors of columns that lie apart a step of a sum reads at the most: rows of more, a power of
// two apart, leave the first-level cache before all of a line is read.
const mostVectors = 2

// copiedRows is how many rows are enough for a copy of the columns in the order of reading (lower.repackReads).
const copiedRows = 8

// blockSteps is how many steps of a sum are read at once where columns lie apart: 16 bytes of float32.
const blockSteps = 4

// longSum is how many vectors of a sum are worth the sum of their lanes.
const longSum = 16

// grainsOf returns by what a step of a reduction divides the axis of each split to find
// an operand, or 1: the channels of a group, of a grouped convolution. Few columns are a whole, unless a long sum
// can go along lanes: what is left of a vector would be numbers that are added one by one. Where both operands of a
// product with few rows are transposed, neither the columns nor the steps of the sum lie side by side: then each split
// has a grain.
func (a *Sampler) grainsOf(ops []*compute.Op, op *compute.Op, inner int, group []schedule.Step) []int64 {
	axes := slices.Concat(op.Axes, op.ReduceAxes)
	grains, vars, inner0 := make([]int64, len(group)), make([]*tir.Var, len(group)), inner
	for i, step := range group {
		sp := step.(schedule.Split)
		vars[i], grains[i] = axes[sp.Iter-inner].Var, 1
		inner += len(sp.Lengths)
		for _, body := range op.Body {
			tir.VisitExpr(body, func(e tir.Expr) bool {
				b, ok := e.(*tir.Binary)
				if !ok || b.Op != tir.FloorDiv && b.Op != tir.FloorMod || !tir.Uses(b.X, vars[i]) {
					return true
				}
				if n, ok := b.Y.(*tir.IntImm); ok {
					grains[i] = max(grains[i], n.Value)
				}
				return true
			})
		}
	}
	a.columnGrains(op, group, vars, grains)
	a.apart(ops, op, inner0, group, grains)
	if k := len(group) - 1; a.alongLanes(op, group) {
		grains[k] = wholeColumn
		for k--; !IsColumnSplit(group, k); k-- {
		}
		if group[k].(schedule.Split).Extent > 1 {
			grains[k] = oneByOne
		}
	}
	return grains
}

// columnGrains sets the grain of columns, and where these lie apart those of the other axes.
func (a *Sampler) columnGrains(op *compute.Op, group []schedule.Step, vars []*tir.Var, grains []int64) {
	lanes := a.lanes()
	columns := len(group) - 1
	for columns > 0 && !IsColumnSplit(group, columns) {
		columns--
	}
	if !isTile(group) {
		return
	}
	last := len(group) - 1
	n, k := group[columns].(schedule.Split).Extent, group[last].(schedule.Split).Extent
	sumApart, columnsApart := liesApart(op, vars[last]), liesApart(op, vars[columns])
	switch {
	case n == 1:
	case n < lanes && sumApart:
		grains[columns] = wholeColumn
	case n < lanes && columnsApart && 4*n < 3*lanes && k >= longSum*lanes:
		grains[columns] = oneByOne
	case n >= lanes && sumApart && columnsApart && a.Target.Hardware.WarpSize == 0:
		rows, batches := int64(1), slices.Clone(grains)
		for i := range columns {
			if allUse(op, vars[i]) {
				batches[i] = oneRow
			} else {
				rows *= group[i].(schedule.Split).Extent
			}
		}
		if rows >= copiedRows {
			return
		}
		copy(grains, batches)
		grains[columns], grains[last] = fullVectors, inBlocks
	}
}

// fillWhole fills the open splits of a stage. A tile has all of few columns.
func (c *choice) fillWhole(steps []schedule.Step, open int, grains []int64) {
	c.fillGroup(steps, open)
	for i := range open {
		switch sp := steps[i].(schedule.Split); grains[i] {
		case fullVectors:
			tiles := []int64{sp.Extent}
			for v := 1; v <= mostVectors && int64(v)*c.lanes() < sp.Extent; v *= 2 {
				tiles = append(tiles, int64(v)*c.lanes())
			}
			if sp.Extent > mostVectors*c.lanes() {
				tiles = tiles[1:]
			}
			tile := tiles[c.rng.IntN(len(tiles))]
			rest := (sp.Extent + tile - 1) / tile
			sp.Lengths = append(c.Lengths(rest, len(sp.Lengths)-2, false, c.rng), 1, tile)
			steps[i] = sp
		case wholeColumn:
			sp.Lengths = slices.Repeat([]int64{1}, len(sp.Lengths))
			sp.Lengths[len(sp.Lengths)-1] = sp.Extent
			steps[i] = sp
		case oneByOne:
			sp.Lengths = append(c.Lengths(sp.Extent, len(sp.Lengths)-1, false, c.rng), 1)
			steps[i] = sp
		case inBlocks:
			n, block := len(sp.Lengths), int64(blockSteps)
			if sp.Extent%blockSteps != 0 {
				block = sp.Extent
			}
			sp.Lengths = c.Lengths(sp.Extent/block, n, false, c.rng)
			sp.Lengths[n-1] *= block
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

// allUse reports whether each operand of a sum depends on an axis, as those of a batch product do.
func allUse(op *compute.Op, v *tir.Var) bool {
	for _, body := range op.Body {
		for l := range tir.ExprsIn[*tir.Load](body) {
			if !slices.ContainsFunc(l.Index, func(e tir.Expr) bool { return tir.Uses(e, v) }) {
				return false
			}
		}
	}
	return true
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
	for i, step := range group {
		sp := step.(schedule.Split)
		n := len(sp.Lengths)
		tile, straddles := sp.Lengths[n-1], false
		switch grain := grains[i]; {
		case grain == wholeColumn:
			straddles = tile != sp.Extent
		case grain == oneByOne:
			straddles = tile != 1
		case grain == fullVectors:
			straddles = tile%a.lanes() != 0 && tile != sp.Extent || tile*sp.Lengths[n-2] > mostVectors*a.lanes()
		case grain == inBlocks:
			straddles = tile%blockSteps != 0 && tile != sp.Extent
		case grain == oneRow:
			straddles = tile*sp.Lengths[n-2] != 1
		case grain > 1 && isVectorSplit(group, i):
			straddles = arith.GCD(tile, grain) < min(tile, grain, max(a.lanes()/2, 1))
		}
		if straddles {
			return true
		}
	}
	return false
}
