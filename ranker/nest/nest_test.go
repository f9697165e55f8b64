package nest

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
)

// nestsOf returns the nests of a workload after steps.
func nestsOf(t testing.TB, spec, steps string) []*Summary {
	t.Helper()
	return Of(boundsOf(t, spec, steps))
}

// boundsOf returns a workload after steps.
func boundsOf(t testing.TB, spec, steps string) *schedule.Bounds {
	t.Helper()
	w, err := op.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	list, err := schedule.ParseSteps([]byte(steps))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(w.DAG, list)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Bounds()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tiled is a product of 32 x 512 and 512 x 256 in tiles of 4 x 16, 64 steps of the
// reduction at a time, computed in the loop over 16 x 32 of what follows.
const tiled = `[["SP", 2, 0, 32, [1, 2, 2], 1], ["SP", 2, 4, 256, [1, 2, 8], 1], ["SP", 2, 8, 512, [64], 1],
["RE", 2, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]], ["FSP", 3, 0, 0, 2], ["FSP", 3, 3, 1, 2], ["RE", 3, [0, 3, 1, 4, 2, 5]],
["CA", 2, 3, 3], ["FU", 3, [0, 1, 2, 3]], ["AN", 3, 0, 3], ["PR", 2, 0, "auto_unroll_max_step$64"],
["AN", 2, 9, 2], ["AN", 3, 2, 2]]`

func TestOf(t *testing.T) {
	nests := nestsOf(t, "matmul:m=32,n=256,k=512,epilogue=relu", tiled)
	if len(nests) != 2 {
		t.Fatalf("%d nests", len(nests))
	}
	n := nests[0]
	if n.Own != 1 || len(n.Loops) != 11 || n.Runs(len(n.Loops)) != 32*256*512 || n.Runs(1) != 128 || n.Unroll != 64 {
		t.Errorf("%d loops, the first of its own is %d, %v runs, %v outside", len(n.Loops), n.Own, n.Runs(len(n.Loops)),
			n.Runs(1))
	}
	if n.Ops != 2 || n.Calls != 0 {
		t.Errorf("%v operations, %v calls", n.Ops, n.Calls)
	}
	for _, c := range []struct {
		from int
		want [3]int64
	}{
		{0, [3]int64{32, 256, 512}}, // all that the loop around it asks for
		{1, [3]int64{4, 16, 512}},   // its own tile
		{6, [3]int64{4, 16, 64}},    // inside of the outer reduction
		{9, [3]int64{2, 8, 1}},
		{11, [3]int64{1, 1, 1}},
	} {
		if got := n.counts(c.from); [3]int64(got) != c.want {
			t.Errorf("from loop %d: %v, want %v", c.from, got, c.want)
		}
	}
}

func TestTile(t *testing.T) {
	nests := nestsOf(t, "matmul:m=32,n=256,k=512,epilogue=relu", tiled)
	got := nests[0].Tile(32)
	// 2 rows of one vector of 8; 64 steps; a row of the second operand, which is
	// shared by lanes in the first.
	want := Tile{Lanes: 8, Vectors: 2, Steps: 64, Reads: 2 + 1, Same: 2, Use: 1, Stride: 1}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := nests[0].Tile(64); got.Use != 0.5 || got.Vectors != 2 {
		t.Errorf("in vectors of 16: %+v", got)
	}
	// With the vector along the rows of the output each lane reads another row.
	along := nestsOf(t, "matmul:m=32,n=256,k=512", `[["RE", 2, [1, 2, 0]], ["AN", 2, 2, 2]]`)[0].Tile(32)
	if along.Spread != 32 || along.Stride != 256 || along.Lanes != 32 {
		t.Errorf("across: %+v", along)
	}
	if plain := nestsOf(t, "matmul:m=32,n=256,k=512", `[]`)[0].Tile(32); plain.Use != 1./8 || plain.Vectors != 1 ||
		plain.Steps != 512 {
		t.Errorf("without a vector: %+v", plain)
	}
}

func TestFootprints(t *testing.T) {
	n := nestsOf(t, "matmul:m=32,n=256,k=512", `[]`)[0]
	feet := n.Footprints(64)
	const c, a, b = 32 * 256 * 4, 32 * 512 * 4, 512 * 256 * 4
	for from, want := range [][3]float64{
		{c, a, b},
		{256 * 4, 512 * 4, b},
		{64, 512 * 4, 512 * 64}, // a column of the second operand: a line each
		{64, 64, 64},
	} {
		if [3]float64(feet[from]) != want {
			t.Errorf("from loop %d: %v, want %v", from, feet[from], want)
		}
	}
	// The column and the row of the operands fit into 40 KiB, the whole of the second
	// does not: it comes again for each row, the first operand's row stays.
	got, least := n.Traffic(feet, 40*1024)
	if want := 64.*32*256 + 512*4*32 + 512*64*32*256; got != want || least != c+a+b {
		t.Errorf("%v bytes, want %v; at least %v", got, want, least)
	}
	if got, _ := n.Traffic(feet, 1<<30); got != c+a+b {
		t.Errorf("%v bytes with all in the cache", got)
	}
}

// Indices of convolutions and pooling: windows overlap, strides leave gaps.
func TestAccess(t *testing.T) {
	n := nestsOf(t, "maxpool2d:h=16,w=16,c=8,k=2,s=2", `[]`)[0]
	read := n.Accesses[1]
	counts := []int64{1, 4, 4, 8, 2, 2} // 4 x 4 outputs of all channels, the whole window
	if len(n.Op.Axes)+len(n.Op.ReduceAxes) != len(counts) {
		t.Fatalf("axes of %s", n.Op.Name)
	}
	if got := read.Elements(counts); got != 8*8*8 {
		t.Errorf("%v elements", got)
	}
	if got := read.Footprint(counts, 64); got != 8*8*8*4 {
		t.Errorf("%v bytes", got)
	}
	if s := read.Stride(3); s != 1 {
		t.Errorf("stride %v along channels", s)
	}
	if s := read.Stride(2); s != 16 {
		t.Errorf("stride %v along columns", s)
	}
	conv := nestsOf(t, "conv2d:h=16,w=16,ci=8,co=16,k=3,p=1", `[["CI", 1]]`)[0]
	if math.IsNaN(conv.Accesses[1].Elements(conv.counts(0))) || conv.Selects == 0 {
		t.Errorf("padding is inlined: %+v", conv)
	}
}

// TestPrepared: weights that are transformed ahead of time are packed as others are.
func TestPrepared(t *testing.T) {
	packed := 0
	for _, n := range nestsOf(t, "conv2d:h=16,w=16,ci=8,co=16,k=3,p=1", `[["WG", 3, 4]]`) {
		for _, a := range n.Accesses {
			if a.Packed && n.Op.Name == "conv2d.product" {
				packed++
			}
		}
	}
	if packed != 1 {
		t.Errorf("%d operands of the product are packed, want one", packed)
	}
}
