package annotate

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A suit says how well the innermost tile of a reduction suits the register file, of a
// GPU also how well the levels above suit its threads.
type suit uint8

const (
	misfit   suit = iota
	fits          // whole vectors, and accumulators between too few and too many
	balanced      // fits, with enough accumulators, that stay in registers, and fewer operands read than multiplied
)

// fillTile fills the open splits of one stage, and those of a share of the tiles of
// reductions again until they suit the register file. The others are taken as they
// fall, so that the space keeps its width. Of samples as they fall a sixth to a third
// fit, and one in fifty is balanced: so are 70 to 100 of the 100 fastest of long
// searches of products and convolutions. A tile that straddles is taken if no other was drawn. Operands
// and grains are as of operandsOf and grainsOf.
func (c *choice) fillTile(steps []schedule.Step, open int, operands []operand, grains []int64) {
	group := steps[:open]
	if isTensorTile(group) {
		c.fillTensorTile(group, operands)
		return
	}
	before := slices.Clone(group)
	c.fillWhole(steps, open, grains)
	if !isTile(group) || !c.suitsMatter() {
		return
	}
	wanted := misfit
	switch p := c.rng.Float64(); {
	case p < c.Tiles.Balanced || isAlongLanes(grains): // no scorer sees what becomes of scalar loops
		wanted = balanced
	case p < c.Tiles.Balanced+c.Tiles.Fit:
		wanted = fits
	}
	var best []schedule.Step
	bestRank := -1
	for range c.Tiles.Redraws {
		rank := c.rank(group, operands, grains)
		if rank > int(wanted) {
			return
		}
		if rank >= bestRank {
			best, bestRank = slices.Clone(group), rank
		}
		copy(group, before)
		c.fillWhole(steps, open, grains)
	}
	if rank := c.rank(group, operands, grains); rank <= int(wanted) && rank < bestRank {
		copy(group, best)
	}
}

// rank is 0 for a tile that straddles, and for others the higher the better they suit.
func (a *Sampler) rank(group []schedule.Step, operands []operand, grains []int64) int {
	if a.straddles(group, grains) {
		return 0
	}
	return 1 + int(a.suits(group, operands, grains))
}

// suitsMatter reports whether tiles are drawn to suit the register file.
func (a *Sampler) suitsMatter() bool {
	hw := a.Target.Hardware
	return (hw.VectorRegisters > 0 || hw.WarpSize > 0) && a.Tiles.Balanced+a.Tiles.Fit > 0
}

// isTile reports whether the splits of a stage are those of a multi-level tile of
// a reduction: the spatial loops in more pieces than the reduce loops.
func isTile(group []schedule.Step) bool {
	first, last := group[0].(schedule.Split), group[len(group)-1].(schedule.Split)
	return len(last.Lengths) < len(first.Lengths)
}

// isTileOf reports whether the splits of a stage are those of a multi-level tile of op: each of an axis of its
// own, and on a GPU in a piece for the threads. Records of others may split loops in any way.
func (a *Sampler) isTileOf(op *compute.Op, group []schedule.Step) bool {
	if a.Target.Hardware.WarpSize > 0 && len(group[0].(schedule.Split).Lengths) <= threadLevel {
		return false
	}
	pieces := 0 // of the splits before
	for _, step := range group {
		sp := step.(schedule.Split)
		axis := sp.Iter - pieces
		if axis < 0 || axis >= len(op.Axes)+len(op.ReduceAxes) || !HasLengths(sp) {
			return false
		}
		pieces += len(sp.Lengths)
	}
	return isTile(group)
}

// minAccumulators is the number of independent vector additions from which a
// reduction is not bound by their latency any more, or not by much: half of four
// cycles times two units, which are what enoughAccumulators keep busy.
const (
	minAccumulators    = 4
	enoughAccumulators = 8
)

// enoughSteps is how many steps of a reduction an accumulator stays in a register
// for, so that loading and storing it costs little.
const enoughSteps = 16

// spareRegisters hold what is not an accumulator: two operands and a constant.
const spareRegisters = 3

// Worsens reports whether the tile of a reduction that step i of a state's steps
// belongs to suits the register file less well after a change of that step.
func (a *Sampler) Worsens(d *compute.DAG, before, after []schedule.Step, i int) bool {
	c := a.changeOf(d, before, after, i)
	return c.is < c.was
}

// Spoils reports whether the change has a tile straddle that did not, or makes a misfit of a
// tile for tensor cores: no scorer sees that it is one.
func (a *Sampler) Spoils(d *compute.DAG, before, after []schedule.Step, i int) bool {
	c := a.changeOf(d, before, after, i)
	return c.straddles || c.tensor && c.was > misfit && c.is == misfit
}

// A change says what the change of a step makes of a tile.
type change struct {
	was, is   suit // how well it suits the registers before and after; the same if it is no tile
	tensor    bool // tensor cores compute it
	straddles bool // it does so now and did not before
}

