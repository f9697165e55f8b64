package lower_test

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestScalarStages: a stage without axes has a buffer of its own, too.
func TestScalarStages(t *testing.T) {
	d, err := compute.Parse("input A: float32[8]\nroot() = 3f\ns() = sum(k: 8) A[k]\nC(i: 8) = (A[i]/root[]) + s[]\noutput C\n")
	if err != nil {
		t.Fatal(err)
	}
	args := tirtest.Args(rand.New(rand.NewPCG(1, 0)), d)
	want := clone(args)
	if err := interp.RunDAG(d, want); err != nil {
		t.Fatal(err)
	}
	for _, steps := range []string{`[]`, `[["CI", 1]]`, `[["AN", 3, 0, 3]]`, `[["CHW", 1, "local"]]`, `[["CA", 1, 3, 0]]`, `[["AN", 3, 0, 5]]`, `[["AN", 3, 0, 6]]`} {
		list, err := schedule.ParseSteps([]byte(steps))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Replay(d, list)
		if err != nil {
			t.Fatal(err)
		}
		if err := compare(s, config, args, want, 1); err != nil {
			t.Errorf("%s: %v", steps, err)
		}
	}
}
