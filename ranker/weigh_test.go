package ranker

import (
	"slices"
	"testing"
)

// TestTelling: tasks of few timed candidates choose nothing where there are enough others.
func TestTelling(t *testing.T) {
	task := func(timed, failed int) Candidates {
		return Candidates{Quality: append(slices.Repeat([]float64{1}, timed), make([]float64, failed)...)}
	}
	short, long := task(tellingCandidates-1, 10), task(tellingCandidates, 0)
	few := append(slices.Repeat([]Candidates{long}, tellingTasks-1), short)
	if got := len(telling(few)); got != len(few) {
		t.Errorf("%d of %d tasks of which too few tell", got, len(few))
	}
	many := append(slices.Repeat([]Candidates{long, short}, tellingTasks), short)
	if got := len(telling(many)); got != tellingTasks {
		t.Errorf("%d of %d tasks, want the %d that tell", got, len(many), tellingTasks)
	}
}

// TestWorth: an order is worth what one gets of its first 1, 2, 4, 8 and 16, not of the 16th alone.
func TestWorth(t *testing.T) {
	quality := slices.Repeat([]float64{0.5}, 20)
	quality[2] = 1
	task := Candidates{Quality: quality}
	order := func(*Candidates) []float64 {
		s := make([]float64, len(quality))
		for i := range s {
			s[i] = -float64(i)
		}
		return s
	}
	if got, want := Worth([]Candidates{task}, order), (0.5+0.5+1+1+1)/5; got != want {
		t.Errorf("worth %v, want %v", got, want)
	}
	if got := First([]Candidates{task, task}, order); got != 0.5 {
		t.Errorf("first %v, want 0.5", got)
	}
}

// TestLearningSteps: few tasks are learned from as usual, many as often as is said.
func TestLearningSteps(t *testing.T) {
	for _, c := range []struct {
		effort float64
		tasks  int
		want   int
	}{{1, 57, 400}, {1, 1476, 2583}, {1, 5374, 9404}, {0.5, 57, 200}, {0.001, 57, 1}} {
		l := DefaultLearning()
		l.Steps, l.Draws = max(1, int(c.effort*float64(l.Steps))), c.effort*l.Draws
		if got := l.steps(c.tasks); got != c.want {
			t.Errorf("effort %v, %d tasks: %d batches, want %d", c.effort, c.tasks, got, c.want)
		}
	}
}
