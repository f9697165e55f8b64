package dataset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	for i := range 4 {
		r := sampleRecord(i)
		extra := []Field{{"steps", `[["SP", 2, 0, 512, [2, 1], 1]]`}, {"tir", "for i < 3 && j > 0:\n  \"x\""}}
		if err := WriteJSON(&b, 10+i, &r, extra[:i%3]...); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "records.json", b.String())
	for line := range strings.Lines(b.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Errorf("%v: %s", err, line)
		}
	}
}

// JSON has no infinities; a record with one is still a line of JSON.
func TestJSONWithoutNumber(t *testing.T) {
	for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		r := sampleRecord(0)
		r.Score = v
		var b bytes.Buffer
		if err := WriteJSON(&b, 0, &r); err != nil || !strings.Contains(b.String(), `"score":null`) {
			t.Errorf("%v: %v: %s", v, err, b.String())
		}
	}
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	w := NewCSVWriter(&b, "steps")
	for i := range 4 {
		r := sampleRecord(i)
		if err := w.Write(i, &r, "[]"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	golden(t, "records.csv", b.String())
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 5 || len(rows[0]) != len(csvHeader)+1 {
		t.Errorf("%v: %d rows", err, len(rows))
	}
}

// An empty CSV view has its header.
func TestCSVOfNothing(t *testing.T) {
	var b bytes.Buffer
	if err := NewCSVWriter(&b).Flush(); err != nil || b.String() != strings.Join(csvHeader, ",")+"\n" {
		t.Errorf("%v: %q", err, b.String())
	}
}

func TestBench(t *testing.T) {
	var b bytes.Buffer
	w := NewBenchWriter(&b)
	for i := range 5 {
		r := sampleRecord(i)
		if i == 2 {
			r.Workload = "two words"
			r.Target.Hardware.Cores = 1
		}
		suffix := ""
		if i > 0 {
			suffix = "record=1"
		}
		if err := w.Write(&r, suffix); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "records.bench", b.String())
}

type failingWriter struct{}

var errFull = errors.New("full")

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

// A view says when it could not be written.
func TestViewsFail(t *testing.T) {
	r := sampleRecord(0)
	for name, err := range map[string]error{
		"json":  WriteJSON(failingWriter{}, 0, &r),
		"csv":   NewCSVWriter(failingWriter{}).Write(0, &r),
		"bench": NewBenchWriter(failingWriter{}).Write(&r, ""),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
