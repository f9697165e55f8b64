package annotate

import (
	"slices"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// What a good tile of a tensorized product is: blocks of 2 to 8 warps, of which a lane has
// at most 128 accumulators, so that others fit beside them, and at least 16, so that its
// products do not wait for each other; and the threads copy for 32 to 64 steps of the sum at
// once, of float32 for half as many. No records say so: these are what libraries have for sm_80 (CUTLASS,
// "Efficient GEMM in CUDA": blocks of 128x128 in 4 or 8 warps of 64x64 or 64x32).
const (
	fewWarps, manyWarps             = 2, 8
	fewTensorAccumulators           = 16
	maxTensorAccumulators           = 128
	fewTensorBytes, manyTensorBytes = 64, 128 // of a row of an operand for these steps
)

// tensorRowBytes are those of a row of an operand's tile: 16 elements of 2 bytes, or 8 of 4.
const tensorRowBytes = 32

// What a multiprocessor does in a cycle: an A100 multiplies 1024 float16, which are 2048 bytes, or
// as many bytes of float32 with dense tensor cores and reads 128 bytes of shared memory (NVIDIA
// A100 architecture white paper), and some 64 bytes of the L2 cache (5120 of all 108, half of which
// counts as useful). Newer ones multiply more.
const (
	tensorRate       = 2048
	sharedRate       = 128
	cacheRate        = 64
	patience   int64 = 2 // how many times as long as multiplying the reading may take in a tile that fits

	tensorRedraws   = 4       // times as many tiles are drawn as of others: one in some 500 is balanced
	multiprocessors = 100     // that want blocks: an A100 has 108, an H100 132 (target.Models)
	smallBlock      = 64 * 32 // elements of a result that a block computes at least where they are few
)

// fixedPieces returns whether each inner piece of a split is as long as a tile of tensor cores says,
// nil if none is. A sketch fixes the innermost piece of each axis of such a product, and the virtual threads
// of its spatial axes; the others are open.
func fixedPieces(open schedule.Split) []bool {
	fixed := make([]bool, len(open.Lengths))
	for i, l := range open.Lengths {
		fixed[i] = l != schedule.OpenLength
	}
	if !slices.Contains(fixed, true) {
		return nil
	}
	return fixed
}

// TensorPieces returns what fixedPieces did for step i of a state when it was open: nil
// unless it splits an axis of a tensorized product. An instruction of a processor fixes only pieces of the sum.
func TensorPieces(s *schedule.State, i int) []bool {
	for stage, st := range s.Stages {
		if !st.IsTensorized() || st.Op.Combine == nil || !slices.Contains(sketch.Splits(s, stage), i) {
			continue
		}
		fixed := make([]bool, len(s.Steps[i].(schedule.Split).Lengths))
		fixed[len(fixed)-1] = true
		spatial := slices.Contains(sketch.SpatialSplits(s, stage), i)
		switch last := st.Iters[len(st.Iters)-1]; {
		case spatial && last.Ann == schedule.Tensorize:
			return nil
		case last.Ann == schedule.Tensorize:
			sp := s.Steps[i].(schedule.Split)
			fixed[0] = sp.Extent%sp.Lengths[len(fixed)-1] != 0
		case spatial:
			fixed[vthreadLevel] = true
		}
		return fixed
	}
	return nil
}

// FillsLanes reports whether step i of a state splits columns that are no more than the lanes of the instruction that
// multiplies them: in smaller pieces it would have too few. The sketch fixes that piece.
func (a *Sampler) FillsLanes(s *schedule.State, i int) bool {
	sp, ok := s.Steps[i].(schedule.Split)
	if !ok || !IsColumnSplit(s.Steps, i) || 4*sp.Extent > int64(a.Target.Hardware.VectorBytes) ||
		sp.Lengths[len(sp.Lengths)-1] != sp.Extent {
		return false
	}
	return slices.ContainsFunc(s.Stages, func(st *schedule.Stage) bool {
		return st.ByInstruction() && slices.Contains(sketch.SpatialSplits(s, slices.Index(s.Stages, st)), i)
	})
}

// Loose returns a split without its fixed pieces: what is left to be decided.
func Loose(sp schedule.Split, fixed []bool) schedule.Split {
	loose := sp
	loose.Lengths = nil
	for i, l := range sp.Lengths {
		if fixed[i] {
			loose.Extent = (loose.Extent + l - 1) / l
		} else {
			loose.Lengths = append(loose.Lengths, l)
		}
	}
	return loose
}

// Tightened returns a split with other lengths of the pieces that are not fixed.
func Tightened(sp schedule.Split, fixed []bool, lengths []int64) schedule.Split {
	sp.Lengths = slices.Clone(sp.Lengths)
	for i := range sp.Lengths {
		if !fixed[i] {
			sp.Lengths[i], lengths = lengths[0], lengths[1:]
		}
	}
	return sp
}

// isTensorTile reports whether a group of open splits is of a tensorized product.
func isTensorTile(group []schedule.Step) bool { return fixedPieces(group[0].(schedule.Split)) != nil }

// fillTensorTile fills the open pieces of the splits of a tensorized product, again and again
// until they suit, as fillTile does. Only divisors are drawn: tiles must be whole.
func (c *choice) fillTensorTile(group []schedule.Step, operands []operand) {
	wanted := fits
	if c.rng.Float64() < c.Tiles.Balanced {
		wanted = balanced
	}
	open := slices.Clone(group)
	var second []schedule.Step
	for range max(tensorRedraws*c.Tiles.Redraws, 1) {
		for i, step := range open {
			sp := step.(schedule.Split)
			fixed := fixedPieces(sp)
			loose := Loose(sp, fixed)
			group[i] = Tightened(sp, fixed, c.tiles.draw(loose.Extent, len(loose.Lengths), loose.Extent, c.rng))
		}
		got := c.suitsTensor(group, operands)
		if got >= wanted {
			return
		}
		if got == fits {
			second = slices.Clone(group)
		}
	}
	if second != nil {
		copy(group, second)
	}
}

// suitsTensor returns how well the tile of a tensorized product suits a block of warps: it fits
// if it can be launched, reading its operands, from shared memory into the lanes and from
// global into shared memory, takes at most twice as long as multiplying them, and half of the
// multiprocessors have a block; it is balanced if multiplying takes longest, all of them have one,
// and its size is as libraries have it.
func (a *Sampler) suitsTensor(group []schedule.Step, operands []operand) suit {
	hw := a.Target.Hardware
	levels := len(group[0].(schedule.Split).Lengths)
	warps, accumulators, steps, all, depth := int64(1), int64(tir.MMAElems), int64(1), int64(1), int64(1)
	blocks, points := int64(1), int64(1)
	for _, step := range group {
		sp := step.(schedule.Split)
		if len(sp.Lengths) == levels {
			blocks *= sp.Extent / insideOf(sp)
			points *= sp.Extent
			warps *= sp.Lengths[threadLevel]
			accumulators *= sp.Lengths[levels-2]
			continue
		}
		steps *= insideOf(sp)
		all *= sp.Extent
		depth *= sp.Lengths[len(sp.Lengths)-1]
	}
	size := tensorRowBytes / depth // of an element
	copies := copied(group, operands) * size
	if warps*tir.WarpLanes > int64(hw.MaxThreads) || accumulators > maxTensorAccumulators ||
		copies*5/4 > int64(hw.SharedBytes) || // padded
		accumulators+spareThreadRegisters > target.RegistersPerBlock/(warps*tir.WarpLanes) {
		return misfit
	}
	// Cycles of a multiprocessor for what a block does for one of its copies.
	multiply := warps * accumulators * tir.WarpLanes * steps * size / tensorRate
	lanes := warps * steps / depth * warpReads(group, operands, size) / sharedRate
	enough := min(multiprocessors, points/smallBlock)
	switch read := max(lanes, copies/cacheRate); {
	case read > patience*multiply || patience*blocks < enough || warps > 2*manyWarps:
		return misfit
	case read <= multiply && blocks >= enough && fewWarps <= warps && warps <= manyWarps &&
		accumulators >= fewTensorAccumulators &&
		min(fewTensorBytes, all*size) <= steps*size && steps*size <= manyTensorBytes:
		return balanced
	}
	return fits
}

// warpReads returns for how many bytes of shared memory there is time while a warp reads what it
// takes for one product of all its tiles: each tile of an operand once. Of an operand whose neighbours
// are not steps of the sum, lanes read one element at a time, which takes twice as long if it has 2 bytes.
func warpReads(group []schedule.Step, operands []operand, size int64) int64 {
	sum := int64(0)
	levels := len(group[0].(schedule.Split).Lengths)
	for _, o := range operands {
		bytes := int64(tensorRowBytes)
		for i, step := range group {
			sp := step.(schedule.Split)
			inner := sp.Lengths[len(sp.Lengths)-1]
			switch sum := len(sp.Lengths) < levels; {
			case !sum && o.uses(i):
				bytes *= sp.Lengths[levels-2] * inner
			case sum && inner > 1 && size == 2 && !o[len(o)-1][i]:
				bytes *= 2
			}
		}
		sum += bytes
	}
	return sum
}

// fetchByWarps has all warps of the tile that a copy is computed in carry it out, each lane
// some neighbouring elements:
//
//	for ax0, ax1              for ax0@ax1@.0.0.0
//	  A.shared = ...    =>      threadIdx.y ax0@ax1@.0.0.1
//	                              threadIdx.x ax0@ax1@.0.1 (0,32)
//	                                vectorize ax0@ax1@.1
//	                                  A.shared = ...
func (c *choice) fetchByWarps(s *schedule.State, stage int) (*schedule.State, error) {
	width, err := c.fetchWidth(s, stage)
	if err != nil {
		return nil, err
	}
	at, _ := s.Attach.At(stage)
	sources := sketch.SpatialSplits(s, at.Stage)
	if s, err = s.Apply(schedule.Fuse{At: stage, Iters: span(0, len(s.Stages[stage].Iters))}); err != nil {
		return nil, err
	}
	extent := max(s.Stages[stage].Iters[0].Extent, 0)
	return applied(s,
		schedule.Split{At: stage, Iter: 0, Extent: extent, Lengths: []int64{width}, InnerToOuter: true},
		schedule.Annotate{At: stage, Iter: 1, Ann: schedule.Vectorize},
		schedule.Split{At: stage, Iter: 0, Extent: (extent + width - 1) / width, Lengths: []int64{tir.WarpLanes},
			InnerToOuter: true},
		schedule.FollowFusedSplit{At: stage, Iter: 0, Srcs: sources, Level: threadLevel, Factor: true},
		schedule.Annotate{At: stage, Iter: 1, Ann: schedule.ThreadY},
		schedule.Annotate{At: stage, Iter: 2, Ann: schedule.ThreadX})
}

// IsLaneSplit reports whether step i splits a copy for the lanes of warps, which are as many
// as they are.
func IsLaneSplit(steps []schedule.Step, i int) bool {
	sp, ok := steps[i].(schedule.Split)
	if !ok || i+1 == len(steps) {
		return false
	}
	next, ok := steps[i+1].(schedule.FollowFusedSplit)
	return ok && next.At == sp.At && next.Iter == sp.Iter
}
