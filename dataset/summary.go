package dataset

import (
	"cmp"
	"slices"

	"github.com/wmtune/wmtune/dataset/measure"
)

// A Summary counts the records of a log, task by task. The zero value is an
// empty one.
type Summary struct {
	Tasks   []TaskSummary // in order of their first record
	Records int
	Counts  StatusCounts

	failures failures
}

// A TaskSummary counts the records of one task.
type TaskSummary struct {
	Task
	Records  int
	Counts   StatusCounts
	Programs []Program // that were timed and did not fail after, in order of their first record

	id           string         // of Task
	byTrajectory map[string]int // index in Programs
}

// StatusCounts holds how many records have each status. Unmeasured is the last.
type StatusCounts [measure.Unmeasured + 1]int

// A StatusCount is how many records have a status.
type StatusCount struct {
	Status measure.Status
	Count  int
}

// List returns the statuses that occur, in the order of measure.Statuses.
func (c *StatusCounts) List() []StatusCount {
	var list []StatusCount
	for _, s := range measure.Statuses() {
		if c[s] > 0 {
			list = append(list, StatusCount{s, c[s]})
		}
	}
	return list
}

// A Program is a candidate that was timed, once or more.
type Program struct {
	Trajectory string
	Record     int // number of the record with its fastest sample, from 0 in the log
	Scorer     string
	Score      float64   // of that record
	Costs      []float64 // seconds, of all its records

	samples []sample // of which the other fields are made
}

// A sample is what a record says of its program.
type sample struct {
	moment
	scorer string
	score  float64
	costs  []float64
}

// take counts a sample behind the others.
func (p *Program) take(m *sample) {
	if len(p.Costs) == 0 || slices.Min(m.costs) < p.Cost() {
		p.Record, p.Scorer, p.Score = m.at, m.scorer, m.score
	}
	p.Costs = append(p.Costs, m.costs...)
}

// Cost returns the fastest sample in seconds.
func (p *Program) Cost() float64 { return slices.Min(p.Costs) }

// Median returns the middle sample in seconds.
func (p *Program) Median() float64 { return measure.Median(p.Costs) }

// Add counts the next record of a log. Of a program that failed it keeps what Settled does.
func (s *Summary) Add(r *Record) {
	number, o := s.Records, r.outcome()
	s.Records++
	s.Counts[r.Status]++
	t := s.task(r)
	t.Records++
	t.Counts[r.Status]++
	switch now := (moment{r.Unix, number}); {
	case s.failures.note(o, number):
		s.withdraw(r, now)
	case r.Timed() && !s.failures.withdraw(o, number):
		t.add(r, now)
	}
}

// withdraw takes out what was measured of a program up to a failure: what is wrong now and then is wrong, whatever the
// caches held.
func (s *Summary) withdraw(r *Record, last moment) {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Layout != r.Layout || t.WorkloadKey != r.WorkloadKey {
			continue
		}
		at, ok := t.byTrajectory[r.Trajectory]
		if !ok || t.Target.String() != r.Target.String() {
			continue
		}
		p := &t.Programs[at]
		p.samples = slices.DeleteFunc(p.samples, func(m sample) bool { return !m.after(last) })
		p.Costs = nil
		for j := range p.samples {
			p.take(&p.samples[j])
		}
		if len(p.samples) == 0 {
			t.remove(at)
		}
	}
}

// add counts the costs of a record.
func (t *TaskSummary) add(r *Record, now moment) {
	i, ok := t.byTrajectory[r.Trajectory]
	if !ok {
		i = len(t.Programs)
		t.byTrajectory[r.Trajectory] = i
		t.Programs = append(t.Programs, Program{Trajectory: r.Trajectory})
	}
	p := &t.Programs[i]
	p.samples = append(p.samples, sample{now, r.Scorer, r.Score, r.Costs})
	p.take(&p.samples[len(p.samples)-1])
}

// remove takes out a program of which nothing is left.
func (t *TaskSummary) remove(i int) {
	delete(t.byTrajectory, t.Programs[i].Trajectory)
	t.Programs = slices.Delete(t.Programs, i, i+1)
	for ; i < len(t.Programs); i++ {
		t.byTrajectory[t.Programs[i].Trajectory] = i
	}
}

// task returns the summary of the record's task. A log holds few tasks, and a
// record mostly has the task of the one before.
func (s *Summary) task(r *Record) *TaskSummary {
	task := r.Task()
	id := task.ID()
	for i := len(s.Tasks) - 1; i >= 0; i-- {
		if t := &s.Tasks[i]; t.id == id {
			return t
		}
	}
	s.Tasks = append(s.Tasks, TaskSummary{Task: task, id: id, byTrajectory: map[string]int{}})
	return &s.Tasks[len(s.Tasks)-1]
}

// Layouts reports whether the log has a task more than once: with several layouts.
func (s *Summary) Layouts() bool {
	for i := range s.Tasks {
		for j := range i {
			if t, u := &s.Tasks[i], &s.Tasks[j]; t.Layout != u.Layout && t.Workload == u.Workload &&
				t.WorkloadKey == u.WorkloadKey && t.Target.String() == u.Target.String() {
				return true
			}
		}
	}
	return false
}

// Ranked returns the programs by their cost, the fastest first. Of equal costs
// the earlier record comes first.
func (t *TaskSummary) Ranked() []Program {
	return slices.SortedFunc(slices.Values(t.Programs), func(a, b Program) int {
		return cmp.Or(cmp.Compare(a.Cost(), b.Cost()), cmp.Compare(a.Record, b.Record))
	})
}

// Best returns the fastest program, if any was timed.
func (t *TaskSummary) Best() (Program, bool) {
	if len(t.Programs) == 0 {
		return Program{}, false
	}
	return t.Ranked()[0], true
}
