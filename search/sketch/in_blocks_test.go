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
		{"a product of one row", state(matmul(1, 4096, 1024)...), 2, Apply},
		{"a product of one row that is read", state(epilogue(matmul(1, 4096, 1024), "D", relu)...), 2, Apply},
		{"a product of two rows", state(matmul(2, 4096, 1024)...), 2, Skip},
		{"a cached stage", apply(t, state(matmul(1, 4096, 1024)...), schedule.CacheWrite{At: 2, Scope: "local"}), 2, Skip},
		{"partial sums", apply(t, state(matmul(1, 4096, 1024)...),
			schedule.Split{At: 2, Iter: 2, Extent: 1024, Lengths: []int64{2}}, schedule.Rfactor{At: 2, Iter: 2, FactorIter: 0}), 2, Skip},
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
