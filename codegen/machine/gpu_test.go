package machine

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/codegen/driver/drivertest"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/codegen/nvrtc/nvrtctest"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A kernel that spills with all registers that it can have, or that asks for more than a
// block has, is rejected.
func TestFits(t *testing.T) {
	limits, err := nvrtc.LimitsOf("sm_86")
	if err != nil {
		t.Fatal(err)
	}
	g := &GPUCompiler{limits: limits}
	kernel := cuda.Kernel{Name: "k", Grid: cuda.Dim{X: 7, Y: 1, Z: 1}, Block: cuda.Dim{X: 256, Y: 2, Z: 1}}
	for _, c := range []struct {
		usage nvrtc.Usage
		want  string
	}{
		{nvrtc.Usage{Registers: 32, SharedBytes: 1024}, "k: 7 blocks of 512 threads, 32 registers, 1024 bytes shared, 0 local, occupancy 1.00"},
		{nvrtc.Usage{Registers: 80, SpillStores: 8, SpillLoads: 4, StackBytes: 8},
			"k: 7 blocks of 512 threads, 80 registers, 0 bytes shared, 8 local, occupancy 0.33, 8 bytes spilled though 128 registers could be had"},
		{nvrtc.Usage{Registers: 128, SpillStores: 8, SpillLoads: 16}, "build error: kernel k spills: 8 bytes written, 16 read back, with 128 registers"},
		{nvrtc.Usage{Registers: 200}, "load error: kernel k: 512 threads of 200 registers"},
		{nvrtc.Usage{Registers: 32, SharedBytes: 50 << 10}, "load error: kernel k: 51200 bytes of shared memory"},
	} {
		c.usage.Kernel = "k"
		takes, err := g.fits([]cuda.Kernel{kernel}, []nvrtc.Usage{c.usage})
		var rejected *RejectedError
		if err == nil && takes != c.want || err != nil && (!errors.As(err, &rejected) || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%q, %v, want %s", takes, err, c.want)
		}
	}
}

// TestFitsLaunch: a launch has less room along some dimensions than in all.
func TestFitsLaunch(t *testing.T) {
	limits, err := nvrtc.LimitsOf("sm_86")
	if err != nil {
		t.Fatal(err)
	}
	g := &GPUCompiler{limits: limits}
	for _, c := range []struct {
		grid, block cuda.Dim
		want        string
	}{
		{cuda.Dim{X: 1<<31 - 1, Y: 1, Z: 1}, cuda.Dim{X: 1024, Y: 1, Z: 1}, ""},
		{cuda.Dim{X: 1, Y: 65535, Z: 65535}, cuda.Dim{X: 1, Y: 16, Z: 64}, ""},
		{cuda.Dim{X: 1 << 31, Y: 1, Z: 1}, cuda.Dim{X: 1, Y: 1, Z: 1}, "2147483648 blocks along x: a launch has at most " +
			"2147483647"},
		{cuda.Dim{X: 1, Y: 65536, Z: 1}, cuda.Dim{X: 1, Y: 1, Z: 1}, "65536 blocks along y: a launch has at most 65535"},
		{cuda.Dim{X: 1, Y: 1, Z: 65536}, cuda.Dim{X: 1, Y: 1, Z: 1}, "65536 blocks along z: a launch has at most 65535"},
		{cuda.Dim{X: 1, Y: 1, Z: 1}, cuda.Dim{X: 1, Y: 1, Z: 65}, "65 threads along z: a launch has at most 64"},
		{cuda.Dim{X: 1, Y: 1, Z: 1}, cuda.Dim{X: 1025, Y: 1, Z: 1}, "1025 threads a block"},
		{cuda.Dim{X: 1, Y: 1, Z: 1}, cuda.Dim{X: 1, Y: 1025, Z: 1}, "1025 threads a block"},
	} {
		_, err := g.fits([]cuda.Kernel{{Name: "k", Grid: c.grid, Block: c.block}},
			[]nvrtc.Usage{{Kernel: "k", Registers: 32}})
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || c.want == "" || !strings.HasPrefix(err.Error(), "load error: kernel k: "+c.want) {
			t.Errorf("grid %v, block %v: %v, want %q", c.grid, c.block, err, c.want)
		}
	}
}

