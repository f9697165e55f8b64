package dataset

import "github.com/wmtune/wmtune/dataset/measure"

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

// Settled returns the records of a list, in order, but for the times of programs that failed
// later: what is wrong now and then is wrong, and its time must not train or judge
// anything. Later is by the clock, as the records may be of several logs, and of one second by
// their order. A candidate that is correct and was not timed has not failed.
func Settled[T any](list []T, of func(*T) Outcome) []T {
	failed := map[string]moment{} // the last time
	for i := range list {
		o := of(&list[i])
		if !o.failed() {
			continue
		}
		m := moment{o.Unix, i}
		if last, ok := failed[o.Program]; !ok || m.after(last) {
			failed[o.Program] = m
		}
	}
	var kept []T
	for i := range list {
		o := of(&list[i])
		if last, ok := failed[o.Program]; o.Status != measure.OK || !ok || (moment{o.Unix, i}).after(last) {
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
