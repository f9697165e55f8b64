package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/rivals/rivalstest"
	"github.com/wmtune/wmtune/lab/bench"
)

// TestBenchKernels times a workload beside fake peers, and does not do again what
// was done.
func TestBenchKernels(t *testing.T) {
	python, asked := rivalstest.Python(t)
	dir := t.TempDir()
	args := []string{
		"bench", "kernels", "--only", "gpt2-t8", "--trials", "4", "--rounds", "2", "--peers", "ort,openvino,torch",
		"--python", python, "--out", dir,
	}
	code, stdout, stderr := lab(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	var r bench.KernelReport
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("not one JSON object: %v\n%s", err, stdout)
	}
	if len(r.Rows) != 1 || r.Rows[0].BestPeer != "ort" || r.Rows[0].PeerUS != 1e6 || r.Rows[0].OursUS <= 0 || r.Rows[0].Ratio == nil || r.All.Rows != 1 {
		t.Errorf("report %+v", r)
	}
	if e := r.Rows[0].Errors; !strings.Contains(e["openvino"], "No module named openvino") || !strings.Contains(e["torch"], "RuntimeError: no") {
		t.Errorf("errors %v", e)
	}
	first, err := os.ReadFile(asked)
	if err != nil || !strings.Contains(string(first), `"workload":"mean:m=128,n=768"`) || strings.Count(string(first), "ort 0") == 0 {
		t.Errorf("%v, asked:\n%s", err, first)
	}

	// The same again finds all done; another plan does not.
	code, stdout, stderr = lab(t, args...)
	second, _ := os.ReadFile(asked)
	if code != 0 || string(second) != string(first) || !strings.Contains(stdout, "gpt2-t8 *  ort") {
		t.Errorf("again: exit code %d\n%s%s\nasked:\n%s", code, stdout, stderr, second)
	}
	code, _, stderr = lab(t, append(args, "--rounds", "3")...)
	third, _ := os.ReadFile(asked)
	if code != 0 || len(third) <= len(second) || strings.Contains(stderr, "searching") {
		t.Errorf("with 3 rounds: exit code %d\n%s\nasked:\n%s", code, stderr, third)
	}
}

// TestBenchUsage: bad usage says what is known.
func TestBenchUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"bench", "kernels", "--only", "r50-t333"}, "wmtune workloads paper22"},
		{[]string{"bench", "kernels", "--suite", "paper23"}, "paper22"},
		{[]string{"bench", "kernels", "--peers", "onnx"}, "ort, openvino, torch, inductor"},
		{[]string{"bench", "kernels", "--trials", "0"}, "at least 1"},
		{[]string{"bench", "kernels", "--rounds", "0"}, "at least 1"},
		{[]string{"bench", "kernels", "--scorer", "none"}, "random"},
		{[]string{"bench", "kernels", "--scorer", "gbt+warm"}, "--pretrain LOG"},
		{[]string{"bench", "scorers", "--scorers", "gbt+frozen"}, "--pretrain LOG"},
		{[]string{"bench", "scorers", "--scorers", "gbt+planned"}, "only world scorers plan"},
		{[]string{"bench", "scorers", "--scorers", "world+planned+first"}, "scorer world+planned+first: a name has one ending, and +autoscheduler behind it"},
		{[]string{"bench", "scorers", "--scorers", "gbt+frozen+warm", "--pretrain", "some.arrow"}, "a name has one ending"},
		{[]string{"bench", "kernels", "--scorer", "world+planned"}, "only bench scorers"},
		{[]string{"bench", "kernels", "--scorer", "gbt+frozen", "--pretrain", "some.arrow"}, "only bench scorers knows"},
		{[]string{"bench", "scorers", "--scorers", "random,random+warm", "--pretrain", "some.arrow"}, "random does not learn"},
		{[]string{"bench", "scorers", "--scorers", "=x"}, "NAME=FOLDER"},
		{[]string{"bench", "scorers", "--scorers", "exec:true"}, "NAME=exec:COMMAND"},
		{[]string{"bench", "scorers", "--scorers", "mine=exec: "}, "no command"},
		{[]string{"bench", "scorers", "--scorers", "mine+warm=exec:true"}, "NAME is not another scorer's"},
		{[]string{"bench", "scorers", "--scorers", "gbt=exec:true"}, "NAME is not another scorer's"},
		{[]string{"bench", "scorers", "--scorers", "random", "--baseline", "exec:true"}, "NAME=exec:COMMAND"},
		{[]string{"bench", "kernels", "--scorer", "exec:true"}, "NAME=exec:COMMAND"},
		{[]string{"bench", "scorers", "--scorers", "random,random"}, "twice"},
		{[]string{"bench", "scorers", "--scorers", "random", "--trials", "16,x"}, "want numbers"},
		{[]string{"bench", "scorers", "--scorers", "random", "--seeds", "1,2,1"}, "twice"},
		{[]string{"bench", "scorers", "--seeds", "4294967296,18446744073709551615", "--baseline", "none"}, "known: "},
		{[]string{"bench", "scorers", "--scorers", "random", "--baseline", "none"}, "known: "},
		{[]string{"bench", "scorers", "--scorers", "random", "--baseline", "random@x"}, "random@x"},
		{[]string{"bench", "scorers", "--scorers", "random", "--baseline", "random", "--finalists", "0"}, "at least 1"},
		{[]string{"bench", "models"}, "no models"},
		{[]string{"bench", "models", cnn, "--times", "2,1"}, "in order"},
		{[]string{"bench", "models", cnn, "--times", "1", "--bundles", "x"}, "no finished bundles"},
		{[]string{"bench", "models", cnn, "--scorer", "nope"}, `unknown scorer "nope"`},
		{[]string{"bench", "models", cnn, "--peers", "ort,torch"}, "--peers torch needs --torch"},
		{[]string{"eval"}, "name at least one"},
		{[]string{"eval", "--learn", "65", "a.arrow"}, "--learn 65"},
		{[]string{"eval", "--scorers", "oracle", "a.arrow"}, `unknown scorer "oracle"`},
	} {
		code, stdout, stderr := lab(t, c.args...)
		if code != 2 || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%v: exit code %d\nstdout: %s\nstderr: %s\nwant in it: %s", c.args, code, stdout, stderr, c.want)
		}
	}
}
