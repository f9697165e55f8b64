package annotate

import "github.com/wmtune/wmtune/tir/schedule"

// Levels of a tile's spatial lengths on a GPU.
const (
	vthreadLevel = 0
	threadLevel  = 1
)

// What a thread of a good tile has to do, and how many there are: in the public logs of
// an RTX 2080 Ti (22,144 timed records with tiles) 99 of 100 of the fastest 2 % of
// each task have at most 64 accumulators a thread, 89 at most 32, and 95 have at most 256
// threads, where of all records 58, 43 and 89 do. 63 have whole warps, of all 37.
const (
	maxThreadAccumulators  = 64
	manyThreadAccumulators = 32
	manyThreads            = 256
)

// suitsThreads returns how well the tile of a stage suits threads: it fits if they can
// be launched, fill a warp, and keep their accumulators in registers and their operands
// in shared memory; it is balanced if they are whole warps as well, neither they nor
// their accumulators very many.
func (a *Sampler) suitsThreads(group []schedule.Step, operands []operand) suit {
	hw := a.Target.Hardware
	levels := len(group[0].(schedule.Split).Lengths)
	points, vthreads, threads, each := int64(1), int64(1), int64(1), int64(1)
	for _, step := range group {
		sp := step.(schedule.Split)
		points *= sp.Extent
		if len(sp.Lengths) < levels {
			continue
		}
		vthreads *= sp.Lengths[vthreadLevel]
		threads *= sp.Lengths[threadLevel]
		for _, n := range sp.Lengths[threadLevel+1:] {
			each *= n
		}
	}
	warp := int64(hw.WarpSize)
	small := points <= 2*warp
	accumulators := vthreads * each
	switch {
	case vthreads > int64(hw.MaxVthread) || threads > int64(hw.MaxThreads) || accumulators > maxThreadAccumulators:
		return misfit
	case threads < warp && !small, copied(group, operands)*elementBytes > int64(hw.SharedBytes):
		return misfit
	case threads%warp == 0 && threads <= manyThreads && accumulators <= manyThreadAccumulators:
		return balanced
	}
	return fits
}

// elementBytes is the usual size of an element.
const elementBytes = 4

// copied returns how many elements of the operands a block copies for one iteration of
// the outermost loops of the reduction, if no index moves by more than one.
func copied(group []schedule.Step, operands []operand) int64 {
	sum := int64(0)
	for _, o := range operands {
		n := int64(1)
		for _, dim := range o {
			extent := int64(1)
			for i, step := range group {
				if dim[i] {
					extent += insideOf(step.(schedule.Split)) - 1
				}
			}
			n *= extent
		}
		sum += n
	}
	return sum
}

// insideOf returns how many iterations of a split loop are inside its outermost piece.
func insideOf(sp schedule.Split) int64 {
	n := int64(1)
	for _, l := range sp.Lengths {
		n *= l
	}
	return n
}
