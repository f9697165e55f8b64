package llvm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// dotTile lowers a product whose sums are a tile of registers, by an instruction that makes depth steps at once.
func dotTile(t *testing.T, types [3]string, depth, rows, cols, steps int, tg target.Target) *tir.Func {
	t.Helper()
	d, err := compute.Parse(fmt.Sprintf("input x: %[1]s[%[4]d, %[6]d]\ninput w: %[2]s[%[6]d, %[5]d]\n"+
		"y(i: %[4]d, j: %[5]d) = sum(k: %[6]d) %[3]s(x[i, k])*%[3]s(w[k, j]) layout_free w\noutput y\n",
		types[0], types[1], types[2], rows, cols, steps))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(d, []schedule.Step{
		schedule.Split{At: 2, Iter: 2, Extent: int64(steps), Lengths: []int64{int64(depth)}, InnerToOuter: true},
		schedule.Reorder{At: 2, Order: []int{2, 0, 1, 3}},
		schedule.Annotate{At: 2, Iter: 1, Ann: schedule.Unroll},
		schedule.Annotate{At: 2, Iter: 2, Ann: schedule.Vectorize},
		schedule.Annotate{At: 2, Iter: 3, Ann: schedule.Tensorize}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Lower(s, lower.Config{Target: tg, Layout: target.Rewrite, Check: lower.CheckEach})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDotColumns: of a tile of sums that needs a few registers more than there are, the last vectors of columns are
// read anew for each row. The last step of an odd sum is made by the instruction, and adds to the same registers.
func TestDotColumns(t *testing.T) {
	tg := avx512()
	tg.CPU, tg.Features = "znver5", append(tg.Features, "avx512bf16", "avx512vnni")
	slices.Sort(tg.Features)
	for _, of := range []struct {
		types [3]string
		depth int
		name  string
	}{{[3]string{"bfloat16", "bfloat16", "float32"}, 2, "vdpbf16ps.512"}, {[3]string{"uint8", "int8", "int32"}, 4, "vpdpbusd.512"}} {
		for _, c := range []struct{ rows, cols, anew int }{
			{7, 64, 14}, // 28 + 4 + 1 of 32 registers: two vectors for each row
			{6, 64, 0},  // 24 + 4 + 1
			{8, 64, 0},  // 32 + 4 + 1: too much
			{14, 32, 0}, // 28 + 2 + 1
			{15, 32, 0}, // 30 + 2 + 1, but none of the columns would stay
		} {
			for steps, ends := range map[int]int{16: 1, 17: 2} {
				f := dotTile(t, of.types, of.depth, c.rows, c.cols, steps, tg)
				if got := strings.Count(string(emit(t, f, tg)), `asm "# `); got != c.anew*ends {
					t.Errorf("%s %dx%dx%d: %d vectors are read anew, want %d", of.name, c.rows, c.cols, steps, got, c.anew*ends)
				}
				text := f.String()
				if strings.Count(text, " by "+of.name) != ends || c.rows < 8 && strings.Count(text, "alloc y.acc") != 1 {
					t.Errorf("%s %dx%dx%d: not one tile that the instruction adds to\n%s", of.name, c.rows, c.cols, steps, text)
				}
			}
		}
	}
}
