package survey

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

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

	Labels Quantiles  `json:"labels"` // best / cost, of the timed records
	Noise  *Quantiles `json:"noise"`  // standard deviation / mean of a record's samples; null if records have one sample
	List   []Task     `json:"list"`
}

// A Count is how many records there are of something.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// A Task is what a survey found of one task.
type Task struct {
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
	at := func(q float64) float64 { return list[int(math.Round(q*float64(len(list)-1)))] }
	return Quantiles{at(0), at(.1), at(.25), at(.5), at(.75), at(.9), at(.99), at(1)}
}

// Report returns what was found so far.
func (s *Survey) Report() Report {
	r := Report{Records: s.records, Tasks: len(s.tasks), Steps: counts(s.kinds), Failures: counts(s.failures), List: []Task{}}
	targets, dags := map[string]int{}, map[string]bool{}
	var labels []float64
	for _, t := range s.tasks {
		targets[t.Target.String()] += t.records
		dags[dagOf(t.WorkloadKey)] = true
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
func (t *task) report() (Task, []float64) {
	row := Task{Workload: t.Title(), Target: t.Target.String(), Records: t.records, Timed: len(t.costs)}
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

// dagOf returns the hash in a workload key.
func dagOf(key string) string {
	for i := range len(key) {
		if key[i] == ',' {
			return key[:i]
		}
	}
	return key
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
