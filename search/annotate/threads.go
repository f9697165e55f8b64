package annotate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/schedule"
)

// threads draws how many threads work on a loop of a stage that is not tiled, whose
// extent is above a warp: AutoScheduler takes one warp, and leaves others to mutation.
func (c *choice) threads(extent int64) int64 {
	counts := c.ThreadCounts(extent)
	if len(counts) == 1 {
		return counts[0]
	}
	return counts[c.rng.IntN(len(counts))]
}

// shortLoop is the extent up to which less than a warp may work on a loop: in the public
// logs of an RTX 2080 Ti 16 threads are fastest for a sum of 2048, and blocks of a few for
// 1280 averages, but for 200,704 maxima they take up to four times as long.
const shortLoop = 4096

// ThreadCounts returns the numbers of threads that may work on a loop: a warp and, if
// the policy draws them, its doublings up to the loop's extent, and a half and a quarter
// of one for a short loop.
func (a *Sampler) ThreadCounts(extent int64) []int64 {
	warp := int64(a.Target.Hardware.WarpSize)
	list := []int64{warp}
	if a.Tiles.Threads {
		if extent <= shortLoop {
			list = append(list, max(warp/4, 1), max(warp/2, 1))
		}
		for n := 2 * warp; n <= min(extent, int64(a.Target.Hardware.MaxThreads)); n *= 2 {
			list = append(list, n)
		}
	}
	return list
}

// IsThreadSplit reports whether step i splits a loop of a stage for the threads of a
// block: its inner piece is bound to them at once, the outer one perhaps to blocks.
func IsThreadSplit(steps []schedule.Step, i int) bool {
	sp, ok := steps[i].(schedule.Split)
	if !ok || len(sp.Lengths) != 1 {
		return false
	}
	for _, step := range steps[i+1 : min(i+3, len(steps))] {
		a, ok := step.(schedule.Annotate)
		if !ok || a.At != sp.At {
			return false
		}
		if a.Iter == sp.Iter+1 && a.Ann == schedule.ThreadX {
			return true
		}
	}
	return false
}

// drawThreads draws how many threads work on each reduction of which a sketch has
// given every thread of a warp a part.
//
//	SP 1 1 768 [32]    =>    SP 1 1 768 [256]
//	AN 1 2 6                 AN 1 2 6
func drawThreads(c *choice, s *schedule.State) (*schedule.State, error) {
	steps := slices.Clone(s.Steps)
	changed := false
	for i := range steps {
		if !IsThreadSplit(steps, i) {
			continue
		}
		sp := steps[i].(schedule.Split)
		if n := c.threads(sp.Extent); n != sp.Lengths[0] {
			sp.Lengths = []int64{n}
			steps[i], changed = sp, true
		}
	}
	if !changed {
		return s, nil
	}
	return schedule.Replay(s.DAG, steps)
}

// bindThreads binds the loops of every root stage to blocks and threads of a GPU, and
// has the threads of a block copy into shared memory together
// (sketch_policy_rules.cc, InitThreadBind):
//
//	for i.0, for j.0                    blockIdx.x i.0@j.0@
//	  for i.1, for j.1                    vthread i.1@j.1@
//	    for i.2, for j.2          =>        threadIdx.x i.2@j.2@
//	      for k.0                             for k.0
//	        for ax0, for ax1                    for ax0@ax1@.0.0
//	          A.shared = ...                      threadIdx.x ax0@ax1@.0.1
//	                                                vectorize ax0@ax1@.1
//	                                                  A.shared = ...
//
// The loops of a stage that is not tiled become one, which is split for the threads;
// those of a stage that reduces across threads become blocks. Stages are visited from
// the outputs to the inputs.
//
// It is an error if a tile has more virtual threads than the target allows, or less
// threads than a warp, unless the stage is that small.
func bindThreads(c *choice, s *schedule.State) (*schedule.State, error) {
	tiled := map[int]bool{} // roots that a tiled stage is computed in
	for stage, st := range s.Stages {
		if st.At == schedule.AtIter && sketch.NeedsTiling(s, stage) {
			at, _ := s.Attach.At(stage)
			tiled[at.Stage] = true
		}
	}
	s, err := s.InferBound()
	for stage := len(s.Stages) - 1; stage >= 0 && err == nil; stage-- {
		st := s.Stages[stage]
		switch {
		case st.Op.IsPlaceholder() || st.At == schedule.Inlined:
		case sketch.ReducesAcrossThreads(s, stage):
			if st.At == schedule.AtRoot {
				s, err = bindBlocks(c, s, stage)
			}
		case hasThreads(st):
		case st.At == schedule.AtRoot && !tiled[stage]:
			s, err = bindRows(c, s, stage)
		case st.At == schedule.AtRoot:
			s, err = bindTile(c, s, stage)
		case sketch.IsShared(st) && ForTensorCores(s, stage):
			s, err = c.fetchByWarps(s, stage)
		case sketch.IsShared(st):
			s, err = fetchTogether(c, s, stage)
		}
	}
	return s, err
}

