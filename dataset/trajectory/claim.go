package trajectory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// claim makes the folder of a dataset and keeps other processes from writing to it
// until unlock is called or the process ends.
func claim(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, writeError(dir, err)
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, writeError(dir, err)
	}
	// A file system that has no locks is no reason to stop.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, fmt.Errorf("dataset %s: another process writes to it; wait for it or choose another folder", dir)
	}
	return func() { f.Close() }, nil
}

// begin marks a folder as that of a dataset that is not finished. It is an error if a file would be written over that
// is a log, or of no dataset that was begun there.
func begin(dir string, logs []string) error {
	parts := filepath.Join(dir, partsName)
	_, err := os.Stat(parts)
	begun := err == nil
	for _, name := range fileNames() {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		there, err := os.Stat(path)
		for _, log := range logs {
			if info, e := os.Stat(log); err == nil && e == nil && os.SameFile(info, there) {
				return fmt.Errorf("log %s: the dataset would be written over it; choose another folder", log)
			}
		}
		if !begun {
			return fmt.Errorf("dataset %s: %s is there and of no dataset that was begun here; choose another folder, or move "+
				"the file", dir, name)
		}
	}
	if err := os.MkdirAll(parts, 0o777); err != nil {
		return writeError(parts, err)
	}
	return nil
}
