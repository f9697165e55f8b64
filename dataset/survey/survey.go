package survey

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
	id := fmt.Sprintf("%s\n%s\n%d", of.Workload, of.Target, of.Layout)
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
		t.noise = append(t.noise, variation(r.Costs))
		s.noise = append(s.noise, t.noise[len(t.noise)-1])
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

// variation returns the standard deviation of samples as a share of their mean.
func variation(samples []float64) float64 {
	mean := 0.0
	for _, v := range samples {
		mean += v / float64(len(samples))
	}
	sum := 0.0
	for _, v := range samples {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum/float64(len(samples)-1)) / mean
}