// holdsStages reports whether a stage is computed inside of another one.
func holdsStages(s *schedule.State, stage int) bool {
	for k := range s.Stages[stage].Iters {
		if len(s.Attach.Inside(stage, k)) > 0 {
			return true
		}
	}
	return false
}

// threadsOf returns how many threads work on a stage along threadIdx.x.
func threadsOf(st *schedule.Stage) int64 {
	n := int64(1)
	for _, it := range st.Iters {
		if it.Ann == schedule.ThreadX {
			n = max(n, it.Extent)
		}
	}
	return n
}

func hasThreads(st *schedule.Stage) bool {
	return slices.ContainsFunc(st.Iters, func(it *schedule.Iterator) bool { return it.Ann == schedule.ThreadX })
}

// applied applies steps one after the other.
func applied(s *schedule.State, steps ...schedule.Step) (*schedule.State, error) {
	for _, step := range steps {
		var err error
		if s, err = s.Apply(step); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// fuseOuter fuses the outer loops of a stage up to a reduction or an annotated loop, or
// down to one with stages inside. Without any it makes a loop of one iteration.
func fuseOuter(s *schedule.State, stage int) (*schedule.State, error) {
	n := 0
	for i, it := range s.Stages[stage].Iters {
		if it.Kind == schedule.Reduction || it.Ann != schedule.None ||
			len(s.Attach.Inside(stage, i-1)) > 0 {
			break
		}
		n++
	}
	if n == 1 {
		return s, nil
	}
	return s.Apply(schedule.Fuse{At: stage, Iters: span(0, n)})
}

// bindBlocks gives each block an element of a stage whose reductions cross threads, or several. Each of several has
// threads of its own that are all in one warp: what they have in common needs no barrier of the block. A mutation may
// still give a row more threads.
//
//	for i                    blockIdx.x i.0
//	  threadIdx.x k    =>      threadIdx.y i.1
//	                             threadIdx.x k
func bindBlocks(c *choice, s *schedule.State, stage int) (*schedule.State, error) {
	s, err := fuseOuter(s, stage)
	if err != nil {
		return nil, err
	}
	if n := c.rowsOfBlock(s, stage); n > 1 {
		return applied(s,
			schedule.Split{At: stage, Iter: 0, Extent: s.Stages[stage].Iters[0].Extent, Lengths: []int64{n},
				InnerToOuter: true},
			schedule.Annotate{At: stage, Iter: 0, Ann: schedule.BlockX},
			schedule.Annotate{At: stage, Iter: 1, Ann: schedule.ThreadY})
	}
	return s.Apply(schedule.Annotate{At: stage, Iter: 0, Ann: schedule.BlockX})
}

// rowsOfBlock draws how many elements of a stage a block may have, each with threads of its own.
func (c *choice) rowsOfBlock(s *schedule.State, stage int) int64 {
	if !c.Tiles.Threads {
		return 1
	}
	threads := threadsOf(s.Stages[stage])
	for k := range s.Stages[stage].Iters {
		for _, i := range s.Attach.Inside(stage, k) {
			if !sketch.ReducesAcrossThreads(s, i) || holdsStages(s, i) {
				return 1 // each thread would compute all of it
			}
			threads = max(threads, threadsOf(s.Stages[i]))
		}
	}
	rows := s.Stages[stage].Iters[0].Extent
	if int64(c.Target.Hardware.WarpSize)%threads != 0 {
		return 1
	}
	list := []int64{1}
	for n := int64(2); n*threads <= manyThreads && rows%n == 0; n *= 2 {
		list = append(list, n)
	}
	return list[c.rng.IntN(len(list))]
}

// bindRows gives each thread an element of a stage that is not tiled, or the reduction
// of one.
func bindRows(c *choice, s *schedule.State, stage int) (*schedule.State, error) {
	s, err := fuseOuter(s, stage)
	if err != nil {
		return nil, err
	}
	extent := s.Stages[stage].Iters[0].Extent
	if extent <= int64(c.Target.Hardware.WarpSize) {
		return s.Apply(schedule.Annotate{At: stage, Iter: 0, Ann: schedule.ThreadX})
	}
	return applied(s,
		schedule.Split{At: stage, Iter: 0, Extent: extent, Lengths: []int64{c.threads(extent)}, InnerToOuter: true},
		schedule.Annotate{At: stage, Iter: 0, Ann: schedule.BlockX},
		schedule.Annotate{At: stage, Iter: 1, Ann: schedule.ThreadX})
}

// bindTile binds the three outer levels of a tile: blocks, virtual threads, and threads, or
// warps if it is tensorized.
func bindTile(c *choice, s *schedule.State, stage int) (*schedule.State, error) {
	hw := c.Target.Hardware
	op := s.Stages[stage].Op
	points := int64(1)
	for _, a := range slices.Concat(op.Axes, op.ReduceAxes) {
		points *= a.Extent
	}
	thread := schedule.ThreadX
	if s.Stages[stage].IsTensorized() {
		thread = schedule.ThreadY
	}
	for level, ann := range []schedule.Annotation{schedule.BlockX, schedule.VThread, thread} {
		suffix := fmt.Sprintf(".%d", level)
		end := level
		for end < len(op.Axes)+level && strings.HasSuffix(s.Stages[stage].Iters[end].Name, suffix) {
			end++ // an axis that is not split has no piece at this level
		}
		var err error
		s, err = applied(s,
			schedule.Fuse{At: stage, Iters: span(level, end)},
			schedule.Annotate{At: stage, Iter: level, Ann: ann})
		if err != nil {
			return nil, err
		}
		extent := s.Stages[stage].Iters[level].Extent
		if ann == schedule.VThread && extent > int64(hw.MaxVthread) {
			return nil, fmt.Errorf("%d virtual threads are more than %d", extent, hw.MaxVthread)
		}
		if ann == schedule.ThreadX && extent < int64(hw.WarpSize) && points > 2*int64(hw.WarpSize) {
			return nil, fmt.Errorf("%d threads are less than a warp", extent)
		}
	}
	return s, nil
}

// fetchTogether has all threads of the tile that a copy is computed in carry it out,
// some neighbouring elements each.
func fetchTogether(c *choice, s *schedule.State, stage int) (*schedule.State, error) {
	width, err := c.fetchWidth(s, stage)
	if err != nil {
		return nil, err
	}
	at, _ := s.Attach.At(stage)
	sources := sketch.SpatialSplits(s, at.Stage)
	if s, err = s.Apply(schedule.Fuse{At: stage, Iters: span(0, len(s.Stages[stage].Iters))}); err != nil {
		return nil, err
	}
	return applied(s,
		schedule.Split{At: stage, Iter: 0, Extent: max(s.Stages[stage].Iters[0].Extent, 0), Lengths: []int64{width},
			InnerToOuter: true},
		schedule.Annotate{At: stage, Iter: 1, Ann: schedule.Vectorize},
		schedule.FollowFusedSplit{At: stage, Iter: 0, Srcs: sources, Level: threadLevel, Factor: true},
		schedule.Annotate{At: stage, Iter: 1, Ann: schedule.ThreadX})
}

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
