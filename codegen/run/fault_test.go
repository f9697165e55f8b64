package run_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
)

// TestFaults runs every program of testdata/faults, between good ones, in one
// batch. The head of a file says which status it gets ("; want:") and parts of the
// message ("; says:"); the good ones must not suffer.
func TestFaults(t *testing.T) {
	b := newBench(t)
	files, err := filepath.Glob("testdata/faults/*.ll")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	good := b.object("good.ll")
	var batch []measure.BuildResult
	for _, f := range files {
		batch = append(batch, good, b.object(strings.TrimPrefix(f, "testdata/")))
	}
	batch = append(batch, good)
	r := b.runner(run.Config{Cores: twoCores(t), Rounds: 2, Calls: 3, Spacing: time.Millisecond,
		Timeout: 3 * time.Second, MinTimeout: 3 * time.Second, MemoryLimit: 256 << 20})
	results, err := r.Run(context.Background(), make([]measure.Input, len(batch)), batch)
	if err != nil {
		t.Fatal(err)
	}
	for i, res := range results {
		if i%2 == 0 {
			if res.Status != measure.OK || len(res.Costs) == 0 {
				t.Errorf("good program %d: %s: %s", i, res.Status, res.Message)
			}
			continue
		}
		t.Run(filepath.Base(files[i/2]), func(t *testing.T) {
			status, says := wanted(t, files[i/2])
			t.Logf("%s: %s", res.Status, res.Message)
			wantStatus(t, res, status, says...)
			if len(res.Costs) != 0 {
				t.Errorf("a bad program has costs: %v", res.Costs)
			}
		})
	}
}

// wanted reads what the head of a program says about it.
func wanted(t *testing.T, file string) (status measure.Status, says []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "; "), "// ") // of LLVM IR, of CUDA C
		if name, ok := strings.CutPrefix(line, "want: "); ok {
			if status, err = measure.ParseStatus(strings.TrimSpace(name)); err != nil {
				t.Fatal(err)
			}
		}
		if part, ok := strings.CutPrefix(line, "says: "); ok {
			says = append(says, strings.TrimSpace(part))
		}
	}
	if status == measure.NoStatus {
		t.Fatalf("%s does not say what it wants", file)
	}
	return status, says
}

// twoCores returns two processors that the process may use; one of them twice
// where there is only one, so that the pool has two threads in any case.
func twoCores(t testing.TB) []int {
	t.Helper()
	cores, err := run.UsableCores()
	if err != nil {
		t.Fatal(err)
	}
	if len(cores) == 1 {
		return []int{cores[0], cores[0]}
	}
	return cores[:2]
}

// TestSuspect: a program that gave a wrong answer in a worker that another one
// used before may be innocent. It is checked many times in a worker of its own,
// and is innocent only if all of them pass.
func TestSuspect(t *testing.T) {
	text, err := os.ReadFile("testdata/suspect.ll")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	for _, c := range []struct {
		later string
		want  measure.Status
	}{{"0", measure.OK}, {"14", measure.WrongAnswer}} {
		mark := filepath.Join(t.TempDir(), "mark")
		ir := strings.NewReplacer("PATHLEN", strconv.Itoa(len(mark)+1), "PATH", mark, "LATER", c.later).Replace(string(text))
		suspect := measure.BuildResult{Status: measure.OK, Object: b.compile(ir), Symbol: "wmtune_kernel"}
		results, err := b.runner(quick).Run(context.Background(), make([]measure.Input, 2), []measure.BuildResult{b.object("good.ll"), suspect})
		if err != nil {
			t.Fatal(err)
		}
		if results[0].Status != measure.OK || results[1].Status != c.want {
			t.Errorf("wrong call %s: %s; %s: %s, want %s", c.later, results[0].Status, results[1].Status, results[1].Message, c.want)
		}
		if _, err := os.Stat(mark); err != nil {
			t.Errorf("the first call was not wrong: %v", err)
		}
	}
}
