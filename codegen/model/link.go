package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A linker runs the system's ld in a folder of its own.
type linker struct{ ld, dir string }

const linkTimeout = 10 * time.Minute

var errNoLinker = errors.New("model: ld is not in PATH: on Debian, apt-get install binutils")

// newLinker makes the folder; close removes it.
func newLinker() (*linker, error) {
	ld, err := exec.LookPath("ld")
	if err != nil {
		return nil, errNoLinker
	}
	dir, err := os.MkdirTemp("", "wmtune-link-")
	if err != nil {
		return nil, fmt.Errorf("model: linking: %w", err)
	}
	return &linker{ld, dir}, nil
}

func (l *linker) close() { os.RemoveAll(l.dir) }

// add writes an object to the folder and returns its path.
func (l *linker) add(name string, data []byte) (string, error) {
	path := filepath.Join(l.dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", fmt.Errorf("model: linking: %w", err)
	}
	return path, nil
}

func (l *linker) run(ctx context.Context, args ...string) error {
	limited, cancel := context.WithTimeout(ctx, linkTimeout)
	defer cancel()
	text, err := exec.CommandContext(limited, l.ld, args...).CombinedOutput()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("model: ld: %w: %s", err, bytes.TrimSpace(text))
}

// join makes one object of several.
func (l *linker) join(ctx context.Context, objects []string) ([]byte, error) {
	out := filepath.Join(l.dir, "joined.o")
	// The names of many objects may be too long for a command.
	list, err := l.add("objects", quoteArgs(objects))
	if err != nil {
		return nil, err
	}
	if err := l.run(ctx, "-r", "-z", "noexecstack", "-o", out, "@"+list); err != nil {
		return nil, err
	}
	return l.read(out)
}

// shared makes a shared library of an object. Its SONAME is name.so. It may be unloaded:
// NAME_close ends the threads that run in it.
func (l *linker) shared(ctx context.Context, object, name string) ([]byte, error) {
	out := filepath.Join(l.dir, "shared.so")
	args := []string{"-shared", "-z", "noexecstack", "-z", "relro", "-z", "now", "-soname", name + ".so", "-o", out,
		object}
	// The libraries are found by their full names where there are no development files;
	// where they are not found at all, the program that loads the library has to have them.
	err := l.run(ctx, append(args, "--as-needed", "-l:libm.so.6", "-l:libc.so.6")...)
	if err != nil && ctx.Err() == nil {
		err = l.run(ctx, args...)
	}
	if err != nil {
		return nil, err
	}
	return l.read(out)
}

func (l *linker) read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("model: linking: %w", err)
	}
	return data, nil
}

// quoteArgs writes arguments as ld reads them from a file.
func quoteArgs(args []string) []byte {
	var b bytes.Buffer
	for _, a := range args {
		b.WriteByte('"')
		for _, c := range []byte(a) {
			if c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
		b.WriteString("\"\n")
	}
	return b.Bytes()
}
