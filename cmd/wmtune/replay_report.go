package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
)

// A replayReport is how a replay ended, as --json prints it.
type replayReport struct {
	Records int            `json:"records"`
	Of      int            `json:"of"`    // records in the logs
	Tasks   int            `json:"tasks"` // in the logs
	Lowered int            `json:"lowered_programs"`
	Logged  map[string]int `json:"logged"` // of the records replayed, by status
	Status  map[string]int `json:"status"` // that they have now

	Compiled []*replayCompiled `json:"compiled,omitempty"` // of --compile, an architecture each

	Ratio      *replayRatio `json:"time_ratio,omitempty"` // if timed: the time now to the time in the log
	Conditions string       `json:"conditions,omitempty"` // how the machine was while programs were timed

	FailedCount int            `json:"failed"`
	Failed      []replayFailed `json:"failures"` // in the order of the logs
	Seconds     float64        `json:"seconds"`

	logged, now dataset.StatusCounts
	ratios      []float64
}

type replayRatio struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"` // quartiles
	High   float64 `json:"high"`
}

// A replayFailed is a record that does not do what it did.
type replayFailed struct {
	Log      string `json:"log"`
	Record   int    `json:"record"`
	Workload string `json:"workload"`
	Target   string `json:"target"`
	Logged   string `json:"logged"`
	Status   string `json:"status"`
	Message  string `json:"message"`
}

// of notes what the logs hold.
func (r *replayReport) of(tasks [][]place) {
	r.Tasks = len(tasks)
	for _, t := range tasks {
		r.Of += len(t)
	}
}

// note counts how a record ended.
func (r *replayReport) note(p *pending) {
	r.Records++
	r.Lowered += p.prefixes
	r.logged[p.record.Status]++
	r.now[p.result.Status]++
	if failedNow(p.record.Status, p.result.Status) {
		r.Failed = append(r.Failed, replayFailed{
			Log: p.log, Record: p.number, Workload: p.record.Title(), Target: string(p.record.Target.Kind),
			Logged: p.record.Status.String(), Status: p.result.Status.String(), Message: p.result.Message,
		})
	}
	for i, c := range p.compiled {
		r.Compiled[i].note(p, c)
	}
	if p.record.Timed() && p.result.Cost() > 0 {
		r.ratios = append(r.ratios, p.result.Cost()/p.record.Cost())
	}
}

// failedNow reports whether a record is worse than it was: it was good, or has no
// program or a wrong one and had not. That a program which took too long to build
// does so again, or in another way, is as it was.
func failedNow(logged, now measure.Status) bool {
	return now != measure.OK && now != logged && (logged == measure.OK || now == measure.LowerError || now == measure.WrongAnswer)
}

// finish sets what follows from the counts.
func (r *replayReport) finish(took time.Duration) {
	r.Seconds = took.Seconds()
	r.FailedCount = len(r.Failed)
	sortFailed(r.Failed)
	for _, c := range r.Compiled {
		sortFailed(c.Failed)
	}
	r.Logged, r.Status = map[string]int{}, map[string]int{}
	for _, c := range r.logged.List() {
		r.Logged[c.Status.String()] = c.Count
	}
	for _, c := range r.now.List() {
		r.Status[c.Status.String()] = c.Count
	}
	if len(r.ratios) > 0 {
		lo, mid, hi := quartiles(r.ratios)
		r.Ratio = &replayRatio{Median: mid, Low: lo, High: hi}
	}
}

func sortFailed(list []replayFailed) {
	slices.SortStableFunc(list, func(a, b replayFailed) int {
		return cmp.Or(cmp.Compare(a.Log, b.Log), cmp.Compare(a.Record, b.Record))
	})
}

// printedFailures is how many failures are printed.
const printedFailures = 20

func (r *replayReport) print(w io.Writer, asJSON bool) error {
	if asJSON {
		if r.Failed == nil {
			r.Failed = []replayFailed{}
		}
		return json.NewEncoder(w).Encode(r)
	}
	fmt.Fprintf(w, "%d records", r.Records)
	if r.Records < r.Of {
		fmt.Fprintf(w, " of %d", r.Of)
	}
	fmt.Fprintf(w, ", %d tasks, %d programs lowered in %.1f s\n", r.Tasks, r.Lowered, r.Seconds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "status\tin the log\tnow\n")
	for _, s := range measure.Statuses() {
		if r.logged[s] > 0 || r.now[s] > 0 {
			fmt.Fprintf(t, "%s\t%d\t%d\n", s, r.logged[s], r.now[s])
		}
	}
	t.Flush()
	if r.Ratio != nil {
		fmt.Fprintf(w, "time now / time in the log: median %.2f, quartiles %.2f and %.2f\n", r.Ratio.Median, r.Ratio.Low, r.Ratio.High)
	}
	if r.Conditions != "" {
		fmt.Fprintln(w, r.Conditions)
	}
	printFailed(w, r.Failed, "is")
	for _, c := range r.Compiled {
		c.print(w)
	}
	return nil
}

// printFailed prints failures; what says how they are now: "is".
func printFailed(w io.Writer, list []replayFailed, what string) {
	for i, f := range list {
		if i == printedFailures {
			fmt.Fprintf(w, "... and %d more; --json lists all\n", len(list)-i)
			break
		}
		fmt.Fprintf(w, "%s record %d (%s): was %s, %s %s: %s\n", f.Log, f.Record, f.Workload, f.Logged, what, f.Status, f.Message)
	}
}

// quartiles returns the 25th, 50th and 75th percentile of values, which it
// sorts.
func quartiles(values []float64) (lo, mid, hi float64) {
	slices.Sort(values)
	at := func(q float64) float64 { return values[int(q*float64(len(values)-1)+0.5)] }
	return at(0.25), at(0.5), at(0.75)
}
