package lower_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// Threads wait for what other stages have written, also where their ops have one name, or the
// name of another one's partial results. Each program is checked for races, and has as many
// barriers, and as many names of blocks, as with other names.
func TestEqualNames(t *testing.T) {
	const centred = "input x: float32[4, 64]\n%[1]s(i: 4) = sum(k: 64) x[i, k]\n%[2]s(i: 4, j: 64) = x[i, j] - %[1]s[i]\noutput %[2]s\n"
	const inside = `[["SP", 2, 1, 64, [8], 1], ["AN", 2, 2, 6], ["FSP", 1, 1, 0, 1], ["AN", 1, 2, 6], ["CA", 1, 2, 0], ["AN", 2, 0, 5]]`
	for _, c := range []struct{ text, first, second, steps string }{
		{centred, "s@1", "s@2", inside},
		{centred, "s", "s.part", inside},
		{ // its partial results are folded once
			"input x: float32[4, 64]\n%[1]s(i: 4, j: 64) = x[i, j]*x[i, 63 - j]\n%[2]s(i: 4) = sum(k: 64) %[1]s[i, 63 - k]\noutput %[2]s\n", "s.part.part", "s",
			`[["SP", 2, 1, 64, [32], 1], ["AN", 2, 2, 6], ["AN", 2, 0, 5], ["CA", 1, 2, 0], ["SP", 1, 1, 64, [32], 1], ["AN", 1, 2, 6]]`,
		},
		{ // what a sum across threads reads, computed by all of them inside it
			"input x: float32[4, 64]\n%[1]s(i: 4, j: 64) = x[i, j]*x[i, 63 - j]\n%[2]s(i: 4) = sum(k: 64) %[1]s[i, 63 - k]\noutput %[2]s\n", "s.part", "s",
			`[["SP", 2, 1, 64, [8], 1], ["AN", 2, 2, 6], ["AN", 2, 0, 5], ["CA", 1, 2, 0], ["SP", 1, 1, 64, [8], 1], ["AN", 1, 2, 6]]`,
		},
	} {
		f, g := lowered(t, fmt.Sprintf(c.text, c.first, c.second), c.steps), lowered(t, fmt.Sprintf(c.text, "a", "b"), c.steps)
		if err := interp.CheckBlocks(t.Context(), f); err != nil {
			t.Errorf("%s, %s: %v\n%s", c.first, c.second, err, f)
		}
		got, _ := barriersOf(f)
		if want, _ := barriersOf(g); got != want || want == 0 {
			t.Errorf("%s, %s: %d barriers, and %d with other names\n%s", c.first, c.second, got, want, f)
		}
		if got, want := len(blocksOf(f)), len(blocksOf(g)); got != want {
			t.Errorf("%s, %s: %d names of blocks, and %d with other names\n%s", c.first, c.second, got, want, f)
		}
	}
}

// blocksOf returns the names of the blocks of f.
func blocksOf(f *tir.Func) map[string]bool {
	names := map[string]bool{}
	tir.Visit(f.Body, func(s tir.Stmt) bool {
		if b, ok := s.(*tir.Block); ok {
			names[b.Name] = true
		}
		return true
	})
	return names
}

// lowered lowers a DAG for a GPU after the steps, and compares what it computes.
func lowered(t *testing.T, text, steps string) *tir.Func {
	t.Helper()
	d, err := compute.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Lower(replayed(t, d, steps), gpuConfig)
	if err != nil {
		t.Fatal(err)
	}
	args := tirtest.Args(rand.New(rand.NewPCG(1, 0)), d)
	want := clone(args)
	if err := interp.RunDAG(d, want); err != nil {
		t.Fatal(err)
	}
	if err := interp.Run(f, args, interp.Options{Shuffle: true}); err != nil {
		t.Error(err)
	} else if err := compareOutputs(d, args, want, 1); err != nil {
		t.Errorf("%v\n%s", err, f)
	}
	return f
}
