package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/model"
)

// TestStageTogether: no other process takes a stage that is just being made for a stale one.
func TestStageTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 300 {
				RemoveStale(dir)
				s, err := NewStage(dir)
				if err == nil {
					err = os.WriteFile(filepath.Join(s.Dir, "a"), nil, 0o666)
					s.Close()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

// TestStage: a stage takes a place that is free, and one that is not; what it has replaced goes with it. The folder in
// the place is locked until Close, or until who kept the lock closes it. Stages of killed processes go, but not those
// of other folders.
func TestStage(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	for _, text := range []string{"1", "2", "3"} {
		s, err := NewStage(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Lock(s.Dir); !errors.Is(err, ErrLocked) {
			t.Errorf("another process may write to the stage: %v", err)
		}
		RemoveStale(dir) // not this one
		if err := s.Put(model.File{Name: "a", Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
		if err := s.Put(model.File{Name: "a"}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a file is written twice: %v", err)
		}
		if err := s.Put(model.File{Name: "link", Link: "a"}); err != nil {
			t.Fatal(err)
		}
		if err := s.Exchange(dir); err != nil {
			t.Fatal(err)
		}
		if text == "3" {
			kept := s.Keep()
			s.Close()
			if _, err := Lock(dir); !errors.Is(err, ErrLocked) {
				t.Errorf("nobody holds the lock that was kept: %v", err)
			}
			kept.Close()
		}
		s.Close()
		lock, err := Lock(dir)
		if err != nil {
			t.Fatal(err)
		}
		lock.Close()
		wantNames(t, parent, "out")
		if got, err := os.ReadFile(filepath.Join(dir, "link")); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	for _, name := range []string{".wmtune.out.killed", ".wmtune.other.killed"} {
		if err := os.Mkdir(filepath.Join(parent, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	RemoveStale(dir)
	wantNames(t, parent, ".wmtune.other.killed", "out")
}

// wantNames fails unless a folder has files of these names, and no other.
func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || !slices.EqualFunc(list, want, func(e os.DirEntry, name string) bool { return e.Name() == name }) {
		t.Errorf("in the folder: %v, %v, want %v", list, err, want)
	}
}

// TestStaleOfPattern: stages are found by what their names begin with, even if that is a pattern.
func TestStaleOfPattern(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "[a]*")
	for _, name := range []string{".wmtune.[b].killed", ".wmtune.b.killed"} {
		if err := os.MkdirAll(filepath.Join(parent, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	RemoveStale(filepath.Join(parent, "[b]"))
	wantNames(t, parent, ".wmtune.b.killed")
}

// TestExchangeMode: the folder that takes the place of another one has its mode.
func TestExchangeMode(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	for _, mode := range []fs.FileMode{0o755, 0o700, 0o750} {
		if _, err := os.Stat(dir); err == nil {
			if err := os.Chmod(dir, mode); err != nil {
				t.Fatal(err)
			}
		}
		s, err := NewStage(dir)
		if err == nil {
			err = s.Exchange(dir)
			s.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != mode {
			t.Errorf("mode %v, %v, want %v", info.Mode(), err, mode)
		}
	}
}

// TestExchangeGroup: what gives new files of a folder its group stays.
func TestExchangeGroup(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o750|fs.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	s, err := NewStage(dir)
	if err == nil {
		err = s.Exchange(dir)
		s.Close()
	}
	if info, e := os.Stat(dir); err != nil || e != nil || info.Mode()&fs.ModeSetgid == 0 {
		t.Errorf("%v, %v, mode %v", err, e, info.Mode())
	}
}

// TestRewriteNamed: when the first file is put in place, the list that is there has its name.
func TestRewriteNamed(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"list", "a"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := NewStageIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"a", "b", "list"} {
		if err := s.Write(name, []byte("new"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "b", "in the way"), 0o777); err != nil { // b cannot be put there
		t.Fatal(err)
	}
	if err := s.Rewrite(dir, "list", []string{"a"}); err == nil {
		t.Error("a file took the place of a folder")
	}
	if data, err := os.ReadFile(filepath.Join(dir, "list")); err != nil || string(data) != "new" {
		t.Errorf("the list is %q, %v", data, err)
	}
}

// TestExchangeable: a folder may be exchanged unless it is a mount point or the working directory.
func TestExchangeable(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]bool{dir: true, filepath.Join(dir, "none"): true, "/": false, "/proc": false} {
		if Exchangeable(path) != want {
			t.Errorf("%s may be exchanged: %v", path, !want)
		}
	}
	t.Chdir(dir)
	if Exchangeable(dir) {
		t.Error("the working directory may be exchanged")
	}
}

// TestPutCopies: where a symbolic link cannot be made, a copy takes its place.
func TestPutCopies(t *testing.T) {
	symlink = func(from, to string) error { return &os.LinkError{Op: "symlink", Old: from, New: to, Err: unix.EPERM} }
	defer func() { symlink = os.Symlink }()
	s := Stage{Dir: t.TempDir()}
	for _, f := range []model.File{{Name: "a", Data: []byte("text")}, {Name: "b", Link: "a"}} {
		if err := s.Put(f); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(s.Dir, "b")); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	if err := s.Put(model.File{Name: "c", Link: "none"}); !errors.Is(err, unix.EPERM) {
		t.Errorf("error %v", err)
	}
}
