package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/tune/bench"
)

// fakePython is a program that stands for the python of the peers: ort takes a
// second for any call, openvino is missing, torch fails, and what is asked of
// them is in a file.
func fakePython(t *testing.T) (path, asked string) {
	t.Helper()
	dir := t.TempDir()
	path, asked = filepath.Join(dir, "python"), filepath.Join(dir, "asked")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := `#!/bin/sh
test -s "$1" || { echo "the script is not there" >&2; exit 1; }
exec ` + self + ` fakepeer ` + asked + ` "$2" "$3"
`
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path, asked
}

// fakePeer serves as one of the peers that fakePython starts.
func fakePeer(asked, name, cores string) {
	log, err := os.OpenFile(asked, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	worker.Serve(worker.Service{Kind: bench.PeerKind}, os.Stdin, os.Stdout, func(r *bench.PeerRequest, _ [][]byte) (any, [][]byte) {
		if text, err := json.Marshal(r); err == nil && r.Do != "version" {
			fmt.Fprintln(log, name, cores, string(text))
		}
		switch {
		case r.Do == "version" && name == "openvino":
			return bench.PeerAnswer{Missing: "No module named openvino"}, nil
		case r.Do == "version":
			return bench.PeerAnswer{Version: name + " 1.0"}, nil
		case name == "torch" && r.Do == "round":
			return bench.PeerAnswer{Error: "RuntimeError: no"}, nil
		case r.Model != nil && r.Model.Inputs != "":
			off := 0.25
			return bench.PeerAnswer{MaxError: &off}, nil
		}
		return bench.PeerAnswer{Samples: []float64{1.5, 1}}, nil
	})
}

// TestBenchKernels times a workload beside fake peers, and does not do again what
// was done.
func TestBenchKernels(t *testing.T) {
	python, asked := fakePython(t)
	dir := t.TempDir()
	args := []string{
		"bench", "kernels", "--only", "gpt2-t8", "--trials", "4", "--rounds", "2", "--peers", "ort,openvino,torch",
		"--python", python, "--out", dir,
	}
	code, stdout, stderr := wmtune(t, append(args, "--json")...)
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
	page, err := filepath.Glob(filepath.Join(dir, "*", "kernels.html"))
	if err != nil || len(page) != 1 {
		t.Errorf("pages %v, %v", page, err)
	}

	// The same again finds all done; another plan does not.
	code, stdout, stderr = wmtune(t, args...)
	second, _ := os.ReadFile(asked)
	if code != 0 || string(second) != string(first) || !strings.Contains(stdout, "gpt2-t8 *  ort") || !strings.Contains(stdout, report.SetupHint) {
		t.Errorf("again: exit code %d\n%s%s\nasked:\n%s", code, stdout, stderr, second)
	}
	code, _, stderr = wmtune(t, append(args, "--rounds", "3")...)
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
		{[]string{"bench"}, "kernels, models, scorers, build, noise, choice"},
		{[]string{"bench", "kernel"}, `unknown benchmark "kernel"`},
		{[]string{"bench", "kernels", "--only", "r50-t333"}, "wmtune workloads paper22"},
		{[]string{"bench", "kernels", "--suite", "paper23"}, "paper22"},
		{[]string{"bench", "kernels", "--peers", "onnx"}, "ort, openvino, torch, inductor"},
		{[]string{"bench", "kernels", "--trials", "0"}, "at least 1"},
		{[]string{"bench", "kernels", "--rounds", "0"}, "at least 1"},
		{[]string{"bench", "kernels", "--scorer", "none"}, "random"},
		{[]string{"bench", "kernels", "--scorer", "gbt+warm"}, "--pretrain LOG"},
		{[]string{"bench", "scorers", "--scorers", "gbt+frozen"}, "--pretrain LOG"},
		{[]string{"bench", "scorers", "--scorers", "gbt+planned"}, "only world scorers plan"},
		{[]string{"bench", "scorers", "--scorers", "world+planned+local"}, "scorer world+planned+local: a name has one ending, and +autoscheduler behind it"},
		{[]string{"bench", "scorers", "--scorers", "gbt+frozen+warm", "--warm", "some.arrow"}, "a name has one ending"},
		{[]string{"bench", "kernels", "--scorer", "world+planned"}, "only bench scorers"},
		{[]string{"bench", "kernels", "--scorer", "gbt+frozen", "--warm", "some.arrow"}, "only bench scorers knows"},
		{[]string{"bench", "scorers", "--scorers", "random,random+warm", "--warm", "some.arrow"}, "random does not learn"},
		{[]string{"bench", "scorers", "--scorers", "random+local"}, "only world scorers learn a correction"},
		{[]string{"bench", "scorers", "--scorers", "=x"}, "NAME=FOLDER"},
		{[]string{"bench", "scorers", "--scorers", "exec:true"}, "NAME=exec:COMMAND"},
		{[]string{"bench", "scorers", "--scorers", "mine=exec: "}, "no command"},
		{[]string{"bench", "scorers", "--scorers", "mine+warm=exec:true"}, "NAME is not another scorer's"},
		{[]string{"bench", "scorers", "--scorers", "gbt=exec:true"}, "NAME is not another scorer's"},
		{[]string{"bench", "scorers", "--scorers", "random", "--baseline", "exec:true"}, "NAME=exec:COMMAND"},
		{[]string{"bench", "build", "--scorer", "exec:true"}, "NAME=exec:COMMAND"},
		{[]string{"bench", "scorers", "--scorers", "random,random"}, "twice"},
		{[]string{"bench", "scorers", "--scorers", "random", "--trials", "16,x"}, "want numbers"},
		{[]string{"bench", "scorers", "--scorers", "random", "--seeds", "1,2,1"}, "twice"},
		{[]string{"bench", "scorers", "--seeds", "4294967296,18446744073709551615", "--baseline", "none"}, "known: "},
		{[]string{"bench", "scorers", "--scorers", "random", "--baseline", "none"}, "known: "},
		{[]string{"bench", "scorers", "--scorers", "random", "--baseline", "random@x"}, "random@x"},
		{[]string{"bench", "scorers", "--scorers", "random", "--baseline", "random", "--finalists", "0"}, "at least 1"},
	} {
		code, stdout, stderr := wmtune(t, c.args...)
		if code != exitUsage || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%v: exit code %d\nstdout: %s\nstderr: %s\nwant in it: %s", c.args, code, stdout, stderr, c.want)
		}
	}
}

