package evolve

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/target"
)

// TestMutateBlocks: mutations change tiles, keep whole blocks and virtual threads, and fit.
func TestMutateBlocks(t *testing.T) {
	w, err := op.Parse("conv2d:h=28,w=28,ci=128,co=128,k=3,p=1,dtype=int8,epilogue=relu")
	if err != nil {
		t.Fatal(err)
	}
	chip := target.Accelerator()
	list, err := sketch.Generate(t.Context(), sketch.Accelerator, w.DAG, chip)
	if err != nil {
		t.Fatal(err)
	}
	a, rng := annotate.New(annotate.Accelerator, chip), rand.New(rand.NewPCG(1, 2))
	s, err := a.Sample(list[0], rng)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for range 60 {
		next, err := mutateBlocks(a, s, rng)
		if err != nil {
			continue // it does not fit, or is the same
		}
		if next.String() == s.String() || strings.Count(next.String(), " vthread ") != 1 ||
			!strings.Contains(next.String(), "c.3 (0,16)") || a.Check(next, chip) != nil {
			t.Fatalf("of\n%s\n%s", s, next)
		}
		s, changed = next, changed+1
	}
	if changed < 10 {
		t.Errorf("%d mutations of 60", changed)
	}
}
