package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tune"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		n             tune.Progress
		phase         string
		elapsed, left time.Duration
		want          string
	}{
		{tune.Progress{Round: 1, Trials: 16, Goal: 64, Best: 1.5e-3, FLOPs: 2 * 512 * 512 * 512}, "", 12 * time.Second,
			36 * time.Second,
			"round 1  16/64 trials  best 1.5 ms  179.0 GFLOP/s  12s elapsed, 36s left"},
		{tune.Progress{Round: 2, Trials: 3, Failed: 3}, "building 3/16", time.Second, 0,
			"round 2  3 trials (3 failed)  nothing correct yet  1s elapsed  [building 3/16]"},
		{tune.Progress{Round: 1, Trials: 4, Goal: 4, Failed: 1, Checked: 3}, "", time.Second, 0,
			"round 1  4/4 trials (1 failed)  3 correct, not timed  1s elapsed"},
		{tune.Progress{Round: 1, Goal: 64, Choosing: true}, "seeking candidates", time.Second, 0,
			"the scorer chooses  1s elapsed  [seeking candidates]"},
	} {
		if got := progressLine(c.n, c.phase, c.elapsed, c.left); got != c.want {
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
	p.showLine(progressLine(tune.Progress{Round: 1}, "building", 0, 0))
	if out.Len() != 0 {
		t.Fatalf("said too much: %q", out.String())
	}
	now = now.Add(heartbeat)
	p.showLine(progressLine(tune.Progress{Round: 1}, "building", 0, 0))
	p.showLine(progressLine(tune.Progress{Round: 1}, "measuring", 0, 0))
	p.say("%s", progressLine(tune.Progress{Round: 1, Trials: 16}, "", 0, 0))
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

// TestDisplayErrorLine: on a terminal, an error does not follow on the line of progress.
func TestDisplayErrorLine(t *testing.T) {
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer screen.Close()
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	d := newCompileDisplay(terminal)
	d.p.showLine("at work")
	d.close()
	fmt.Fprint(terminal, "the end")
	text, buffer := "", make([]byte, 4096)
	for !strings.HasSuffix(text, "the end") {
		n, e := screen.Read(buffer)
		if text += string(buffer[:n]); e != nil {
			break
		}
	}
	if !strings.HasSuffix(text, "at work\r\x1b[Kthe end") {
		t.Errorf("the terminal has %q", text)
	}
}
