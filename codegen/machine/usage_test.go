package machine

import (
	"testing"

	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/codegen/nvrtc"
)

func TestKernelText(t *testing.T) {
	limits, err := nvrtc.LimitsOf("sm_75")
	if err != nil {
		t.Fatal(err)
	}
	g := &GPUCompiler{limits: limits}
	k := cuda.Kernel{Name: "k", Grid: cuda.Dim{X: 3, Y: 1, Z: 1}, Block: cuda.Dim{X: 512, Y: 1, Z: 1}}
	accesses := []nvrtc.Access{
		{Kernel: "k", Op: "ld", Space: "global", Bytes: 16, Count: 2}, {Kernel: "k", Op: "st", Space: "global", Bytes: 4, Count: 1},
		{Kernel: "other", Op: "ld", Space: "shared", Bytes: 16, Count: 7},
	}
	for _, c := range []struct {
		usage nvrtc.Usage
		want  string
	}{
		{nvrtc.Usage{Registers: 40, SharedBytes: 64}, `k: 3 blocks of 512 threads
  registers  40; 20 if only the tile is unrolled, which should need 25: 4 accumulators, 5 operands, 16 for the rest
  occupancy  1.00, with 64 bytes of shared memory a block
  global     ld 2 x 16 bytes, st 1 x 4 bytes
`},
		{nvrtc.Usage{Registers: 200, StackBytes: 16, SpillStores: 8, SpillLoads: 12}, `k: 3 blocks of 512 threads
  registers  200; 20 if only the tile is unrolled, which should need 25: 4 accumulators, 5 operands, 16 for the rest
  rejected   kernel : 512 threads of 200 registers: a block has 65536 registers
  local      16 bytes a thread; spilled: 8 bytes written, 12 read back
  global     ld 2 x 16 bytes, st 1 x 4 bytes
`},
	} {
		if got := g.kernelText(k, cuda.Tile{Accumulators: 4, Operands: 5}, c.usage, nvrtc.Usage{Registers: 20}, accesses); got != c.want {
			t.Errorf("got\n%swant\n%s", got, c.want)
		}
	}
}
