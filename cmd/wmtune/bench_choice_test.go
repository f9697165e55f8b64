package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/bench"
)

// TestBenchChoice: the choice has the highest score of the candidates, and is placed
// among the timed records.
func TestBenchChoice(t *testing.T) {
	records := replayRecords(t)
	var err error
	if records[2].Target, err = target.GPU("sm_75"); err != nil {
		t.Fatal(err)
	}
	slower, failed := records[2], records[2]
	slower.Costs = []float64{2e-6}
	failed.Status, failed.Costs = measure.BuildError, nil
	log := testLog(t, []dataset.Record{failed, slower, records[2]})
	args := []string{"bench", "choice", "--population", "64", log}
	code, stdout, stderr := wmtune(t, args...)
	if code != exitOK || !strings.Contains(stdout, "of 1 choices the scorer believes") || !strings.Contains(stdout, "Nothing of the choices was run") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = wmtune(t, append(args, "--json")...)
	var r bench.ModelChoice
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != exitOK {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if r.Records != 2 || r.BestUS != 1 || r.Steps == "" || r.Above > 2 || r.Target != "cuda -arch=sm_75" {
		t.Errorf("%+v", r)
	}
	for _, c := range []struct{ args, want string }{
		{"", "no log is named"},
		{"--population 0 a.arrow", "--population 0"},
		{"--generations -1 a.arrow", "--generations -1"},
	} {
		code, _, stderr := wmtune(t, append([]string{"bench", "choice"}, strings.Fields(c.args)...)...)
		if code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit code %d, %s", c.args, code, stderr)
		}
	}
	untimed := testLog(t, []dataset.Record{failed})
	if code, _, stderr := wmtune(t, "bench", "choice", untimed); code != exitFailed || !strings.Contains(stderr, "it holds no timed record") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if code, _, stderr := wmtune(t, "bench", "choice", "--scorer", "random", log); code != exitFailed || !strings.Contains(stderr, "matmul:m=64,n=48,k=40: ") {
		t.Errorf("a scorer that knows nothing: exit code %d, %s", code, stderr)
	}
}
