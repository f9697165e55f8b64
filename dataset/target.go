package dataset

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir/target"
)

// A TargetJSON is a target in full as JSON: of a record that is shown, and of a task that
// is opened for a scorer. Names may be added, never changed.
type TargetJSON struct {
	Kind     target.Kind `json:"kind"`
	CPU      string      `json:"cpu"`
	Features []string    `json:"features"`
	Arch     string      `json:"arch"`
	HardwareJSON
}

// HardwareJSON is target.Hardware as JSON.
type HardwareJSON struct {
	Cores           int `json:"cores"`
	VectorBytes     int `json:"vector_bytes"`
	VectorRegisters int `json:"vector_registers"`
	CacheLineBytes  int `json:"cache_line_bytes"`
	SharedBytes     int `json:"shared_bytes"`
	LocalBytes      int `json:"local_bytes"`
	MaxThreads      int `json:"max_threads"`
	MaxVthread      int `json:"max_vthread"`
	WarpSize        int `json:"warp_size"`
}

// NewTargetJSON returns a target as JSON has it.
func NewTargetJSON(t target.Target) *TargetJSON {
	return &TargetJSON{t.Kind, t.CPU, append([]string{}, t.Features...), t.Arch, HardwareJSON(t.Hardware)}
}

// Target returns the target. It is an error if its kind is missing, or if a number is out of range.
func (j *TargetJSON) Target() (target.Target, error) {
	t := target.Target{
		Kind: j.Kind, CPU: j.CPU, Features: slices.Sorted(slices.Values(j.Features)), Arch: j.Arch,
		Hardware: target.Hardware(j.HardwareJSON),
	}
	if t.Kind != target.LLVM && t.Kind != target.CUDA && t.Kind != target.VDLA {
		return t, fmt.Errorf("a target of the kind %q: it must be %s, %s or %s", t.Kind, target.LLVM, target.CUDA,
			target.VDLA)
	}
	if t.Kind == target.LLVM && (t.Hardware.Cores < 1 || t.Hardware.VectorBytes < 1) {
		return t, fmt.Errorf("a target with %d cores and vectors of %d bytes: state cores and vector_bytes", j.Cores,
			j.VectorBytes)
	}
	for _, n := range []int{j.Cores, j.VectorBytes, j.VectorRegisters, j.CacheLineBytes, j.SharedBytes, j.LocalBytes,
		j.MaxThreads, j.MaxVthread, j.WarpSize} {
		if n < -1 || n > 1<<30 {
			return t, fmt.Errorf("a target with the number %d: it is not between -1 and %d", n, 1<<30)
		}
	}
	return t, nil
}
