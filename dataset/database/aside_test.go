package database

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/tir/target"
)

// TestSetAside: a damaged log gets another name, unless a search has it open. One that can be read, or that a newer
// wmtune wrote, stays.
func TestSetAside(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	setAside := func(workload, want string) {
		t.Helper()
		if path, err := d.SetAside(workload, generic, target.Keep); err != nil || path != want {
			t.Errorf("%s: set aside as %q, %v, want %q", workload, path, err, want)
		}
	}
	log := func(workload string) string { return d.Log(workload, generic, target.Keep) }
	setAside("missing", "")
	w, err := dataset.OpenWriter(log("whole"), dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	setAside("whole", "")
	if err := os.WriteFile(log("damaged"), make([]byte, 4096), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(log("damaged"))
	if err != nil {
		t.Fatal(err)
	}
	if free, err := file.TryLock(f); err != nil || !free {
		t.Fatal(free, err)
	}
	setAside("damaged", "")
	f.Close()
	aside := log("damaged") + ".damaged"
	setAside("damaged", aside)
	setAside("damaged", "")
	if _, err := os.Stat(log("damaged")); err == nil {
		t.Error("it is still there")
	}
	newer, err := os.ReadFile(log("whole")) // the schema, with a seal of 24 bytes at its end
	if err != nil {
		t.Fatal(err)
	}
	seal := newer[len(newer)-24:]
	seal[7] = dataset.SchemaVersion + 1
	clear(seal[12:16])
	binary.LittleEndian.PutUint32(seal[12:], crc32.Checksum(newer, crc32.MakeTable(crc32.Castagnoli)))
	if err := os.WriteFile(log("newer"), newer, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := dataset.ReadLog(log("newer")); !errors.Is(err, dataset.ErrNewer) {
		t.Fatal(err)
	}
	setAside("newer", "")

	c, err := d.Verify()
	damage := strings.Join(c.Damage, "\n")
	if err != nil || c.Logs != 2 || !strings.Contains(damage, aside+": a damaged log that was set aside") {
		t.Errorf("%+v, %v", c, err)
	}
	if files, _, err := d.Clean(time.Now().Add(time.Minute)); err != nil || files != 3 {
		t.Errorf("removed %d files, %v", files, err)
	}
}

// TestCleanForeign: what is no log by its whole name is not the database's.
func TestCleanForeign(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"log-mine.arrow", "log-" + strings.Repeat("x", 32) + ".arrow",
		"log-" + strings.Repeat("0", 33) + ".arrow", "log-mine.arrow.damaged"} {
		if err := os.WriteFile(filepath.Join(d.Dir(), name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if files, _, err := d.Clean(time.Now().Add(time.Minute)); err != nil || files != 0 {
		t.Errorf("removed %d files, %v", files, err)
	}
}
