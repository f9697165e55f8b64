package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/schedule"
)

// TestEscapes: no text of a log or a workload file reaches the terminal as a command.
func TestEscapes(t *testing.T) {
	const evil = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e\r\x7f"
	records := replayRecords(t)
	strange := records[0]
	strange.Workload, strange.WorkloadKey = "evil"+evil+":m=1", "key"+evil
	strange.Target.CPU, strange.Target.Features, strange.Scorer = "cpu"+evil, []string{"f" + evil}, "scorer"+evil
	strange.Message, strange.Packed, strange.Source.Format, strange.Source.Target = "message"+evil, "w"+evil, "f"+evil, "t"+evil
	strange.Steps = append([]schedule.Step{schedule.Pragma{At: 2, Text: "auto_unroll_max_step$" + evil}}, strange.Steps...)
	records[1].Message = evil
	named := records[0]
	named.Workload = "x" + evil + " = PLACEHOLDER [1]\nC" + evil + "(i) += x[i]"
	broken := records[0]
	broken.Costs = []float64{math.NaN()}
	log := testLog(t, append(records, strange, named, broken))
	dir := t.TempDir()
	file := writeText(t, filepath.Join(dir, "w.txt"), "input x"+evil+": float32[4]\noutput y"+evil+"(i) = x[i]\n")
	lines := writeText(t, filepath.Join(dir, "lines.json"), `{"i": [["`+evil+`", "llvm`+evil+`"], [[], []]], "r": [[1], 0, 1, 1], "v": "v`+evil+"\"}\n")
	for _, args := range [][]string{
		{"show", log}, {"show", log, "--all"}, {"show", log, "--json"}, {"show", log, "--csv"}, {"show", log, "--bench"},
		{"show", log, "--record", "3", "--as", "tir"}, {"show", log, "--record", "3,4", "--as", "steps"}, {"show", log, "--why", "3"},
		{"dataset", "info", log}, {"dataset", "info", log, "--json"}, {"dataset", "import", lines, "--out", filepath.Join(dir, "in")},
		{"dataset", "export", log}, {"dataset", "build", log, "--out", filepath.Join(dir, "data")},
		{"replay", "--check", "none", log}, {"replay", "--check", "none", "--json", log}, {"eval", log},
		{"search", "--workload-file", file}, {"search", "--workload", "matmul" + evil}, {"show", filepath.Join(dir, "none"+evil)},
	} {
		code, stdout, stderr := command(args...)
		for _, text := range []string{stdout, stderr} {
			if strings.ContainsAny(text, "\x1b\x07\u009b\u202e\r\x7f") {
				t.Errorf("%q prints escapes: %q", args, text)
			}
		}
		if args[len(args)-1] == "--json" {
			for line := range strings.Lines(stdout) {
				if !json.Valid([]byte(line)) {
					t.Errorf("%q: no JSON: %s", args, line)
				}
			}
		}
		if args[0] == "show" && len(args) == 2 && args[1] == log && (code != exitOK || !strings.Contains(stdout, `\u001b[2J`)) {
			t.Errorf("exit code %d, %s%s", code, stdout, stderr)
		}
	}
}

// TestPrinter: characters come through whole, however they are cut.
func TestPrinter(t *testing.T) {
	const text, want = "a µs – ы\t\U0001f600\n\ufffd\x9b\xff\u0085\x00", "a µs – ы\t\U0001f600\n\ufffd\\x9b\\xff\\u0085\\u0000"
	for size := 1; size <= len(text); size++ {
		var b strings.Builder
		p := &printer{w: &b}
		for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
			if n, err := p.Write([]byte(rest[:min(size, len(rest))])); n != min(size, len(rest)) || err != nil {
				t.Fatal(n, err)
			}
		}
		if b.String() != want {
			t.Errorf("in parts of %d: %q, want %q", size, b.String(), want)
		}
	}
}

// TestBrokenRecords: a record whose cost is no time is named by every command that
// reads it, and counts nowhere as timed.
func TestBrokenRecords(t *testing.T) {
	records := replayRecords(t)[:1]
	for _, c := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		r := records[0]
		r.Costs = []float64{c}
		records = append(records, r)
	}
	log := testLog(t, records)
	const warning = "broken records, whose times are not used: 4 (1, 2, 3, 4)"
	for _, args := range [][]string{
		{"show", log}, {"show", log, "--json"}, {"dataset", "info", log, "--json"}, {"replay", "--check", "none", log},
		{"dataset", "build", log, "--out", t.TempDir()}, {"dataset", "export", log}, {"eval", log},
		{"dataset", "pack", log, "--out", filepath.Join(t.TempDir(), "packed.arrow")},
	} {
		code, stdout, stderr := command(args...)
		if code != exitOK && args[0] != "eval" || !strings.Contains(stderr, warning) {
			t.Errorf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
		}
		switch {
		case args[0] == "show" && len(args) == 2:
			if !strings.Contains(stdout, "4 unmeasured") {
				t.Errorf("not counted:\n%s", stdout)
			}
		case args[0] == "show":
			var r struct {
				Status string
				CostUS *float64 `json:"cost_us"`
			}
			for i, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
				if err := json.Unmarshal([]byte(line), &r); err != nil || (r.CostUS != nil) != (i == 0) || (r.Status == "ok") != (i == 0) {
					t.Errorf("record %d: %v: %s", i, err, line)
				}
			}
		case args[1] == "info":
			var r struct{ Records, Timed int }
			if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.Records != 5 || r.Timed != 1 {
				t.Errorf("%+v, %v", r, err)
			}
		}
	}
	list, _, err := dataset.ReadLog(log)
	if err != nil || len(dataset.Measured(list)) != 1 {
		t.Error(len(dataset.Measured(list)), err)
	}
}

// TestWorkloadFromInput: --workload-file - is standard input, and a device is no file.
func TestWorkloadFromInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func(old *os.File) { os.Stdin = old }(os.Stdin)
	os.Stdin = r
	if _, err := w.WriteString("output z\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	for file, want := range map[string]string{"-": "workload file standard input: line 1: ", "/dev/zero": "workload file /dev/zero: it is not a file"} {
		if code, _, stderr := command("search", "--workload-file", file); code != exitFailed || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %q, want %q", file, code, stderr, want)
		}
	}
}
