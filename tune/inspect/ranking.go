package inspect

import (
	"fmt"

	"github.com/wmtune/wmtune/dataset"
)

// Summarize counts the records of a log.
func Summarize(r *dataset.Reader) (dataset.Summary, error) {
	var s dataset.Summary
	for rec, err := range r.Records() {
		if err != nil {
			return s, err
		}
		s.Add(&rec)
	}
	return s, nil
}

// Best returns the numbers of the fastest records, one for each task in which any was timed.
func Best(s *dataset.Summary) []int {
	var numbers []int
	for i := range s.Tasks {
		if best, ok := s.Tasks[i].Best(); ok {
			numbers = append(numbers, best.Record)
		}
	}
	return numbers
}

// Pick returns the records of a log with the given numbers, from 0, in their order.
func Pick(r *dataset.Reader, numbers []int) ([]dataset.Record, error) {
	places := map[int][]int{}
	for i, n := range numbers {
		places[n] = append(places[n], i)
	}
	picked, total := make([]dataset.Record, len(numbers)), 0
	for rec, err := range r.Records() {
		if err != nil {
			return nil, err
		}
		for _, i := range places[total] {
			picked[i] = rec
		}
		total++
	}
	for _, n := range numbers {
		if n < 0 || n >= total {
			return nil, noRecord(r, n, total)
		}
	}
	return picked, nil
}

func noRecord(r *dataset.Reader, number, total int) error {
	if total == 0 {
		return fmt.Errorf("log %s: there is no record %d: the log is empty", r.Path(), number)
	}
	return fmt.Errorf("log %s: there is no record %d: the records are numbered from 0 to %d", r.Path(), number, total-1)
}

// A Ranked is a program in the ranking of a task.
type Ranked struct {
	dataset.Program
	Relative float64 // speed as a share of the fastest program's
	Tied     bool    // with the first: its fastest sample is no slower than the middle one of the first
}

// Rank returns the programs of a task, the fastest first.
func Rank(t *dataset.TaskSummary) []Ranked {
	var list []Ranked
	for i, q := range t.Ranked() {
		row := Ranked{q, 1, false}
		if i > 0 {
			row.Relative, row.Tied = list[0].Cost()/q.Cost(), q.Cost() <= list[0].Median()
		}
		list = append(list, row)
	}
	return list
}
