package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/nvrtc/nvrtctest"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/schedule"
)

// tiledSteps give each thread four elements, unroll all that they can, and fetch four
// neighbours of y at once.
const tiledSteps = `[["CHR", 1, "shared", [2]], ["CHR", 0, "shared", [3]], ["SP", 4, 0, 64, [4, 4], 1], ["SP", 4, 3, 48, [8, 1], 1],
	["SP", 4, 6, 40, [8], 1], ["RE", 4, [0, 3, 1, 4, 6, 7, 2, 5]], ["CA", 3, 4, 4], ["CA", 1, 4, 4], ["FU", 4, [0, 1]], ["AN", 4, 0, 5],
	["FU", 4, [1, 2]], ["AN", 4, 1, 6],
	["FU", 3, [0, 1]], ["SP", 3, 0, 64, [32, 4], 1], ["AN", 3, 1, 6], ["AN", 3, 2, 2],
	["FU", 1, [0, 1]], ["SP", 1, 0, 128, [32], 1], ["AN", 1, 1, 6], ["PR", 4, 0, "auto_unroll_max_step$512"]]`

// exact are registers, of which another version of the compiler takes one more or less.
var exact = regexp.MustCompile(`registers  (\d)\d; (\d)\d if`)

// TestShowAsUsage: what the compiler takes, less if it may not unroll, and what the steps
// fetch at once.
func TestShowAsUsage(t *testing.T) {
	nvrtctest.Need(t)
	rec := replayRecords(t)[2]
	var err error
	if rec.Steps, err = schedule.ParseSteps([]byte(tiledSteps)); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := wmtune(t, "show", testLog(t, []dataset.Record{rec}), "--best", "--as", "usage")
	if code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	want := `matmul_kernel: 24 blocks of 32 threads
  registers  8x; 2x if only the tile is unrolled, which should need 16: 0 accumulators, 0 operands, 16 for the rest
  occupancy  0.50, with 768 bytes of shared memory a block
`
	got := exact.ReplaceAllString(stdout, "registers  ${1}x; ${2}x if")
	if !strings.Contains(got, want) || !strings.Contains(stdout, " x 16 bytes") {
		t.Errorf("got\n%swant\n%s", stdout, want)
	}
	cpu := replayRecords(t)[0]
	code, _, stderr = wmtune(t, "show", testLog(t, []dataset.Record{cpu}), "--best", "--as", "usage")
	if code != exitFailed || !strings.Contains(stderr, "record 0 has no usage: it was measured on target llvm") {
		t.Errorf("a processor's: exit code %d, %s", code, stderr)
	}
}
