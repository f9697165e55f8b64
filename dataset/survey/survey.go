// Package survey counts what is in tuning logs and datasets: tasks, targets, kinds
// of steps, labels, noise, failures, and how much of it is the same.
//
// The package must not know how a survey is shown.
package survey

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Row is what a survey looks at of a record.
type Row struct {
	Steps   []schedule.Step
	Costs   []float64 // seconds; empty if it was not timed
	Status  measure.Status
	Message string
}

// A Survey counts records. The zero value is an empty one.
type Survey struct {
	tasks    []*task
	byTask   map[string]*task
	kinds    map[schedule.Kind]int
	failures map[string]int
	noise    []float64
	records  int
}

// A task is what is known of one task.
type task struct {
	dataset.Task
	records  int
	costs    []float64 // of the timed records
	noise    []float64
	prefixes map[prefix]int32 // to their numbers
	seen     int              // prefixes, repeated ones too
}

// A prefix is one step more than another.
type prefix struct {
	of   int32
	step string
}

// Add counts a record of a task.
func (s *Survey) Add(of *dataset.Task, r Row) {
	if s.byTask == nil {
		s.byTask, s.kinds, s.failures = map[string]*task{}, map[schedule.Kind]int{}, map[string]int{}
	}
	id := of.ID()
	t, ok := s.byTask[id]
	if !ok {
		t = &task{Task: *of, prefixes: map[prefix]int32{}}
		s.byTask[id] = t
		s.tasks = append(s.tasks, t)
	}
	s.records++
	t.records++
	at := int32(0)
	t.seen++
	for _, step := range r.Steps {
		s.kinds[step.Kind()]++
		t.seen++
		p := prefix{at, step.String()}
		if at, ok = t.prefixes[p]; !ok {
			at = int32(len(t.prefixes) + 1)
			t.prefixes[p] = at
		}
	}
	if len(r.Costs) == 0 {
		s.failures[r.Status.String()+": "+general(r.Message)]++
		return
	}
	t.costs = append(t.costs, slices.Min(r.Costs))
	if len(r.Costs) > 1 {
		mean, deviation := stat.MeanStdDev(r.Costs, nil)
		t.noise = append(t.noise, deviation/mean)
		s.noise = append(s.noise, deviation/mean)
	}
}

// general returns the first line of a message with a # for each number, so that
// failures of one kind are counted together.
func general(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	var b strings.Builder
	digit := false
	for _, c := range message {
		if c >= '0' && c <= '9' {
			if !digit {
				b.WriteByte('#')
			}
			digit = true
			continue
		}
		digit = false
		b.WriteRune(c)
	}
	if text := b.String(); len(text) > 100 {
		return strings.ToValidUTF8(text[:100], "") + "..."
	}
	return b.String()
}

// A Report is what a survey found. Names may be added, never changed.
type Report struct {
	Records  int     `json:"records"`
	Timed    int     `json:"timed"`
	Tasks    int     `json:"tasks"`
	DAGs     int     `json:"dags"` // distinct hashes in workload keys
	Targets  []Count `json:"targets"`
	Steps    []Count `json:"steps"`    // by kind, the most frequent first
	Failures []Count `json:"failures"` // by status and message, the most frequent first

	Prefixes int     `json:"prefixes"` // of step lists, the empty ones included
	Distinct int     `json:"distinct_prefixes"`
	Common   float64 `json:"common_prefix_share"` // of the prefixes, those that an earlier record of the task has too

	Labels Quantiles    `json:"labels"` // best / cost, of the timed records
	Noise  *Quantiles   `json:"noise"`  // standard deviation / mean of a record's samples; null if records have one sample
	List   []TaskReport `json:"list"`
}

// A Count is how many records there are of something.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// A TaskReport is what a survey found of one task.
type TaskReport struct {
	Workload string    `json:"workload"`
	Target   string    `json:"target"`
	Records  int       `json:"records"`
	Timed    int       `json:"timed"`
	CostUS   Quantiles `json:"cost_us"`
	Noise    *float64  `json:"noise"` // median
	Labels   [Bins]int `json:"labels"`
}

// Bins is how many bins labels from 0 to 1 are counted in.
const Bins = 20

// Quantiles are those of a list of numbers; all are 0 if it is empty.
type Quantiles struct {
	Min float64 `json:"min"`
	P10 float64 `json:"p10"`
	P25 float64 `json:"p25"`
	P50 float64 `json:"p50"`
	P75 float64 `json:"p75"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// quantiles sorts a list.
func quantiles(list []float64) Quantiles {
	if len(list) == 0 {
		return Quantiles{}
	}
	slices.Sort(list)
	at := func(q float64) float64 { return stat.Quantile(q, stat.Empirical, list, nil) }
	return Quantiles{list[0], at(0.1), at(0.25), at(0.5), at(0.75), at(0.9), at(0.99), list[len(list)-1]}
}

// Report returns what was found so far.
func (s *Survey) Report() Report {
	r := Report{Records: s.records, Tasks: len(s.tasks), Steps: counts(s.kinds), Failures: counts(s.failures),
		List: []TaskReport{}}
	targets, dags := map[string]int{}, map[string]bool{}
	var labels []float64
	for _, t := range s.tasks {
		targets[t.Target.String()] += t.records
		hash, _, _ := strings.Cut(t.WorkloadKey, ",")
		dags[hash] = true
		r.Timed += len(t.costs)
		r.Prefixes += t.seen
		r.Distinct += len(t.prefixes) + 1
		row, list := t.report()
		r.List = append(r.List, row)
		labels = append(labels, list...)
	}
	r.DAGs, r.Targets, r.Labels = len(dags), counts(targets), quantiles(labels)
	if r.Prefixes > 0 {
		r.Common = 1 - float64(r.Distinct)/float64(r.Prefixes)
	}
	if len(s.noise) > 0 {
		q := quantiles(slices.Clone(s.noise))
		r.Noise = &q
	}
	return r
}

// report returns a row, and the labels of the task.
func (t *task) report() (TaskReport, []float64) {
	row := TaskReport{Workload: t.Title(), Target: t.Target.String(), Records: t.records, Timed: len(t.costs)}
	if len(t.costs) == 0 {
		return row, nil
	}
	best := slices.Min(t.costs)
	var labels, micros []float64
	for _, c := range t.costs {
		y := best / c
		labels, micros = append(labels, y), append(micros, c*1e6)
		row.Labels[min(int(y*Bins), Bins-1)]++
	}
	row.CostUS = quantiles(micros)
	if len(t.noise) > 0 {
		median := quantiles(slices.Clone(t.noise)).P50
		row.Noise = &median
	}
	return row, labels
}

// counts lists a map, the most frequent first.
func counts[K ~string](m map[K]int) []Count {
	list := make([]Count, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, Count{string(name), m[name]})
	}
	slices.SortStableFunc(list, func(a, b Count) int { return cmp.Compare(b.Count, a.Count) })
	return list
}
