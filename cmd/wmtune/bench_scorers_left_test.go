package main

import (
	"testing"
	"time"
)

// TestRemaining: what is left grows less while a search is under way, and is not told once it takes
// longer than was thought.
func TestRemaining(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		done  float64
		ended time.Duration // ago
		want  string
	}{
		{0, 0, "1 of 3 searches done"},
		{40, 0, "1 of 3 searches done, 50s left"},
		{40, 30 * time.Second, "1 of 3 searches done, 20s left"},
		{40, time.Minute, "1 of 3 searches done"},
	} {
		ended := now.Add(-c.ended)
		r := &remaining{searches: 2, of: 3, weight: 100, done: c.done, started: ended.Add(-20 * time.Second), ended: ended}
		if got := r.String(); got != c.want {
			t.Errorf("%v ago: %q, want %q", c.ended, got, c.want)
		}
	}
}
