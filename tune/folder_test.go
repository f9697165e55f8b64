package tune

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset"
	place "github.com/wmtune/wmtune/tune/folder"
)

// kernelFiles are the files of a kernel whose contents are all text.
func kernelFiles(text string, names ...string) []model.File {
	var list []model.File
	for _, name := range names {
		list = append(list, model.File{Name: name, Data: []byte(text)})
	}
	return list
}

// contents returns the files of a folder, with their text.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

// TestFolderReplace: a kernel replaces an earlier one with all its files, whether or not folders can
// change places; an open log stays the log.
func TestFolderReplace(t *testing.T) {
	for name, work := range map[string]bool{"exchanged": false, "file by file": true} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if work {
				t.Chdir(dir) // a folder that somebody stands in is not exchanged
			}
			log := filepath.Join(dir, "tuning.arrow")
			f, err := openFolder(dir, "w", log)
			if err != nil {
				t.Fatal(err)
			}
			defer f.close()
			w, err := dataset.OpenWriter(log, dataset.WriterOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			var before, after unix.Stat_t
			unix.Stat(dir, &before)
			for _, r := range []Result{{Workload: "w", Files: []string{"a", "b"}}, {Workload: "w", Files: []string{"b", "c"}}} {
				if err := f.replace(kernelFiles(strings.Join(r.Files, ""), r.Files...), &r); err != nil {
					t.Fatal(err)
				}
			}
			if unix.Stat(dir, &after); (before.Ino == after.Ino) != work {
				t.Errorf("the folder was exchanged: %v", !work)
			}
			got := contents(t, dir)
			if len(got) != 4 || got["b"] != "bc" || got["c"] != "bc" || !strings.Contains(got["result.json"], `"w"`) {
				t.Errorf("the folder holds %q", got)
			}
			if err := w.Append([]dataset.Record{{WorkloadKey: "k", Workload: "w"}}); err != nil {
				t.Errorf("the log is not the file that was opened: %v", err)
			}
			if _, err := openFolder(dir, "w", log); err == nil || !strings.Contains(err.Error(), "another wmtune writes") {
				t.Errorf("the lock went with the old folder: %v", err)
			}
			if left, _ := os.ReadDir(filepath.Dir(dir)); len(left) != 1 {
				t.Errorf("left beside the folder: %v", left)
			}
		})
	}
}

// TestFolderFull: where the files cannot be written, the folder stays as it was.
func TestFolderFull(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	f, err := openFolder(dir, "w", "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	first := Result{Workload: "w", Files: []string{"a", "b"}}
	if err := f.replace(kernelFiles("1", "a", "b"), &first); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	second := Result{Workload: "w", Files: []string{"a", "none/b"}} // as a full disk, it fails after the first file
	if err := f.replace(kernelFiles("2", "a", "none/b"), &second); err == nil || !strings.Contains(err.Error(), "the log is intact") {
		t.Errorf("error %v", err)
	}
	if after := contents(t, dir); len(after) != len(before) || after["a"] != "1" || after["b"] != "1" {
		t.Errorf("the folder holds %q, and held %q", after, before)
	}
}

// TestFolderForeign: files that no search wrote are not touched, and are named.
func TestFolderForeign(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".wmtunerc", "kernel.o", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := openFolder(dir, "w", "")
	if err == nil || !strings.Contains(err.Error(), "did not write: .wmtunerc, kernel.o, notes.txt; move them") {
		t.Errorf("error %v", err)
	}
	if got := contents(t, dir); len(got) != 3 || got["kernel.o"] != "mine" {
		t.Errorf("the folder holds %q", got)
	}
	if err := (&Result{}).WriteTo(dir); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("a result without a kernel is written: %v", err)
	}
}

// TestFolderDropped: a file that somebody puts into the folder of a running search ends nothing, and stays.
func TestFolderDropped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	f, err := openFolder(dir, "w", "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	for _, text := range []string{"1", "2"} {
		if err := f.replace(kernelFiles(text, "a"), &Result{Workload: "w", Files: []string{"a"}}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "mine"), []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := contents(t, dir); len(got) != 3 || got["a"] != "2" || got["mine"] != "mine" {
		t.Errorf("the folder holds %q", got)
	}
}

// TestFolderKilled: a session that was killed while it put the first files into the folder, one by one, is no reason
// for the next not to begin.
func TestFolderKilled(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // so that the folder is not exchanged
	f, err := openFolder(dir, "w", "")
	if err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(dir, "b", "c") // no file can take the place of a folder
	if err := os.MkdirAll(there, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := f.replace(kernelFiles("1", "a", "b"), &Result{Workload: "w", Files: []string{"a", "b"}}); err == nil {
		t.Fatal("a file took the place of a folder")
	}
	f.close()
	unfinished := filepath.Join(dir, ".wmtune-new.123")
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "b")), os.MkdirAll(unfinished, 0o777)); err != nil {
		t.Fatal(err)
	}
	if f, err = openFolder(dir, "w", ""); err != nil {
		t.Fatal(err)
	}
	defer f.close()
	if got := contents(t, dir); len(got) != 2 || got["a"] != "1" {
		t.Errorf("the folder holds %q", got)
	}
}

// TestFolderStale: what a killed session left beside the folder is removed, unless another session
// is writing it.
func TestFolderStale(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "[runs]*")
	dead, busy := filepath.Join(parent, ".wmtune.out.1"), filepath.Join(parent, ".wmtune.out.2")
	for _, dir := range []string{dead, busy} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := place.Lock(busy)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	f, err := openFolder(filepath.Join(parent, "out"), "w", "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	var names []string
	list, _ := os.ReadDir(parent)
	for _, e := range list {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{".wmtune.out.2", "out"}) {
		t.Errorf("left: %v", names)
	}
}
