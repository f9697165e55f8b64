package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
)

// Partial results of threads are folded until few are left, whatever loops are around and inside, and a barrier stands
// before each fold and before the rest is combined.
func TestFolds(t *testing.T) {
	const sum = "input x: float32[3, 100]\ns(i: 3) = sum(k: 100) x[i, k]\noutput s\n"
	for _, c := range []struct {
		name, text, steps string
		folds             int
	}{
		{"16 threads", sum, `[["SP", 1, 1, 100, [16], 1], ["AN", 1, 0, 5], ["AN", 1, 2, 6]]`, 0},
		{"17 threads", sum, `[["SP", 1, 1, 100, [17], 1], ["AN", 1, 0, 5], ["AN", 1, 2, 6]]`, 1},
		{"100 threads", sum, `[["AN", 1, 0, 5], ["AN", 1, 1, 6]]`, 1},
		{"1000 threads", "input x: float32[2, 1000]\ns(i: 2) = sum(k: 1000) x[i, k]\noutput s\n",
			`[["AN", 1, 0, 5], ["AN", 1, 1, 6]]`, 2},
		{"a spatial loop inside", "input x: float32[3, 100, 4]\ns(i: 3, j: 4) = sum(k: 100) x[i, k, j]\noutput s\n",
			`[["SP", 1, 2, 100, [40], 1], ["RE", 1, [0, 2, 3, 1]], ["AN", 1, 0, 5], ["AN", 1, 2, 6]]`, 1},
		{"a part of one inside", "input x: float32[3, 100, 5]\ns(i: 3, j: 5) = sum(k: 100) x[i, k, j]\noutput s\n",
			`[["SP", 1, 2, 100, [40], 1], ["SP", 1, 1, 5, [2], 1], ["RE", 1, [0, 1, 3, 4, 2]],
			["AN", 1, 0, 5], ["AN", 1, 3, 6]]`, 1},
		{"rows along another dimension", "input x: float32[5, 100]\ns(i: 5) = sum(k: 100) x[i, k]\noutput s\n",
			`[["SP", 1, 1, 100, [20], 1], ["SP", 1, 0, 5, [2], 1],
			["AN", 1, 0, 5], ["AN", 1, 1, 8], ["AN", 1, 3, 6]]`, 1},
		{"two results", "input x: float32[4, 100]\nargmax(i: 4) = reduce(k: 100) {int32(k), x[i, k]}\n" +
			"    from {-1, -3.4028234663852886e+38}\n" +
			"    fold (ai, a) (bi, b) {select(a >= b, ai, bi), select(a >= b, a, b)}\n" +
			"output argmax.v0, argmax.v1\n",
			`[["SP", 1, 1, 100, [37], 1], ["AN", 1, 0, 5], ["AN", 1, 2, 6]]`, 1},
		{"threads of two dimensions", sum, `[["SP", 1, 1, 100, [5, 20], 1],
			["AN", 1, 0, 5], ["AN", 1, 2, 8], ["AN", 1, 3, 6]]`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := lowered(t, c.text, c.steps)
			if err := interp.CheckBlocks(t.Context(), f); err != nil {
				t.Errorf("%v\n%s", err, f)
			}
			folds := 0
			for name := range blocksOf(f) {
				if strings.HasSuffix(name, ".part.part") {
					folds++
				}
			}
			if barriers, _ := barriersOf(f); folds != c.folds || barriers < folds+1 {
				t.Errorf("%d folds, want %d, and %d barriers\n%s", folds, c.folds, barriers, f)
			}
		})
	}
}

