package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// A fullDisk takes so many bytes.
type fullDisk struct{ left int }

func (d *fullDisk) Write(b []byte) (int, error) {
	if n := min(len(b), d.left); n < len(b) {
		d.left = 0
		return n, errors.New("no space left on device")
	}
	d.left -= len(b)
	return len(b), nil
}

// TestOutputLost: what cannot be printed is an error of every command, and one only.
func TestOutputLost(t *testing.T) {
	for _, args := range []string{"workloads", "workloads paper22 --json", "version", "help", "help search"} {
		for _, room := range []int{0, 10} {
			var stderr bytes.Buffer
			code := dispatch(t.Context(), strings.Fields(args), &fullDisk{room}, &stderr)
			if text := stderr.String(); code != exitFailed || strings.Count(text, "no space left") != 1 {
				t.Errorf("%s, %d bytes: exit code %d, %q", args, room, code, text)
			}
		}
		var stderr bytes.Buffer
		if code := dispatch(t.Context(), strings.Fields(args), &fullDisk{1 << 20}, &stderr); code != exitOK {
			t.Errorf("%s: exit code %d, %q", args, code, stderr.String())
		}
	}
}
