package trajectory

import (
	"errors"
	"fmt"
	"os"
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
