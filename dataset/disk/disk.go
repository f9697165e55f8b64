// Package disk has what files need that last and that several processes write: locks, and names that are durable. It must
// not know what is in the files.
package disk

import (
	"errors"
	"fmt"
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
