package main

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
)

// TestPack: a packed log has the records of its logs, other commands read it, and it
// is not overwritten or continued.
func TestPack(t *testing.T) {
	dir := t.TempDir()
	log, out, again := filepath.Join(dir, "a.arrow"), filepath.Join(dir, "a.arrow.zst"), filepath.Join(dir, "b.arrow.zst")
	collected(t, collectArgsFor(log, 4, "--shares", "100/0/0")...)
	code, stdout, stderr := wmtune(t, "dataset", "pack", log, log, "--out", out)
	if code != 0 || !strings.Contains(stdout, "24 records in "+out) {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	want, _, err := dataset.ReadLog(log)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := dataset.ReadLog(out)
	if err != nil || len(got) != 2*len(want) || got[12].Trajectory != want[0].Trajectory || got[23].Cost() != want[11].Cost() {
		t.Errorf("%d records, want those of two logs of %d: %v", len(got), len(want), err)
	}
	best := slices.MinFunc(want, func(a, b dataset.Record) int { return cmp.Compare(a.Cost(), b.Cost()) })
	if code, stdout, stderr := wmtune(t, "show", out, "--best"); code != 0 || !strings.Contains(stdout, best.Workload) {
		t.Errorf("show: exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := wmtune(t, "dataset", "pack", log, "--out", out); code != exitFailed || !strings.Contains(stderr, "there already") {
		t.Errorf("again: exit code %d: %s", code, stderr)
	}
	if code, _, stderr := wmtune(t, collectArgsFor(out, 8)...); code != exitFailed || !strings.Contains(stderr, "zstd -d") {
		t.Errorf("continued: exit code %d: %s", code, stderr)
	}
	if code, _, stderr := wmtune(t, "dataset", "pack", out, "--out", again, "--json"); code != 0 {
		t.Fatalf("packed again: exit code %d: %s", code, stderr)
	}
	a, errA := os.ReadFile(out)
	b, errB := os.ReadFile(again)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("the same records make other bytes: %v %v", errA, errB)
	}
	for want, args := range map[string][]string{"name at least one tuning log": {}, "--out is missing": {log}, "unknown flag": {log, "--into", "x"}} {
		if code, _, stderr := wmtune(t, append([]string{"dataset", "pack"}, args...)...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
	}
}
