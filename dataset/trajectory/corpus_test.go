package trajectory_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/tir/target"
)

// TestGrowing: a dataset has the records of the bytes whose SHA-256 it notes, whatever a search appends meanwhile. A
// log that is replaced is an error.
func TestGrowing(t *testing.T) {
	dir := t.TempDir()
	log, same := filepath.Join(dir, "a.arrow"), filepath.Join(dir, "b.arrow")
	writeLog(t, log, sampleRecords(specs[0], cpu, 6, 1))
	writeLog(t, same, sampleRecords(specs[0], cpu, 6, 1))
	opts := options([]string{log, same}, filepath.Join(dir, "data"))
	meanwhile := func() { writeLog(t, log, sampleRecords(specs[1], cpu, 6, 2)) }
	opts.Warn = func(string) { meanwhile() } // of the log that comes twice, when all are hashed
	m := build(t, opts)
	if m.Trajectories != 6 || m.Tasks != 1 || m.Inputs[0].Records != 6 {
		t.Errorf("%+v", m)
	}

	other, copied := filepath.Join(dir, "c.arrow"), filepath.Join(dir, "d.arrow")
	writeLog(t, other, sampleRecords(specs[2], cpu, 6, 1))
	writeLog(t, copied, sampleRecords(specs[2], cpu, 6, 1))
	opts.Logs, opts.Dir = []string{other, copied}, filepath.Join(dir, "replaced")
	meanwhile = func() {
		if err := os.Remove(other); err != nil {
			t.Fatal(err)
		}
		writeLog(t, other, sampleRecords(specs[2], cpu, 6, 3))
	}
	_, err := trajectory.Build(t.Context(), opts)
	refuses(t, "a log that is replaced", err, "it changed while it was read")
}

// TestSameContent: of logs with equal content one name is noted, whichever comes first.
func TestSameContent(t *testing.T) {
	dir := t.TempDir()
	logs := []string{filepath.Join(dir, "a.arrow"), filepath.Join(dir, "b.arrow")}
	for _, log := range logs {
		writeLog(t, log, sampleRecords(specs[0], cpu, 6, 1))
	}
	a := options(logs, filepath.Join(dir, "a"))
	b := options([]string{logs[1], logs[0]}, filepath.Join(dir, "b"))
	build(t, a)
	if m := build(t, b); len(m.Inputs) != 1 || m.Inputs[0].Name != "a.arrow" {
		t.Errorf("%+v", m)
	}
	sameFiles(t, "the other order", b.Dir, a.Dir)
}

// TestWithdrawnTiming: what is wrong in one timing is wrong in the other, and still right in another layout.
func TestWithdrawnTiming(t *testing.T) {
	dir := t.TempDir()
	list := sampleRecords(specs[0], cpu, 5, 1)
	other := sampleRecords(specs[0], cpu, 5, 1)
	wrong := sampleRecords(specs[0], cpu, 5, 1)
	for i := range wrong {
		other[i].Layout = target.Rewrite
		wrong[i].Timing, wrong[i].Status, wrong[i].Costs = measure.Deployed, measure.WrongAnswer, nil
		wrong[i].Unix++
	}
	log := filepath.Join(dir, "log.arrow")
	writeLog(t, log, slices.Concat(wrong, list, other))
	opts := options([]string{log}, filepath.Join(dir, "data"))
	build(t, opts)
	s, err := trajectory.Open(opts.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, task := range s.Tasks() {
		if (task.Timed > 0) != (task.Layout == target.Rewrite) {
			t.Errorf("%d times of %s, %s", task.Timed, task.Layout, task.Timing)
		}
	}
	if len(s.Tasks()) != 2 {
		t.Errorf("%+v", s.Tasks())
	}
}
