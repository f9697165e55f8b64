package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/nvrtc/nvrtctest"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune/replay"
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
	if code != exitFailed || !strings.Contains(stdout,
		"cuda -arch=sm_90: 2 programs: 1 fit, 0 spill, 1 load error\n"+log+" record 3 (matmul:") ||
		!strings.Contains(stderr, "1 of 2 good programs do not compile for cuda -arch=sm_90") {
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

// TestPrintCompiled: programs that spill are build errors, and not counted twice.
func TestPrintCompiled(t *testing.T) {
	var out strings.Builder
	c := &replay.Compiled{Target: "cuda", Programs: 6, Status: map[string]int{"ok": 1, "build error": 3,
		"load error": 2}, Spilled: 2}
	printCompiled(&out, c)
	if want := "cuda: 6 programs: 1 fit, 2 spill, 1 build error, 2 load error\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}
