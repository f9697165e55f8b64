package evolve

import (
	"errors"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

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
