package main

import (
	"fmt"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tune/collect"
)

// A collectDisplay shows how far a collection is: a line that moves, and one for
// each task at its end.
type collectDisplay struct {
	display
	c       *collectCommand
	started time.Time

	begun   bool   // the log is open
	records int    // in the log, of these tasks
	fresh   int    // of records, those of now
	failed  int    // of records, those without a time
	task    string // what is under way
	phase   string
	found   int // records of the task
	goal    int // records in the end, as far as one knows
	best    float64
	began   time.Time // of the task
}

func newCollectDisplay(c *collectCommand, p *progress) *collectDisplay {
	d := &collectDisplay{
		display: display{p: p, quit: make(chan struct{})}, c: c, started: time.Now(), goal: c.PerTask * len(c.Workloads),
	}
	d.work = d
	d.done.Go(d.tick)
	return d
}

func (d *collectDisplay) measuring() bool { return d.begun }

func (d *collectDisplay) observer() collect.Observer {
	return collect.Observer{Opened: d.opened, Begin: d.begin, Event: d.event, Round: d.round, End: d.end}
}

// opened adds the records that the log already holds.
func (d *collectDisplay) opened(r collect.Result, records int, warnings []dataset.Warning) {
	for _, w := range warnings {
		d.p.say("warning: %s", w)
	}
	if records > 0 {
		d.p.say("continuing %s, which holds %d records", d.c.Log, records)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun, d.records, d.failed = true, r.Records, r.Records-r.Status[measure.OK.String()]
	d.goal += r.Surplus
}

// begin shows that a task is under way.
func (d *collectDisplay) begin(number int, w workload.Workload, past []dataset.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.task = fmt.Sprintf("%d/%d %s", number+1, len(d.c.Workloads), w.Name)
	d.phase, d.found, d.best, d.began = "beginning", len(past), 0, time.Now()
	for i := range past {
		d.note(&past[i])
	}
}

// note counts a record of the task.
func (d *collectDisplay) note(r *dataset.Record) {
	if r.Timed() && (d.best == 0 || r.Cost() < d.best) {
		d.best = r.Cost()
	}
}

// event shows what the search of a task is doing.
func (d *collectDisplay) event(e search.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.phase = e.Kind.String()
}

// round counts a round.
func (d *collectDisplay) round(records []dataset.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found += len(records)
	d.records += len(records)
	d.fresh += len(records)
	for i := range records {
		if records[i].Status != measure.OK {
			d.failed++
		}
		d.note(&records[i])
	}
}

// end prints that a task is done, with a remark.
func (d *collectDisplay) end(remark string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.goal -= max(0, d.c.PerTask-d.found)
	best := "nothing correct"
	if d.best > 0 {
		best = "best " + dataset.FormatSeconds(d.best)
	}
	if remark != "" {
		remark = " (" + remark + ")"
	}
	d.p.say("%s: %d records%s, %s, %.1f s; %s", d.task, d.found, remark, best, time.Since(d.began).Seconds(), d.total())
}

// line returns the progress of the collection; d.mu is held.
func (d *collectDisplay) line() string {
	if !d.begun {
		return ""
	}
	return fmt.Sprintf("%s  %s: %d/%d  [%s]", d.total(), d.task, d.found, d.c.PerTask, d.phase)
}

// total returns the share that is done; d.mu is held.
func (d *collectDisplay) total() string {
	spent := time.Since(d.started)
	rate := float64(d.fresh) / spent.Seconds()
	text := fmt.Sprintf("%d/%d records, %.1f a second, %d failed", d.records, d.goal, rate, d.failed)
	if rate > 0 {
		left := time.Duration(float64(d.goal-d.records) / rate * float64(time.Second))
		if d.c.Time > 0 {
			left = min(left, max(d.c.Time-spent, 0))
		}
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return text
}
