package build

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestReferenceFunc compares the programs of random DAGs with their definition.
func TestReferenceFunc(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 0))
		kind, d := tirtest.RandomDAG(r)
		args := tirtest.Args(r, d)
		want := make([]*interp.Tensor, len(args))
		for i, a := range args {
			want[i] = a.Clone()
		}
		if err := interp.RunDAG(d, want); err != nil {
			t.Fatal(err)
		}
		f, err := referenceFunc(d, target.Generic(32, 2))
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if err := interp.Run(f, args, interp.Options{Shuffle: true, Seed: seed, Races: true}); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		for i := len(d.Inputs()); i < len(args); i++ {
			if err := tirtest.Compare(args[i], want[i], args...); err != nil {
				t.Errorf("seed %d, %s: %v\n%s", seed, kind, err, f)
			}
		}
		if strings.HasPrefix(kind, "matmul/float32") && !strings.Contains(f.String(), "parallel") {
			t.Errorf("%s: no parallel loop\n%s", kind, f)
		}
	}
}
