package trajectory_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/wmtune/wmtune/dataset/trajectory"
)

// TestHostile writes nonsense all over the files of a dataset, under sums that fit:
// reading it is an error or not, but no panic, and takes no memory by what it claims.
func TestHostile(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log.arrow")
	writeLog(t, log, sampleRecords(specs[0], cpu, 4, 1))
	opts := options([]string{log}, filepath.Join(dir, "data"))
	build(t, opts)
	refused, tried := 0, 0
	for name, text := range bytesOf(t, opts.Dir) {
		if name == "SHA256SUMS" {
			continue
		}
		path := filepath.Join(opts.Dir, name)
		try := func(data []byte) {
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
			sums(t, opts.Dir)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := lookAt(opts.Dir)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
				t.Errorf("%s: %d bytes were allocated: %v", name, n, err)
			}
			tried++
			if err != nil {
				refused++
			}
		}
		step := max(8, len(text)/400*8)
		for at := 0; at+8 <= len(text); at += step {
			for _, v := range []uint64{1 << 40, 1<<64 - 1, 1 << 20} {
				data := []byte(text)
				binary.LittleEndian.PutUint64(data[at:], v)
				try(data)
			}
		}
		for at := max(0, len(text)-600); at+4 <= len(text); at += 4 { // the footer has no padding
			data := []byte(text)
			binary.LittleEndian.PutUint32(data[at:], 1<<31-1)
			try(data)
		}
		if at := strings.Index(text, "\x28\xb5\x2f\xfd"); at >= 0 {
			data := []byte(text)
			copy(data[at+4:], []byte{0, 25 << 3}) // a window of 32 GiB
			try(data)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if refused < tried/4 {
		t.Errorf("%d of %d were refused", refused, tried)
	}
}

// lookAt uses all of a dataset that there is to use.
func lookAt(dir string) error {
	s, err := trajectory.Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	actions, err := s.Actions()
	if err != nil {
		return err
	}
	if _, err := s.Leaks(); err != nil {
		return err
	}
	for tr, err := range s.All() {
		if err != nil {
			return err
		}
		_ = s.Tasks()[tr.Task]
		for i, a := range tr.Actions {
			_ = actions[a].Vector[0]
			for _, row := range tr.States[i : i+2] {
				if _, err := s.State(int(row)); err != nil {
					return err
				}
			}
		}
		if _, err := tr.Steps(); err != nil {
			return err
		}
	}
	return nil
}

// TestPipes: a named pipe in place of a file is not waited for.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	opts := options(sampleLogs(t, dir, 2), filepath.Join(dir, "data"))
	build(t, opts)
	for _, name := range []string{"states.arrow", "SHA256SUMS"} {
		path := filepath.Join(opts.Dir, name)
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		refuses(t, name, readAll(opts.Dir), opts.Dir)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.Clone(old), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
