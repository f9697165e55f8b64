// Package file says of files that others may have laid out whether they are to be trusted: whether reading ends, and
// whether another user can write to them. It locks files that several processes write, and makes their names durable.
//
// It must not know what files hold.
package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Open opens a regular file to read it. Reading a pipe or a device may never end: they are errors that say what lies at
// the path.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // the open of a pipe must not wait for a writer
	if err != nil {
		return nil, err
	}
	if _, err := Size(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Size returns the size of an open file, which must be a regular one.
func Size(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if kind := kindOf(info.Mode()); kind != "" {
		return 0, &fs.PathError{Op: "open", Path: f.Name(), Err: errors.New("it is " + kind + ", not a regular file")}
	}
	return info.Size(), nil
}

// kindOf says what lies at a path, or "" of a regular file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// Read returns what a regular file holds, which must be at most so many bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, most)
}

func read(f *os.File, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = &fs.PathError{Op: "read", Path: f.Name(), Err: fmt.Errorf("it has more than %d bytes", most)}
	}
	return data, err
}
