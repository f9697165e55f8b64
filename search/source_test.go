package search

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
)

// TestDecisions: a decision that two programs have in common has one hash; of two structures none is in common.
func TestDecisions(t *testing.T) {
	steps := func(text string) []uint64 {
		list, err := schedule.ParseSteps([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return Parts(list)
	}
	of := steps(`[["SP", 2, 0, 64, [2, 8], 1], ["SP", 2, 3, 64, [4], 1], ["PR", 2, 0, "auto_unroll_max_step$16"]]`)
	for _, c := range []struct {
		text   string
		common int
	}{
		{`[["SP", 2, 0, 64, [2, 8], 1], ["SP", 2, 3, 64, [4], 1], ["PR", 2, 0, "auto_unroll_max_step$16"]]`, 4},
		{`[["SP", 2, 0, 64, [2, 4], 1], ["SP", 2, 3, 64, [4], 1], ["PR", 2, 0, "auto_unroll_max_step$16"]]`, 3},
		{`[["SP", 2, 0, 64, [2, 4], 1], ["SP", 2, 3, 64, [4], 1], ["PR", 2, 0, "auto_unroll_max_step$64"]]`, 2},
		{`[["SP", 2, 0, 64, [2, 8], 1], ["SP", 2, 3, 64, [4], 1], ["FU", 2, [0, 1]], ["PR", 2, 0, "auto_unroll_max_step$16"]]`, 0},
	} {
		common := 0
		for _, p := range steps(c.text) {
			if slices.Contains(of, p) {
				common++
			}
		}
		if common != c.common {
			t.Errorf("%s: %d decisions in common, want %d", c.text, common, c.common)
		}
	}
}
