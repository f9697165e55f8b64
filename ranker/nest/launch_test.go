package nest

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// onGPU tiles a product of 64 x 32 and 32 x 128: 2 x 4 blocks, 2 x 1 virtual threads, 8 x 16 threads, 1 x 2 and 2 x 1
// inside; the second operand goes through shared memory, fetched by 4.
const onGPU = `[["CHW", 2, "local"], ["SP", 2, 0, 64, [2, 8, 1, 2], 1], ["SP", 2, 5, 128, [1, 16, 2, 1], 1],
["SP", 2, 10, 32, [4, 2], 1],
["RE", 2, [0, 5, 1, 6, 2, 7, 10, 11, 3, 8, 12, 4, 9]], ["FSP", 3, 0, 1, 3], ["FSP", 3, 4, 2, 3],
["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]], ["CA", 2, 3, 5],
["CHR", 1, "shared", [2]], ["CA", 2, 3, 6],
["FU", 4, [0, 1]], ["AN", 4, 0, 5], ["FU", 4, [1, 2]], ["AN", 4, 1, 4], ["FU", 4, [2, 3]], ["AN", 4, 2, 6],
["FU", 2, [0, 1]], ["SP", 2, 0, 256, [4], 1], ["AN", 2, 1, 2], ["FFSP", 2, 0, [2, 1], 1, 1], ["AN", 2, 1, 6],
["PR", 3, 0, "auto_unroll_max_step$64"]]`

// launchesOf returns the launches of a workload after steps.
func launchesOf(t *testing.T, spec, steps string) []*Launch {
	t.Helper()
	b := boundsOf(t, spec, steps)
	return Launches(b, Of(b))
}

func TestLaunches(t *testing.T) {
	list := launchesOf(t, "matmul:m=64,n=128,k=32", onGPU)
	if len(list) != 1 || len(list[0].Nests) != 3 {
		t.Fatalf("%d launches", len(list))
	}
	l := list[0]
	// A copy of 8 x 32 elements, and 4 x 2 results of a thread.
	if l.Blocks != 8 || l.Threads != 128 || l.VThreads != 2 || l.Shared != 8*32*4 || l.Local != 4*2 ||
		l.Root != l.Nests[0] {
		t.Errorf("%+v", l)
	}
	main, fetch := l.Nests[1], l.Nests[2]
	if main.Memory != tir.Local || fetch.Memory != tir.Shared || l.Root.Memory != tir.Global {
		t.Fatalf("memories %s, %s, %s", l.Root.Memory, main.Memory, fetch.Memory)
	}
	if main.Starts() != 2 || main.PerThread() != 4*32 {
		t.Errorf("%v times %v", main.Starts(), main.PerThread())
	}
	// Each of the four steps of the reduction has 256 elements, by 4, of which 128 threads take 512.
	if fetch.Starts() != 4 || fetch.PerThread() != 4 || fetch.Region != 256 {
		t.Errorf("copies: %v times %v, of %v", fetch.Starts(), fetch.PerThread(), fetch.Region)
	}
	inner, outer := main.InnerTile(), main.OuterTile()
	if got := main.Elements(inner); !slices.Equal(got, []float64{2, 2, 1}) ||
		main.InThread(inner, len(main.Loops), true) != 2 {
		t.Errorf("behind the innermost reduction: %v", got)
	}
	if got := main.Elements(outer); !slices.Equal(got, []float64{4, 2 * 8, 8 * 2}) ||
		main.InThread(outer, len(main.Loops), true) != 8*4 || main.InThread(outer, len(main.Loops), false) != 4 {
		t.Errorf("behind the outermost reduction: %v", got)
	}
}

// TestLanes: neighbours share the first operand, are two elements apart in the second and in what they write, and
// copy four in a row.
func TestLanes(t *testing.T) {
	l := launchesOf(t, "matmul:m=64,n=128,k=32", onGPU)[0]
	root, main, fetch := l.Nests[0], l.Nests[1], l.Nests[2]
	for name, c := range map[string]struct {
		got, want Lanes
	}{
		"first operand":  {main.LanesOf(&main.Accesses[1]), Lanes{Apart: 0, Along: 16, Row: 1}},
		"second operand": {main.LanesOf(&main.Accesses[2]), Lanes{Apart: 2, Along: 16, Row: 1}},
		"result":         {root.LanesOf(&root.Accesses[0]), Lanes{Apart: 2, Along: 16, Row: 1}},
		"copy":           {fetch.LanesOf(&fetch.Accesses[1]), Lanes{Apart: 4, Along: 8, Row: 4}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", name, c.got, c.want)
		}
	}
	// The copies take 8 rows of 32 elements, four times; the block reads 32 rows of 32 elements of the first operand.
	if got := fetch.Sectors(&fetch.Accesses[1], 32); got != 4*8*32*4 {
		t.Errorf("copies: %v bytes", got)
	}
	if got := main.Sectors(&main.Accesses[1], 32); got != 32*32*4 {
		t.Errorf("first operand: %v bytes", got)
	}
}

// TestLaunchesUntuned: a program without steps is one block of one thread for each stage that is not inlined.
func TestLaunchesUntuned(t *testing.T) {
	for _, l := range launchesOf(t, "conv2d:h=16,w=16,ci=8,co=16,k=3,p=1", `[]`) {
		if l.Blocks != 1 || l.Threads != 1 || l.Shared != 0 || l.Local != 0 || len(l.Nests) != 1 {
			t.Errorf("%+v", l)
		}
		if got := l.Root.LanesOf(&l.Root.Accesses[0]); got != (Lanes{Along: 1, Row: 1}) {
			t.Errorf("lanes %+v", got)
		}
	}
}
