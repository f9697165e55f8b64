package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/lab/bench"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A scorersReport is what --json prints.
type scorersReport struct {
	Comparisons []bench.Versus
	Qualities   []bench.Quality
	Searches    []bench.Found
	Suite, Plan string
}

// benchScorers runs bench scorers on one small workload.
func benchScorers(t *testing.T, dir string, args ...string) (r scorersReport, stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := lab(t, append([]string{"bench", "scorers", "--only", "gpt2-t8", "--json", "--out", dir}, args...)...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v\n%s", err, stdout)
	}
	return r, stdout, stderr
}

// TestBenchScorers: two scorers are compared by what they found from the same seeds,
// timed in turns; what was searched and timed is kept, and a program that both found
// has one time.
func TestBenchScorers(t *testing.T) {
	needXGBoost(t)
	dir := t.TempDir()
	args := []string{"--scorers", "random,gbt", "--seeds", "3,4", "--trials", "0,6"}
	r, first, stderr := benchScorers(t, dir, args...)
	if len(r.Searches) != 8 || len(r.Comparisons) != 2 || len(r.Qualities) != 4 || strings.Count(stderr, "us; ") != 2 {
		t.Fatalf("%+v\n%s", r, stderr)
	}
	for _, f := range r.Searches {
		if want := max(f.Budget, 1); len(f.Curve) != want || f.Seconds <= 0 || f.Wall <= 0 || f.Thinking <= 0 || f.Thinking > f.Wall || f.Scored < 64 {
			t.Errorf("%+v", f)
		}
		if f.Best <= 0 || f.Best > f.Seconds {
			t.Errorf("the best that is known takes %g s of the %g s of %s", f.Best, f.Seconds, f.Scorer)
		}
	}
	// gbt is random for so few trials: its first choice is the same program, timed once.
	if v := r.Comparisons[0]; v.Scorer != "random" || v.Budget != 0 || v.Geomean != 1 || v.Ties != 1 || len(v.Cells[0].Seeds) != 2 {
		t.Errorf("%+v", v)
	}
	if _, again, stderr := benchScorers(t, dir, args...); again != first || strings.Contains(stderr, "in turns") {
		t.Errorf("again\n%s\nwas\n%s%s", again, first, stderr)
	}
	// Fewer of them need nothing that is not there, and other budgets leave it alone.
	if r, _, _ := benchScorers(t, dir, "--scorers", "random", "--baseline", "gbt@6", "--seeds", "3,4", "--trials", "0", "--report"); len(r.Searches) != 4 || len(r.Comparisons) != 1 {
		t.Errorf("%+v", r)
	}
	if r, _, _ := benchScorers(t, dir, "--scorers", "random", "--seeds", "3,5", "--trials", "6", "--report"); len(r.Searches) != 2 {
		t.Errorf("a report of what is there: %+v", r)
	}
}

// TestBenchScorersExec: a scorer that is a program takes part under a name of its own; one that dies does not end the
// comparison, which says so.
func TestBenchScorersExec(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for command, failed := range map[string]bool{self + " randomscorer": false, self + " dyingscorer": true} {
		r, _, stderr := benchScorers(t, t.TempDir(), "--scorers", "mine=exec:"+command, "--baseline", "random",
			"--seeds", "3", "--trials", "6")
		if len(r.Comparisons) != 1 || r.Comparisons[0].Scorer != "mine" || len(r.Searches) != 2 ||
			r.Searches[0].Scored == 0 || strings.Contains(stderr, "mine: the scorer") != failed {
			t.Errorf("%s: %+v\n%s", command, r, stderr)
		}
	}
}

// TestBenchScorersPlan: the workloads may be those of a plan. Two of one name are told apart, --only takes the plan's
// names, and an unknown one is an error.
func TestBenchScorersPlan(t *testing.T) {
	plan, dir := filepath.Join(t.TempDir(), "my.plan"), t.TempDir()
	text := `{"name":"same","spec":"mean:m=8,n=16"}
{"name":"same","spec":"mean:m=16,n=8"}
{"name":"other","spec":"mean:m=4,n=32"}
`
	if err := os.WriteFile(plan, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"--plan", plan, "--scorers", "random", "--baseline", "random", "--seeds", "1", "--trials", "0"}
	r, _, _ := benchScorers(t, dir, append(args, "--only", "same")...)
	if len(r.Searches) != 2 || r.Plan != plan || r.Suite != "" || r.Searches[0].Workload == r.Searches[1].Workload ||
		!strings.HasPrefix(r.Searches[0].Workload, "same-") {
		t.Errorf("%+v", r)
	}
	one := r.Searches[1].Workload
	if r, _, _ := benchScorers(t, dir, append(args, "--only", "other,"+one)...); len(r.Searches) != 2 ||
		r.Searches[0].Workload != one {
		t.Errorf("%+v", r)
	}
	for want, more := range map[string][]string{
		`has no workload "gone"`: {"--only", "gone"}, "suite train and plan": {"--suite", "train"},
	} {
		code, _, stderr := lab(t, slices.Concat([]string{"bench", "scorers", "--out", dir}, more, args)...)
		if code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d\n%s\nwant %s", code, stderr, want)
		}
	}
}

