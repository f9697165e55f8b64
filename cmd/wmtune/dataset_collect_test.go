package main

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tune/collect"
)

// smallTasks are workloads of train that are measured quickly, and of which there are many more candidates than tests
// ask for: what is one mutation away from the fastest depends on times, and runs out in a small search space.
const smallTasks = "softmax-1024x64,variance-64x1024,dense-1x10x784"

// collectArgsFor are arguments of a short collection into a log.
func collectArgsFor(log string, perTask int, more ...string) []string {
	return append([]string{"dataset", "collect", "--only", smallTasks, "--per-task", strconv.Itoa(perTask), "--log", log}, more...)
}

// collected runs a collection and returns what it printed as JSON, and said.
func collected(t *testing.T, args ...string) (r collect.Result, said string) {
	t.Helper()
	code, stdout, stderr := wmtune(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("not one JSON object: %v\n%s", err, stdout)
	}
	return r, stderr
}

// perTask counts the records of a log by workload, and fails if a program was
// measured twice.
func perTask(t *testing.T, log string) map[string]int {
	t.Helper()
	records, warnings, err := dataset.ReadLog(log)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%v %v", warnings, err)
	}
	count, seen := map[string]int{}, map[string]bool{}
	for i, r := range records {
		if seen[r.Trajectory] {
			t.Errorf("record %d was measured before", i)
		}
		if r.Trial != count[r.Workload] {
			t.Errorf("record %d is trial %d of its task, not %d", i, r.Trial, count[r.Workload])
		}
		seen[r.Trajectory] = true
		count[r.Workload]++
	}
	return count
}

// wantPerTask fails unless each of the small tasks has n records.
func wantPerTask(t *testing.T, log string, n int) {
	t.Helper()
	count := perTask(t, log)
	if len(count) != 3 {
		t.Errorf("%d tasks in the log, want 3", len(count))
	}
	for w, got := range count {
		if got != n {
			t.Errorf("%d records of %s, want %d", got, w, n)
		}
	}
}

