package replay

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
)

// A Result says how a replay ended. Names in JSON may be added, never changed.
type Result struct {
	Records int            `json:"records"`
	Of      int            `json:"of"`                // records in the logs; with Options.Timed, those that were timed
	Tasks   int            `json:"tasks"`             // in the logs
	Resumed int            `json:"resumed,omitempty"` // not in Records: Options.Out held them; Failed has theirs
	Lowered int            `json:"lowered_programs"`
	Logged  map[string]int `json:"logged"` // of the records replayed, by status
	Status  map[string]int `json:"status"` // that they have now

	Compiled []*Compiled `json:"compiled,omitempty"` // by Options.Compile, an architecture each

	Ratio      *Ratio `json:"time_ratio,omitempty"` // if timed: the time now to the time in the log
	Conditions string `json:"conditions,omitempty"` // how the machine was while programs were timed

	FailedCount int       `json:"failed"`
	Failed      []Failure `json:"failures"` // in the order of the logs
	Seconds     float64   `json:"seconds"`

	Due    int `json:"-"` // records to be replayed: Records is less if the replay was interrupted
	ratios []float64
}

// A Ratio is the quartiles of ratios of times.
type Ratio struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// A Failure is a record that no longer reproduces its recorded result.
type Failure struct {
	Log      string `json:"log"`
	Record   int    `json:"record"`
	Workload string `json:"workload"`
	Target   string `json:"target"`
	Logged   string `json:"logged"`
	Status   string `json:"status"`
	Message  string `json:"message"`
}

func newResult() *Result {
	return &Result{Logged: map[string]int{}, Status: map[string]int{}, Failed: []Failure{}}
}

// Err is an error if records no longer reproduce their recorded result, or good programs
// have no machine code for an architecture of Options.Compile.
func (r *Result) Err() error {
	if r.FailedCount > 0 {
		return fmt.Errorf("%d of %d records no longer reproduce their recorded result", r.FailedCount, r.Records+r.Resumed)
	}
	for _, c := range r.Compiled {
		if n := len(c.Failed); n > 0 {
			return fmt.Errorf("%d of %d good programs do not compile for %s", n, c.Programs, c.Target)
		}
	}
	return nil
}

// note counts how a record ended.
func (r *Result) note(p *pending) {
	r.Records++
	r.Lowered += p.prefixes
	r.Logged[p.record.Status.String()]++
	r.Status[p.result.Status.String()]++
	r.noteFailed(p)
	for i, c := range p.compiled {
		r.Compiled[i].note(p, c)
	}
	if p.record.Timed() && p.record.Timing == measure.Repeated && p.result.Cost() > 0 { // times that compare
		r.ratios = append(r.ratios, p.result.Cost()/p.record.Cost())
	}
}

// noteHeld counts a record that an earlier part of the replay has dealt with.
func (r *Result) noteHeld(p *pending) {
	r.Resumed++
	r.noteFailed(p)
}

// noteFailed notes a record that no longer reproduces its recorded result.
func (r *Result) noteFailed(p *pending) {
	if failedNow(&p.record, p.result.Status) {
		r.Failed = append(r.Failed, p.failure(string(p.record.Target.Kind), p.result.Status, p.result.Message))
	}
}

// failure returns the failure that a record is now, for a target.
func (p *pending) failure(target string, now measure.Status, message string) Failure {
	return Failure{
		Log: p.log, Record: p.number, Workload: p.record.Title(), Target: target,
		Logged: p.record.Status.String(), Status: now.String(), Message: message,
	}
}

// wasGood reports whether a record's program was correct. One that another tool did not measure may not be: it may
// have failed for reasons that the tool's log does not tell.
func wasGood(r *dataset.Record) bool {
	return r.Status == measure.OK || r.Status == measure.Unmeasured && r.Source.Format == ""
}

// failedNow reports whether a record is worse than it was: it was good, or has no
// program or a wrong one and had not. That a program which took too long to build
// does so again, or in another way, is as it was.
func failedNow(r *dataset.Record, now measure.Status) bool {
	return now != measure.OK && now != r.Status &&
		(wasGood(r) || now == measure.LowerError || now == measure.WrongAnswer)
}

// finish sets what follows from the counts.
func (r *Result) finish(took time.Duration) {
	r.Seconds = took.Seconds()
	r.FailedCount = len(r.Failed)
	sortFailed(r.Failed)
	for _, c := range r.Compiled {
		sortFailed(c.Failed)
	}
	if len(r.ratios) > 0 {
		slices.Sort(r.ratios)
		at := func(q float64) float64 { return r.ratios[int(q*float64(len(r.ratios)-1)+0.5)] }
		r.Ratio = &Ratio{Median: at(0.5), Low: at(0.25), High: at(0.75)}
	}
}

func sortFailed(list []Failure) {
	slices.SortStableFunc(list, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.Log, b.Log), cmp.Compare(a.Record, b.Record))
	})
}
