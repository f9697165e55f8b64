package main

import (
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
)

func TestViewLine(t *testing.T) {
	for _, c := range []struct {
		v    view
		want string
	}{
		{view{round: 1, trials: 16, goal: 64, best: 1.5e-3, flop: 2 * 512 * 512 * 512, elapsed: 12 * time.Second, left: 36 * time.Second},
			"round 1  16/64 trials  best 1.5 ms  179.0 GFLOP/s  12s elapsed, 36s left"},
		{view{round: 2, trials: 3, failed: 3, elapsed: time.Second, phase: "building 3/16"},
			"round 2  3 trials (3 failed)  nothing correct yet  1s elapsed  [building 3/16]"},
		{view{round: 1, trials: 4, goal: 4, failed: 1, checked: 3, elapsed: time.Second},
			"round 1  4/4 trials (1 failed)  3 correct, not timed  1s elapsed"},
	} {
		if got := c.v.line(); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

// TestPlainProgress: in a pipe there is no control character, one line a round,
// and a line at least every heartbeat.
func TestPlainProgress(t *testing.T) {
	var out strings.Builder
	now := time.Unix(1000, 0)
	p := newProgress(&out)
	p.now = func() time.Time { return now }
	p.said = now
	p.showLine(view{round: 1, phase: "building"}.line())
	if out.Len() != 0 {
		t.Fatalf("said too much: %q", out.String())
	}
	now = now.Add(heartbeat)
	p.showLine(view{round: 1, phase: "building"}.line())
	p.showLine(view{round: 1, phase: "measuring"}.line())
	p.say("%s", view{round: 1, trials: 16}.line())
	p.say("kernel in %s", "out")
	got := out.String()
	if strings.ContainsAny(got, "\r\x1b") || strings.Count(got, "\n") != 3 || !strings.HasSuffix(got, "kernel in out\n") {
		t.Errorf("got %q", got)
	}
}

func TestFormatSeconds(t *testing.T) {
	for s, want := range map[float64]string{1.234e-5: "12.3 us", 2.5e-3: "2.5 ms", 3: "3 s"} {
		if got := dataset.FormatSeconds(s); got != want {
			t.Errorf("%g: got %s, want %s", s, got, want)
		}
	}
}
