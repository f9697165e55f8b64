package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tune"
)

// progressLine returns the progress of a search, without the line end. The phase is such as "building 12/16"; "" at the
// end of a round. Left is the time until the budget or the estimated end; 0 if unknown.
func progressLine(n tune.Progress, phase string, elapsed, left time.Duration) string {
	var b strings.Builder
	if n.Choosing {
		b.WriteString("the scorer chooses")
	} else {
		writeRound(&b, n)
	}
	fmt.Fprintf(&b, "  %s elapsed", elapsed.Round(time.Second))
	if left > 0 {
		fmt.Fprintf(&b, ", %s left", left.Round(time.Second))
	}
	if phase != "" {
		fmt.Fprintf(&b, "  [%s]", phase)
	}
	return b.String()
}

// writeRound writes how many trials there are and what they found.
func writeRound(b *strings.Builder, n tune.Progress) {
	fmt.Fprintf(b, "round %d  ", n.Round)
	if n.Goal > 0 {
		fmt.Fprintf(b, "%d/%d trials", n.Trials, n.Goal)
	} else {
		fmt.Fprintf(b, "%d trials", n.Trials)
	}
	if n.Failed > 0 {
		fmt.Fprintf(b, " (%d failed)", n.Failed)
	}
	if n.Best > 0 {
		fmt.Fprintf(b, "  best %s", dataset.FormatSeconds(n.Best))
		if n.FLOPs > 0 {
			fmt.Fprintf(b, "  %.1f GFLOP/s", n.FLOPs/n.Best/1e9)
		}
	} else if n.Checked > 0 {
		fmt.Fprintf(b, "  %d correct, not timed", n.Checked)
	} else {
		b.WriteString("  nothing correct yet")
	}
}

// heartbeat is how long plain output may stay silent while work goes on.
const heartbeat = 10 * time.Second

// A progress shows a search's progress: on a terminal as a line that is
// rewritten while a round runs and stays when it is over, else as one plain
// line a round and one every heartbeat while nothing else is said. The nil
// progress shows nothing.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	width int // of the terminal; 0 if it is none
	live  bool
	said  time.Time
	now   func() time.Time
}

// newProgress returns a progress that writes to w.
func newProgress(w io.Writer) *progress {
	if p, ok := w.(*printer); ok {
		w = p.w // escapes of our own move the line; say and showLine escape the text
	}
	p := &progress{w: w, now: time.Now, said: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.width = 80
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 20 {
			p.width = width
		}
	}
	return p
}

// showLine shows a line that the next one replaces.
func (p *progress) showLine(line string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width == 0 {
		if p.now().Sub(p.said) >= heartbeat {
			p.plain(line)
		}
		return
	}
	line = string(escape([]byte(line)))
	if len(line) >= p.width {
		line = line[:p.width-1]
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", line)
	p.live = true
}

// say writes a line of its own.
func (p *progress) say(format string, args ...any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.plain(fmt.Sprintf(format, args...))
}

func (p *progress) plain(line string) {
	fmt.Fprintf(p.w, "%s\n", escape([]byte(line)))
	p.said = p.now()
}

// clearLine removes the live line, if there is one.
func (p *progress) clearLine() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) clear() {
	if p.live {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.live = false
	}
}
