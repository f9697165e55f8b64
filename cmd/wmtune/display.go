package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
)

// A display turns the events of a search into a progress line, which it keeps
// moving while nothing happens.
type display struct {
	p       *progress
	started time.Time
	budget  time.Duration // 0 means none
	began   time.Time     // of the first trial of this run
	before  int           // trials in the log at the start

	mu   sync.Mutex
	v    view
	quit chan struct{}
	over sync.Once
	done sync.WaitGroup
}

func newDisplay(s *searching) *display {
	d := &display{
		p: s.progress, started: s.started, budget: s.time, before: len(s.past), quit: make(chan struct{}),
		v: view{round: 1, trials: len(s.past), goal: s.trials, flop: s.w.FLOPs},
	}
	for _, r := range s.past {
		switch {
		case r.Status == measure.Unmeasured:
			d.v.checked++
		case !r.Timed():
			d.v.failed++
		case d.v.best == 0 || r.Cost() < d.v.best:
			d.v.best = r.Cost()
		}
	}
	d.done.Add(1)
	go d.tick()
	return d
}

// tick moves the line twice a second.
func (d *display) tick() {
	defer d.done.Done()
	t := time.NewTicker(500 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			d.mu.Lock()
			d.p.show(d.view())
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

// view returns what to show now; d.mu is held.
func (d *display) view() view {
	v := d.v
	now := time.Now()
	v.elapsed = now.Sub(d.started)
	if n := v.trials - d.before; n > 0 && v.goal > 0 {
		v.left = time.Duration(float64(now.Sub(d.began)) / float64(n) * float64(v.goal-v.trials))
	}
	if left := d.budget - v.elapsed; d.budget > 0 && (v.left == 0 || left < v.left) {
		v.left = max(left, 0)
	}
	return v
}

// phase says what is going on.
func (d *display) phase(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.v.phase = text
	d.p.show(d.view())
}

// event follows the tuner.
func (d *display) event(e search.Event) {
	text := ""
	switch e.Kind {
	case search.Sketched:
		d.p.say("%d sketches", e.Count)
		return
	case search.Resumed:
		return
	case search.Proposing:
		text = "seeking candidates"
	case search.Building:
		text = fmt.Sprintf("building %d", e.Count)
	case search.Running:
		text = fmt.Sprintf("measuring %d", e.Count)
	case search.Learning:
		text = "learning"
	case search.Finals:
		text = fmt.Sprintf("measuring the %d best again, in turns", e.Count)
	}
	d.mu.Lock()
	if d.began.IsZero() {
		d.began = time.Now()
	}
	if e.Kind == search.Proposing {
		d.v.round = e.Round + 1
	}
	d.mu.Unlock()
	d.phase(text)
}

// round shows the end of a round.
func (d *display) round(r search.Round) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.v.round = r.Number + 1
	d.v.trials = d.before + r.Trials
	for _, rec := range r.Records {
		switch rec.Status {
		case measure.OK:
		case measure.Unmeasured:
			d.v.checked++
		default:
			d.v.failed++
		}
	}
	if r.Found {
		d.v.best = r.Best.Cost()
	}
	d.v.phase = ""
	d.p.done(d.view())
}
