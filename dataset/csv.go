package dataset

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// csvHeader are the columns of the CSV view, named as in the JSON view. Columns
// may be added at the end, never moved.
var csvHeader = []string{
	"record", "trial", "status", "cost_us", "costs_us", "score", "scorer", "seed", "build_seconds", "run_seconds",
	"unix", "workload_key", "workload", "target", "trajectory", "message", "layout", "packed", "timing",
}

// A CSVWriter writes records as comma-separated values with a header. In
// costs_us the samples are separated by spaces.
type CSVWriter struct {
	w     *csv.Writer
	extra []string
	begun bool
}

// NewCSVWriter returns a CSVWriter whose records have the extra fields of the
// given names as last columns.
func NewCSVWriter(w io.Writer, extra ...string) *CSVWriter {
	return &CSVWriter{w: csv.NewWriter(w), extra: extra}
}

// Write writes a record. Number is its number in the log, from 0; extra are the
// texts of the extra columns.
func (c *CSVWriter) Write(number int, r *Record, extra ...string) error {
	if len(extra) != len(c.extra) {
		panic(fmt.Sprintf("BUG: dataset: %d extra CSV columns, want %d", len(extra), len(c.extra)))
	}
	c.header()
	cost, costs := "", make([]string, len(r.Costs))
	if r.Timed() {
		cost = number64(microseconds(r.Cost()))
	}
	for i, s := range r.Costs {
		costs[i] = number64(microseconds(s))
	}
	row := []string{
		strconv.Itoa(number), strconv.Itoa(r.Trial), r.Status.String(), cost, strings.Join(costs, " "),
		number64(r.Score), r.Scorer, strconv.FormatUint(r.Seed, 10), number64(r.BuildSeconds), number64(r.RunSeconds),
		strconv.FormatInt(r.Unix, 10), r.WorkloadKey, r.Workload, r.Target.String(), r.Trajectory, r.Message,
		r.Layout.String(), r.Packed, r.Timing.String(),
	}
	_ = c.w.Write(append(row, extra...)) // Flush tells the error
	return c.Flush()
}

// header writes the header before the first record.
func (c *CSVWriter) header() {
	if !c.begun {
		c.begun = true
		_ = c.w.Write(append(append([]string{}, csvHeader...), c.extra...)) // Flush tells the error
	}
}

// Flush writes what is buffered, and the header if there was no record.
func (c *CSVWriter) Flush() error {
	c.header()
	c.w.Flush()
	return c.w.Error()
}

func number64(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
