package sketch

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

func TestWhenInBlocks(t *testing.T) {
	i, j := axis("i", 64), axis("j", 256)
	sums := rowSum(64, 256)
	centred := state(append(sums, compute1("D", tir.Bin(tir.Sub, load(sums[0], i, j), load(sums[1], i)), i, j))...)
	read := state(epilogue(rowSum(8, 33), "D", relu)...)
	row := state(matmul(1, 4096, 1024)...)
	partial := apply(t, row, schedule.Split{At: 2, Iter: 2, Extent: 1024, Lengths: []int64{2}},
		schedule.Rfactor{At: 2, Iter: 2, FactorIter: 0})
	split := apply(t, read, schedule.Split{At: 2, Iter: 0, Extent: 8, Lengths: []int64{2}, InnerToOuter: true})
	checkWhen(t, gpu(), whenInBlocks, []whenCase{
		{"an input", read, 0, Skip},
		{"a sum", read, 1, Apply},
		{"one as long as a warp", state(epilogue(rowSum(8, 32), "D", relu)...), 1, Skip},
		{"one that nobody reads", state(rowSum(8, 33)...), 1, Skip},
		{"one whose reader has loops of its own", centred, 1, Skip},
		{"one whose reader is split", split, 1, Skip},
		{"one that is an output, too", outputToo(read, 1), 1, Skip},
		{"one that starts from 5", state(epilogue(startAt5(rowSum(8, 33)), "D", relu)...), 1, Skip},
		{"a small product", state(epilogue(matmul(8, 8, 1024), "D", relu)...), 2, Apply},
		{"a product with few long sums that nobody reads", state(matmul(8, 8, 1024)...), 2, Skip},
		{"a product of one row", row, 2, Apply},
		{"a product of one row that is read", state(epilogue(matmul(1, 4096, 1024), "D", relu)...), 2, Apply},
		{"a product of two rows", state(matmul(2, 4096, 1024)...), 2, Skip},
		{"a cached stage", apply(t, row, schedule.CacheWrite{At: 2, Scope: "local"}), 2, Skip},
		{"partial sums", partial, 2, Skip},
	})
}

func TestInBlocks(t *testing.T) {
	for _, c := range []struct {
		name  string
		s     *schedule.State
		stage int
		want  string
	}{
		{"a sum that is read", state(epilogue(rowSum(8, 64), "D", relu)...), 1,
			`[["SP", 1, 1, 64, [32], 1], ["AN", 1, 2, 6], ["CA", 1, 2, 0]]`},
		{"several reduce loops", state(epilogue(pool(8, 7), "D", relu)...), 1,
			`[["FU", 1, [1, 2]], ["SP", 1, 1, 49, [32], 1], ["AN", 1, 2, 6], ["CA", 1, 2, 0]]`},
		{"a product of one row", state(matmul(1, 4096, 1024)...), 2, `[["SP", 2, 2, 1024, [32], 1], ["AN", 2, 3, 6]]`},
	} {
		got, err := inBlocks(gpu(), c.s, c.stage)
		if err != nil || len(got) != 1 || got[0].Stage != c.stage-1 {
			t.Errorf("%s: %v, %v", c.name, got, err)
			continue
		}
		if text := string(schedule.FormatSteps(got[0].State.Steps)); text != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, text, c.want)
		}
	}
}

// A reader that holds a sum with threads of its own number is neither tiled for a product nor split for another sum.
func TestReaderOfASumInBlocks(t *testing.T) {
	i := axis("i", 8)
	first, second := rowSum(8, 64), rowSum(8, 128)
	second[0].Name, second[1].Name = "B", "E"
	two := state(first[0], second[0], first[1], second[1],
		compute1("D", mul(load(first[1], i), load(second[1], i)), i))
	within, err := inBlocks(gpu(), two, 3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := crossThread(gpu(), within[0].State, 2)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[["SP", 3, 1, 128, [32], 1], ["AN", 3, 2, 6], ["CA", 3, 4, 0], ` +
		`["SP", 2, 1, 64, [32], 1], ["AN", 2, 2, 6]]`
	if text := string(schedule.FormatSteps(got[0].State.Steps)); text != want {
		t.Errorf("steps %s\nwant  %s", text, want)
	}

	rows, cols := axis("i", 1), axis("j", 64)
	left, right := matmul(1, 64, 256), matmul(1, 64, 256)
	for k, name := range []string{"E", "F", "G"} {
		right[k].Name = name
	}
	gated := state(left[0], left[1], right[0], right[1], left[2], right[2],
		compute1("D", mul(load(left[2], rows, cols), load(right[2], rows, cols)), rows, cols))
	if within, err = inBlocks(gpu(), gated, 5); err != nil {
		t.Fatal(err)
	}
	if _, ok := TileReader(gated, 4); !ok {
		t.Error("nothing decided: the reader cannot be tiled for the first product")
	}
	if _, ok := TileReader(within[0].State, 4); ok {
		t.Error("a reader that holds a sum in blocks can be tiled for another product")
	}
}
