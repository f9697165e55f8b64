package nvrtc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir/target"
)

// Limits are those of one multiprocessor of an architecture, and of a block on
// it.
type Limits struct {
	target.Multiprocessor
	SharedUnit     int // bytes that a block's is a multiple of
	ReservedShared int // bytes that the system takes of it for each block
}

// Limits that all of these architectures have in common, besides those of target: a
// multiprocessor has as many registers as a block may have.
const (
	warpSize        = 32
	registerUnit    = 256 // registers are given to a warp in this many
	warpUnit        = 4   // warps with registers are this many, one for each quarter of the multiprocessor
	maxBlockThreads = 1024
	maxStaticShared = 48 << 10 // bytes of a block
)

// RegisterStep is how many registers more a thread is given at a time.
const RegisterStep = registerUnit / warpSize

// LimitsOf returns those of an architecture, such as "sm_80".
func LimitsOf(arch string) (Limits, error) {
	m, ok := target.ProcessorOf(arch)
	if !ok {
		return Limits{}, fmt.Errorf("nvrtc: the limits of %q are not known: known are %s", arch,
			strings.Join(target.Architectures(), ", "))
	}
	// CUDA C++ Programming Guide, "Technical specifications per compute capability".
	if known := target.Architectures(); slices.Index(known, arch) < slices.Index(known, "sm_80") {
		return Limits{m, 256, 0}, nil
	}
	return Limits{m, 128, 1 << 10}, nil
}

// MostRegisters returns how many registers a thread can have of a block of so many
// threads.
func (l Limits) MostRegisters(threads int) int {
	warps := (threads + warpSize - 1) / warpSize
	warps = (warps + warpUnit - 1) / warpUnit * warpUnit
	return min(target.RegistersPerThread, target.RegistersPerBlock/(warps*warpSize)/RegisterStep*RegisterStep)
}

// Occupancy returns the part of a multiprocessor's threads, from 0 to 1, that can
// run at once when blocks of so many threads run a kernel: as many blocks as its
// threads, registers and shared memory allow, whole warps each. The error says why
// no block can be launched.
func (l Limits) Occupancy(u Usage, threads int) (float64, error) {
	warps := (threads + warpSize - 1) / warpSize
	perWarp := (u.Registers*warpSize + registerUnit - 1) / registerUnit * registerUnit
	shared := (u.SharedBytes + l.ReservedShared + l.SharedUnit - 1) / l.SharedUnit * l.SharedUnit
	switch {
	case threads < 1 || threads > maxBlockThreads:
		return 0, fmt.Errorf("kernel %s: %d threads a block: a block has 1 to %d", u.Kernel, threads, maxBlockThreads)
	case u.SharedBytes > maxStaticShared:
		return 0, fmt.Errorf("kernel %s: %d bytes of shared memory: a block has %d", u.Kernel, u.SharedBytes, maxStaticShared)
	case u.Registers > target.RegistersPerThread:
		return 0, fmt.Errorf("kernel %s: %d registers a thread: there are %d", u.Kernel, u.Registers,
			target.RegistersPerThread)
	case perWarp > 0 && warps > target.RegistersPerBlock/perWarp/warpUnit*warpUnit:
		return 0, fmt.Errorf("kernel %s: %d threads of %d registers: a block has %d registers", u.Kernel, threads,
			u.Registers, target.RegistersPerBlock)
	}
	blocks := min(l.Blocks, l.Threads/(warps*warpSize))
	if perWarp > 0 {
		blocks = min(blocks, target.RegistersPerBlock/perWarp/warpUnit*warpUnit/warps)
	}
	if shared > 0 {
		blocks = min(blocks, l.SharedBytes/shared)
	}
	return float64(blocks*warps*warpSize) / float64(l.Threads), nil
}
