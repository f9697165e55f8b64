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
