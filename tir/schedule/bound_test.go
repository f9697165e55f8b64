package schedule

import (
	"strings"
	"testing"
)

// Steps go on after bound inference: the innermost piece of a loop that does not
// start at 0 keeps the start, as in AutoScheduler.
func TestSplitKeepsTheMinimum(t *testing.T) {
	s := mustReplay(t, New(matmulRelu(8, 12, 16)), `[["SP", 3, 0, 8, [4], 1], ["CA", 2, 3, 0]]`)
	b, err := s.InferBound()
	if err != nil {
		t.Fatal(err)
	}
	b, err = b.Apply(Split{At: 2, Iter: 0, Lengths: []int64{2}, InnerToOuter: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "  for i.0 (0,2)\n    for i.1 ((i_0*4),2)\n") {
		t.Errorf("got\n%s", got)
	}
	again, err := b.InferBound()
	if err != nil {
		t.Fatal(err)
	}
	if got := again.String(); !strings.Contains(got, "  for i.0 (0,2)\n    for i.1 (0,2)\n") {
		t.Errorf("got\n%s", got)
	}
}

// A loop bound to a thread names its thread in the minima of the printed state,
// as TVM does, and has a variable of its own in nests.
func TestThreadsInMinima(t *testing.T) {
	s := mustReplay(t, New(matmulRelu(8, 12, 16)), `[["SP", 3, 0, 8, [4], 1], ["AN", 3, 0, 5], ["CA", 2, 3, 0]]`)
	b, err := s.InferBound()
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "  for i ((blockIdx.x*4),4)\n") {
		t.Errorf("got\n%s", got)
	}
	n, err := s.Nests()
	if err != nil {
		t.Fatal(err)
	}
	if got := n[2].Region[0].Min.String(); got != "(i_0*4)" {
		t.Errorf("got %s", got)
	}
}

func TestTooManyIterations(t *testing.T) {
	steps := `[["SP", 3, 0, 8, [2000000000], 1], ["SP", 3, 2, 12, [2000000000], 1], ["AN", 3, 1, 6], ["AN", 3, 3, 8]]`
	s := mustReplay(t, New(matmulRelu(8, 12, 16)), steps)
	if _, err := s.Nests(); err == nil || err.Error() != "schedule: the number of iterations of stage D is out of range" {
		t.Errorf("got %v", err)
	}
}

func TestLoopVariableNames(t *testing.T) {
	for name, want := range map[string]string{
		"i": "i", "i.0": "i_0", "i.0@j.0@": "i_0_j_0", "ax0@ax1@.0.1": "ax0_ax1_0_1", "i@j.0@@k@": "i_j_0_k", "": "unit", ".0": "unit_0", "k_o_v": "k_o_v",
	} {
		if got := varName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"i.c": "i_c", "k.outer.v": "k_o_v", "r.s.fused.inner": "r_s_fused_i", "o": "o", "rv0": "rv0"} {
		if got := cleanName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// Bounds are inferred once; a step after them asks for new ones.
func TestBoundsAreKept(t *testing.T) {
	s := mustReplay(t, New(matmulRelu(8, 12, 16)), `[["SP", 3, 0, 8, [4], 1]]`)
	b, err := s.Bounds()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.State.Bounds(); err != nil || again != b {
		t.Errorf("the state has other bounds, %v", err)
	}
	next, err := b.State.Apply(Split{At: 3, Iter: 0, Lengths: []int64{2}, InnerToOuter: true})
	if err != nil {
		t.Fatal(err)
	}
	if after, err := next.Bounds(); err != nil || len(after.State.Stages[3].Iters) != len(b.State.Stages[3].Iters)+1 {
		t.Errorf("the step is not in the bounds, %v", err)
	}
}
