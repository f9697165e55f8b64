package database

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/target"
)

// TestClean: what was not used for a while goes, and nothing that is not the database's.
func TestClean(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log, foreign := d.Log("w", target.Generic(32, 2), target.Keep), filepath.Join(d.Dir(), "thesis.txt")
	used, unused, choice := Key("used"), Key("unused"), Key("choice")
	d.Put("object", used, []byte("used"))
	d.Put("object", unused, []byte("12345678"))
	d.Put("choice", choice, []byte("steps"))
	for _, path := range []string{log, foreign} {
		if err := os.WriteFile(path, []byte("12345"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := Contents{Dir: d.Dir(), Bytes: 5 + 36 + 40 + 37, Logs: 1, Choices: 1, Objects: 2}
	if c, err := d.Contents(); err != nil || c != want {
		t.Errorf("contents %+v, %v, want %+v", c, err, want)
	}
	old := time.Now().Add(-time.Hour)
	for _, path := range []string{foreign, d.path("object", used), d.path("object", unused)} {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if d.Get("object", used) == nil {
		t.Fatal("it is gone")
	}
	if files, bytes, err := d.Clean(time.Now().Add(-time.Minute)); err != nil || files != 1 || bytes != 40 {
		t.Errorf("removed %d files, %d bytes, %v", files, bytes, err)
	}
	if d.Get("object", used) == nil || d.Get("object", unused) != nil || d.Get("choice", choice) == nil {
		t.Error("the wrong files are gone")
	}
	if files, _, err := d.Clean(time.Now().Add(time.Minute)); err != nil || files != 3 {
		t.Errorf("removed %d files, %v", files, err)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
}

// TestCleanLogs: a log that was read goes as little as one that was written, or that a search has open.
func TestCleanLogs(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	read, open, unused := d.Log("read", generic, target.Keep), d.Log("open", generic, target.Keep),
		d.Log("unused", generic, target.Keep)
	old := time.Now().Add(-time.Hour)
	for _, path := range []string{read, open, unused} {
		w, err := dataset.OpenWriter(path, dataset.WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if path == open {
			defer w.Close()
		} else if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Records("read", generic, target.Keep); err != nil {
		t.Fatal(err)
	}
	if files, _, err := d.Clean(time.Now().Add(-time.Minute)); err != nil || files != 1 {
		t.Errorf("removed %d files, %v", files, err)
	}
	if _, err := os.Stat(unused); err == nil {
		t.Error("the wrong file is gone")
	}
}

var generic = target.Generic(32, 2)

// TestParseAge: ages may be in days.
func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "12h": 12 * time.Hour,
		"1.5d": 36 * time.Hour, "0h": 0} {
		if got, err := ParseAge(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "x", "-1d", "3", "999999999h", "150000d"} {
		if got, err := ParseAge(text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}
