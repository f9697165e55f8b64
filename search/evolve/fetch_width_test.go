package evolve

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Only what is copied at once changes, to another width that the rows allow.
func TestMutateFetchWidth(t *testing.T) {
	a, states := gpuSamples(t, annotate.GPU, "matmul:m=64,n=64,k=64", 60, 0)
	seen := map[int64]bool{}
	for i, s := range states {
		child, err := mutateFetchWidth(a, s, annotate.Rand(1, 4, i))
		if errors.Is(err, errUnchanged) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		changed := []int{}
		for k, step := range child.Steps {
			if step.String() != s.Steps[k].String() && step.Kind() != schedule.SA {
				changed = append(changed, k)
			}
		}
		for _, k := range annotate.FetchSplits(child.Steps) {
			w := child.Steps[k].(schedule.Split).Lengths[0]
			if unit := annotate.Pad(child.Steps, child.Steps[k].Stage()); unit > 0 && unit%w != 0 {
				t.Errorf("%d elements at once, and rows are an odd multiple of %d", w, unit)
			}
		}
		if len(changed) != 1 || !slices.Contains(annotate.FetchSplits(s.Steps), changed[0]) {
			t.Fatalf("steps %v changed", changed)
		}
		w := child.Steps[changed[0]].(schedule.Split).Lengths[0]
		if may, err := annotate.Widths(s, changed[0]); err != nil || !slices.Contains(may, w) {
			t.Errorf("%d elements at once, of %v, %v", w, may, err)
		}
		seen[w] = true
	}
	if len(seen) != 3 {
		t.Errorf("widths %v", seen)
	}
	if _, err := mutateFetchWidth(a, schedule.New(states[0].DAG), annotate.Rand(1, 1, 1)); err == nil || !strings.Contains(err.Error(), "no copy to mutate") {
		t.Errorf("a state without copies: %v", err)
	}
}
