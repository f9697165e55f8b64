package dataset

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrLocked says that another process writes to the log.
var ErrLocked = errors.New("another search is writing to it; wait for it to end or choose another log file")

// lock takes the lock of a log for writing, which ends with the process or when
// f is closed. Readers need none.
func lock(f *os.File) error {
	free, err := TryLock(f)
	if err != nil {
		return fmt.Errorf("log %s: %w; choose a log file on a local disk", f.Name(), err)
	}
	if !free {
		return fmt.Errorf("log %s: %w", f.Name(), ErrLocked)
	}
	return nil
}

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
