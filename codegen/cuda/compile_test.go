package cuda_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/codegen/nvrtc/nvrtctest"
)

func TestMain(m *testing.M) { os.Exit(nvrtctest.Main(m)) }

// TestCompiles has NVRTC compile the golden programs, and some random ones: with
// no warning, the kernels that are promised, and the shared memory that they say.
func TestCompiles(t *testing.T) {
	compiler := nvrtctest.Need(t)
	compile := func(about string, p shimProgram, arch string) []nvrtc.Usage {
		text := emit(t, p.fn)
		out, err := compiler.Compile(context.Background(), text, nvrtc.Options{Arch: arch, PTX: true})
		if err != nil || out.Log != "" {
			t.Fatalf("%s for %s: %v %s\n%s", about, arch, err, out.Log, text)
		}
		if strings.Contains(text, "reinterpret_cast<const float4*>") && !strings.Contains(string(out.PTX), "ld.global.nc.v4") {
			t.Errorf("%s for %s: no vector is loaded\n%s", about, arch, out.PTX)
		}
		kernels, err := cuda.Kernels(p.fn)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Kernels) != len(kernels) {
			t.Fatalf("%s for %s: %d kernels, want %d", about, arch, len(out.Kernels), len(kernels))
		}
		for _, k := range kernels {
			i := slices.IndexFunc(out.Kernels, func(u nvrtc.Usage) bool { return u.Kernel == k.Name })
			least := k.SharedBytes - cuda.Alignment + 1
			if k.Block.Count() == 1 {
				least = 0 // what a single thread shares the compiler may keep in registers
			}
			if i < 0 || int64(out.Kernels[i].SharedBytes) > k.SharedBytes || int64(out.Kernels[i].SharedBytes) < least {
				t.Errorf("%s for %s: got %+v, want %s with %d bytes of shared memory", about, arch, out.Kernels, k.Name, k.SharedBytes)
			}
		}
		return out.Kernels
	}
	for _, c := range goldenPrograms(t) {
		for _, arch := range []string{"sm_75", "sm_80", "sm_90"} {
			if arch < targetOf(c.fn).Arch {
				continue
			}
			for _, u := range compile(c.name, c.shimProgram, arch) {
				local := 0
				if c.name == "registers" {
					local = 2048 // of the array that is too large
				}
				if u.Spills() || u.StackBytes != local {
					t.Errorf("%s for %s: %+v, want %d bytes of local memory and no spills", c.name, arch, u, local)
				}
			}
		}
	}
	for seed := uint64(1); seed <= 25; seed++ {
		p, _, kind := randomProgram(t, seed)
		compile(kind, p, targetOf(p.fn).Arch)
	}
}
