package bench

import (
	"fmt"
	"math"
	"slices"
)

// A Contest is what scorers found for one workload.
type Contest struct {
	Workload string  `json:"workload"`
	Spec     string  `json:"spec"`
	Key      string  `json:"key"` // of all that the times depend on
	Trials   int     `json:"trials"`
	Entries  []Entry `json:"entries"`
	Unix     int64   `json:"unix"`
	Load     float64 `json:"load"` // of the machine before: processes that wanted to run
}

// An Entry is one search of a contest.
type Entry struct {
	Scorer    string    `json:"scorer"`
	Seed      uint64    `json:"seed"`
	Seconds   float64   `json:"seconds"`    // of the kernel that it found, timed in turns with the others'; 0: none
	Curve     []float64 `json:"curve"`      // seconds: the best so far after each trial, as the search measured it
	PerSecond float64   `json:"per_second"` // candidates
	Failure   string    `json:"failure,omitempty"`
}

// best is the fastest kernel of a contest; 0 without one.
func (c *Contest) best() float64 {
	best := 0.0
	for _, e := range c.Entries {
		if e.Seconds > 0 && (best == 0 || e.Seconds < best) {
			best = e.Seconds
		}
	}
	return best
}

// of returns the entries of a scorer.
func (c *Contest) of(scorer string) []Entry {
	var list []Entry
	for _, e := range c.Entries {
		if e.Scorer == scorer {
			list = append(list, e)
		}
	}
	return list
}

// at is the best time of a search after n trials; 0 if there is none.
func (e *Entry) at(n int) float64 {
	if n = min(n, len(e.Curve)); n == 0 {
		return 0
	}
	return e.Curve[n-1]
}

// A Quality says how near scorers come to the best kernel that any search of the
// same contest found: 1 is as good. A search without a kernel counts as 0.
type Quality struct {
	Scorer    string             `json:"scorer"`
	Final     float64            `json:"final"` // of the kernels timed in turns: geometric mean over workloads and seeds
	After     map[string]float64 `json:"after"` // of the best so far after so many trials, as the searches measured it
	PerSecond float64            `json:"per_second"`
}

// Qualities compares scorers over contests, at a few numbers of trials.
func Qualities(list []Contest, scorers []string) []Quality {
	var out []Quality
	for _, name := range scorers {
		q := Quality{Scorer: name, After: map[string]float64{}}
		var final, perSecond logMean
		after := map[int]*logMean{}
		for i := range list {
			c := &list[i]
			for _, e := range c.of(name) {
				final.add(ratioTo(c.best(), e.Seconds))
				perSecond.add(e.PerSecond)
				for _, n := range Milestones(c.Trials) {
					if after[n] == nil {
						after[n] = &logMean{}
					}
					after[n].add(ratioTo(c.bestAtEnd(), e.at(n)))
				}
			}
		}
		q.Final, q.PerSecond = final.value(), perSecond.value()
		for n, m := range after {
			q.After[fmt.Sprint(n)] = m.value()
		}
		out = append(out, q)
	}
	return out
}

// bestAtEnd is the best time that any search of a contest measured.
func (c *Contest) bestAtEnd() float64 {
	best := 0.0
	for _, e := range c.Entries {
		if t := e.at(len(e.Curve)); t > 0 && (best == 0 || t < best) {
			best = t
		}
	}
	return best
}

func ratioTo(best, t float64) float64 {
	if t == 0 {
		return 0
	}
	return best / t
}

// Milestones are the numbers of trials at which searches are compared: 16, and
// four times as many each, up to the last; none for searches without trials.
func Milestones(trials int) []int {
	var list []int
	if trials == 0 {
		return nil
	}
	for n := 16; n < trials; n *= 4 {
		list = append(list, n)
	}
	return append(list, trials)
}

// A logMean is a geometric mean; it is 0 as soon as one value is.
type logMean struct {
	sum float64
	n   int
}

func (m *logMean) add(v float64) { m.sum, m.n = m.sum+math.Log(v), m.n+1 }

func (m *logMean) value() float64 {
	if m.n == 0 {
		return 0
	}
	return math.Exp(m.sum / float64(m.n))
}

// ContestTables show contests, then the scorers' qualities.
func ContestTables(list []Contest, scorers []string) []Table {
	times := Table{
		Head:  []string{"workload"},
		Notes: []string{"us of the kernels found, timed in turns: the median of the seeds (fastest to slowest)"},
	}
	times.Head = append(times.Head, scorers...)
	for i := range list {
		row := []string{list[i].Workload}
		for _, s := range scorers {
			row = append(row, spanText(list[i].of(s)))
		}
		times.Rows = append(times.Rows, row)
	}
	quality := Table{Head: []string{"scorer"}, Notes: []string{
		"best found by any search / found, geometric mean over workloads and seeds: 1 is as good as the best of all;",
		"after N trials by what the searches measured, final by kernels timed in turns; candidates a second with all that searching takes",
	}}
	var points []int
	if len(list) > 0 {
		points = Milestones(list[0].Trials)
	}
	for _, n := range points {
		quality.Head = append(quality.Head, fmt.Sprintf("after %d", n))
	}
	quality.Head = append(quality.Head, "final", "candidates a second")
	for _, q := range Qualities(list, scorers) {
		row := []string{q.Scorer}
		for _, n := range points {
			row = append(row, fmt.Sprintf("%.3f", q.After[fmt.Sprint(n)]))
		}
		quality.Rows = append(quality.Rows, append(row, fmt.Sprintf("%.3f", q.Final), fmt.Sprintf("%.1f", q.PerSecond)))
	}
	return []Table{times, quality}
}

// spanText prints the times of one scorer's searches.
func spanText(entries []Entry) string {
	var found []float64
	for _, e := range entries {
		if e.Seconds > 0 {
			found = append(found, e.Seconds)
		}
	}
	if len(found) == 0 {
		return "-"
	}
	slices.Sort(found)
	text := fmt.Sprintf("%s (%s to %s)", Micro(found[len(found)/2]), Micro(found[0]), Micro(found[len(found)-1]))
	if n := len(entries) - len(found); n > 0 {
		text += fmt.Sprintf(", %d found none", n)
	}
	return text
}

// ContestCharts draws the searches of each contest, a colour for each scorer.
func ContestCharts(list []Contest, scorers []string) (charts []Chart, legend []Line) {
	for i := range list {
		c := Chart{Title: list[i].Workload}
		for k, s := range scorers {
			for _, e := range list[i].of(s) {
				c.Lines = append(c.Lines, Line{Name: fmt.Sprintf("%s, seed %d", s, e.Seed), Color: Colors[k%len(Colors)], Times: e.Curve})
			}
		}
		charts = append(charts, c)
	}
	for k, s := range scorers {
		legend = append(legend, Line{Name: s, Color: Colors[k%len(Colors)]})
	}
	return charts, legend
}
