package dataset

import (
	"context"

	"github.com/wmtune/wmtune/dataset/measure"
)

// An Outcome says of which program a record is, how it came out, and when.
type Outcome struct {
	Program string
	Status  measure.Status
	Unix    int64 // seconds
}

// failed reports whether the program is wrong, or was not built or run to its end.
func (o Outcome) failed() bool { return o.Status != measure.OK && o.Status != measure.Unmeasured }

// A moment is when a record was measured, and its number, by which those of one second are in order.
type moment struct {
	unix int64
	at   int
}

func (m moment) after(other moment) bool {
	return m.unix > other.unix || m.unix == other.unix && m.at > other.at
}

// failures are programs that failed, each with the last time that it did: what is wrong now and then is wrong, and
// no time before that must train or judge anything. Later is by the clock, as the records may be of several logs, and
// of one second by their numbers. A candidate that is correct and was not timed has not failed.
type failures struct{ last map[string]moment }

// note takes a record into account. It reports whether it is the last failure of its program so far.
func (f *failures) note(o Outcome, number int) bool {
	m := moment{o.Unix, number}
	if last, ok := f.last[o.Program]; !o.failed() || ok && !m.after(last) {
		return false
	}
	if f.last == nil {
		f.last = map[string]moment{}
	}
	f.last[o.Program] = m
	return true
}

// withdraw reports whether a record is ok, and its program failed later.
func (f *failures) withdraw(o Outcome, number int) bool {
	last, ok := f.last[o.Program]
	return ok && o.Status == measure.OK && !(moment{o.Unix, number}).after(last)
}

// Withdrawn reads logs and returns what tells of each of their records whether Settled would leave it out. A caller
// that reads the logs again, and need not hold their records, asks it of all of them, in order.
func Withdrawn(ctx context.Context, logs []string) (func(*Record) bool, error) {
	var f failures
	number := 0
	for _, path := range logs {
		_, err := Each(ctx, path, func(_ int, r *Record) error {
			f.note(r.outcome(), number)
			number++
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	number = -1
	return func(r *Record) bool {
		number++
		return f.withdraw(r.outcome(), number)
	}, nil
}

// Settled returns the records of a list, in order, but for the times of programs that failed later: see failures.
func Settled[T any](list []T, of func(*T) Outcome) []T {
	var f failures
	for i := range list {
		f.note(of(&list[i]), i)
	}
	var kept []T
	for i := range list {
		if !f.withdraw(of(&list[i]), i) {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// Measured returns the settled records of a log, without those of candidates that are correct and
// were not timed, which say nothing of speed.
func Measured(records []Record) []Record {
	var kept []Record
	for _, r := range Settled(records, (*Record).outcome) {
		if r.Status != measure.Unmeasured {
			kept = append(kept, r)
		}
	}
	return kept
}

// outcome tells programs apart by their target, too. What is wrong is so whatever the caches held.
func (r *Record) outcome() Outcome {
	return Outcome{r.Trajectory + " " + r.Layout.String() + " " + r.Target.String(), r.Status, r.Unix}
}
