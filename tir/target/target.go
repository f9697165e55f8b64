// Package target describes the machine that code is generated for: its kind,
// processor features and the hardware parameters that search rules and lowering
// read. It must not probe the machine; codegen does that.
package target

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// A Kind is a family of targets with one code emitter.
type Kind string

// The kinds of targets that other packages name. Any other is a Kind too.
const (
	LLVM Kind = "llvm" // a CPU, through LLVM
	CUDA Kind = "cuda"
	VDLA Kind = "vdla" // a simulated accelerator
)

// A Target is one kind of machine. It is a value: equal targets compare equal
// by their String.
type Target struct {
	Kind     Kind
	CPU      string   // LLVM's processor name, such as "znver3"; "" on a GPU
	Features []string // sorted LLVM features that are on, such as "avx2"; empty on a GPU
	Arch     string   // "sm_80" on a GPU; "" on a CPU
	Hardware Hardware
}

// Hardware holds the parameters of AutoScheduler's HardwareParams, plus the
// sizes that lowering needs. The GPU fields are 0 on a CPU.
type Hardware struct {
	Cores           int // that the process may use; -1 on a GPU
	VectorBytes     int // width of a vector register
	VectorRegisters int
	CacheLineBytes  int
	SharedBytes     int // per block
	LocalBytes      int // per block
	MaxThreads      int // per block
	MaxVthread      int
	WarpSize        int
}

// Lanes returns how many elements of so many bytes a vector register holds, at least 1.
func (h Hardware) Lanes(bytes int) int64 { return max(1, int64(h.VectorBytes)/int64(max(bytes, 1))) }

// Ansor returns the eight hardware parameters in the order of AutoScheduler's
// logs (measure_record.cc). AutoScheduler always says 64 vector bytes on a CPU
// and never reads them there.
func (h Hardware) Ansor() [8]int {
	return [8]int{h.Cores, 64, h.CacheLineBytes, h.SharedBytes, h.LocalBytes, h.MaxThreads, h.MaxVthread, h.WarpSize}
}

// Has reports whether the processor has an LLVM feature.
func (t Target) Has(feature string) bool {
	i := sort.SearchStrings(t.Features, feature)
	return i < len(t.Features) && t.Features[i] == feature
}

// Vectors returns how many bytes a vector register has, and how many registers there are, by the features.
func (t Target) Vectors() (bytes, registers int) {
	switch {
	case t.Has("avx512f"):
		return 64, 32
	case t.Has("avx"):
		return 32, 16
	case t.Has("neon"):
		return 16, 32
	}
	return 16, 16
}

// Triple returns what LLVM calls the architecture and system of an aarch64 processor; "" of any other: they are this
// machine's, or code is not LLVM's.
func (t Target) Triple() string {
	if t.Has("neon") {
		return "aarch64-unknown-linux-gnu"
	}
	return ""
}

// String identifies the target in records: two records with different strings
// must not be compared. It holds what changes the code or its speed: the
// processor's name, the vector extensions and the number of cores.
func (t Target) String() string {
	switch {
	case t.Arch != "":
		return fmt.Sprintf("%s -arch=%s", t.Kind, t.Arch)
	case t.Kind == VDLA:
		return string(VDLA)
	}
	return fmt.Sprintf("%s -mcpu=%s -mattr=%s -cores=%d", t.Kind, t.CPU, strings.Join(t.vectorFeatures(), ","),
		t.Hardware.Cores)
}

// vectorFeatures returns the features that decide what code is generated for
// float programs; the list of all is several hundred characters long.
func (t Target) vectorFeatures() []string {
	var list []string
	for _, f := range []string{"sse4.2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512vl", "avx512bw", "avx512dq",
		"avx512vnni", "avx512bf16", "neon", "dotprod", "fullfp16", "i8mm", "bf16", "sve"} {
		if t.Has(f) {
			list = append(list, f)
		}
	}
	return list
}

// CoreCacheBytes returns how much a core's own cache is taken to hold, the second-level one: 1 MB with AVX-512, and 256
// KB without. A target does not say; processors that are sold with AVX-512 have 0.5 to 2 MB, others 256 KB or more.
func (t Target) CoreCacheBytes() int64 {
	if t.Has("avx512f") {
		return 1 << 20
	}
	return 256 << 10
}

// Generic returns a CPU target for tests and for reasoning about foreign logs:
// vectors of the given width in bytes and so many cores.
func Generic(vectorBytes, cores int) Target {
	regs := 16
	if vectorBytes == 64 {
		regs = 32
	}
	return Target{
		Kind: LLVM, CPU: "generic",
		Hardware: Hardware{Cores: cores, VectorBytes: vectorBytes, VectorRegisters: regs, CacheLineBytes: 64},
	}
}

// A Layout says whether lowering may choose the weight layout: the order in which
// operands lie in memory.
type Layout uint8

// The weight layouts.
const (
	Keep    Layout = iota // as the caller has them
	Rewrite               // in the order of reading: constants pre-packed, others copied where it pays
)

var layouts = [...]string{Keep: "keep", Rewrite: "rewrite"}

func (l Layout) String() string { return layouts[l] }

// ParseLayout returns the layout of a name.
func ParseLayout(name string) (Layout, error) {
	if i := slices.Index(layouts[:], name); i >= 0 {
		return Layout(i), nil
	}
	return Keep, fmt.Errorf("layout %q: must be keep or rewrite", name)
}
