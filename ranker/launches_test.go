package ranker

import (
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// columnsOf returns the named features of a product of 64 x 32 and 32 x 128 on a GPU.
func columnsOf(t *testing.T, steps string, names ...string) []float32 {
	t.Helper()
	s, err := schedule.Replay(dagOf(t, "matmul:m=64,n=128,k=32"), stepsOf(t, steps))
	if err != nil {
		t.Fatal(err)
	}
	turing, err := target.GPU("sm_75")
	if err != nil {
		t.Fatal(err)
	}
	row, err := Features(s, turing)
	if err != nil {
		t.Fatal(err)
	}
	all := Launched.Names()
	var list []float32
	for _, n := range names {
		k := slices.Index(all, n)
		if k < 0 {
			t.Fatalf("no column %s", n)
		}
		list = append(list, row[k])
	}
	return list
}

// TestLaunchColumns: what blocks and threads do, by hand. A block has 4 warps, a copy of 1 KiB and 24 + 8 + 3
// registers a thread.
func TestLaunchColumns(t *testing.T) {
	log2 := func(v float64) float32 { return float32(math.Log2(v)) }
	for _, c := range []struct {
		name string
		want float32
	}{
		{"launches.launches", 1},
		{"launches.work", log2(260. / 256)}, // writing a result counts as half a multiply-add
		{"launches.stores/tensors", log2(8 * 8 * 4 * 8 * 32. / ((64*32 + 32*128 + 64*128) * 4))}, // 8 results of a thread
		{"launch0.share", 1},
		{"launch0.blocks", 3},
		{"launch0.threads", 7},
		{"launch0.vthreads", 1},
		{"launch0.shared", log2(1. / 64)},
		{"launch0.registers", 35. / 255},
		{"launch0.local", 3},
		{"launch0.occupancy", 1}, // 8 blocks of 4 warps: threads decide
		{"launch0.resident", 8},
		{"launch0.shared/threads", 3},
		{"launch0.registers/threads", log2(12. / 8)}, // 65,536 / (40 x 128)
		{"launch0.blocks/units", log2(8. / 68)},
		{"launch0.waves", log2(8. / (68 * 8))},
		{"launch0.units", 8. / 68},
		{"launch0.warps", 2},
		{"launch0.lanes", 1},
		{"launch0.work", log2(260)},
		{"launch0.inner", 1}, // 2 rows of one column
		{"launch0.outer", 5},
		{"launch0.reads", log2(3)},
		{"launch0.outer/reads", 0}, // 32 of 32
		{"launch0.copies/work", log2(16. / 260)},
		{"launch0.idle", 0.5},
		{"launch0.sectors", 0}, // four in a row are whole sectors
		{"launch0.row", 4},
		{"launch0.starts", 1},
		{"launch0.read0.apart", -1},
		{"launch0.read1.apart", log2(2.5)},
		{"launch0.read1.along", 4},
		{"launch0.written.sectors", 3}, // two rows of 16 threads, two elements apart: 4 sectors each
		{"launch1.blocks", 0},
	} {
		if got := columnsOf(t, gpuSteps, c.name)[0]; math.Abs(float64(got-c.want)) > 1e-4 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestLaunchesAnswer: programs that are worse on any GPU look so.
func TestLaunchesAnswer(t *testing.T) {
	const name = "launches.cycles"
	tiled, untuned := columnsOf(t, gpuSteps, name)[0], columnsOf(t, `[]`, name)[0]
	if tiled+4 > untuned {
		t.Errorf("one thread takes 2^%v cycles, 1,024 take 2^%v", untuned, tiled)
	}
}
