package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTooLarge: a workload that does not fit into memory is an error at once, before anything is allocated.
func TestTooLarge(t *testing.T) {
	for name, text := range map[string]string{
		"vector":  "input x: float32[1099511627776]\ny(i: 1099511627776) = x[i]*2\noutput y\n",
		"between": "input x: float32[8]\nbig(i: 8, j: 100000000000) = x[i]*2\nx2(i: 8) = sum(j: 100000000000) big[i, j]\noutput x2\n",
		"weights": "input x: float32[16, 1000000]\ninput w: float32[1000000, 900000]\n" +
			"y(i: 16, j: 900000) = sum(k: 1000000) x[i, k]*w[k, j]\n    layout_free w\noutput y\n",
	} {
		for _, trials := range []string{"0", "4"} {
			dir := t.TempDir()
			p := startProcess(t, "search", "--workload-file", writeText(t, filepath.Join(dir, "w.txt"), text), "--trials", trials, "--out", filepath.Join(dir, "out"))
			code := p.wait(t)
			rss := p.cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
			if took := p.cmd.ProcessState.UserTime(); code != exitFailed || took > 10*time.Second || rss > 500 {
				t.Errorf("%s: exit code %d after %v and %d MB\n%s", name, code, took, rss, p.stderr.String())
			}
			if text := p.stderr.String(); !strings.Contains(text, "bytes") || !strings.Contains(text, "--memory") {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
	p := startProcess(t, "search", "--workload", "matmul:m=64,n=64,k=64", "--memory", "1MB", "--trials", "4", "--out", filepath.Join(t.TempDir(), "out"))
	if code := p.wait(t); code != exitFailed || !strings.Contains(p.stderr.String(), "1 MB is the limit") {
		t.Errorf("exit code %d, %s", code, p.stderr.String())
	}
	code, _, stderr := wmtune(t, "replay", "--memory", "1MB", testLog(t, replayRecords(t)[:1]))
	if code != exitFailed || !strings.Contains(stderr, "1 MB is the limit") {
		t.Errorf("replay: exit code %d, %s", code, stderr)
	}
}

// TestMemoryOfLogs: a log whose records do not fit is an error that names it, the bytes and the flag.
func TestMemoryOfLogs(t *testing.T) {
	const log = "../../lab/models/rtx2080ti.arrow.zst"
	data := trainingData(t)
	for _, args := range [][]string{
		{"train", "ranker", "--data", data, "--out", t.TempDir()}, {"eval", log}, {"show", log, "--why", "0"},
		{"dataset", "build", log, "--out", t.TempDir()},
		{"dataset", "pack", log, "--out", filepath.Join(t.TempDir(), "out.zst")},
	} {
		code, stdout, stderr := wmtune(t, append(args, "--memory", "2MB")...)
		if code != exitFailed || stdout != "" {
			t.Errorf("%v: exit code %d, %s", args, code, stdout)
		}
		source := "log " + log
		if args[0] == "train" {
			source = "dataset " + data
		}
		for _, want := range []string{source, "bytes of memory, and 2000000 may be used", "--memory"} {
			if !strings.Contains(stderr, want) {
				t.Errorf("%v: %q is not in: %s", args, want, stderr)
			}
		}
	}
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]byteSize{
		"8GB": 8e9, "512MiB": 512 << 20, "1.5G": 15e8, "4000000000": 4e9, "2 TiB": 2 << 40, "100kb": 1e5, "7B": 7,
	} {
		var s byteSize
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%s: %d %v, want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "GB", "8XB", "-1GB", "0", "NaN", "8GiGi", "1e300TB"} {
		var s byteSize
		if s.Set(text) == nil {
			t.Errorf("%q is %d", text, s)
		}
	}
}