// TestBenchBuild: all that takes time is counted, and what was measured is not
// measured again.
func TestBenchBuild(t *testing.T) {
	dir := t.TempDir()
	args := []string{"bench", "build", "--only", "gpt2-t8", "--trials", "10", "--out", dir, "--json"}
	code, stdout, stderr := wmtune(t, args...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	var r struct{ Rows []bench.Speed }
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || len(r.Rows) != 1 {
		t.Fatalf("%v\n%s", err, stdout)
	}
	s := r.Rows[0]
	p := s.Parts
	if s.Trials != 10 || s.Status["ok"] != 10 || s.PerSecond() <= 0 {
		t.Errorf("%+v", s)
	}
	for name, v := range map[string]float64{"propose": p.Propose, "measure": p.Measure, "lower": p.Lower, "emit": p.Emit, "compile": p.Compile, "check": p.Check, "time": p.Time} {
		if v <= 0 || v > 2*s.Wall {
			t.Errorf("%s takes %g s of %g s", name, v, s.Wall)
		}
	}
	if sum := p.Propose + p.Measure + p.Learn; sum > s.Wall || sum < 0.5*s.Wall {
		t.Errorf("the phases make up %g s of %g s", sum, s.Wall)
	}
	if code, again, stderr := wmtune(t, args...); code != 0 || again != stdout {
		t.Errorf("again: exit code %d\n%s\nwas\n%s%s", code, again, stdout, stderr)
	}
}
