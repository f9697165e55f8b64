package annotate

import (
	"fmt"

	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A limit is what a kernel may ask of a GPU at most.
type limit struct {
	what string
	asks func(h target.Hardware, l lower.Launch) int64
	most func(h target.Hardware, l lower.Launch) int64
}

// verifiedLimits are those that AutoScheduler verifies
// (src/tir/analysis/verify_gpu_code.cc). It bounds virtual threads when it binds them,
// and not again: its logs have tiles with 14. A loop of more than 16 bytes that does not
// divide is no vector to it; here it is none that is worth scoring.
var verifiedLimits = []limit{
	{"threads in a block", func(_ target.Hardware, l lower.Launch) int64 { return l.Threads },
		func(h target.Hardware, _ lower.Launch) int64 { return int64(h.MaxThreads) }},
	{"bytes of shared memory", func(_ target.Hardware, l lower.Launch) int64 { return l.SharedBytes },
		func(h target.Hardware, _ lower.Launch) int64 { return int64(h.SharedBytes) }},
	{"bytes of a thread's own memory", func(_ target.Hardware, l lower.Launch) int64 { return l.LocalBytes },
		func(h target.Hardware, _ lower.Launch) int64 { return int64(h.LocalBytes) }},
	{"bytes in a vector", func(_ target.Hardware, l lower.Launch) int64 { return l.VectorBytes },
		func(h target.Hardware, _ lower.Launch) int64 { return int64(h.VectorBytes) }},
}

// allLimits also bound virtual threads, keep a thread's own memory in registers, and
// fill warps: mutation gets below what bindThreads refuses.
var allLimits = append(verifiedLimits[:len(verifiedLimits):len(verifiedLimits)],
	limit{"virtual threads", func(_ target.Hardware, l lower.Launch) int64 { return l.Vthreads },
		func(h target.Hardware, _ lower.Launch) int64 { return int64(h.MaxVthread) }},
	limit{"registers of a thread", registers, registersLeft},
	limit{"blocks of less than half a warp", partial, func(target.Hardware, lower.Launch) int64 { return 0 }})

// partial returns the blocks of a tile that leave most threads of a warp idle, 0 if the stage is
// too small to fill two. A tile of 28 threads may be among the fastest. Other loops may be so short
// that small blocks on many multiprocessors are fastest.
func partial(h target.Hardware, l lower.Launch) int64 {
	if warp := int64(h.WarpSize); l.Vthreads > 0 && 2*l.Threads < warp && l.Blocks*l.Vthreads*l.Threads > 2*warp {
		return l.Blocks
	}
	return 0
}

// spareThreadRegisters hold what is not a thread's own memory: indices, pointers,
// operands.
const spareThreadRegisters = 32

// registers estimates how many registers a thread needs.
func registers(_ target.Hardware, l lower.Launch) int64 {
	return (l.LocalBytes+3)/4 + spareThreadRegisters
}

// registersLeft is how many each of so many threads can have.
func registersLeft(_ target.Hardware, l lower.Launch) int64 {
	return min(target.RegistersPerThread, target.RegistersPerBlock/l.Threads)
}

// launchable returns a check that a state's kernels ask for no more than a GPU has. Its
// error says which stage asks for too much of what.
func launchable(limits []limit) func(*schedule.State, target.Target) error {
	return func(s *schedule.State, t target.Target) error {
		launches, err := lower.Launches(s)
		if err != nil {
			return fmt.Errorf("annotate: %w", err)
		}
		for _, l := range launches {
			for _, m := range limits {
				if asks, most := m.asks(t.Hardware, l), m.most(t.Hardware, l); asks > most {
					return fmt.Errorf("annotate: stage %s asks for %d %s, of which there are %d", l.Stage, asks, m.what, most)
				}
			}
		}
		return nil
	}
}

// Limits of states worth scoring. They are far beyond anything fast; their
// purpose is to keep programs from being built that would not end in time.
const (
	// maxRecompute bounds how many times more often than its domain has points
	// a stage may run its body, because it is computed inside its reader.
	maxRecompute = 64
	// maxUnrolled bounds the product of the extents of unrolled and vector
	// loops of one stage.
	maxUnrolled = 4096
)

// plausible returns an error if a state with bounds is not worth scoring: loops
// in parallel inside others, a stage that is recomputed very often, or more
// unrolled code than a compiler takes in reasonable time.
func plausible(s *schedule.State, _ target.Target) error {
	for stage, st := range s.Stages {
		if st.Op.IsPlaceholder() || st.At == schedule.Inlined {
			continue
		}
		name := st.Op.Name
		if st.At == schedule.AtRoot && nested(s, stage, 0) > 1 {
			return fmt.Errorf("annotate: stage %s has a parallel loop inside another", name)
		}
		runs, unrolled := surrounding(s, stage), 1.0
		for _, it := range st.Iters {
			runs *= float64(it.Extent)
			if it.Ann == schedule.Unroll || it.Ann == schedule.Vectorize {
				unrolled *= float64(it.Extent)
			}
		}
		points := 1.0
		for _, a := range st.Op.Axes {
			points *= float64(a.Extent)
		}
		for _, a := range st.Op.ReduceAxes {
			points *= float64(a.Extent)
		}
		if runs > maxRecompute*points {
			return fmt.Errorf("annotate: stage %s is computed %.0f times over", name, runs/points)
		}
		if unrolled > maxUnrolled {
			return fmt.Errorf("annotate: stage %s would be unrolled %.0f times", name, unrolled)
		}
	}
	return nil
}

// surrounding returns how often the loops run in which a stage is computed.
func surrounding(s *schedule.State, stage int) float64 {
	runs := 1.0
	for {
		at, ok := s.Attach.At(stage)
		if !ok {
			return runs
		}
		for _, it := range s.Stages[at.Stage].Iters[:at.Iter+1] {
			runs *= float64(it.Extent)
		}
		stage = at.Stage
	}
}

// nested returns the largest number of parallel loops around any loop of a
// stage or of the stages computed inside it, given those outside.
func nested(s *schedule.State, stage, outside int) int {
	most := outside
	for i, it := range s.Stages[stage].Iters {
		if it.Ann == schedule.Parallel {
			outside++
		}
		most = max(most, outside)
		for _, inside := range s.Attach.Inside(stage, i) {
			most = max(most, nested(s, inside, outside))
		}
	}
	return most
}
