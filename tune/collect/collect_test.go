package collect

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
)

// TestCollectPhases: the phases make the number of candidates that was asked for.
func TestCollectPhases(t *testing.T) {
	for _, c := range []struct {
		perTask int
		shares  [3]int
		want    [3]int
	}{
		{100, [3]int{50, 25, 25}, [3]int{50, 25, 25}},
		{7, [3]int{50, 25, 25}, [3]int{5, 1, 1}},
		{1, [3]int{50, 25, 25}, [3]int{1, 0, 0}},
		{9, [3]int{0, 50, 50}, [3]int{0, 5, 4}},
		{5, [3]int{0, 100, 0}, [3]int{0, 5, 0}},
	} {
		o := Options{PerTask: c.perTask, Shares: c.shares}
		var got [3]int
		for i, p := range o.phases() {
			got[i] = p.Trials
		}
		if got != c.want {
			t.Errorf("%d by %v: %v, want %v", c.perTask, c.shares, got, c.want)
		}
	}
}

// TestMixedTasks: a collection that ends early has operators of all kinds.
func TestMixedTasks(t *testing.T) {
	list, err := Suite("train", "")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, w := range list[:len(list)/4] {
		kind, _, _ := strings.Cut(w.Text, ":")
		kinds[kind] = true
	}
	if len(kinds) < 10 {
		t.Errorf("the first quarter has %d operators", len(kinds))
	}
}

// TestTaskRunner: nothing runs before the task is set, or if it cannot be.
func TestTaskRunner(t *testing.T) {
	r := &taskRunner{Runner: &run.Runner{}, ready: make(chan struct{}), err: errors.New("no reference")}
	done := make(chan error)
	go func() {
		_, err := r.Run(t.Context(), nil, []measure.BuildResult{{}})
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("it ran before the task was set: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	close(r.ready)
	if err := <-done; !errors.Is(err, r.err) {
		t.Errorf("error %v", err)
	}
}
