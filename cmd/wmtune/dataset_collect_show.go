package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tune"
)

// A collectResult is what --json prints.
type collectResult struct {
	Suite            string         `json:"suite"`
	Target           string         `json:"target"`
	Seed             uint64         `json:"seed"`
	Layout           string         `json:"layout"`
	PerTask          int            `json:"per_task"`
	Shares           string         `json:"shares"`
	Tasks            int            `json:"tasks"`
	Complete         int            `json:"tasks_complete"`
	Exhausted        int            `json:"tasks_exhausted"` // whose search space has fewer candidates than wanted
	Structures       int            `json:"dag_structures"`  // of the tasks, shapes aside
	Records          int            `json:"records"`         // in the log, of these tasks
	NewRecords       int            `json:"new_records"`
	Status           map[string]int `json:"status"` // of Records
	Chosen           map[string]int `json:"chosen"` // Records by what chose them
	Noise            *collectNoise  `json:"noise,omitempty"`
	Reason           string         `json:"reason"` // for the end
	Seconds          float64        `json:"seconds"`
	RecordsPerSecond float64        `json:"records_per_second"`
	Log              string         `json:"log"`
	Version          string         `json:"version"`

	spreads []float64 // of the records that have several samples
}

// A collectNoise says how far the samples of one record are apart: how much longer
// the middle one is than the shortest, over all records with three samples or more.
type collectNoise struct {
	Median  float64 `json:"median"`
	P95     float64 `json:"p95"`
	Records int     `json:"records"`
}

// begin takes over what the log holds already.
func (r *collectResult) begin(s *collecting) {
	*r = collectResult{
		Suite: s.suite, Target: s.machine.Target().String(), Seed: s.seed, Layout: s.layout.String(),
		PerTask: s.perTask, Shares: strings.ReplaceAll(strings.Trim(fmt.Sprint(s.shares), "[]"), " ", "/"), Tasks: len(s.workloads),
		Status: map[string]int{}, Chosen: map[string]int{}, Reason: "not ended", Log: s.collectCommand.log, Version: tune.Version(),
	}
	for _, list := range s.past {
		for i := range list {
			r.add(&list[i])
		}
	}
	r.NewRecords = 0
	structures := map[string]bool{}
	for _, w := range s.workloads {
		structures[w.DAG.Hash()] = true
	}
	r.Structures = len(structures)
}

func (r *collectResult) add(rec *dataset.Record) {
	r.Records++
	r.NewRecords++
	r.Status[rec.Status.String()]++
	r.Chosen[rec.Scorer]++
	if len(rec.Costs) >= 3 {
		p := dataset.Program{Costs: rec.Costs}
		r.spreads = append(r.spreads, p.Median()/p.Cost()-1)
	}
}

// failed returns the number of records without a time.
func (r *collectResult) failed() int { return r.Records - r.Status[measure.OK.String()] }

func (r *collectResult) end(s *collecting) {
	r.Seconds = time.Since(s.started).Seconds()
	r.RecordsPerSecond = float64(r.NewRecords) / r.Seconds
	if n := len(r.spreads); n > 0 {
		slices.Sort(r.spreads)
		r.Noise = &collectNoise{Median: r.spreads[n/2], P95: r.spreads[n*95/100], Records: n}
	}
}

func (r *collectResult) print(w io.Writer) {
	fmt.Fprintf(w, "tasks: %d of %d complete, of %d structures", r.Complete, r.Tasks, r.Structures)
	if r.Exhausted > 0 {
		fmt.Fprintf(w, ", %d more with a search space of fewer than %d candidates", r.Exhausted, r.PerTask)
	}
	fmt.Fprintf(w, "\nrecords: %d (%s), %d of them now, %.1f a second\n", r.Records, statuses(r.Status), r.NewRecords, r.RecordsPerSecond)
	if n := r.Noise; n != nil {
		fmt.Fprintf(w, "noise: the middle sample of a record is %.1f %% above its best at the median, %.1f %% at the 95th percentile\n",
			100*n.Median, 100*n.P95)
	}
	fmt.Fprintf(w, "log: %s\n", r.Log)
}

// A collectDisplay shows how far a collection is: a line that moves, and one for
// each task at its end.
type collectDisplay struct {
	s *collecting

	mu    sync.Mutex
	task  string // what is under way
	phase string
	found int // records of the task
	goal  int // records in the end, as far as one knows
	best  float64
	began time.Time // of the task

	quit chan struct{}
	done sync.WaitGroup
}

func newCollectDisplay(s *collecting) *collectDisplay {
	d := &collectDisplay{s: s, goal: s.perTask * len(s.workloads), quit: make(chan struct{})}
	for _, list := range s.past { // of a time when more were wanted
		d.goal += max(0, len(list)-s.perTask)
	}
	d.done.Go(func() {
		t := time.NewTicker(500 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				d.mu.Lock()
				s.progress.showLine(d.line())
				d.mu.Unlock()
			case <-d.quit:
				return
			}
		}
	})
	return d
}

func (d *collectDisplay) close() {
	close(d.quit)
	d.done.Wait()
	d.s.progress.clearLine()
}

// begin shows that a task is under way.
func (d *collectDisplay) begin(number int, w workload.Workload, past []dataset.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.task = fmt.Sprintf("%d/%d %s", number+1, len(d.s.workloads), w.Name)
	d.phase, d.found, d.best, d.began = "beginning", len(past), 0, time.Now()
	for i := range past {
		d.note(&past[i])
	}
}

// note takes a record of the task into account.
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

// round takes a round into account.
func (d *collectDisplay) round(r search.Round) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found += len(r.Records)
	for i := range r.Records {
		d.s.result.add(&r.Records[i])
		d.note(&r.Records[i])
	}
}

// end says that a task is done; remark says what else there is to say.
func (d *collectDisplay) end(remark string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.goal -= max(0, d.s.perTask-d.found)
	best := "nothing correct"
	if d.best > 0 {
		best = "best " + dataset.FormatSeconds(d.best)
	}
	if remark != "" {
		remark = " (" + remark + ")"
	}
	d.s.progress.say("%s: %d records%s, %s, %.1f s; %s", d.task, d.found, remark, best, time.Since(d.began).Seconds(), d.total())
}

// line says where the collection stands; d.mu is held.
func (d *collectDisplay) line() string {
	return fmt.Sprintf("%s  %s: %d/%d  [%s]", d.total(), d.task, d.found, d.s.perTask, d.phase)
}

// total says how much is done; d.mu is held.
func (d *collectDisplay) total() string {
	r, spent := &d.s.result, time.Since(d.s.started)
	rate := float64(r.NewRecords) / spent.Seconds()
	text := fmt.Sprintf("%d/%d records, %.1f a second, %d failed", r.Records, d.goal, rate, r.failed())
	if rate > 0 {
		left := time.Duration(float64(d.goal-r.Records) / rate * float64(time.Second))
		if d.s.time > 0 {
			left = min(left, max(d.s.time-spent, 0))
		}
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return text
}
