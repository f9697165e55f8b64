package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/schedule"
)

// TestReplayResume: a replay goes on with the log that an earlier one left, record by
// record, also if a program is there twice; into other logs it does not write.
func TestReplayResume(t *testing.T) {

	first := replayRecords(t)[0]
	second := first
	second.Steps = []schedule.Step{schedule.Split{At: 2, Iter: 0, Extent: 64, Lengths: []int64{4}, InnerToOuter: true}}
	second.Trial = 1
	out := filepath.Join(t.TempDir(), "timed.arrow")
	if r := replayJSON(t, exitOK, "--measure", "--out", out, testLog(t, []dataset.Record{first})); r.Records != 1 {
		t.Fatalf("%+v", r)
	}
	all := testLog(t, []dataset.Record{first, second, first})
	code, _, stderr := wmtune(t, "replay", "--measure", "--out", out, all)
	if code != exitOK || !strings.Contains(stderr, "resumed: 1 of 3 records are in "+out+" already") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	records, _, err := dataset.ReadLog(out)
	if err != nil || len(records) != 3 || records[1].Trial+records[2].Trial != 1 {
		t.Errorf("%v, %+v", err, records)
	}
	before, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	other := testLog(t, []dataset.Record{first, second})
	code, _, stderr = wmtune(t, "replay", "--measure", "--out", out, other)
	if code != exitFailed || !strings.Contains(stderr, "holds records that are not replayed now: name a new log") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if after, err := os.ReadFile(out); err != nil || string(after) != string(before) {
		t.Errorf("the log has changed, %v", err)
	}
	if err := os.WriteFile(out, []byte("not a log"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr = wmtune(t, "replay", "--measure", "--out", out, all); code != exitFailed || !strings.Contains(stderr, "--out: ") || strings.Contains(stderr, "BUG") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// TestReplayOutApart: a log that is replayed is not written to, by whatever name. It holds
// all of its records already, so none would be measured.
func TestReplayOutApart(t *testing.T) {
	log := testLog(t, replayRecords(t)[:1])
	before, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "timed.arrow")
	if err := os.Symlink(log, link); err != nil {
		t.Fatal(err)
	}
	other := testLog(t, replayRecords(t)[1:2])
	for _, out := range []string{log, link} {
		code, _, stderr := wmtune(t, "replay", "--measure", "--out", out, other, log)
		if code != exitUsage || !strings.Contains(stderr, "it is the log "+log+", which is replayed: name a new log") {
			t.Errorf("--out %s: exit code %d\n%s", out, code, stderr)
		}
	}
	if after, err := os.ReadFile(log); err != nil || string(after) != string(before) {
		t.Errorf("the log has changed, %v", err)
	}
}

// TestReplayResumeFailed: what the first part of a replay found to fail still counts when there is nothing left to do.
func TestReplayResumeFailed(t *testing.T) {
	bad := replayRecords(t)[0]
	bad.Steps = append(slices.Clone(bad.Steps), schedule.Fuse{At: 2, Iters: []int{7, 8}})
	log, out := testLog(t, []dataset.Record{replayRecords(t)[0], bad}), filepath.Join(t.TempDir(), "timed.arrow")
	for part := range 2 {
		r := replayJSON(t, exitFailed, "--measure", "--out", out, log)
		if r.Records+r.Resumed != 2 || r.Resumed != 2*part || len(r.Failed) != 1 || r.Failed[0].Record != 1 {
			t.Errorf("%+v", r)
		}
	}
}
