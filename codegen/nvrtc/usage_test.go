package nvrtc

import (
	"strings"
	"testing"
)

// TestReadLog reads what NVRTC 12 and 13 say, in whatever order, and keeps warnings.
func TestReadLog(t *testing.T) {
	log := `kernel.cu(3): warning #177-D: variable "x" was declared but never referenced

ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'b' for 'sm_90'
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
ptxas         .     40 bytes stack frame, 36 bytes spill stores, 32 bytes spill loads
ptxas info    : Used 254 registers, used 1 barriers, 40 bytes cumulative stack size, 2048 bytes smem, 368 bytes cmem[0]
ptxas info    : Compile time = 995.174 ms`
	got, rest, err := readLog(log)
	if err != nil {
		t.Fatal(err)
	}
	want := []Usage{
		{Kernel: "a", Registers: 254, SharedBytes: 2048, StackBytes: 40, SpillStores: 36, SpillLoads: 32},
		{Kernel: "b", Registers: 8},
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if rest != `kernel.cu(3): warning #177-D: variable "x" was declared but never referenced` {
		t.Errorf("rest %q", rest)
	}
	if _, _, err := readLog("ptxas info    : Compiling entry function 'a' for 'sm_90'"); err == nil || !strings.Contains(err.Error(), "kernel a") {
		t.Errorf("no figures: got %v", err)
	}
}

// TestReadLogOfCalled: what a function that a kernel calls takes is not taken for the
// kernel's. The log is NVRTC 12.9's of TestSpillsBesideCalled.
func TestReadLogOfCalled(t *testing.T) {
	log := `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'many' for 'sm_80'
ptxas info    : Function properties for many
ptxas         .     520 bytes stack frame, 608 bytes spill stores, 624 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 520 bytes cumulative stack size, 376 bytes cmem[0], 176 bytes cmem[2]
ptxas info    : Compile time = 714.849 ms
ptxas info    : Function properties for __internal_accurate_pow
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
`
	got, rest, err := readLog(log)
	want := Usage{Kernel: "many", Registers: 32, StackBytes: 520, SpillStores: 608, SpillLoads: 624}
	if err != nil || len(got) != 1 || got[0] != want || rest != "" {
		t.Errorf("got %+v, %q, %v, want %+v", got, rest, err, want)
	}
}
