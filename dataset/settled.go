package dataset

import "github.com/wmtune/wmtune/dataset/measure"

// Settled returns the records of a list, in order, but for the times of programs that failed
// in a later record: what is wrong now and then is wrong, and its time must not train or judge
// anything. Of says of which program a record is, and how it came out; a candidate that is
// correct and was not timed has not failed.
func Settled[T any](list []T, of func(*T) (program string, status measure.Status)) []T {
	failed := map[string]int{} // the last time
	for i := range list {
		if program, status := of(&list[i]); status != measure.OK && status != measure.Unmeasured {
			failed[program] = i
		}
	}
	var kept []T
	for i := range list {
		program, status := of(&list[i])
		if at, ok := failed[program]; status != measure.OK || !ok || at < i {
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

// outcome says which program, for which target, a record is of.
func (r *Record) outcome() (program string, status measure.Status) {
	return r.Trajectory + " " + r.Layout.String() + " " + r.Target.String(), r.Status
}