// changeOf returns what a change of step i is to the tile that the step belongs to.
func (a *Sampler) changeOf(d *compute.DAG, before, after []schedule.Step, i int) change {
	if !a.suitsMatter() {
		return change{}
	}
	from, to := i, i+1
	splits := func(k int) bool {
		sp, ok := before[k].(schedule.Split)
		return ok && sp.At == before[i].Stage()
	}
	for from > 0 && splits(from-1) {
		from--
	}
	for to < len(before) && splits(to) {
		to++
	}
	if !isTile(before[from:to]) {
		return change{}
	}
	s, err := schedule.Replay(d, before[:from])
	if err != nil || !a.isTileOf(s.Stages[before[i].Stage()].Op, before[from:to]) {
		return change{}
	}
	was, is, op := before[from:to], after[from:to], s.Stages[before[i].Stage()].Op
	operands, grains := operandsOf(op, 0, was), a.grainsOf(s.Current.Ops, op, 0, was)
	// A tile for tensor cores is annotated before there are other stages.
	tensor := a.Target.Hardware.WarpSize > 0 && slices.ContainsFunc(before[to:], func(step schedule.Step) bool {
		an, ok := step.(schedule.Annotate)
		return ok && an.At == before[i].Stage() && an.Ann == schedule.Tensorize
	})
	if tensor {
		return change{was: a.suitsTensor(was, operands), is: a.suitsTensor(is, operands), tensor: true}
	}
	c := change{was: a.suits(was, operands, grains), is: a.suits(is, operands, grains)}
	c.straddles = a.straddles(is, grains) && !a.straddles(was, grains) || isAlongLanes(grains) && c.is < c.was
	return c
}

// An operand is a value that a step of a reduction reads: for each dimension, which of
// the splits of the stage split an axis that its index there depends on.
type operand [][]bool

// uses reports whether the place of an operand depends on the axis of a split.
func (o operand) uses(split int) bool {
	return slices.ContainsFunc(o, func(dim []bool) bool { return dim[split] })
}

// operandsOf returns what a step of a reduction reads. Splits stand in the order of the
// axes; those before have so many inner pieces.
func operandsOf(op *compute.Op, inner int, group []schedule.Step) []operand {
	axes := slices.Concat(op.Axes, op.ReduceAxes)
	var list []operand
	for _, body := range op.Body {
		tir.VisitExpr(body, func(e tir.Expr) bool {
			l, ok := e.(*tir.Load)
			if !ok {
				return true
			}
			o := make(operand, len(l.Index))
			for d, index := range l.Index {
				o[d] = make([]bool, len(group))
				shift := inner
				for i, step := range group {
					sp := step.(schedule.Split)
					o[d][i] = tir.Uses(index, axes[sp.Iter-shift].Var)
					shift += len(sp.Lengths)
				}
			}
			list = append(list, o)
			return false
		})
	}
	return list
}

// suits returns how well the innermost tile of a reduction suits the register
// file. A tile of r rows and v vectors of a product reads r + v operands for r*v
// multiply-adds; processors read two a cycle and compute two. An operand that is
// another one for each element of the result, as the image of a depthwise
// convolution, is read as often in tiles of any shape, and does not count.
func (a *Sampler) suits(group []schedule.Step, operands []operand, grains []int64) suit {
	if a.Target.Hardware.WarpSize > 0 {
		return a.suitsThreads(group, operands)
	}
	lanes := a.lanes()
	levels := len(group[0].(schedule.Split).Lengths)
	spatial := len(group)
	sizes := make([]int64, len(group))        // of the innermost tile, in vectors
	accumulators, tiles := int64(1), int64(1) // tiles: in the loops between those of the reduction
	steps, all := int64(1), int64(1)          // of the reduction: inside of those, and in all
	for i, step := range group {
		sp := step.(schedule.Split)
		sizes[i] = sp.Lengths[len(sp.Lengths)-1]
		if len(sp.Lengths) < levels {
			spatial = min(spatial, i)
			steps *= sp.Lengths[0]
			group := insideOf(sp) / sp.Lengths[0] // 1, or what an instruction makes at once
			all *= (sp.Extent + group - 1) / group
			continue
		}
		tiles *= sp.Lengths[levels-2]
		if isVectorSplit(group, i) {
			groups := grains[i] > 1 && sizes[i]%grains[i] == 0 && sizes[i] > lanes // whole groups are as good
			all := sizes[i] == sp.Extent || isAlongLanes(grains)                   // no more lanes are left empty than must be
			if sizes[i]%lanes != 0 && !groups && !all {
				return misfit
			}
			sizes[i] = (sizes[i] + lanes - 1) / lanes
		}
		accumulators *= sizes[i]
	}
	if tiles == 1 {
		steps = all
	}
	switch {
	case accumulators < minAccumulators || accumulators > int64(a.Target.Hardware.VectorRegisters-spareRegisters):
		return misfit
	case accumulators >= enoughAccumulators && steps >= min(enoughSteps, all) &&
		operandsRead(sizes[:spatial], group, operands) < accumulators:
		return balanced
	}
	return fits
}

// operandsRead returns how many operands a tile of so many vectors along each
// spatial axis reads for one step of the reduction.
func operandsRead(sizes []int64, group []schedule.Step, operands []operand) int64 {
	sum := int64(0)
	for _, o := range operands {
		n, own := int64(1), true
		for i, size := range sizes {
			if o.uses(i) {
				n *= size
			} else if group[i].(schedule.Split).Extent > 1 {
				own = false
			}
		}
		if !own {
			sum += n
		}
	}
	return sum
}
