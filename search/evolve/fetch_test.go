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
	c, err := schedule.Conventional(s, nil)
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

// Only how a copy is refilled changes, to a way that the target has.
func TestMutateDoubleBuffer(t *testing.T) {
	a, states := gpuSamples(t, annotate.GPU, "matmul:m=64,n=64,k=64", 60, 0)
	older := gpu
	older.Arch = "sm_75"
	for _, c := range []struct {
		a    *annotate.Sampler
		most schedule.Buffering
	}{{a, schedule.TwoBuffersByAsync}, {annotate.New(annotate.GPU, older), schedule.TwoBuffers}} {
		seen := map[schedule.Buffering]int{}
		for i, s := range states {
			child, err := mutateDoubleBuffer(c.a, s, annotate.Rand(1, 4, i))
			if err != nil {
				if !errors.Is(err, errUnchanged) && !strings.Contains(err.Error(), "asks for") {
					t.Fatal(err)
				}
				continue
			}
			if child.Signature() == s.Signature() || conventional(t, s).Signature() != conventional(t, child).Signature() {
				t.Errorf("the same program, or another one but for the buffers:\n%s\n%s", text(s), text(child))
			}
			for k, st := range child.Stages {
				if st.Buffering != s.Stages[k].Buffering {
					seen[st.Buffering]++
				}
			}
		}
		if seen[schedule.TwoBuffers] == 0 || (seen[schedule.TwoBuffersByAsync] > 0) != (c.most == schedule.TwoBuffersByAsync) {
			t.Errorf("%s: %v", c.a.Target, seen)
		}
	}
	if _, err := mutateDoubleBuffer(a, schedule.New(states[0].DAG), annotate.Rand(1, 1, 1)); err == nil || !strings.Contains(err.Error(), "no copy to buffer") {
		t.Errorf("a state without copies: %v", err)
	}
}
