package folder

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
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
					err = s.Put(build.File{Name: "a"})
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

// TestStage: a stage takes a place that is free, and one that is not; what it has replaced goes with it, and so do the
// stages of killed processes.
func TestStage(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	for _, text := range []string{"1", "2"} {
		s, err := NewStage(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Lock(s.Dir); !errors.Is(err, ErrLocked) {
			t.Errorf("another process may write to the stage: %v", err)
		}
		RemoveStale(dir) // not this one
		if err := s.Put(build.File{Name: "a", Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
		if err := s.Put(build.File{Name: "link", Link: "a"}); err != nil {
			t.Fatal(err)
		}
		if err := s.Exchange(dir); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if got, err := os.ReadFile(filepath.Join(dir, "link")); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	if err := os.Mkdir(filepath.Join(parent, ".wmtune.out.killed"), 0o777); err != nil {
		t.Fatal(err)
	}
	RemoveStale(dir)
	if list, err := os.ReadDir(parent); err != nil || len(list) != 1 {
		t.Errorf("left: %v, %v", list, err)
	}
}
