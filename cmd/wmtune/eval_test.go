package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/eval"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// evalLog writes a log of n plain tilings of a matmul, the faster the wider the
// vector. Every seventh failed.
func evalLog(t *testing.T, spec string, n int) string {
	t.Helper()
	w, err := workload.Find(spec)
	if err != nil {
		t.Fatal(err)
	}
	var list []dataset.Record
	for i := range n {
		text := fmt.Sprintf(`[["SP", 2, 0, 64, [%d], 1], ["SP", 2, 2, 64, [%d], 1], ["RE", 2, [0, 2, 4, 1, 3]], ["AN", 2, 4, 2]]`, 1+i%10, 1+i/10)
		steps, err := schedule.ParseSteps([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r := dataset.Record{WorkloadKey: w.Key, Workload: w.Text, Target: target.Generic(32, 2), Steps: steps, Trial: i, Scorer: "random"}
		if i%7 == 6 {
			r.Status, r.Message = measure.RunTimeout, "no result"
		} else {
			r.Status, r.Costs = measure.OK, []float64{1e-6 * float64(12-i/10) * (1 + float64(i%10)/100)}
		}
		list = append(list, r)
	}
	return testLog(t, list)
}

func evalLogs(t *testing.T, n int) []string {
	var logs []string
	for _, spec := range []string{"matmul:m=64,n=64,k=64", "matmul:m=64,n=64,k=128", "matmul:m=64,n=64,k=32,epilogue=relu"} {
		logs = append(logs, evalLog(t, spec, n))
	}
	return logs
}

// TestEval judges scorers on logs: the report has them all, the one that learns
// knows more than the one that does not, and the page is whole.
func TestEval(t *testing.T) {
	needXGBoost(t)
	page := filepath.Join(t.TempDir(), "eval.html")
	args := append([]string{"eval", "--scorers", "random,l1p,gbt", "--seeds", "17,43", "--html", page}, evalLogs(t, 80)...)
	code, stdout, stderr := wmtune(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	var r struct {
		Reports []eval.Judged `json:"reports"`
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || len(r.Reports) != 1 {
		t.Fatalf("not one report: %v\n%s", err, stdout)
	}
	j := r.Reports[0]
	if j.Kind != target.LLVM || j.Tasks != 3 || j.DAGs != 2 || j.Records != 240 || j.Timed != 207 || len(j.Scorers) != 3 {
		t.Fatalf("report %+v", j)
	}
	luck, _ := j.Scorers[0].Metric("pairwise")
	l1, _ := j.Scorers[1].Metric("pairwise")
	if l1.Mean < 0.8 || luck.Mean > 0.65 {
		t.Errorf("pairwise: random %+v, l1p %+v", luck, l1)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"llvm, split task", "<td>gbt</td>", "</html>"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"NaN", "http://", "https://", "src="} {
		if strings.Contains(string(text), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	code, stdout, stderr = wmtune(t, args...)
	figure := fmt.Sprintf("%.3f (%.3f-%.3f)", luck.Mean, luck.Low, luck.High)
	const counts = "3 tasks of 2 DAG structures, 240 records, 207 of them timed; 3 folds, seeds [17 43]"
	if code != 0 || !strings.Contains(stdout, figure) || !strings.Contains(stdout, "replay bench") || !strings.Contains(stdout, counts) {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestEvalModel: a model in a folder is judged beside the others.
func TestEvalModel(t *testing.T) {
	args := append([]string{"eval", "--scorers", "random", "--seeds", "17", "--model", "../../models/cpu"}, evalLogs(t, 80)...)
	code, stdout, stderr := wmtune(t, args...)
	if code != 0 || !strings.Contains(stdout, "\nmodel: the model in ../../models/cpu\n") ||
		strings.Count(stdout, "\nmodel ") != 2 || !strings.Contains(stdout, "\nrandom ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestEvalErrors(t *testing.T) {
	logs := evalLogs(t, 80)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 2, "name a tuning log or a dataset"},
		{[]string{"--scorers", "oracle", logs[0]}, 2, `unknown scorer "oracle": known are random,`},
		{[]string{"--model", "no/model", logs[0]}, 1, "no/model"},
		{[]string{"--split", "luck", logs[0]}, 2, `unknown split "luck": known are task, dag, random, committed`},
		{[]string{"--seeds", "1,x", logs[0]}, 2, `"x" is no seed`},
		{[]string{"--min-timed", "1", logs[0]}, 2, "must be at least 2"},
		{[]string{"--learn", "65", logs[0]}, 2, "eval --learn is part of the laboratory"},
		{[]string{"--scorers", "random", "--min-timed", "70", logs[0]}, 1,
			"no task has 70 timed records; give more logs, or a smaller"},
		{[]string{"--scorers", "random", logs[0]}, 1, "llvm: split task: there are no two different tasks"},
		{[]string{"--scorers", "random", "--split", "dag", logs[0], logs[1]}, 1, "no two different DAG structures"},
		{[]string{"--scorers", "random", "no-such.arrow"}, 1, "no-such.arrow"},
		{[]string{"--scorers", "random", t.TempDir()}, 1, "dataset"},
		{[]string{"--scorers", "random", "--html", "no/such/folder.html", logs[0], logs[1]}, 1, "--html: "},
	} {
		code, stdout, stderr := wmtune(t, append([]string{"eval"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%v: exit code %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
}

// Without libxgboost, scorers of trees are left out, unless they were asked for.
func TestEvalWithoutXGBoost(t *testing.T) {
	t.Setenv("WMTUNE_XGBOOST", filepath.Join(t.TempDir(), "libnone.so"))
	logs := evalLogs(t, 80)
	code, stdout, stderr := wmtune(t, append([]string{"eval", "--scorers", "l1p"}, logs...)...)
	if code != 1 || !strings.Contains(stderr, "libxgboost0") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