// TestCollect: a log has so many records of each task and way; a second collection
// adds nothing, or what more is asked for.
func TestCollect(t *testing.T) {
	needXGBoost(t)
	log := filepath.Join(t.TempDir(), "new", "train.arrow")
	r, said := collected(t, collectArgsFor(log, 12)...)
	if r.Tasks != 3 || r.Complete != 3 || r.Records != 36 || r.NewRecords != 36 || r.Status["ok"] != 36 || r.Reason != "complete" {
		t.Errorf("result %+v", r)
	}
	if r.Chosen["random"] != 18 || r.Chosen["gbt"] != 9 || r.Chosen["neighbour"] != 9 || r.Shares != "50/25/25" {
		t.Errorf("chosen: %v", r.Chosen)
	}
	if r.Structures != 3 || r.Noise == nil || r.Noise.Records < 9 || r.Noise.P95 < r.Noise.Median || r.Noise.Median < 0 {
		t.Errorf("structures %d, noise %+v", r.Structures, r.Noise)
	}
	if !strings.Contains(said, "3/3 ") || !strings.Contains(said, "36/36 records") || !strings.Contains(said, "0 failed") {
		t.Errorf("said:\n%s", said)
	}
	wantPerTask(t, log, 12)
	records, _, err := dataset.ReadLog(log)
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range records {
		if n := len(rec.Costs); n < 1 || n < 3 && !strings.Contains(rec.Message, []string{"", "ed once: ",
			"ed 2 times: "}[n]) {
			t.Errorf("record %d has %d samples: %q", i, n, rec.Message)
		}
	}
	r, said = collected(t, collectArgsFor(log, 12)...)
	if r.NewRecords != 0 || r.Records != 36 || r.Complete != 3 || !strings.Contains(said, "holds 36 records") {
		t.Errorf("again: %+v\n%s", r, said)
	}
	if r, _ := collected(t, collectArgsFor(log, 16)...); r.NewRecords != 12 || r.Chosen["random"] != 24 || r.Chosen["neighbour"] != 12 {
		t.Errorf("more: %+v", r)
	}
	wantPerTask(t, log, 16)
	if r, _ := collected(t, "dataset", "collect", "--only", "softmax-64x1000", "--per-task", "4", "--log", log); r.Records != 4 {
		t.Errorf("another task in the same log: %+v", r)
	}
	code, stdout, stderr := wmtune(t, "replay", log, "--check", "none")
	if code != 0 {
		t.Errorf("replay: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestKilledCollect ends collections with SIGKILL at random moments. What was
// written is kept, and in the end each task has as many records as were asked for,
// none twice.
func TestKilledCollect(t *testing.T) {
	needXGBoost(t)
	log := filepath.Join(t.TempDir(), "train.arrow")
	rng := rand.New(rand.NewPCG(1, 20))
	held, inside := 0, 0
	for i := range 8 {
		p := startProcess(t, collectArgsFor(log, 120)...)
		if i%3 == 0 { // however busy the machine is
			awaitTrials(t, p, log, min(held+1, 3*120))
		} else {
			time.Sleep(time.Duration(rng.Int64N(int64(3 * time.Second))))
		}
		p.cmd.Process.Kill()
		p.wait(t)
		now := trials(t, log)
		if now < held {
			t.Fatalf("kill %d: %d records in the log, %d before", i, now, held)
		}
		if now > held && now < 3*120 {
			inside++
		}
		held = now
	}
	if inside < 2 {
		t.Errorf("only %d of 8 kills came between two rounds: %d records", inside, held)
	}
	r, _ := collected(t, collectArgsFor(log, 120)...)
	if r.Records != 3*120 || r.Chosen["random"] != 3*60 || r.Chosen["gbt"] != 3*30 {
		t.Errorf("after the kills: %+v", r)
	}
	wantPerTask(t, log, 120)
}

// TestInterruptedCollect: one SIGINT finishes the round and keeps it.
func TestInterruptedCollect(t *testing.T) {
	needXGBoost(t)
	log := filepath.Join(t.TempDir(), "train.arrow")
	p := startProcess(t, collectArgsFor(log, 400)...)
	awaitTrials(t, p, log, collect.PerRound)
	p.cmd.Process.Signal(os.Interrupt)
	code, stdout, stderr := p.wait(t), p.stdout.String(), p.stderr.String()
	if code != exitInterrupted || !strings.Contains(stderr, "again to go on") || !strings.Contains(stdout, "records: ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if n := trials(t, log); n%collect.PerRound != 0 {
		t.Errorf("%d records: the round was not finished", n)
	}
	q := startProcess(t, collectArgsFor(log, 400)...)
	awaitTrials(t, q, log, trials(t, log)+1)
	if code, _, stderr = wmtune(t, collectArgsFor(log, 400)...); code != exitFailed || !strings.Contains(stderr, "another") {
		t.Errorf("two collections into one log: exit code %d: %s", code, stderr)
	}
}

// TestCollectTime: a collection stops when its time is over, and keeps what it has.
func TestCollectTime(t *testing.T) {
	log := filepath.Join(t.TempDir(), "train.arrow")
	r, _ := collected(t, collectArgsFor(log, 4000, "--time", "1s", "--shares", "100/0/0")...)
	if r.Reason != search.Stopped.String() || r.Records != trials(t, log) || r.Complete == r.Tasks {
		t.Errorf("%+v", r)
	}
}

// TestCollectSeed: the same seed measures the same random candidates, whatever the
// number of build processes.
func TestCollectSeed(t *testing.T) {
	var runs [3][]string
	for i, args := range [][]string{{"--jobs", "1", "--seed", "7"}, {"--jobs", "2", "--seed", "7"}, {"--jobs", "2", "--seed", "8"}} {
		log := filepath.Join(t.TempDir(), "train.arrow")
		collected(t, collectArgsFor(log, 8, append(args, "--shares", "100/0/0")...)...)
		records, _, err := dataset.ReadLog(log)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			runs[i] = append(runs[i], r.Trajectory)
		}
	}
	if len(runs[0]) != 24 || !slices.Equal(runs[0], runs[1]) {
		t.Errorf("one job: %v\ntwo jobs: %v", runs[0], runs[1])
	}
	if slices.Equal(runs[0], runs[2]) {
		t.Error("another seed gives the same candidates")
	}
}

// TestForeignCollect: a log of another layout or machine is not continued.
func TestForeignCollect(t *testing.T) {
	log := filepath.Join(t.TempDir(), "train.arrow")
	collected(t, collectArgsFor(log, 4, "--shares", "100/0/0")...)
	code, _, stderr := wmtune(t, collectArgsFor(log, 4, "--layout", "keep")...)
	if code != exitFailed || !strings.Contains(stderr, "--layout rewrite, not keep") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	records, _, err := dataset.ReadLog(log)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.arrow")
	w, err := dataset.OpenWriter(other, dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	records[0].Target.CPU = "another"
	if err := errors.Join(w.Append(records[:1]), w.Close()); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = wmtune(t, collectArgsFor(other, 4)...)
	if code != exitFailed || !strings.Contains(stderr, "their times do not compare") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	records[0].Target.CPU, records[0].Timing = records[1].Target.CPU, measure.Deployed
	deployed := filepath.Join(t.TempDir(), "deployed.arrow")
	if w, err = dataset.OpenWriter(deployed, dataset.WriterOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(records[:1]), w.Close()); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = wmtune(t, collectArgsFor(deployed, 4)...)
	if code != exitFailed || !strings.Contains(stderr, "its times are deployed ones") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if n := trials(t, other); n != 1 {
		t.Errorf("%d records in the foreign log now", n)
	}
}

// TestCollectWithoutXGBoost: without the library the command says what to install,
// and how to do without.
func TestCollectWithoutXGBoost(t *testing.T) {
	t.Setenv("WMTUNE_XGBOOST", "/nonexistent.so")
	log := filepath.Join(t.TempDir(), "train.arrow")
	code, _, stderr := wmtune(t, collectArgsFor(log, 4)...)
	if code != exitFailed || !strings.Contains(stderr, "apt-get install libxgboost0") || !strings.Contains(stderr, "--shares 60/0/40") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if r, _ := collected(t, collectArgsFor(log, 10, "--shares", "60/0/40")...); r.Chosen["random"] != 18 || r.Chosen["neighbour"] != 12 {
		t.Errorf("%+v", r)
	}
}

// TestCollectPlan: what 'workloads --json' prints is a plan, whose evolved candidates the world model chooses; the same
// command adds nothing.
func TestCollectPlan(t *testing.T) {
	dir := t.TempDir()
	plan, log := filepath.Join(dir, "two.plan"), filepath.Join(dir, "two.arrow")
	code, lines, stderr := wmtune(t, "workloads", "train", "--json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var two []string
	for line := range strings.Lines(lines) {
		if strings.Contains(line, `"train/dense-1x10x784"`) || strings.Contains(line, `"train/variance-64x1024"`) {
			two = append(two, line)
		}
	}
	if err := os.WriteFile(plan, []byte(strings.Join(append(two, two...), "")), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"dataset", "collect", "--plan", plan, "--scorer", "world", "--per-task", "8", "--log", log}
	r, _ := collected(t, args...)
	if r.Suite != "two" || r.Tasks != 2 || r.Records != 16 || r.Chosen["world"] != 4 || r.Chosen["random"] != 8 {
		t.Errorf("%+v", r)
	}
	if r, _ := collected(t, args...); r.NewRecords != 0 || r.Records != 16 {
		t.Errorf("again: %+v", r)
	}
	if code, _, stderr := wmtune(t, "dataset", "collect", "--plan", log); code != exitFailed ||
		!strings.Contains(stderr, "wmtune workloads --model") {
		t.Errorf("a log as a plan: exit code %d: %s", code, stderr)
	}
}

// TestCollectGPU: candidates are timed on the GPU that is here, and where there is none of the target, nothing begins.
func TestCollectGPU(t *testing.T) {
	fakeGPU(t)
	log := filepath.Join(t.TempDir(), "gpu.arrow")
	args := []string{"dataset", "collect", "--only", "global-maxpool-7x768", "--per-task", "4", "--shares", "60/0/40",
		"--log", log, "--target"}
	r, said := collected(t, append(args, "cuda")...)
	if r.Target != "cuda -arch=sm_86" || r.Layout != "keep" || r.Status["ok"] == 0 || r.Complete != 1 {
		t.Errorf("result %+v\n%s", r, said)
	}
	perTask(t, log)
	fails := func(target, want string) {
		code, _, stderr := wmtune(t, append(args, target)...)
		if code != exitFailed || !strings.Contains(stderr, "a collection needs times, but ") ||
			!strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d\n%s", target, code, stderr)
		}
	}
	fails("cuda -arch=sm_80", "not timed (the GPU here is of sm_86)")
	t.Setenv(nvrtcVariable, "/nowhere/libnvrtc.so")
	fails("cuda", "neither compiled nor timed")
}

// TestCollectChoices: of each task the log has what the model would choose, in its order, all timed in ten rounds of at
// least three samples, and never more: times of two turns do not compare.
func TestCollectChoices(t *testing.T) {
	log := filepath.Join(t.TempDir(), "choices.arrow")
	args := []string{"--scorer", "world", "--shares", "choices"}
	r, _ := collected(t, collectArgsFor(log, 4, args...)...)
	if r.Records != 12 || r.Complete != 3 || r.Chosen["world"] != 12 || r.Shares != "choices" || r.Status["ok"] != 12 {
		t.Errorf("%+v", r)
	}
	records, _, err := dataset.ReadLog(log)
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range records {
		if rec.Trial != i%4 || i%4 > 0 && rec.Score > records[i-1].Score || len(rec.Costs) < 30 {
			t.Errorf("record %d: trial %d, score %v, %d samples", i, rec.Trial, rec.Score, len(rec.Costs))
		}
	}
	if r, _ = collected(t, collectArgsFor(log, 6, args...)...); r.NewRecords != 0 || r.Complete != 3 {
		t.Errorf("again: %+v", r)
	}
}

// TestCollectUsage: bad usage is told apart from failure, and says what to do.
func TestCollectUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--per-task", "0"}, "must be at least 1"},
		{[]string{"--time", "-3s"}, "must not be negative"},
		{[]string{"--jobs", "-1"}, "must not be negative"},
		{[]string{"--suite", "none"}, "paper22"},
		{[]string{"--only", "none"}, `suite train has no workload "none"`},
		{[]string{"--shares", "50/50"}, "three percentages"},
		{[]string{"--shares", "50/a/50"}, "three percentages"},
		{[]string{"--shares", "-50/100/50"}, "three percentages"},
		{[]string{"--shares", "50/25/26"}, "the percentages add up to 101"},
		{[]string{"--shares", "0/0/100"}, "neighbours need random"},
		{[]string{"--shares", "choices"}, "add --scorer world"},
		{[]string{"--scorer", "none"}, "known: gbt, world"},
		{[]string{"--plan", "a.plan", "--only", "b"}, "leave lines out of the plan"},
		{[]string{"--plan", "a.plan", "--suite", "train"}, "--suite and --plan exclude each other"},
		{[]string{"--layout", "other"}, "must be keep or rewrite"},
		{[]string{"--target", "metal"}, `no code for target "metal"`},
		{[]string{"--target", "cuda", "--layout", "rewrite"}, "keep the layout that they have"},
		{[]string{"--trials", "4"}, "unknown flag --trials"},
		{[]string{"extra"}, "unexpected argument"},
	} {
		code, stdout, stderr := wmtune(t, append([]string{"dataset", "collect"}, c.args...)...)
		if code != exitUsage || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%v: exit code %d\nstdout: %s\nstderr: %s\nwant in it: %s", c.args, code, stdout, stderr, c.want)
		}
	}
}
