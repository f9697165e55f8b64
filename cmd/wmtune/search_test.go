package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tune"
)

const smallSpec = "matmul:m=48,n=31,k=40"

// searchArgsFor are arguments of a short search into dir.
func searchArgsFor(dir string, trials int, more ...string) []string {
	return append([]string{"search", "--workload", smallSpec, "--trials", strconv.Itoa(trials), "--per-round", "4", "--scorer", "random", "--out", dir}, more...)
}

// TestSearch tunes a small workload from the command line to the C example.
func TestSearch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	code, stdout, stderr := wmtune(t, searchArgsFor(dir, 8, "--json")...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	var r tune.Result
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("not one JSON object: %v\n%s", err, stdout)
	}
	if r.Trials != 8 || r.Status["ok"] != 8 || r.BestUS == nil || r.UntunedUS == nil || r.CandidatesPerSecond <= 0 {
		t.Errorf("result %+v", r)
	}
	for _, name := range []string{"kernel.ll", "kernel.s", "kernel.o", "kernel.so", "kernel.h", "example.c", "result.json", "tuning.arrow"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Run("example", func(t *testing.T) { runExample(t, dir) })

	code, stdout, stderr = wmtune(t, searchArgsFor(dir, 8)...)
	if code != 0 || !strings.Contains(stderr, "holds 8 trials already") {
		t.Errorf("again: exit code %d\n%s%s", code, stdout, stderr)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	code, stdout, stderr = wmtune(t, searchArgsFor(dir, 12, "--quiet", "--html", page)...)
	if code != 0 || stderr != "" || !strings.Contains(stdout, "trials: 12 (12 ok), 4 of them now") {
		t.Errorf("continued: exit code %d\n%s%s", code, stdout, stderr)
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "trials: 12 (12 ok)") ||
		!strings.Contains(string(text), "fastest so far") || !strings.Contains(string(text), "<pre>func main(") {
		t.Errorf("the page: %v\n%s", err, text)
	}
	code, stdout, stderr = wmtune(t, "replay", filepath.Join(dir, "tuning.arrow"))
	if code != 0 || !strings.Contains(stdout, "ok      12          12") {
		t.Errorf("replay: exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, _ = wmtune(t, "show", filepath.Join(dir, "tuning.arrow"), "--best", "--as", "asm")
	if code != 0 || !strings.Contains(stdout, "wmtune_kernel:") {
		t.Errorf("show: exit code %d\n%s", code, stdout)
	}
}

// runExample compiles and runs the example that an export carries.
func runExample(t *testing.T, dir string) {
	t.Helper()
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	cmd := exec.Command(cc, "example.c", "kernel.so", "-o", "example", "-lm", "-Wl,-rpath,$ORIGIN")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("example.c: %v\n%s", err, out)
	}
	cmd = exec.Command(filepath.Join(dir, "example"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("example: %v\n%s", err, out)
	}
}

// TestSearchSeed: the same seed measures the same candidates in the same order,
// whatever the number of build processes.
func TestSearchSeed(t *testing.T) {
	var runs [2][]string
	for i, jobs := range []string{"1", "2"} {
		dir := t.TempDir()
		if code, stdout, stderr := wmtune(t, searchArgsFor(dir, 8, "--jobs", jobs, "--seed", "7")...); code != 0 {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
		records, _, err := dataset.ReadLog(filepath.Join(dir, "tuning.arrow"))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			runs[i] = append(runs[i], r.Trajectory)
		}
	}
	if len(runs[0]) != 8 || strings.Join(runs[0], " ") != strings.Join(runs[1], " ") {
		t.Errorf("one job: %v\ntwo jobs: %v", runs[0], runs[1])
	}
}

// TestSearchTimeOver: where the time is over before a candidate is measured, the error says so, and names no log.
func TestSearchTimeOver(t *testing.T) {
	dir := t.TempDir()
	code, _, stderr := wmtune(t, "search", "--workload", smallSpec, "--time", "1ms", "--scorer", "random", "--out", dir)
	const want = "nothing correct was found: --time 1ms was over before a candidate was measured; raise it"
	if code != exitNothing || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d\n%s\nwant in it: %s", code, stderr, want)
	}
}

// TestSearchUsage: bad usage is told apart from failure, and says what to do.
func TestSearchUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"search", "--trial", "3"}, exitUsage, "unknown flag --trial"},
		{[]string{"search", "--trials", "-1"}, exitUsage, "must not be negative"},
		{[]string{"search", "--trials", "0", "--scorer", "random"}, exitUsage, "random knows nothing without measuring"},
		{[]string{"search", "--trials", "0", "--scorer", "gbt"}, exitUsage, "gbt or mlp with --pretrain LOG"},
		{[]string{"search", "--trials", "0", "--scorer", "gbt", "--time", "3s", "--warm", "a.arrow"}, exitUsage, "leave out --time"},
		{[]string{"search", "--workload", "matmull:m=3"}, exitUsage, "matmul"},
		{[]string{"search", "--workload", "matmul:m=3,n=4,k=5,q=6"}, exitUsage, "q"},
		{[]string{"search", "--workload", "paper22/none"}, exitUsage, "r50-t3"},
		{[]string{"search", "--target", "metal"}, exitUsage, `no code for target "metal"; known: llvm, cuda`},
		{[]string{"search", "--scorer", "worl"}, exitUsage, "world, gbt, mlp, treegru, random"},
		{[]string{"search", "--scorer", "world", "--model", "/nonexistent"}, exitFailed, "/nonexistent: there is no model.json"},
		{[]string{"search", "--workload-file", "/nonexistent.txt"}, exitFailed, "no such file"},
		{[]string{"search", "--allow-tf32"}, exitUsage, `--allow-tf32: llvm has no tensor cores; it is for a GPU, as with --target "cuda -arch=sm_86"`},
		{[]string{"search", "--allow-tf32", "--target", "cuda -arch=sm_75"}, exitUsage, "cuda -arch=sm_75 has no tensor cores that multiply tf32: they are there from sm_80 on"},
		{[]string{"search", "--allow-tf32", "--target", "cuda -arch=sm_80", "--space", "autoscheduler"}, exitUsage, "--space autoscheduler has no candidates for tensor cores"},
		{[]string{"search", "--layout", "other"}, exitUsage, `--layout "other": must be keep or rewrite`},
		{[]string{"search", "extra"}, exitUsage, "unexpected argument"},
		{[]string{"search", "--scorer", "treegru:ei", "--trials", "4"}, exitUsage, "treegru"},
		{[]string{"search", "--policy", "template", "--propose", "descend", "--scorer", "treegru"}, exitUsage, "has none to change"},
		{[]string{"search", "--propose", "descend", "--trials", "4"}, exitUsage, "use --scorer mlp"},
		{[]string{"search", "--policy", "felix", "--space", "template", "--trials", "4"}, exitUsage, "use --space wmtune"},
		{[]string{"compile", "m.onnx", "--propose", "descend"}, exitUsage, "use --scorer mlp"},
		{[]string{"compile", "m.onnx", "--policy", "felx"}, exitUsage, "known are ansor, template, felix"},
		{[]string{"search", "--warm", "a.arrow", "b.arrow"}, exitUsage, "--pretrain needs --scorer gbt, mlp or xgb: "},
		{[]string{"search", "--space", "all"}, exitUsage, "known for llvm: wmtune, autoscheduler"},
		{[]string{"search", "--workload", smallSpec, "--out", "/proc/self/status/x"}, exitFailed, "--out"},
		{[]string{"replay"}, exitUsage, "name at least one tuning log"},
		{[]string{"show", "/nonexistent.arrow"}, exitFailed, "no such file"},
	} {
		code, stdout, stderr := wmtune(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%v: exit code %d, want %d\nstdout: %s\nstderr: %s\nwant in it: %s", c.args, code, c.code, stdout, stderr, c.want)
		}
	}
}
