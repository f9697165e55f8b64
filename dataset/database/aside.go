package database

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/tir/target"
)

// asideEnding follows the name of a log that was set aside.
const asideEnding = ".damaged"

// SetAside renames the log of a workload if it is damaged so that no record can be read, so that a search can begin a
// new one. It returns the new path, or "" if the log is left as it is: it can be read, a search writes to it, a newer
// wmtune wrote it, or this user may not read it.
func (d *Database) SetAside(workload string, t target.Target, l target.Layout) (string, error) {
	path := d.Log(workload, t, l)
	if path == "" {
		return "", nil
	}
	f, err := file.Open(path)
	if err != nil {
		return "", nil // there is none, or it may not be read
	}
	defer f.Close()
	if free, err := file.TryLock(f); err != nil || !free {
		return "", nil
	}
	// The lock is of what was damaged, not of a log that another process has begun since.
	_, _, err = dataset.ReadLog(path)
	var reading syscall.Errno
	if err == nil || errors.Is(err, dataset.ErrNewer) || errors.As(err, &reading) {
		return "", nil
	}
	if err := os.Rename(path, path+asideEnding); err != nil {
		return "", fmt.Errorf("record database: a damaged log cannot be set aside: %w; remove it", err)
	}
	return path + asideEnding, nil
}
