package trajectory_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/tir/compute"
)

// readAll reads everything of a dataset that there is to read.
func readAll(dir string) error {
	s, err := trajectory.Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Actions(); err != nil {
		return err
	}
	for _, err := range s.States() {
		if err != nil {
			return err
		}
	}
	for _, err := range s.All() {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestDamage flips bits all over the files of a small dataset, and cuts them off:
// nothing is read then, and the sentence names the file.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log.arrow")
	writeLog(t, log, sampleRecords(specs[0], cpu, 4, 1))
	opts := options([]string{log}, filepath.Join(dir, "data"))
	build(t, opts)
	if err := readAll(opts.Dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range bytesOf(t, opts.Dir) {
		path := filepath.Join(opts.Dir, name)
		damaged := func(what string, data []byte) {
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
			err := readAll(opts.Dir)
			if err == nil || !strings.Contains(err.Error(), opts.Dir) || strings.Contains(err.Error(), "runtime error") {
				t.Errorf("%s %s: %v", name, what, err)
			}
		}
		for at := 0; at < len(text); at += 64 {
			data := []byte(text)
			data[at] ^= 1 << (at / 64 % 8)
			damaged(fmt.Sprint("bit of byte ", at), data)
		}
		damaged("cut", []byte(text[:len(text)/2]))
		damaged("empty", nil)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := readAll(opts.Dir); err == nil {
			t.Errorf("%s is missing and nobody says so", name)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := readAll(opts.Dir); err != nil {
		t.Error(err)
	}
}

// TestWholeButWrong: tables that are whole but of another schema, or not ours.
func TestWholeButWrong(t *testing.T) {
	dir := t.TempDir()
	opts := options(sampleLogs(t, dir, 2), filepath.Join(dir, "data"))
	build(t, opts)
	path := filepath.Join(opts.Dir, "meta.arrow")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.ReplaceAll(data, []byte("\x01\x00\x00\x001\x00\x00\x00"), []byte("\x01\x00\x00\x009\x00\x00\x00"))
	for what, c := range map[string]struct {
		data []byte
		want string
	}{
		"a newer schema":   {newer, "or another wmtune wrote it; build it again"},
		"no dataset":       {bytes.ReplaceAll(data, []byte("wmtune.dataset"), []byte("wmtune.elsewhr")), "its columns are not those of the table meta of version 1: it is no dataset"},
		"another table":    {[]byte(bytesOf(t, opts.Dir)["tasks.arrow"]), "its columns are not those of the table meta"},
		"no Arrow file":    {[]byte("hello"), "it is no Arrow file"},
		"an empty file":    {nil, "it is no Arrow file"},
		"lengths that lie": {bytes.ReplaceAll(data, data[len(data)-10:len(data)-6], []byte{0xff, 0xff, 0xff, 0x7f}), "it is no Arrow file"},
	} {
		if err := os.WriteFile(path, c.data, 0o666); err != nil {
			t.Fatal(err)
		}
		sums(t, opts.Dir)
		refuses(t, what, readAll(opts.Dir), c.want)
	}
	refuses(t, "no folder", readAll(filepath.Join(dir, "none")), "there is no such folder")
	refuses(t, "a folder without one", readAll(dir), "it holds no whole dataset")
}

// sums writes SHA256SUMS as if the files were right.
func sums(t *testing.T, dir string) {
	t.Helper()
	if err := trajectory.WriteSums(dir); err != nil {
		t.Fatal(err)
	}
}

// TestDiskFull: the disk is full when the parts are joined; with space again, only
// that is done.
func TestDiskFull(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	dir := t.TempDir()
	opts := options(sampleLogs(t, dir, 4), filepath.Join(dir, "data"))
	if err := os.MkdirAll(filepath.Join(opts.Dir, ".parts"), 0o777); err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(opts.Dir, "states.arrow")
	if err := os.Symlink("/dev/full", full); err != nil {
		t.Fatal(err)
	}
	_, err := trajectory.Build(t.Context(), opts)
	refuses(t, "a full disk", err, "no space left on device; free some space and run the same command again")
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	dag := opts.DAG
	opts.DAG = func(text string) (*compute.DAG, error) {
		t.Errorf("%s is done again", text)
		return dag(text)
	}
	build(t, opts)
	if err := readAll(opts.Dir); err != nil {
		t.Error(err)
	}
}

// TestBadInput: what is wrong with inputs and folders is said in a sentence.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	logs := sampleLogs(t, dir, 2)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("hello"), 0o666); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		change func(o *trajectory.Options)
		want   string
	}{
		"no such log":       {func(o *trajectory.Options) { o.Logs = []string{filepath.Join(dir, "none.arrow")} }, "none.arrow: no such file"},
		"not a log":         {func(o *trajectory.Options) { o.Logs = []string{file} }, "is not a tuning log"},
		"a file for folder": {func(o *trajectory.Options) { o.Dir = file }, "cannot be written"},
		"unknown workload": {func(o *trajectory.Options) {
			o.DAG = func(string) (*compute.DAG, error) { return nil, fmt.Errorf("no operator magic") }
		}, "its workload cannot be built: no operator magic"},
	} {
		o := options(logs, filepath.Join(dir, "data"))
		c.change(&o)
		_, err := trajectory.Build(t.Context(), o)
		refuses(t, what, err, c.want)
	}
	o := options(nil, filepath.Join(dir, "nothing"))
	if m := build(t, o); m.Trajectories != 0 {
		t.Errorf("%+v", m)
	}
	if err := readAll(o.Dir); err != nil {
		t.Error("a dataset of no logs:", err)
	}
}
