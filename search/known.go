package search

import (
	"slices"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// known is what has been measured: all programs, so that none is measured
// twice, and the fastest as states, so that they can be parents.
type known struct {
	measured map[[16]byte]bool
	outlines map[string]bool // structures of measured programs
	families map[string]int  // how many programs of a family were measured
	records  int

	unmeasured int     // of records: correct, and not timed
	fastest    []timed // the fastest first; at most maxParents
}

// A timed is a correct candidate.
type timed struct {
	state  *schedule.State
	record dataset.Record
	number int // of its record, from 1, those taken over included
}

// maxParents bounds the measured states that are kept: AutoScheduler's share of
// measured states in a population of 2048.
const maxParents = 409

func newKnown() *known {
	return &known{measured: map[[16]byte]bool{}, outlines: map[string]bool{}, families: map[string]int{}}
}

// trials returns the number of records so far, those taken over included.
func (k *known) trials() int { return k.records }

// top returns the fastest candidate.
func (k *known) top() (timed, bool) {
	if len(k.fastest) == 0 {
		return timed{}, false
	}
	return k.fastest[0], true
}

// replay adds a record of an earlier search. It is an error if its steps do not
// apply to the task, as after a change of the workload's definition; the record
// then counts as a trial only.
func (k *known) replay(task *Task, rec dataset.Record) error {
	s, err := schedule.ReplayBound(task.DAG, rec.Steps)
	if err != nil {
		k.records++
		return err
	}
	k.add(s.Signature(), s, rec)
	return nil
}

// add adds a measured candidate. Of equal times the earlier one is the faster.
func (k *known) add(signature [16]byte, s *schedule.State, rec dataset.Record) {
	k.records++
	k.measured[signature] = true
	k.outlines[outline(s.Steps)] = true
	k.families[family(s.Steps)]++
	if rec.Status == measure.Unmeasured {
		k.unmeasured++
	}
	if !rec.Timed() {
		return
	}
	cost := rec.Cost()
	i, _ := slices.BinarySearchFunc(k.fastest, cost, func(t timed, c float64) int {
		if t.record.Cost() <= c {
			return -1
		}
		return 1
	})
	if i >= maxParents {
		return
	}
	k.fastest = slices.Insert(k.fastest, i, timed{s, rec, k.records})
	k.fastest = k.fastest[:min(len(k.fastest), maxParents)]
}

// forget removes a candidate from the fastest; it stays measured.
func (k *known) forget(s *schedule.State) {
	k.fastest = slices.DeleteFunc(k.fastest, func(t timed) bool { return t.state == s })
}

// parents returns up to n of the fastest states.
func (k *known) parents(n int) []*schedule.State {
	var list []*schedule.State
	for _, t := range k.fastest[:min(n, len(k.fastest))] {
		list = append(list, t.state)
	}
	return list
}
