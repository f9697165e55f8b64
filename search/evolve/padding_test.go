package evolve

import (
	"errors"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Only the padding changes; what comes out can be launched.
func TestMutatePadding(t *testing.T) {
	a, states := gpuSamples(t, annotate.GPU, "matmul:m=64,n=64,k=64", 60, 0)
	seen := map[int]int{} // by how many steps more there are
	for i, s := range states {
		child, err := mutatePadding(a, s, annotate.Rand(1, 4, i))
		if errors.Is(err, errUnchanged) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if child.Signature() == s.Signature() {
			t.Errorf("the same program: %s", text(child))
		}
		was, is := conventional(t, s), conventional(t, child)
		if was.Signature() != is.Signature() {
			t.Errorf("more than the padding changed:\n%s\n%s", text(s), text(child))
		}
		seen[schedule.Extras(child.Steps)-schedule.Extras(s.Steps)]++
		if back, err := mutatePadding(a, child, annotate.Rand(1, 5, i)); err == nil {
			seen[schedule.Extras(back.Steps)-schedule.Extras(child.Steps)]++
		}
	}
	if seen[1] < 10 || seen[-1] < 3 || seen[0] < 3 {
		t.Errorf("copies padded, not padded, padded otherwise: %v", seen)
	}
	if _, err := mutatePadding(a, schedule.New(states[0].DAG), annotate.Rand(1, 1, 1)); err == nil || !strings.Contains(err.Error(), "no copy to pad") {
		t.Errorf("a state without copies: %v", err)
	}
	on := gpu
	on.Hardware.SharedBytes = 1
	small := annotate.New(annotate.GPU, on)
	refused := 0
	for i, s := range states {
		if _, err := mutatePadding(small, s, annotate.Rand(1, 4, i)); err != nil && strings.Contains(err.Error(), "bytes of shared memory") {
			refused++
		}
	}
	if refused == 0 {
		t.Error("what cannot be launched comes out")
	}
}

func conventional(t *testing.T, s *schedule.State) *schedule.State {
	t.Helper()
	c, err := schedule.Conventional(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Of states of equal scores those come first that have nothing the scorer does not know.
func TestPlainProgramsFirst(t *testing.T) {
	a, states := gpuSamples(t, annotate.GPU, "matmul:m=64,n=64,k=64", 40, 0)
	for i, s := range states[:10] {
		if child, err := mutatePadding(a, s, annotate.Rand(1, 4, i)); err == nil {
			states = append(states, child)
		}
	}
	e := evolution(t, func(*schedule.State) float64 { return 1 })
	e.Generations = -1
	got, err := e.Run(t.Context(), states, len(states))
	if err != nil {
		t.Fatal(err)
	}
	extras := 0
	for i, s := range got {
		n := schedule.Extras(s.State.Steps)
		if n < extras {
			t.Errorf("state %d has %d decisions that the scorer does not know, the one before %d", i, n, extras)
		}
		extras = n
	}
	if extras == 0 {
		t.Error("no state is padded")
	}
}
