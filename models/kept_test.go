package models

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// What the last call found out of a state is not found out again, and its score is the same.
func TestKept(t *testing.T) {
	var asked atomic.Int32
	model := func() *Model {
		m := fakeModel(&fakeParts{z0: []float32{1, 2}})
		features := m.parts.features
		m.parts.features = func(s *schedule.State, on target.Target) ([]float32, error) {
			asked.Add(1)
			return features(s, on)
		}
		return m
	}
	task := testTask(t, "matmul:m=256,n=256,k=256")
	states := splits(t, task, 8)
	score := func(m *Model, states []*schedule.State, want int32) []float64 {
		t.Helper()
		asked.Store(0)
		scores, err := m.Score(t.Context(), task, states)
		if got := asked.Load(); err != nil || got != want {
			t.Fatalf("features of %d states, want %d; %v", got, want, err)
		}
		return scores
	}
	m := model()
	score(m, states[:6], 6)
	if got, want := score(m, states[2:], 2), score(model(), states[2:], 6); !slices.Equal(got, want) {
		t.Errorf("scores %v, of a model that knows nothing yet %v", got, want)
	}
	score(m, states[:6], 2)
	score(m, slices.Concat(states[6:], states[6:]), 4)
	m.Forget()
	score(m, states[6:], 2)
	m.ForgetTask(testTask(t, "matmul:m=256,n=256,k=64"))
	score(m, states[6:], 0)
	m.ForgetTask(task)
	score(m, states[6:], 2)
}
