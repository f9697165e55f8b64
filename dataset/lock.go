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
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case err == syscall.EINTR:
		case errors.Is(err, syscall.EWOULDBLOCK):
			return fmt.Errorf("log %s: %w", f.Name(), ErrLocked)
		default:
			return fmt.Errorf("log %s: cannot be locked (flock): %w; choose a log file on a local disk", f.Name(), err)
		}
	}
}
