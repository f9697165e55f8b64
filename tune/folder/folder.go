// Package folder makes a folder beside its place and puts it there at once, so that what stands there is complete or
// absent. It must not know what the folder holds.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/dataset"
)

// ErrLocked says that another process writes to a folder.
var ErrLocked = errors.New("another wmtune writes there; wait for it or choose another with --out")

// Lock keeps other processes from writing to a folder until the file is closed.
func Lock(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("folder for the results: %w", err)
	}
	// A file system that has no locks is no reason to stop.
	if free, err := dataset.TryLock(f); err == nil && !free {
		f.Close()
		return nil, fmt.Errorf("folder %s: %w", dir, ErrLocked)
	}
	return f, nil
}

// A Stage is a folder that is to take the place of another one.
type Stage struct {
	Dir  string   // its path
	lock *os.File // nil after Keep
}

// NewStage makes an empty folder, for nobody else, beside dir.
func NewStage(dir string) (*Stage, error) {
	for {
		path, err := os.MkdirTemp(filepath.Dir(dir), pattern(dir))
		if err != nil {
			return nil, err
		}
		lock, err := Lock(path)
		if err == nil && isAt(lock, path) {
			return &Stage{path, lock}, nil
		}
		if err == nil {
			lock.Close()
		} else if !errors.Is(err, ErrLocked) && !errors.Is(err, fs.ErrNotExist) {
			os.Remove(path)
			return nil, err
		}
		// RemoveStale of another process took it for a stale one before it was locked.
	}
}

// isAt reports whether an open folder is the one at a path.
func isAt(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}

// pattern is that of the names of stages of dir.
func pattern(dir string) string { return ".wmtune." + filepath.Base(dir) + ".*" }

// RemoveStale removes the stages of dir that killed processes have left.
func RemoveStale(dir string) {
	parent, prefix := filepath.Dir(dir), strings.TrimSuffix(pattern(dir), "*")
	list, _ := os.ReadDir(parent)
	for _, entry := range list {
		stage := filepath.Join(parent, entry.Name())
		if !strings.HasPrefix(entry.Name(), prefix) {
			continue
		}
		if lock, err := Lock(stage); err == nil {
			os.RemoveAll(stage)
			lock.Close()
		}
	}
}

// Put makes a new file, durably.
func (s *Stage) Put(file build.File) error {
	path := filepath.Join(s.Dir, file.Name)
	if file.Link != "" {
		return os.Symlink(file.Link, path)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(file.Data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Exchange puts the stage in the place of dir, which need not be there. What was there stands in the place of the
// stage.
func (s *Stage) Exchange(dir string) error {
	err := os.Rename(s.Dir, dir)
	if err != nil && (errors.Is(err, fs.ErrExist) || errors.Is(err, unix.ENOTEMPTY)) {
		err = unix.Renameat2(unix.AT_FDCWD, s.Dir, unix.AT_FDCWD, dir, unix.RENAME_EXCHANGE)
	}
	if err == nil {
		syncDir(filepath.Dir(dir))
	}
	return err
}

// Keep returns the lock of the folder, which Close leaves then.
func (s *Stage) Keep() *os.File {
	lock := s.lock
	s.lock = nil
	return lock
}

// Close removes what is in the place of the stage: the stage, or what it has replaced.
func (s *Stage) Close() {
	os.RemoveAll(s.Dir)
	if s.lock != nil {
		s.lock.Close()
	}
}

// syncDir makes names of a folder durable, as far as the system can.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}
