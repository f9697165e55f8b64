package compile

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tune/folder"
)

// TestFolderOf: a bundle lies where a link leads, which must be somewhere.
func TestFolderOf(t *testing.T) {
	dir := t.TempDir()
	folder, link := filepath.Join(dir, "folder"), filepath.Join(dir, "link")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for path, to := range map[string]string{link: "folder", link + "2": link, link + "3": "nothing"} {
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		folder: folder, link: folder, link + "/": folder, link + "2": folder,
		filepath.Join(dir, "new"): filepath.Join(dir, "new"),
	} {
		if got, err := folderOf(path); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", path, got, err, want)
		}
	}
	if _, err := folderOf(link + "3"); err == nil || !strings.Contains(err.Error(), "leads nowhere") {
		t.Errorf("a link to nothing: %v", err)
	}
}

// bundleStage makes a stage for dir with a bundle of two files.
func bundleStage(t *testing.T, dir, name, text string) *folder.Stage {
	t.Helper()
	if _, err := checkFolder(dir); err != nil {
		t.Fatal(err)
	}
	stage, err := newStage(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := Result{Name: name, Files: []string{name + ".json", name + ".so"}}
	list, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []model.File{{Name: name + ".so", Data: []byte(text)}, {Name: name + ".json", Data: list}} {
		if err := stage.Put(f); err != nil {
			t.Fatal(err)
		}
	}
	return stage
}

// TestReplaceFolder: a bundle takes the place of another one, in a folder that is exchanged and in one that cannot be.
// The folder keeps its mode.
func TestReplaceFolder(t *testing.T) {
	for what, stay := range map[string]bool{"exchanged": false, "file by file": true} {
		t.Run(what, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if stay {
				t.Chdir(dir) // a folder that somebody stands in is not exchanged
			}
			before, err := os.Stat(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct{ name, text string }{{"a", "1"}, {"a", "2"}, {"b", "3"}} {
				stage := bundleStage(t, dir, c.name, c.text)
				if err := replaceFolder(stage, dir, c.name); err != nil {
					t.Fatal(err)
				}
				stage.Close()
				got := contentsOf(t, dir)
				if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{c.name + ".json", c.name + ".so"}) ||
					got[c.name+".so"] != c.text {
					t.Errorf("the folder holds %q", got)
				}
				after, err := os.Stat(dir)
				if err != nil || after.Mode() != before.Mode() || stay && !os.SameFile(before, after) {
					t.Errorf("%v, %v; the folder stayed: %v", after.Mode(), err, os.SameFile(before, after))
				}
			}
		})
	}
}

// TestReplaceUnexchanged: a file system that cannot exchange the folder is found out at the end. The files move.
func TestReplaceUnexchanged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	stage := bundleStage(t, dir, "a", "1")
	defer stage.Close()
	exchange = func(*folder.Stage, string) error { return os.ErrInvalid }
	defer func() { exchange = (*folder.Stage).Exchange }()
	if err := replaceFolder(stage, dir, "a"); err != nil {
		t.Fatal(err)
	}
	if got := contentsOf(t, dir); len(got) != 2 || got["a.so"] != "1" {
		t.Errorf("the folder holds %q", got)
	}
	none := filepath.Join(t.TempDir(), "none")
	stage = bundleStage(t, none, "a", "1")
	defer stage.Close()
	err := replaceFolder(stage, none, "a")
	if err == nil || !strings.Contains(err.Error(), none+": invalid argument; choose") {
		t.Errorf("error %v", err)
	}
}

// TestReplaceBeside: a folder in which another compilation makes its bundle stays; its files are replaced.
func TestReplaceBeside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := os.MkdirAll(filepath.Join(dir, ".wmtune.out.7"), 0o777); err != nil {
		t.Fatal(err)
	}
	stage := bundleStage(t, dir, "a", "1")
	defer stage.Close()
	if err := replaceFolder(stage, dir, "a"); err != nil {
		t.Fatal(err)
	}
	stage.Close()
	if _, err := os.Stat(filepath.Join(dir, ".wmtune.out.7")); err != nil {
		t.Errorf("the other compilation's folder: %v", err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a.so")); err != nil || string(data) != "1" {
		t.Errorf("a.so: %q, %v", data, err)
	}
}

// TestLockFolder: a second compilation waits until the first has put its files in place.
func TestLockFolder(t *testing.T) {
	dir := t.TempDir()
	first, err := folder.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	locked := make(chan error)
	go func() {
		second, err := lockFolder(dir)
		second.Close()
		locked <- err
	}()
	select {
	case err := <-locked:
		t.Fatalf("two hold the lock: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	first.Close()
	if err := <-locked; err != nil {
		t.Error(err)
	}
	if lock, err := lockFolder(filepath.Join(dir, "none")); lock != nil || err != nil {
		t.Errorf("a folder that is not there: %v, %v", lock, err)
	}
}

func contentsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range list {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(data)
	}
	return got
}