// Sums inside of a block's rows: the threads of a row sum up together, and each has the result for itself. Only their
// warp waits, if it has whole rows.
func TestRowsOfABlock(t *testing.T) {
	const softmax = "input x: float32[12, 70]\nm(i: 12) = max(k: 70) x[i, k]\n" +
		"s(i: 12) = sum(k: 70) exp(x[i, k] - m[i])\ne(i: 12, j: 70) = exp(x[i, j] - m[i])/s[i]\noutput e\n"
	for _, c := range []struct {
		name           string
		rows, lanes    int
		inBlock, inRow int // barriers of the block, and of each warp
	}{
		{"four rows of 16", 4, 16, 0, 2},
		{"six rows of 32, with folds", 6, 32, 0, 4},
		{"two rows of 64", 2, 64, 4, 0},
		{"six rows of 12", 6, 12, 2, 0},
		{"two rows of 12 in one warp", 2, 12, 0, 2},
		{"one row", 1, 32, 0, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			steps := fmt.Sprintf(`[["SP", 3, 1, 70, [%[2]d], 1], ["AN", 3, 2, 6],
				["FSP", 2, 1, 0, 1], ["AN", 2, 2, 6], ["CA", 2, 3, 0],
				["FSP", 1, 1, 0, 1], ["AN", 1, 2, 6], ["CA", 1, 3, 0],
				["SP", 3, 0, 12, [%[1]d], 1], ["AN", 3, 0, 5], ["AN", 3, 1, 8]]`, c.rows, c.lanes)
			f := lowered(t, softmax, steps)
			if err := interp.CheckBlocks(t.Context(), f); err != nil {
				t.Errorf("%v\n%s", err, f)
			}
			count := map[tir.Scope]int{}
			tir.Visit(f.Body, func(s tir.Stmt) bool {
				switch s := s.(type) {
				case *tir.Barrier:
					count[s.Scope]++
				case *tir.Alloc:
					if name := s.Buffer.Name; (name == "m" || name == "s") && s.Buffer.Scope != tir.Local {
						t.Errorf("%s is in %s memory", name, s.Buffer.Scope)
					}
				}
				return true
			})
			if count[tir.Shared] != c.inBlock || count[tir.Warp] != c.inRow {
				t.Errorf("barriers: %v\n%s", count, f)
			}
		})
	}
}

// Whatever loops are around a sum inside of rows, and whatever its own are bound to, each thread that reads the result
// has it.
func TestSumsInRows(t *testing.T) {
	const (
		rows = "input x: float32[12, 70]\nm(i: 12) = max(k: 70) x[i, k]\ne(i: 12, j: 70) = x[i, j] - m[i]\noutput e\n"
		two  = "input x: float32[12, 8, 70]\nm(i: 12) = max(k: 8, l: 70) x[i, k, l]\n" +
			"e(i: 12, j: 70) = x[i, 0, j] - m[i]\noutput e\n"
		pairs = "input x: float32[12, 70]\nm(i: 12, h: 2) = max(k: 35) x[i, h*35 + k]\n" +
			"e(i: 12, j: 70) = x[i, j] - m[i, j/35]\noutput e\n"
	)
	const (
		lanes  = `["SP", 2, 1, 70, [16], 1], ["AN", 2, 2, 6]`
		own    = `["SP", 1, 1, 70, [16], 1], ["AN", 1, 2, 6]`
		inRows = `["CA", 1, 2, 0], ["SP", 2, 0, 12, [4], 1], ["AN", 2, 0, 5], ["AN", 2, 1, 8]`
	)
	for _, c := range []struct{ name, text, loops, own string }{
		{"more lanes", rows, `["SP", 2, 1, 70, [32], 1], ["AN", 2, 2, 6]`, own},
		{"less lanes", rows, `["SP", 2, 1, 70, [8], 1], ["AN", 2, 2, 6]`, own},
		{"a third dimension", rows, `["SP", 2, 1, 70, [2, 5], 1], ["AN", 2, 2, 10], ["AN", 2, 3, 6]`,
			`["SP", 1, 1, 70, [5], 1], ["AN", 1, 2, 6]`},
		{"a loop bound as one around is", two, lanes, `["SP", 1, 2, 70, [16], 1], ["AN", 1, 1, 8], ["AN", 1, 3, 6]`},
		{"a spatial one of its dimension", pairs, lanes, `["SP", 1, 2, 35, [16], 1], ["AN", 1, 1, 6], ["AN", 1, 3, 6]`},
		{"a loop over both kinds of axes", pairs, lanes, `["FU", 1, [1, 2]], ` + own},
		{"several results", pairs, lanes, `["SP", 1, 2, 35, [16], 1], ["AN", 1, 3, 6]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := lowered(t, c.text, "["+c.loops+", "+c.own+", "+inRows+"]")
			if err := interp.CheckBlocks(t.Context(), f); err != nil {
				t.Error(err)
			}
		})
	}
}