// TestBenchScorersGoesOn: after kill -9 the same command goes on, and nothing is done
// twice or lost.
func TestBenchScorersGoesOn(t *testing.T) {
	dir := t.TempDir()
	args := []string{"--scorers", "random", "--baseline", "random", "--seeds", "1", "--trials", "40"}
	cmd, _, stderr := start(t, append([]string{"bench", "scorers", "--only", "gpt2-t8", "--out", dir}, args...)...)
	var log string
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		logs, _ := filepath.Glob(filepath.Join(dir, "*", "scorers", "gpt2-t8", "random-seed1-40", "tuning.arrow"))
		if len(logs) == 1 {
			if records, _, err := dataset.ReadLog(logs[0]); err == nil && len(records) >= 10 {
				log = logs[0]
				break
			}
		}
		if time.Since(begin) > 2*time.Minute {
			t.Fatalf("no round\n%s", stderr)
		}
	}
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	before, _, err := dataset.ReadLog(log)
	if err != nil || len(before) >= 40 {
		t.Fatalf("%d records, %v", len(before), err)
	}
	r, _, _ := benchScorers(t, dir, args...)
	after, _, err := dataset.ReadLog(log)
	if err != nil || len(after) != 40 || len(r.Searches) != 1 || len(r.Searches[0].Curve) != 40 {
		t.Fatalf("%d records, %v, %+v", len(after), err, r)
	}
	seen := map[string]bool{}
	for i, rec := range after {
		steps := string(schedule.FormatSteps(rec.Steps))
		if seen[steps] || i < len(before) && steps != string(schedule.FormatSteps(before[i].Steps)) {
			t.Errorf("record %d: doubled, or not what was there", i)
		}
		seen[steps] = true
	}
}

// TestBenchScorersWarm: a scorer that learned from logs before is a contender of its
// own, learns once, and is searched with anew when the logs are others.
func TestBenchScorersWarm(t *testing.T) {
	needXGBoost(t)
	dir := t.TempDir()
	benchScorers(t, dir, "--scorers", "random", "--baseline", "random", "--seeds", "3", "--trials", "8")
	logs, err := filepath.Glob(filepath.Join(dir, "*", "scorers", "gpt2-t8", "random-seed3-8", "tuning.arrow"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	log := logs[0]
	args := []string{"--scorers", "gbt+warm", "--trials", "4", "--seeds", "1,2", "--pretrain", log}
	r, first, stderr := benchScorers(t, dir, args...)
	if len(r.Searches) != 4 || len(r.Comparisons) != 1 || r.Comparisons[0].Scorer != "gbt+warm" || strings.Count(stderr, "the scorer has learned from 8 records") != 1 {
		t.Fatalf("%s%s", first, stderr)
	}
	if _, again, _ := benchScorers(t, dir, args...); again != first {
		t.Errorf("again\n%s\nwas\n%s", again, first)
	}
	other, _, stderr := benchScorers(t, dir, append(args, "--pretrain", log)...)
	if !strings.Contains(stderr, "the scorer has learned from 16 records") {
		t.Errorf("other logs: %s", stderr)
	}
	for i, f := range other.Searches {
		if same := f.Wall == r.Searches[i].Wall; same != (f.Scorer == "gbt") {
			t.Errorf("with other logs: %s, seed %d: searched again: %v", f.Scorer, f.Seed, !same)
		}
	}
}

// TestScorerSpace: the ending of a scorer's name chooses the space.
func TestScorerSpace(t *testing.T) {
	dir := t.TempDir()
	r, _, _ := benchScorers(t, dir, "--scorers", "random,random+autoscheduler", "--baseline", "random", "--seeds", "1", "--trials", "0")
	if len(r.Searches) != 2 || len(r.Comparisons) != 1 || r.Comparisons[0].Geomean == 1 {
		t.Errorf("the spaces do not differ: %+v", r)
	}
}
