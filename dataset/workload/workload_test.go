package workload

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const copyText = "input x: float32[8, 8]\ny(i: 8, j: 8) = x[j, i]\noutput y\n"

// A workload file is read up to a limit, and only where a file or a pipe is.
func TestReadLimits(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, "long.txt")
	if err := os.WriteFile(long, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(long, 1<<40); err != nil { // takes no space
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/dev/zero":                    "workload file /dev/zero: it is not a file; name a text file, or - for standard input",
		dir:                            "it is not a file",
		long:                           "it has more than 16777216 bytes",
		filepath.Join(dir, "none.txt"): "no such file",
	} {
		if _, err := ReadFile(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	zero, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer zero.Close()
	if _, err := Read(t.Context(), zero, "standard input"); err == nil || !strings.Contains(err.Error(), "standard input: it has more than") {
		t.Error(err)
	}
}

// TestCollapsed: a collapsed workload is found by its text, is the same function, and has nothing more to collapse.
func TestCollapsed(t *testing.T) {
	for text, want := range map[string]string{
		"conv2d:h=7,w=7,ci=8,co=16,k=1": "collapsed conv2d:h=7,w=7,ci=8,co=16,k=1",
		"conv2d:h=7,w=7,ci=8,co=16,k=3": "conv2d:h=7,w=7,ci=8,co=16,k=3",
		"matmul:m=4,n=5,k=6":            "matmul:m=4,n=5,k=6",
		"input x: float32[2, 3]\ny(i: 2, j: 3) = exp(x[i, j])\noutput y\n": "input x: float32[6]\n" +
			"y(i: 6) = exp(x[i])\noutput y\n",
	} {
		w, err := Find(text)
		if err != nil {
			t.Fatal(err)
		}
		w.Count = 3
		c := w.Collapsed()
		if c.Text != want || c.Name != w.Name || c.Count != 3 || c.FLOPs != w.FLOPs || (c.Key == w.Key) != (text == want) {
			t.Errorf("%s becomes %+v", text, c)
		}
		again, err := Find(c.Text)
		if err != nil || again.Key != c.Key || again.Text != c.Text || again.DAG.Text() != c.DAG.Text() {
			t.Errorf("%s is found as %+v, %v", c.Text, again, err)
		}
		if twice := c.Collapsed(); twice.DAG != c.DAG {
			t.Errorf("%s becomes %s", c.Text, twice.Text)
		}
	}
	if _, err := Find("collapsed none:m=1"); err == nil {
		t.Error("no such operator, and no error")
	}
}

// Waiting for the other end of a pipe ends with the context.
func TestReadPipe(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo.txt")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	defer w.Close()
	for name, f := range map[string]func(context.Context) (Workload, error){
		"named":    func(ctx context.Context) (Workload, error) { return ReadFile(ctx, fifo) },
		"standard": func(ctx context.Context) (Workload, error) { return Read(ctx, r, "standard input") },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := f(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
	other := filepath.Join(filepath.Dir(fifo), "other.txt")
	if err := syscall.Mkfifo(other, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() { _ = os.WriteFile(other, []byte(copyText), 0) }()
	if got, err := ReadFile(t.Context(), other); err != nil || got.Name != "other" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := Read(t.Context(), strings.NewReader(copyText), "standard input"); err != nil || got.Name != "standard-input" || got.DAG == nil {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestFolderName(t *testing.T) {
	for name, want := range map[string]string{
		"matmul:m=64,n=64,k=64":     "matmul-m64-n64-k64",
		"paper22/r50-t3":            "r50-t3",
		"conv2d:epilogue=bias+relu": "conv2d-epiloguebias-relu",
		"../..":                     "workload",
		"my file":                   "my-file",
		"modèle":                    "mod-le-209b459b",
		"modéle":                    "mod-le-5ce29200",
		"注意":                        "workload-b1390195",
		"注釈":                        "workload-c89e447e",
		strings.Repeat("x", 240):    strings.Repeat("x", 240),
		strings.Repeat("x", 300):    strings.Repeat("x", 231) + "-970138f5",
	} {
		if got := FolderName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// TestReadWorkload: a workload file gives the workload that its text in a record
// gives again.
func TestReadWorkload(t *testing.T) {
	w, err := Find("matmul:m=8,n=8,k=8,epilogue=relu")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mine.txt")
	if err := os.WriteFile(path, []byte("# a comment\n"+w.DAG.Text()), 0o666); err != nil {
		t.Fatal(err)
	}
	mine, err := ReadFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Find(mine.Text)
	if err != nil {
		t.Fatal(err)
	}
	if mine.Name != "mine" || mine.Key != w.Key || mine.FLOPs != w.FLOPs || again.Key != w.Key {
		t.Errorf("got %+v and %+v, want %+v", mine, again, w)
	}
	if err := os.WriteFile(path, []byte("nonsense\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(t.Context(), path); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("nonsense: %v", err)
	}
}

// TestSuite: all workloads of a suite in its order, those that are named, and an error for a name that it has not.
func TestSuite(t *testing.T) {
	all, err := Suite("paper22", nil)
	if err != nil || len(all) < 10 {
		t.Fatalf("%d workloads, %v", len(all), err)
	}
	some, err := Suite("paper22", []string{all[3].Name, all[1].Name})
	if err != nil || len(some) != 2 || some[0].Key != all[1].Key || some[1].Key != all[3].Key {
		t.Errorf("%v, %v", some, err)
	}
	for suite, want := range map[string]string{"paper22": `suite paper22 has no workload "no"`, "none": "none"} {
		if _, err := Suite(suite, []string{"no"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", suite, err, want)
		}
	}
}
