package main

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/graph/compile"
)

// A compileDisplay shows how a compilation goes on: on a terminal one line that is rewritten, else a line now and then.
type compileDisplay struct {
	p       *progress
	started time.Time
	tuning  atomic.Bool // candidates are measured
}

func newCompileDisplay(w io.Writer) *compileDisplay {
	return &compileDisplay{p: newProgress(w), started: time.Now()}
}

// Say implements compile.Observer.
func (d *compileDisplay) Say(text string) { d.p.say("%s", text) }

// Phase implements compile.Observer.
func (d *compileDisplay) Phase(text string, done, of int) {
	d.tuning.Store(false)
	if of > 0 {
		text = fmt.Sprintf("%d/%d  %s", done+1, of, text)
	}
	d.p.showLine(fmt.Sprintf("%s  %s elapsed", text, d.elapsed()))
}

// Tune implements compile.Observer.
func (d *compileDisplay) Tune(p compile.TuneProgress) {
	d.tuning.Store(true)
	d.p.showLine(tuneLine(p, d.elapsed()))
}

func (d *compileDisplay) elapsed() time.Duration { return time.Since(d.started).Round(time.Second) }

// tuneLine is a line on how far the tuning of a model is.
func tuneLine(p compile.TuneProgress, elapsed time.Duration) string {
	var b strings.Builder
	if p.At > 0 {
		fmt.Fprintf(&b, "task %d/%d %s  ", p.At, p.Of, p.Task)
	}
	if p.Goal > 0 {
		fmt.Fprintf(&b, "%d/%d trials", p.Trials, p.Goal)
	} else {
		fmt.Fprintf(&b, "%d trials", p.Trials)
	}
	if p.Model > 0 {
		fmt.Fprintf(&b, "  model about %s", dataset.FormatSeconds(p.Model))
	}
	fmt.Fprintf(&b, "  %s elapsed", elapsed)
	if p.Left > 0 {
		fmt.Fprintf(&b, ", %s left", p.Left.Round(time.Second))
	}
	fmt.Fprintf(&b, "  [%s]", p.Phase)
	return b.String()
}

// interrupted answers the first Ctrl-C, as interrupts wants it.
func (d *compileDisplay) interrupted() bool {
	if d.tuning.Load() {
		d.p.say("interrupted: wmtune finishes and keeps the current measurements; press Ctrl-C again to stop now")
	}
	return d.tuning.Load()
}

func (d *compileDisplay) close() { d.p.clearLine() }
