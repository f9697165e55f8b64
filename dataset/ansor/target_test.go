package ansor

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/target"
)

func TestTargetOf(t *testing.T) {
	cpu := []int64{32, 64, 64, 0, 0, 0, 0, 0}
	gpu := []int64{-1, 16, 64, 49152, 2147483647, 1024, 8, 32}
	for _, c := range []struct {
		text     string
		hardware []int64
		want     string
		bytes    int // of a vector
		regs     int
	}{
		{"llvm -keys=cpu -mcpu=icelake-server -model=platinum-8358", cpu, "llvm -mcpu=icelake-server -mattr=sse4.2,avx,avx2,fma,f16c,avx512f,avx512vl,avx512bw,avx512dq,avx512vnni -cores=32", 64, 32},
		{"llvm -mcpu=core-avx2", nil, "llvm -mcpu=core-avx2 -mattr=sse4.2,avx,avx2,fma,f16c -cores=1", 32, 16},
		{"llvm -mcpu=core-avx2 -mattr=+avx512f,-fma,-nothing", cpu, "llvm -mcpu=core-avx2 -mattr=sse4.2,avx,avx2,f16c,avx512f -cores=32", 64, 32},
		{"llvm", cpu, "llvm -mcpu= -mattr= -cores=32", 16, 16},
		{"llvm -mcpu=unheard-of", cpu, "llvm -mcpu=unheard-of -mattr= -cores=32", 16, 16},
		{"llvm -mtriple=aarch64-linux-gnu -mattr=+neon", cpu, "llvm -mcpu= -mattr=neon -cores=32", 16, 32},
		{"llvm -keys=arm_cpu,cpu -mtriple=aarch64-linux-gnu", cpu, "llvm -mcpu= -mattr=neon -cores=32", 16, 32},
		{"cuda -keys=cuda,gpu -arch=sm_75 -max_num_threads=1024 -model=2080ti -thread_warp_size=32", gpu, "cuda -arch=sm_75", 16, 0},
	} {
		got, err := targetOf(c.text, c.hardware)
		if err != nil || got.String() != c.want || got.Hardware.VectorBytes != c.bytes || got.Hardware.VectorRegisters != c.regs {
			t.Errorf("%s: got %v, %+v, %v\nwant %s, vectors of %d bytes, %d registers", c.text, got, got.Hardware, err, c.want, c.bytes, c.regs)
		}
		if c.hardware == nil {
			continue
		}
		// The eight parameters of a CPU are 64 and GPU's as they were.
		if _, hardware := textOf(got); !slices.Equal(hardware, c.hardware) {
			t.Errorf("%s: hardware %v became %v", c.text, c.hardware, hardware)
		}
	}
}

func TestTextOf(t *testing.T) {
	gpu := target.Target{Kind: target.CUDA, Arch: "sm_86", Hardware: target.Hardware{Cores: -1, VectorBytes: 16, MaxThreads: 1024, WarpSize: 32}}
	own := target.Generic(32, 4)
	own.CPU, own.Features = "znver3", []string{"aes", "avx", "avx2", "bmi2", "f16c", "fma", "sse4.2"}
	less := own // as in a virtual machine
	less.CPU = "cascadelake"
	more := own
	more.CPU, more.Features = "sandybridge", []string{"avx", "avx2", "sse4.2"}
	unheard := own
	unheard.CPU = "znver9"
	none := target.Generic(32, 4)
	none.CPU = ""
	for want, in := range map[string]target.Target{
		"cuda -keys=cuda,gpu -arch=sm_86 -max_num_threads=1024 -thread_warp_size=32": gpu,
		"llvm -keys=cpu -mcpu=znver3": own,
		"llvm -keys=cpu -mcpu=cascadelake -mattr=-avx512bw,-avx512dq,-avx512f,-avx512vl,-avx512vnni": less,
		"llvm -keys=cpu -mcpu=sandybridge -mattr=+avx2":                                              more,
		"llvm -keys=cpu -mcpu=znver9 -mattr=+sse4.2,+avx,+avx2,+fma,+f16c":                           unheard,
		"llvm -keys=cpu": none,
		"metal":          {Kind: "metal"},
	} {
		got, hardware := textOf(in)
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if back, err := targetOf(got, hardware); err != nil || back.String() != in.String() {
			t.Errorf("%s reads as %s, %v", in, back, err)
		}
	}
}

// TestProcessors: the lists are sorted, as target.Target wants them, and share
// nothing.
func TestProcessors(t *testing.T) {
	for name, l := range processors {
		sorted := slices.Sorted(slices.Values(l))
		if len(slices.Compact(sorted)) != len(l) {
			t.Errorf("%s: %v", name, l)
		}
	}
	if slices.Contains(vnni, "avx512bf16") || slices.Contains(avx2, "avx512f") || !slices.Contains(bf16, "avx512vnni") {
		t.Error("the levels are mixed up")
	}
}
