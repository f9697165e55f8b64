package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/nvrtc/nvrtctest"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// tooManyThreads has 3072 in a block.
const tooManyThreads = `[["FU", 2, [0, 1]], ["AN", 2, 0, 6]]`

// TestReplayCompile: programs of a GPU are compiled for others that are not here, those
// of a processor are not.
func TestReplayCompile(t *testing.T) {
	nvrtctest.Need(t)
	records := replayRecords(t)
	refused := records[2]
	var err error
	if refused.Steps, err = schedule.ParseSteps([]byte(tooManyThreads)); err != nil {
		t.Fatal(err)
	}
	log := testLog(t, append(records, refused))
	r := replayJSON(t, exitFailed, "--check", "none", "--compile", "sm_75, sm_90", log)
	if len(r.Compiled) != 2 || r.Status["ok"] != 4 {
		t.Fatalf("%+v", r)
	}
	for i, want := range []string{"cuda -arch=sm_75", "cuda -arch=sm_90"} {
		c := r.Compiled[i]
		if c.Target != want || c.Programs != 2 || c.Status["ok"] != 1 || c.Status["load error"] != 1 || c.Spilled != 0 || len(c.Failed) != 1 || c.Failed[0].Record != 3 {
			t.Errorf("%s: %+v", want, c)
		}
	}
	code, stdout, stderr := wmtune(t, "replay", "--check", "none", "--compile", "sm_90", log)
	if code != exitFailed || !strings.Contains(stdout, "cuda -arch=sm_90: 2 programs: 1 fit, 0 spill, 1 load error\n"+log+" record 3 (matmul:") ||
		!strings.Contains(stderr, "1 of 2 good programs cannot be had for cuda -arch=sm_90") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestReplayCompileUsage(t *testing.T) {
	code, _, stderr := wmtune(t, "replay", "--compile", "sm_75,sm_61", "a.arrow")
	if code != exitUsage || !strings.Contains(stderr, `--compile: no GPU "sm_61" is known`) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	t.Setenv(nvrtcVariable, filepath.Join(t.TempDir(), "libnvrtc.so"))
	code, _, stderr = wmtune(t, "replay", "--compile", "sm_75", "a.arrow")
	if code != exitFailed || !strings.Contains(stderr, "--compile: ") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// Only what was good, and cannot be had at all, is a failure.
func TestReplayCompiledNote(t *testing.T) {
	fits, spills := deviceResult{status: measure.OK}, deviceResult{measure.BuildError, "spills", true}
	refused := deviceResult{status: measure.LoadError, message: "too many threads"}
	for _, c := range []struct {
		logged                  measure.Status
		now                     deviceResult
		spilled, failed, fitted int
	}{
		{measure.OK, fits, 0, 0, 1},
		{measure.OK, spills, 1, 0, 0},
		{measure.OK, refused, 0, 1, 0},
		{measure.Unmeasured, refused, 0, 1, 0},
		{measure.BuildTimeout, refused, 0, 0, 0},
		{measure.BuildError, spills, 1, 0, 0},
	} {
		r := &replayCompiled{Status: map[string]int{}}
		r.note(&pending{record: dataset.Record{Status: c.logged}}, c.now)
		if r.Programs != 1 || r.Spilled != c.spilled || len(r.Failed) != c.failed || r.Status["ok"] != c.fitted {
			t.Errorf("%v, %+v: %+v", c.logged, c.now, r)
		}
	}
	var out strings.Builder
	c := &replayCompiled{Target: "cuda", Programs: 6, Status: map[string]int{"ok": 1, "build error": 3, "load error": 2}, Spilled: 2}
	c.print(&out)
	if want := "cuda: 6 programs: 1 fit, 2 spill, 1 build error, 2 load error\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}
