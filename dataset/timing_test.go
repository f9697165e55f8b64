package dataset

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
)

// writeDeployed writes a log of programs timed as deployed.
func writeDeployed(t testing.TB, size int) (path string, task Task, records []Record) {
	t.Helper()
	path, task, records = filepath.Join(t.TempDir(), "deployed.arrow"), *testTask(), sampleRound(0, size)
	task.Timing = measure.Deployed
	for i := range records {
		records[i].Timing = measure.Deployed
	}
	if err := writeRound(path, WriterOptions{Task: &task}, records); err != nil {
		t.Fatal(err)
	}
	return path, task, records
}

func writeRound(path string, o WriterOptions, round []Record) error {
	w, err := OpenWriter(path, o)
	if err != nil {
		return err
	}
	defer w.Close()
	return w.Append(round)
}

// TestTimings: records keep what the caches held, a log of one task holds one kind of times, and a summary ranks each
// kind by itself. A log of repeated times is one that older readers understand, and is continued as such.
func TestTimings(t *testing.T) {
	path, task, deployed := writeDeployed(t, 2)
	list, _, err := ReadLog(path)
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, list, deployed)

	old := writeLog(t, 2)
	if string(mustReadFile(t, old)[:len(mustHeader(t))]) != string(mustHeader(t)) || versionOf(testTask()) != 3 {
		t.Error("a log of repeated times is not of schema version 3")
	}
	for _, c := range []struct {
		name, path string
		task       *Task
		round      []Record
		want       string
	}{
		{"a repeated time in a log of deployed ones", path, &task, sampleRound(2, 1), "do not compare"},
		{"a log of deployed times continued with repeated ones", path, testTask(), nil, "do not compare"},
		{"a deployed time in a log of version 3", old, nil, deployed, "schema version 3"},
	} {
		err := writeRound(c.path, WriterOptions{Task: c.task}, c.round)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := writeRound(old, WriterOptions{Task: testTask()}, sampleRound(2, 1)); err != nil {
		t.Errorf("a log of version 3 continued: %v", err)
	}
	joined := filepath.Join(t.TempDir(), "joined.arrow")
	mustWriteFile(t, joined, append(mustReadFile(t, old), mustReadFile(t, path)...))
	if _, err := OpenWriter(joined, WriterOptions{}); err == nil ||
		!strings.Contains(err.Error(), "of schema version 4, and the log began with version 3") {
		t.Errorf("joined logs of two versions continued: %v", err)
	}
	var s Summary
	for _, r := range append(sampleRound(0, 2), deployed...) {
		s.Add(&r)
	}
	if len(s.Tasks) != 2 || s.Tasks[0].Timing == s.Tasks[1].Timing {
		t.Errorf("%d rankings of two kinds of times", len(s.Tasks))
	}
}
