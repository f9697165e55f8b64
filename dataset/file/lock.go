package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// TryLock takes the exclusive lock of an open file, which ends with the process or when f is
// closed. It reports false if another open file has it.
func TryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case err == syscall.EINTR:
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return false, fmt.Errorf("cannot be locked (flock): %w", err)
		}
	}
}

// SyncDir makes the names in a folder durable. Some file systems cannot; then
// they are as durable as these make them.
func SyncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// Reason strips the operation and path of a file error, which the caller states.
func Reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// MustNotExist returns an error if there is a file at a path that is to be written.
func MustNotExist(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already; remove it, or choose another place", path)
	}
	return nil
}
