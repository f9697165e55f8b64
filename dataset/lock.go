package dataset

import (
	"errors"
	"fmt"
	"os"

	"github.com/wmtune/wmtune/dataset/file"
)

// ErrLocked says that another process writes to the log.
var ErrLocked = errors.New("another search is writing to it; wait for it to end or choose another log file")

// lock takes the lock of a log for writing, which ends with the process or when
// f is closed. Readers need none.
func lock(f *os.File) error {
	free, err := file.TryLock(f)
	if err != nil {
		return fmt.Errorf("log %s: %w; choose a log file on a local disk", f.Name(), err)
	}
	if !free {
		return fmt.Errorf("log %s: %w", f.Name(), ErrLocked)
	}
	return nil
}
