// Package folder makes a folder beside its place and puts it there at once, so that what stands there is complete or
// absent. It must not know what the folder holds.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset/file"
)

// ErrLocked says that another process writes to a folder.
var ErrLocked = errors.New("another wmtune writes there; wait for it or choose another with --out")

// Lock keeps other processes from writing to a folder until the file is closed.
func Lock(dir string) (*os.File, error) {
	for {
		f, err := os.Open(dir)
		if err != nil {
			return nil, fmt.Errorf("folder for the results: %w", err)
		}
		// A file system that has no locks is no reason to stop.
		if free, err := file.TryLock(f); err == nil && !free {
			f.Close()
			return nil, fmt.Errorf("folder %s: %w", dir, ErrLocked)
		}
		if isAt(f, dir) {
			return f, nil
		}
		f.Close() // another process put a new folder there before this one was locked
	}
}

// A Stage is a folder that is to take the place of another one.
type Stage struct {
	Dir  string   // its path
	lock *os.File // nil after Keep
}

// NewStage makes an empty folder, for nobody else, beside dir.
func NewStage(dir string) (*Stage, error) { return newStage(filepath.Dir(dir), dir) }

// NewStageIn makes one inside of dir, for Rewrite.
func NewStageIn(dir string) (*Stage, error) { return newStage(dir, dir) }

func newStage(parent, dir string) (*Stage, error) {
	for {
		path, err := os.MkdirTemp(parent, prefix(dir)+"*")
		if err != nil {
			return nil, err
		}
		lock, err := Lock(path)
		if err == nil {
			return &Stage{path, lock}, nil
		}
		if !errors.Is(err, ErrLocked) && !errors.Is(err, fs.ErrNotExist) {
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
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}

// prefix is how the names of stages of dir begin.
func prefix(dir string) string { return ".wmtune." + filepath.Base(dir) + "." }

// RemoveStale removes the stages of dir that killed processes have left.
func RemoveStale(dir string) {
	for _, parent := range []string{filepath.Dir(dir), dir} {
		entries, _ := os.ReadDir(parent)
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), prefix(dir)) {
				continue
			}
			stage := filepath.Join(parent, e.Name())
			if lock, err := Lock(stage); err == nil {
				os.RemoveAll(stage)
				lock.Close()
			}
		}
	}
}

// symlink makes symbolic links.
var symlink = os.Symlink

// Put makes a new file, durably. Where a symbolic link cannot be made, Put copies the file that the link would lead to,
// which must be there.
func (s *Stage) Put(file model.File) error {
	if file.Link == "" {
		return s.Write(file.Name, file.Data, 0o644)
	}
	err := symlink(file.Link, filepath.Join(s.Dir, file.Name))
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	data, failed := os.ReadFile(filepath.Join(s.Dir, file.Link))
	if failed != nil {
		return errors.Join(err, failed)
	}
	return s.Write(file.Name, data, 0o644)
}

// Write makes a new file, durably.
func (s *Stage) Write(name string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(filepath.Join(s.Dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Exchange puts the stage in the place of dir, which need not be there, with the mode that dir has. What was there
// stands in the place of the stage.
func (s *Stage) Exchange(dir string) error {
	mode := fs.FileMode(0o755)
	if info, err := os.Stat(dir); err == nil {
		mode = info.Mode() & (fs.ModePerm | fs.ModeSetgid | fs.ModeSticky)
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			os.Chown(s.Dir, -1, int(st.Gid)) // else the files are of the caller's group
		}
	}
	if err := os.Chmod(s.Dir, mode); err != nil {
		return err
	}
	file.SyncDir(s.Dir)
	err := os.Rename(s.Dir, dir)
	if err != nil && (errors.Is(err, fs.ErrExist) || errors.Is(err, unix.ENOTEMPTY)) {
		err = unix.Renameat2(unix.AT_FDCWD, s.Dir, unix.AT_FDCWD, dir, unix.RENAME_EXCHANGE)
	}
	if err == nil {
		file.SyncDir(filepath.Dir(dir))
	}
	return err
}

// Exchangeable reports whether Exchange may put a stage in the place of dir. It cannot replace a mount point, and a
// shell that stands in dir would stand in a folder that is gone. It may fail all the same: some file systems cannot
// exchange folders.
func Exchangeable(dir string) bool {
	var at, above unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_BASIC_STATS, &at); err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) // of a sandbox
	}
	if err := unix.Statx(unix.AT_FDCWD, filepath.Dir(dir), 0, unix.STATX_BASIC_STATS, &above); err != nil {
		return false
	}
	mounted := at.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0 || at.Dev_major != above.Dev_major ||
		at.Dev_minor != above.Dev_minor
	here, err := os.Open(".")
	if err != nil {
		return !mounted
	}
	defer here.Close()
	return !mounted && !isAt(here, dir)
}

// Rewrite moves the files of the stage into dir, one by one, and then removes the old files that it has not replaced:
// they would be taken for new ones. The file called list has the names of the files. It comes last, but first where
// dir has none, or one that lacks a name: the files of a process that was killed here would look like somebody else's.
func (s *Stage) Rewrite(dir, list string, old []string) error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return err
	}
	put := func(name string) error { return os.Rename(filepath.Join(s.Dir, name), filepath.Join(dir, name)) }
	_, err = os.Lstat(filepath.Join(dir, list))
	first := err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != list && !slices.Contains(old, e.Name())
	})
	if first {
		if err := put(list); err != nil {
			return err
		}
	}
	placed := map[string]bool{list: true}
	for _, e := range entries {
		if e.Name() == list {
			continue
		}
		if err := put(e.Name()); err != nil {
			return err
		}
		placed[e.Name()] = true
	}
	for _, name := range old {
		if placed[name] || name != filepath.Base(name) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove an old file: %w", err)
		}
	}
	if !first {
		if err := put(list); err != nil {
			return err
		}
	}
	file.SyncDir(dir)
	return nil
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
