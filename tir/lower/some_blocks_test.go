package lower_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestSomeBlocks: what some blocks write is right, and the first and the last block
// are among them.
func TestSomeBlocks(t *testing.T) {
	s := stateOf(t, "matmul 61 8 9", `[["SP", 2, 0, 61, [2, 3], 1], ["AN", 2, 0, 5], ["AN", 2, 1, 6]]`)
	f, err := lower.Lower(s, config)
	if err != nil {
		t.Fatal(err)
	}
	some, ok := lower.SomeBlocks(f, 4)
	if text := some.String(); !ok || !strings.Contains(text, "bind i_0.some in 4 blockIdx.x:") || !strings.Contains(text, "floordiv((i_0.some*10), 3)") {
		t.Fatalf("%v\n%s", ok, some)
	}
	args := tirtest.Args(rand.New(rand.NewPCG(1, 0)), s.DAG)
	want := clone(args)
	if err := interp.RunDAG(s.DAG, want); err != nil {
		t.Fatal(err)
	}
	c := args[2]
	for i := range c.Len() {
		c.SetFloat(i, math.NaN())
	}
	if err := interp.RunPart(some, args, interp.Options{}, interp.Part{Holes: true}); err != nil {
		t.Fatal(err)
	}
	written := 0
	for i := range c.Len() {
		if !math.IsNaN(c.Float(i)) {
			written++
			if math.Abs(c.Float(i)-want[2].Float(i)) > 1e-4 {
				t.Errorf("element %d is %g, want %g", i, c.Float(i), want[2].Float(i))
			}
		}
	}
	if first, last := c.Float(0), c.Float(c.Len()-1); written != (3*6+1)*8 || math.IsNaN(first) || math.IsNaN(last) {
		t.Errorf("%d elements written, want %d, the first and the last among them (%g, %g)", written, (3*6+1)*8, first, last)
	}
}

// TestSomeBlocksOfAll: what cannot be taken apart is left as it is.
func TestSomeBlocksOfAll(t *testing.T) {
	for _, c := range []struct{ what, dag, steps string }{
		{"few blocks", "sum 4 30", `[["SP", 1, 1, 30, [8], 1], ["AN", 1, 0, 5], ["AN", 1, 2, 6]]`},
		{"no block", "sum 40 30", `[["SP", 1, 1, 30, [8], 1], ["AN", 1, 2, 6]]`},
		{"two kernels", "chain 16 4", `[["AN", 1, 0, 5], ["AN", 2, 0, 5]]`},
	} {
		f, err := lower.Lower(stateOf(t, c.dag, c.steps), config)
		if err != nil {
			t.Fatal(err)
		}
		if some, ok := lower.SomeBlocks(f, 4); ok || some != f {
			t.Errorf("%s:\n%s", c.what, some)
		}
	}
}
