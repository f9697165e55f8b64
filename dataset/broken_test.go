package dataset

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
)

// A record whose cost is no time is counted and named, and nothing uses its cost.
func TestBrokenCosts(t *testing.T) {
	costs := []float64{0, math.Copysign(0, -1), -1, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, 1e-13, 1e10, math.MaxFloat64}
	path := filepath.Join(t.TempDir(), "broken.arrow")
	round := sampleRound(0, 3)
	for _, c := range costs {
		r := sampleRecord(4)
		r.Costs = []float64{1e-6, c, 2e-6}
		round = append(round, r)
	}
	failed := sampleRecord(3) // its costs belong to nothing
	failed.Costs = []float64{1e-9}
	w, err := OpenWriter(path, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range [][]Record{round, {failed}} {
		if err := w.Append(part); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()

	list, warnings, err := ReadLog(path)
	if err != nil || len(list) != len(round)+1 {
		t.Fatal(len(list), err)
	}
	var s Summary
	for i := range list {
		r := &list[i]
		s.Add(r)
		if timed := i < 3; r.Timed() != timed || len(r.Costs) > 0 != timed {
			t.Errorf("record %d, cost %v: timed %v, costs %v", i, round[min(i, len(round)-1)].Costs, r.Timed(), r.Costs)
		}
		var b bytes.Buffer
		if err := WriteJSON(&b, i, r); err != nil || !json.Valid(b.Bytes()) {
			t.Errorf("record %d as JSON: %s, %v", i, b.Bytes(), err)
		}
	}
	if r := &list[6]; r.Status != measure.Unmeasured || r.Message != "broken record: its cost is NaN seconds" {
		t.Errorf("%v: %q", r.Status, r.Message)
	}
	if n := len(Measured(list)); n != 4 || s.Counts[measure.Unmeasured] != len(costs) {
		t.Errorf("%d records to learn from, %d unmeasured", n, s.Counts[measure.Unmeasured])
	}
	want := "log " + path + ": broken records, whose times are not used: 10 (3, 4, 5, 6, 7, 8, 9, 10, 11, 12); record 3: its cost is 0 seconds"
	if len(warnings) != 1 || warnings[0].String() != want {
		t.Errorf("%v\nwant %s", warnings, want)
	}
	w, err = OpenWriter(path, WriterOptions{Past: func(r Record) {
		if slices.ContainsFunc(r.Costs, func(c float64) bool { return !measure.IsTime(c) }) {
			t.Errorf("a search resumes from %v", r.Costs)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if got := w.Warnings(); len(got) != 1 || got[0].String() != want {
		t.Errorf("continued with %v", got)
	}
}

// Logs that were joined with cat are read one after the other, also behind a torn
// one, of another version, or compressed as a whole.
func TestConcatenated(t *testing.T) {
	a, b, v1 := mustReadFile(t, writeLog(t, 2, 3)), mustReadFile(t, writeCompressed(t, 1, 1)), mustReadFile(t, "testdata/version1.arrow")
	old := mustRead(t, "testdata/version1.arrow")
	two, both := sampleRound(0, 2), slices.Concat(sampleRound(0, 5), sampleRound(0, 2))
	const appended = "another log was appended here; both are read"
	for name, c := range map[string]struct {
		data     []byte
		want     []Record
		warnings []string
	}{
		"two":       {slices.Concat(a, b), both, []string{appended}},
		"torn":      {slices.Concat(a[:len(a)-13], b), slices.Concat(two, two), []string{"damaged; some rounds were dropped", appended}},
		"versions":  {slices.Concat(b, v1, a), slices.Concat(two, old, sampleRound(0, 5)), []string{appended, appended}},
		"only head": {slices.Concat(mustHeader(t), b, mustHeader(t)), two, []string{appended, appended}},
	} {
		path := filepath.Join(t.TempDir(), "joined.arrow")
		mustWriteFile(t, path, c.data)
		list, warnings, err := ReadLog(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wantRecords(t, list, c.want)
		if len(warnings) != len(c.warnings) {
			t.Fatalf("%s: %v", name, warnings)
		}
		for i, w := range warnings {
			if !strings.Contains(w.String(), c.warnings[i]) {
				t.Errorf("%s: %s\nwant %s", name, w, c.warnings[i])
			}
		}
		if name == "versions" {
			_, err := OpenWriter(path, WriterOptions{})
			if err == nil || !strings.Contains(err.Error(), "is of schema version 1, and the log began with version 3") {
				t.Errorf("continued: %v", err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "joined.arrow")
	mustWriteFile(t, path, slices.Concat(a, b))
	appendRounds(t, path, 7, 2) // goes on behind the second
	list, _, err := ReadLog(path)
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, list, append(both, sampleRound(7, 2)...))
}

// mustHeader returns the schema of a log of testTask.
func mustHeader(t *testing.T) []byte {
	t.Helper()
	b, err := header(versionOf(testTask()))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Two packed logs that were joined with cat are two frames of zstd.
func TestConcatenatedPacked(t *testing.T) {
	var joined []byte
	for from := range 2 {
		var b bytes.Buffer
		if err := Pack(&b, sampleRound(from, 3)); err != nil {
			t.Fatal(err)
		}
		joined = append(joined, b.Bytes()...)
	}
	path := filepath.Join(t.TempDir(), "joined.arrow.zst")
	if err := os.WriteFile(path, joined, 0o666); err != nil {
		t.Fatal(err)
	}
	list, warnings, err := ReadLog(path)
	if err != nil || len(warnings) != 1 {
		t.Fatal(warnings, err)
	}
	wantRecords(t, list, slices.Concat(sampleRound(0, 3), sampleRound(1, 3)))
}