// TestCompileRolled: a program that spills because its sum is unrolled is compiled again
// with no more unrolled than registers need, and handed over so; one that does not is not.
func TestCompileRolled(t *testing.T) {
	nvrtctest.Need(t)
	compiler, err := OpenNVRTC(t.Context(), testOptions(0), "sm_86", 0)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.Find("dense:m=1,n=1000,k=2048,epilogue=bias")
	if err != nil {
		t.Fatal(err)
	}
	gpu, err := target.GPU("sm_86")
	if err != nil {
		t.Fatal(err)
	}
	g := &GPU{GPUCompiler: GPUCompiler{gpu: gpu, compiler: compiler}}
	if g.limits, err = nvrtc.LimitsOf(gpu.Arch); err != nil {
		t.Fatal(err)
	}
	const note = "unrolled for registers only: else it spills"
	for unroll, rolled := range map[string]bool{"0": false, "1024": true} {
		steps, err := schedule.ParseSteps([]byte(`[["SP", 4, 1, 1000, [8], 1], ["AN", 4, 2, 6], ["FSP", 2, 2, 0, 1], ["AN", 2, 3, 6], ["CA", 2, 4, 1],
			["FU", 4, [0, 1]], ["AN", 4, 0, 5], ["PR", 2, 0, "auto_unroll_max_step$` + unroll + `"]]`))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Replay(w.DAG, steps)
		if err != nil {
			t.Fatal(err)
		}
		f, _, err := g.decode.Lower(measure.NewInput(s, gpu, target.Keep))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.compileAs(t.Context(), f, cuda.Emit); (err != nil) != rolled {
			t.Fatalf("unrolled by %s: %v: the test proves nothing", unroll, err)
		}
		code, err := g.compile(t.Context(), f)
		if err != nil || code.rolled != rolled || strings.Contains(code.usage, note) != rolled || len(code.cubin) == 0 {
			t.Errorf("unrolled by %s: %v, rolled %v: %s", unroll, err, code.rolled, code.usage)
		}
		var p Printer
		p.Options = testOptions(0)
		shown, err := cudaText(t.Context(), &p, f, gpu)
		if err != nil || strings.Contains(shown, "#pragma unroll 1\n") != rolled ||
			strings.HasPrefix(shown, "// Unrolled for registers only") != rolled {
			t.Errorf("unrolled by %s: %v\n%s", unroll, err, shown)
		}
		p = Printer{Options: Options{WorkerCommand: p.Options.WorkerCommand, Libraries: Libraries{NVRTC: t.TempDir()}}}
		shown, err = cudaText(t.Context(), &p, f, gpu)
		if err != nil || !strings.HasPrefix(shown, "// Not compiled (NVRTC is missing)") {
			t.Errorf("without NVRTC: %v\n%s", err, shown)
		}
		made, err := g.Export(t.Context(), f, ExportOptions{Note: "note"})
		if err != nil || strings.Contains(string(made.Files[0].Data), "#pragma unroll 1\n") != rolled {
			t.Errorf("unrolled by %s: %v\n%s", unroll, err, made.Files[0].Data)
		}
	}
}

// TestPresentGPU: the first GPU whose architecture is known is taken, though another comes before it.
func TestPresentGPU(t *testing.T) {
	lib := Libraries{CUDA: drivertest.Driver(t)}
	t.Setenv("FAKE_GPU", "arch=61 count=10") // 61, 64, ... 86, 89
	gpu, err := presentGPU(lib)
	if err != nil || gpu.Arch != "sm_70" {
		t.Errorf("%v, %v", gpu, err)
	}
	t.Setenv("FAKE_GPU", "arch=150")
	_, err = presentGPU(lib)
	if want := `the GPU here, Fake 0, has architecture sm_150, which wmtune does not know; ` +
		`to compile for one that it knows, name it, such as ` +
		`--target "cuda -arch=sm_120" (known: sm_70, `; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestOpenNVRTC: an NVRTC is taken that the GPU's driver can load the machine code of, if the GPU is here.
func TestOpenNVRTC(t *testing.T) {
	opt := testOptions(0)
	opt.Libraries = Libraries{CUDA: drivertest.Driver(t), NVRTC: drivertest.NVRTCs(t)}
	t.Setenv("FAKE_GPU", "arch=86 version=12020")
	for arch, want := range map[string]int{"sm_75": 0, "sm_86": 12020} {
		gpu, err := target.GPU(arch)
		if err != nil {
			t.Fatal(err)
		}
		if got := driverOf(gpu, opt.Libraries); got != want {
			t.Errorf("%s: driver %d, want %d", arch, got, want)
		}
	}
	gpu, err := Open(t.Context(), "cuda", opt)
	if err != nil {
		t.Fatal(err)
	}
	defer gpu.Close()
	if info := gpu.(*GPU).compiler.Info(); info.Major != 12 {
		t.Errorf("for a driver of CUDA 12.2: %+v", info)
	}
}

// TestGPUPhases: a batch for a GPU says how far it is, program by program. On a GPU that is here,
// where it takes longest, it says at last that it measures.
func TestGPUPhases(t *testing.T) {
	buildtest.NeedLLVM(t, build.Config{})
	t.Setenv("WMTUNE_CUDA", drivertest.Driver(t))
	t.Setenv("WMTUNE_NVRTC", drivertest.NVRTC(t))
	t.Run("absent", func(t *testing.T) {
		last := []string{"running 2 on the processor"}
		testGPUPhases(t, "cuda -arch=sm_75", measure.Unmeasured, last)
	})
	t.Run("here", func(t *testing.T) {
		last := []string{"measuring 2", "measuring the 2 best again, in turns"}
		testGPUPhases(t, "cuda -arch=sm_86", measure.OK, last)
	})
}

// testGPUPhases measures a batch of two, as finalists, too, if the GPU is here.
func testGPUPhases(t *testing.T, on string, status measure.Status, want []string) {
	var said []string
	var mu sync.Mutex
	opt := testOptions(1)
	opt.Progress = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, text)
	}
	g, err := Open(t.Context(), on, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	w, err := workload.Find(hostKernels[0].workload)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := schedule.ParseSteps([]byte(hostKernels[0].steps))
	if err != nil {
		t.Fatal(err)
	}
	state, err := schedule.Replay(w.DAG, steps)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.SetTask(t.Context(), w.DAG, 1, measure.Repeated); err != nil {
		t.Fatal(err)
	}
	batch := slices.Repeat([]measure.Input{measure.NewInput(state, g.Target(), target.Keep)}, 2)
	built, err := g.Builder().Build(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	results, err := g.Runner().Run(t.Context(), batch, built)
	if err != nil || results[1].Status != status {
		t.Fatalf("%+v, %v", results, err)
	}
	if again := g.Runner().Modes().InTurns; again != nil {
		if _, err := again(t.Context(), batch, built); err != nil {
			t.Fatal(err)
		}
	}
	want = append([]string{"compiling 1 of 2", "compiling 2 of 2"}, want...)
	for i := 1; i < min(len(said), len(want)); i++ {
		if said[i-1] == want[i] && said[i] == want[i-1] { // the second of two may be told of first
			said[i-1], said[i] = said[i], said[i-1]
		}
	}
	if !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}
