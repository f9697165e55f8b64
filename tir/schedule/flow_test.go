package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
)

func TestReadersLookThroughInlinedStages(t *testing.T) {
	s := New(tiles(4, 2)) // x 0, pad 1, tile 2, pack 3, out 4
	if got := s.Readers(1); !slices.Equal(got, []int{2}) {
		t.Errorf("readers of pad: %v", got)
	}
	s = mustReplay(t, s, `[["CI", 1], ["CI", 2]]`)
	for stage, want := range [][]int{{3}, nil, nil, {4}, nil} {
		if got := s.Readers(stage); !slices.Equal(got, want) {
			t.Errorf("readers of stage %d: got %v, want %v", stage, got, want)
		}
	}
	want := "tir.if_then_else(((((((floormod(floordiv(p, 2), 2)*2) + (a + r)) >= 1) && (((floormod(floordiv(p, 2), 2)*2) + (a + r)) < 5)) && " +
		"(((floormod(p, 2)*2) + b) >= 1)) && (((floormod(p, 2)*2) + b) < 5)), " +
		"x[(((floormod(floordiv(p, 2), 2)*2) + (a + r)) + -1), (((floormod(p, 2)*2) + b) + -1)], 0f)"
	if got := s.InlinedBody(3)[0].String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s.InlinedBody(0) != nil {
		t.Error("an input has a body")
	}
}

func TestReadersOfSeveral(t *testing.T) {
	s := New(shared(4)) // x 0, a 1, b 2, c 3, d 4
	if got := s.Readers(1); !slices.Equal(got, []int{2, 3, 4}) {
		t.Errorf("got %v", got)
	}
	for i := range s.Stages {
		if s.IsOutput(i) != (i == 4) {
			t.Errorf("stage %d is an output: %v", i, s.IsOutput(i))
		}
	}
}

// A cached output stays the output; the new stage is none.
func TestOutputOfCacheWrite(t *testing.T) {
	s := mustReplay(t, New(matmulRelu(4, 4, 4)), `[["CHW", 3, "local"]]`)
	if s.IsOutput(3) || !s.IsOutput(4) || s.Current.Ops[4].Results[0] != s.DAG.Results()[0] {
		t.Error("stage 4 must be the output")
	}
	if s.Current == s.DAG || len(s.Current.Ops) != 5 || s.Current.Ops[3] != s.Stages[3].Op {
		t.Error("the current DAG must hold the ops of the stages")
	}
}

// TestInliningIsBounded: bodies that double with each inlined stage are refused, by steps and by bounds.
func TestInliningIsBounded(t *testing.T) {
	for stages, fits := range map[int]bool{14: true, 40: false} {
		text := "input t0: float32[8]\n"
		var steps []Step
		for i := range stages {
			text += fmt.Sprintf("t%d(i: 8) = t%d[i]*t%d[i]\n", i+1, i, i)
			steps = append(steps, ComputeInline{i + 1})
		}
		steps[stages-1] = Annotate{At: stages, Iter: 0, Ann: Vectorize}
		d, err := compute.Parse(text + fmt.Sprintf("output t%d\n", stages))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Replay(d, steps)
		var se *StepError
		if fits != (err == nil) || !fits && (!errors.As(err, &se) || se.Index != stages-2 ||
			!strings.Contains(se.Why, "with the stages inlined into it, has more than 262144 nodes")) {
			t.Fatalf("%d stages: %v", stages, err)
		}
		s := New(d)
		for _, step := range steps {
			if s, err = s.Apply(step); err != nil {
				t.Fatal(err)
			}
		}
		if _, err = s.Bounds(); fits != (err == nil) || !fits && !strings.Contains(err.Error(), "262144 nodes") {
			t.Errorf("bounds of %d stages: %v", stages, err)
		}
	}
}

// TestFlowsShared: states that inline the same stages share their bodies, which grow with the square of a
// chain's length.
func TestFlowsShared(t *testing.T) {
	text := "input t0: float32[8]\n"
	for i := range 20 {
		text += fmt.Sprintf("t%d(i: 8) = max(t%d[i] + 1, 0)\n", i+1, i)
	}
	d, err := compute.Parse(text + "output t20\n")
	if err != nil {
		t.Fatal(err)
	}
	var states []*State
	for range 2 {
		s := New(d)
		for i := 1; i < 20; i++ {
			if s, err = s.Apply(ComputeInline{i}); err != nil {
				t.Fatal(err)
			}
		}
		states = append(states, s)
	}
	if a, b := states[0].InlinedBody(20), states[1].InlinedBody(20); &a[0] != &b[0] {
		t.Error("two states of the same steps have bodies of their own")
	}
}
