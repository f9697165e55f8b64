package main

import (
	"sync"
	"time"

	"github.com/wmtune/wmtune/tune"
)

// A display shows how far work is: a progress line, which it keeps moving while nothing
// happens.
type display struct {
	p    *progress
	mu   sync.Mutex // of the state that the display shows
	work interface {
		line() string    // "" before there is anything to show; mu is held
		measuring() bool // candidates are: there is a round to finish; mu is held
	}
	quit chan struct{}
	over sync.Once
	done sync.WaitGroup
}

// tick moves the line twice a second.
func (d *display) tick() {
	t := time.NewTicker(500 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			d.mu.Lock()
			if line := d.work.line(); line != "" {
				d.p.showLine(line)
			}
			d.mu.Unlock()
		case <-d.quit:
			return
		}
	}
}

// close ends the line. It may be called again.
func (d *display) close() {
	d.over.Do(func() { close(d.quit) })
	d.done.Wait()
	d.p.clearLine()
}

// interrupted answers the first Ctrl-C, as interrupts wants it.
func (d *display) interrupted() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.work.measuring() {
		d.p.say("interrupted: no candidate was being measured")
		return false
	}
	d.p.say("interrupted: wmtune finishes and keeps the current round; press Ctrl-C again to stop now")
	return true
}

// A searchDisplay is the observer of a session.
type searchDisplay struct {
	display
	now  tune.Progress
	text string // the phase
}

func newSearchDisplay(p *progress) *searchDisplay {
	d := &searchDisplay{display: display{p: p, quit: make(chan struct{})}}
	d.work = d
	d.done.Go(d.tick)
	return d
}

func (d *searchDisplay) measuring() bool { return !d.now.Measuring.IsZero() }

// line returns the progress of the search; d.mu is held.
func (d *searchDisplay) line() string {
	if d.now.Started.IsZero() {
		return ""
	}
	n, elapsed, left := d.now, time.Since(d.now.Started), time.Duration(0)
	if n.New > 0 && n.Goal > 0 {
		left = time.Duration(float64(time.Since(n.Measuring)) / float64(n.New) * float64(n.Goal-n.Trials))
	}
	if rest := n.Budget - elapsed; n.Budget > 0 && (left == 0 || rest < left) {
		left = max(rest, 0)
	}
	return progressLine(n, d.text, elapsed, left)
}

// phase shows the current phase. A machine reports the progress of a large batch.
func (d *searchDisplay) phase(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text = text
	if line := d.line(); line != "" {
		d.p.showLine(line)
	}
}

// Say implements tune.Observer.
func (d *searchDisplay) Say(text string) { d.p.say("%s", text) }

// Phase implements tune.Observer.
func (d *searchDisplay) Phase(text string, p tune.Progress) {
	d.mu.Lock()
	d.now = p
	d.mu.Unlock()
	d.phase(text)
}

// Round implements tune.Observer.
func (d *searchDisplay) Round(p tune.Progress) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now, d.text = p, ""
	d.p.say("%s", d.line())
}
