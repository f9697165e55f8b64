package dataset

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/target"
)

// timed returns a record of a program with the given samples.
func timed(trajectory string, costs ...float64) *Record {
	r := sampleRecord(0)
	r.Trajectory, r.Costs, r.Status = trajectory, costs, measure.OK
	return &r
}

func failed(s measure.Status) *Record {
	r := sampleRecord(0)
	r.Costs, r.Status = nil, s
	return &r
}

func TestSummary(t *testing.T) {
	other := timed("x", 9)
	other.WorkloadKey, other.Workload = "other", "softmax:m=8,n=8"
	machine := timed("a", 9)
	machine.Target.CPU = "znver5"
	var s Summary
	for _, r := range []*Record{
		failed(measure.WrongAnswer),
		timed("a", 3, 2),
		timed("b", 2, 5, 4),
		other,
		failed(measure.BuildError),
		timed("c", 4),
		timed("a", 1.5),
		failed(measure.WrongAnswer),
		machine,
	} {
		s.Add(r)
	}
	if s.Records != 9 || len(s.Tasks) != 3 {
		t.Fatalf("%d records of %d tasks", s.Records, len(s.Tasks))
	}
	first := s.Tasks[0]
	want := []StatusCount{{measure.OK, 4}, {measure.BuildError, 1}, {measure.WrongAnswer, 2}}
	if got := first.Counts.List(); !reflect.DeepEqual(got, want) || first.Records != 7 {
		t.Errorf("%d records, counts %v, want %v", first.Records, got, want)
	}
	if got := s.Counts[measure.OK]; got != 6 {
		t.Errorf("%d ok in all, want 6", got)
	}
	var order []string
	for _, p := range first.Ranked() {
		order = append(order, p.Trajectory)
	}
	if !reflect.DeepEqual(order, []string{"a", "b", "c"}) {
		t.Errorf("ranked %v", order)
	}
	best, ok := first.Best()
	if !ok || best.Record != 6 || best.Cost() != 1.5 || best.Median() != 2 || len(best.Costs) != 3 {
		t.Errorf("best %+v", best)
	}
	if b := s.Tasks[0].Ranked()[1]; b.Median() != 4 {
		t.Errorf("median %v, want 4", b.Median())
	}
	if s.Tasks[1].Workload != "softmax:m=8,n=8" || s.Tasks[2].Target.CPU != "znver5" {
		t.Errorf("tasks %+v", s.Tasks[1:])
	}
}

// A program that fails after it was timed is no longer one of the programs, unless it is timed after that.
func TestSummaryWithdrawn(t *testing.T) {
	wrong := failed(measure.WrongAnswer)
	wrong.Trajectory = "b"
	idle := failed(measure.Unmeasured) // which it has not
	idle.Trajectory = "a"
	var s Summary
	for _, r := range []*Record{timed("a", 3), timed("b", 1), timed("c", 2), wrong, timed("b", 1), timed("c", 1.5), wrong, idle} {
		s.Add(r)
	}
	ranked := s.Tasks[0].Ranked()
	if len(ranked) != 2 || ranked[0].Trajectory != "c" || ranked[0].Cost() != 1.5 || ranked[1].Trajectory != "a" {
		t.Errorf("ranked %+v", ranked)
	}
}

// A summary keeps the times that Settled does, in whatever order the records of several logs come.
func TestSummarySettled(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		var list []Record
		for i := range 1 + rng.IntN(12) {
			r := *timed(string("ab"[rng.IntN(2)]), float64(1+i))
			if rng.IntN(3) == 0 {
				r = *failed([]measure.Status{measure.WrongAnswer, measure.Unmeasured}[rng.IntN(2)])
				r.Trajectory = string("ab"[rng.IntN(2)])
			}
			r.Unix, r.Timing = int64(rng.IntN(4)), measure.Timing(rng.IntN(2))
			r.Layout = target.Layout(rng.IntN(2))
			list = append(list, r)
		}
		var s Summary
		for i := range list {
			s.Add(&list[i])
		}
		var got, want []float64
		for i := range s.Tasks {
			for _, p := range s.Tasks[i].Programs {
				got = append(got, p.Costs...)
				if p.Cost() != list[p.Record].Cost() {
					t.Errorf("%v is not of record %d", p.Cost(), p.Record)
				}
			}
		}
		for _, r := range Measured(list) {
			want = append(want, r.Costs...)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("costs %v, want %v, of %+v", got, want, list)
		}
	}
}

// One task is another with another layout, and so are its programs: what fails with one is not
// withdrawn with the other.
func TestSummaryLayout(t *testing.T) {
	kept := func(r *Record) *Record {
		r.Layout = target.Keep
		return r
	}
	wrong := failed(measure.WrongAnswer)
	wrong.Trajectory = "a"
	var s Summary
	for _, r := range []*Record{timed("a", 3), kept(timed("a", 2)), timed("b", 4), kept(timed("b", 1)), kept(wrong)} {
		s.Add(r)
	}
	if len(s.Tasks) != 2 || s.Tasks[0].Layout != target.Rewrite || s.Tasks[1].Layout != target.Keep || !s.Layouts() {
		t.Fatalf("tasks %+v", s.Tasks)
	}
	if a, b := s.Tasks[0].Ranked(), s.Tasks[1].Ranked(); len(a) != 2 || a[0].Cost() != 3 || len(b) != 1 || b[0].Cost() != 1 {
		t.Errorf("ranked %+v and %+v", a, b)
	}
	other := kept(timed("a", 1))
	other.Target.CPU = "znver5"
	var one Summary // of each task one layout
	for _, r := range []*Record{timed("a", 3), other, timed("c", 2)} {
		one.Add(r)
	}
	if len(one.Tasks) != 2 || one.Layouts() {
		t.Errorf("tasks %+v", one.Tasks)
	}
}

// Of equal costs the earlier record is the better one, so that a second look at
// a log names the same winner.
func TestSummaryTie(t *testing.T) {
	var s Summary
	for _, r := range []*Record{timed("b", 2, 1), timed("a", 1, 7), timed("b", 1)} {
		s.Add(r)
	}
	if best, _ := s.Tasks[0].Best(); best.Record != 0 || best.Trajectory != "b" {
		t.Errorf("best %+v", best)
	}
}

func TestSummaryOfNothing(t *testing.T) {
	var s Summary
	s.Add(failed(measure.Crash))
	if _, ok := s.Tasks[0].Best(); ok {
		t.Error("a best program without one that was timed")
	}
}

// Every status has a place in the counts.
func TestStatusCountsHoldAll(t *testing.T) {
	var c StatusCounts
	for _, s := range measure.Statuses() {
		c[s]++
	}
	if len(c.List()) != len(measure.Statuses()) || len(c) != len(measure.Statuses())+1 {
		t.Errorf("%d places for %d statuses", len(c), len(measure.Statuses()))
	}
}
