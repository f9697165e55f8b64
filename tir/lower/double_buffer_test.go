package lower_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// Asynchronous copies: one of which all that the first iteration would copy is beyond the
// edge, and one of a kernel without threads, of which one buffer stays.
func TestAsyncRefills(t *testing.T) {
	for _, c := range []struct {
		dag, steps string
		waits      int
	}{
		{"conv 4 2 8 1 3", `[["CHR", 0, "shared", [1]], ["CA", 1, 2, 0], ["FU", 1, [0, 1, 2]], ["SP", 1, 0, 0, [3], 1], ["AN", 1, 1, 6],
			["PR", 1, 0, "double_buffer$2"]]`, 1},
		{"matmul_relu 4 4 4", `[["AN", 2, 1, 6], ["CHR", 2, "shared", [3]], ["CA", 3, 4, 1], ["PR", 3, 0, "double_buffer$2"], ["AN", 4, 0, 5]]`, 0},
	} {
		s := stateOf(t, c.dag, c.steps)
		f, err := lower.Lower(s, gpuConfig)
		if err != nil {
			t.Errorf("%s: %v", c.dag, err)
			continue
		}
		if n := strings.Count(f.String(), "wait\n"); n != c.waits {
			t.Errorf("%s: %d waits, want %d\n%s", c.dag, n, c.waits, f)
		}
		args := tirtest.Args(rand.New(rand.NewPCG(1, 0)), s.DAG)
		want := clone(args)
		if err := interp.RunDAG(s.DAG, want); err != nil {
			t.Fatal(err)
		}
		if err := compare(s, gpuConfig, args, want, 1); err != nil {
			t.Errorf("%s: %v", c.dag, err)
		}
	}
}
