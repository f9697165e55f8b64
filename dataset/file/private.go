package file

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// othersWrite are the permissions that let users write who do not own a file.
const othersWrite fs.FileMode = 0o022

// Private is an error if another user can change what lies in a folder: the folder, or one above it, is another user's,
// or its group or others can write there. Root counts as this user. In sticky folders above, such as /tmp, all users
// can write, but each only to files of its own.
func Private(dir string) error {
	path, err := filepath.Abs(dir)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return err
	}
	for above := false; ; above = true {
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if err := private(path, info, above); err != nil {
			return err
		}
		up := filepath.Dir(path)
		if up == path {
			return nil
		}
		path = up
	}
}

// private is Private of one file or folder; above says that it is a folder above the one that counts.
func private(path string, info fs.FileInfo, above bool) error {
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	switch {
	case owner != os.Geteuid() && owner != 0:
		return fmt.Errorf("%s belongs to another user, with the number %d", path, owner)
	case info.Mode()&othersWrite != 0 && (!above || info.Mode()&fs.ModeSticky == 0):
		return fmt.Errorf("other users can write to %s: 'chmod go-w' ends that", path)
	}
	return nil
}

// ReadPrivate is Read of a file that no other user can write to. The folder that it lies in is the caller's to check.
func ReadPrivate(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := Owned(f); err != nil {
		return nil, err
	}
	return read(f, most)
}

// Owned is an error if another user can write to an open file.
func Owned(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return private(f.Name(), info, false)
}
