package target

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Limits of a block on every GPU from sm_70 to sm_120 (CUDA C++ Programming Guide,
// "Compute Capabilities").
const (
	RegistersPerBlock  = 65536 // of 4 bytes
	RegistersPerThread = 255
)

// archs are the architectures that programs can be generated for, oldest first.
var archs = []string{"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}

// Architectures returns those that programs can be generated for, oldest first.
func Architectures() []string { return slices.Clone(archs) }

// A Model is a GPU that one can buy. Programs depend on its architecture alone.
type Model struct {
	Name            string // as after -model=
	Arch            string
	Multiprocessors int
}

// Models returns common models, in order of their architectures. The numbers are
// those of NVIDIA's architecture white papers (Turing, Ampere GA100 and GA102, Ada,
// Hopper, Blackwell) and product pages.
func Models() []Model {
	return []Model{
		{"v100", "sm_70", 80},
		{"rtx-2080-ti", "sm_75", 68},
		{"t4", "sm_75", 40},
		{"a100", "sm_80", 108},
		{"rtx-3090", "sm_86", 82},
		{"a10", "sm_86", 72},
		{"rtx-4090", "sm_89", 128},
		{"l4", "sm_89", 58},
		{"h100", "sm_90", 132},
		{"b200", "sm_100", 148},
		{"rtx-5090", "sm_120", 170},
	}
}

// A Multiprocessor is one of a GPU's: what runs on it at once, and what it does in a cycle.
type Multiprocessor struct {
	Arch          string
	Threads       int // at once
	Blocks        int // at once
	SharedBytes   int // of all blocks
	Lanes         int // float32 multiply-adds a cycle
	BytesPerCycle int // its share of what the first model of the architecture gets from memory, about
}

// ProcessorOf returns the multiprocessor of an architecture, such as "sm_80" (CUDA C++ Programming Guide, "Technical
// specifications per compute capability" and "Arithmetic instructions"; bandwidth by clock and number of
// multiprocessors, of the sources of Models). It reports false of one that is not known.
func ProcessorOf(arch string) (Multiprocessor, bool) {
	for _, m := range []Multiprocessor{
		{"sm_70", 2048, 32, 96 << 10, 64, 8},
		{"sm_75", 1024, 16, 64 << 10, 64, 6},
		{"sm_80", 2048, 32, 164 << 10, 64, 10},
		{"sm_86", 1536, 16, 100 << 10, 128, 6},
		{"sm_89", 1536, 24, 100 << 10, 128, 4},
		{"sm_90", 2048, 32, 228 << 10, 128, 16},
		{"sm_100", 2048, 32, 228 << 10, 128, 26},
		{"sm_120", 1536, 24, 100 << 10, 128, 4},
	} {
		if m.Arch == arch {
			return m, true
		}
	}
	return Multiprocessor{}, false
}

// Multiprocessors returns how many a GPU has: those of the first model of its architecture, 0 if none is known.
func (t Target) Multiprocessors() int {
	for _, m := range Models() {
		if m.Arch == t.Arch {
			return m.Multiprocessors
		}
	}
	return 0
}

// GPU returns the target of an architecture, such as "sm_86", or of a model, such as
// "rtx-3090". The hardware parameters are AutoScheduler's
// (src/auto_scheduler/search_task.cc): the shared memory of a block is what a program
// gets without asking for more. The error lists the names that are known.
func GPU(name string) (Target, error) {
	for _, m := range Models() {
		if name == m.Name {
			name = m.Arch
		}
	}
	for _, a := range archs {
		if name == a {
			return Target{Kind: CUDA, Arch: a, Hardware: Hardware{
				Cores: -1, VectorBytes: 16, CacheLineBytes: 64, SharedBytes: 48 << 10, LocalBytes: math.MaxInt32,
				MaxThreads: 1024, MaxVthread: 8, WarpSize: 32,
			}}, nil
		}
	}
	return Target{}, fmt.Errorf("no GPU %q is known; known: %s", name, knownGPUs())
}

// knownGPUs lists what GPU takes.
func knownGPUs() string {
	names := strings.Join(archs, ", ")
	for _, m := range Models() {
		names += fmt.Sprintf(", %s", m.Name)
	}
	return names
}

// ParseGPU returns the target of a text such as "cuda -arch=sm_86" or
// "cuda -model=a10". "cuda" alone names none: ok is false. The error says which
// part of the text is not understood, or which GPU is not known.
func ParseGPU(text string) (t Target, ok bool, err error) {
	words := strings.Fields(text)
	if len(words) == 0 || words[0] != string(CUDA) {
		return Target{}, false, fmt.Errorf("the target %q does not begin with %s", text, CUDA)
	}
	for _, w := range words[1:] {
		option, name, _ := strings.Cut(w, "=")
		if option != "-arch" && option != "-model" {
			return Target{}, false, fmt.Errorf("the target %q has %s; known: -arch=ARCH, -model=MODEL", text, w)
		}
		named, err := GPU(name)
		switch {
		case err != nil:
			return Target{}, false, fmt.Errorf("the target %q: %w", text, err)
		case option == "-arch" && named.Arch != name:
			return Target{}, false, fmt.Errorf("the target %q: %s is a model; write -model=%s", text, name, name)
		case option == "-model" && named.Arch == name:
			return Target{}, false, fmt.Errorf("the target %q: %s is an architecture; write -arch=%s", text, name, name)
		case ok && named.Arch != t.Arch:
			return Target{}, false, fmt.Errorf("the target %q names GPUs of two architectures, %s and %s", text, t.Arch,
				named.Arch)
		}
		t, ok = named, true
	}
	return t, ok, nil
}

// HasAsyncCopies reports whether threads of t can copy from global to shared memory
// asynchronously (PTX ISA, "cp.async": from sm_80).
func (t Target) HasAsyncCopies() bool {
	return t.Kind == CUDA && slices.Index(archs, t.Arch) >= slices.Index(archs, "sm_80")
}

// HasTensorCores reports whether t multiplies tiles of float16, of bfloat16 and of float32
// rounded to tf32 with sums in float32 as tir.MMA does (PTX ISA, "mma": .m16n8k16, and
// .m16n8k8 of .tf32, from sm_80).
func (t Target) HasTensorCores() bool {
	return t.Kind == CUDA && slices.Index(archs, t.Arch) >= slices.Index(archs, "sm_80")
}
