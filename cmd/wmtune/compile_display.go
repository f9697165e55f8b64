package main

import (
	"fmt"
	"io"
	"time"
)

// A compileDisplay shows how a compilation goes on: on a terminal one line that is rewritten, else a line now and then.
type compileDisplay struct {
	p       *progress
	started time.Time
}

func newCompileDisplay(w io.Writer) *compileDisplay {
	return &compileDisplay{p: newProgress(w), started: time.Now()}
}

// Say implements compile.Observer.
func (d *compileDisplay) Say(text string) { d.p.say("%s", text) }

// Phase implements compile.Observer.
func (d *compileDisplay) Phase(text string, done, of int) {
	line := text
	if of > 0 {
		line = fmt.Sprintf("%d/%d  %s", done+1, of, text)
	}
	d.p.showLine(fmt.Sprintf("%s  %s elapsed", line, time.Since(d.started).Round(time.Second)))
}

func (d *compileDisplay) close() { d.p.clearLine() }
