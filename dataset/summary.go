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
}

// A TaskSummary counts the records of one task.
type TaskSummary struct {
	Task
	Records  int
	Counts   StatusCounts
	Programs []Program // that were timed and never failed after, in order of their first record

	id           string         // of Task
	byTrajectory map[string]int // index in Programs; gone if it failed later
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
	Trial      int // of that record
	Scorer     string
	Score      float64   // of that record
	Costs      []float64 // seconds, of all its records
}

// Cost returns the fastest sample in seconds.
func (p *Program) Cost() float64 { return slices.Min(p.Costs) }

// Median returns the middle sample in seconds; of an even number, the mean of
// the two middle ones.
func (p *Program) Median() float64 {
	c := slices.Sorted(slices.Values(p.Costs))
	n := len(c)
	return (c[(n-1)/2] + c[n/2]) / 2
}

// Add counts the next record of a log.
func (s *Summary) Add(r *Record) {
	number := s.Records
	s.Records++
	s.Counts[r.Status]++
	t := s.task(r)
	t.Records++
	t.Counts[r.Status]++
	i, ok := t.byTrajectory[r.Trajectory]
	if !r.Timed() {
		if ok && r.Status != measure.Unmeasured {
			t.withdraw(i)
		}
		return
	}
	if i == gone {
		return
	}
	if !ok {
		i = len(t.Programs)
		t.byTrajectory[r.Trajectory] = i
		t.Programs = append(t.Programs, Program{Trajectory: r.Trajectory})
	}
	p := &t.Programs[i]
	if !ok || r.Cost() < p.Cost() {
		p.Record, p.Trial, p.Scorer, p.Score = number, r.Trial, r.Scorer, r.Score
	}
	p.Costs = append(p.Costs, r.Costs...)
}

const gone = -1

// withdraw takes out a program that was timed and failed in a later record: what
// is wrong now and then is wrong.
func (t *TaskSummary) withdraw(i int) {
	if i == gone {
		return
	}
	t.byTrajectory[t.Programs[i].Trajectory] = gone
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
