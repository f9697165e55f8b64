package main

import (
	"sync"
	"time"

	"github.com/wmtune/wmtune/tune"
)

// A display is the observer of a session: a progress line, which it keeps moving while
// nothing happens.
type display struct {
	p    *progress
	mu   sync.Mutex
	now  tune.Progress
	text string // the phase
	quit chan struct{}
	over sync.Once
	done sync.WaitGroup
}

func newDisplay(p *progress) *display {
	d := &display{p: p, quit: make(chan struct{})}
	d.done.Go(d.tick)
	return d
}

// tick moves the line twice a second.
func (d *display) tick() {
	t := time.NewTicker(500 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			d.mu.Lock()
			if !d.now.Started.IsZero() {
				d.p.show(d.view())
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

// measuring reports whether rounds are under way.
func (d *display) measuring() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.now.Measuring.IsZero()
}

// view returns what to show now; d.mu is held.
func (d *display) view() view {
	n, now := d.now, time.Now()
	v := view{
		round: n.Round, trials: n.Trials, goal: n.Goal, phase: d.text, best: n.Best, flop: n.FLOPs,
		failed: n.Failed, checked: n.Checked, elapsed: now.Sub(n.Started),
	}
	if n.New > 0 && v.goal > 0 {
		v.left = time.Duration(float64(now.Sub(n.Measuring)) / float64(n.New) * float64(v.goal-v.trials))
	}
	if left := n.Budget - v.elapsed; n.Budget > 0 && (v.left == 0 || left < v.left) {
		v.left = max(left, 0)
	}
	return v
}

// phase says what is going on. A machine says how far a large batch is.
func (d *display) phase(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text = text
	d.p.show(d.view())
}

// Say implements tune.Observer.
func (d *display) Say(text string) { d.p.say("%s", text) }

// Phase implements tune.Observer.
func (d *display) Phase(text string, p tune.Progress) {
	d.mu.Lock()
	d.now = p
	d.mu.Unlock()
	d.phase(text)
}

// Round implements tune.Observer.
func (d *display) Round(p tune.Progress) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now, d.text = p, ""
	d.p.done(d.view())
}
