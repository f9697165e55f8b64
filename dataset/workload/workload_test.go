package workload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFolderName(t *testing.T) {
	for name, want := range map[string]string{
		"matmul:m=64,n=64,k=64":     "matmul-m64-n64-k64",
		"paper22/r50-t3":            "r50-t3",
		"conv2d:epilogue=bias+relu": "conv2d-epiloguebias-relu",
		"../..":                     "workload",
		"my file":                   "my-file",
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
	mine, err := ReadFile(path)
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
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("nonsense: %v", err)
	}
}
