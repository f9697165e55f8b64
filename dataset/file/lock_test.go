package file

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTryLock: one open file at a time has the lock, which ends when the file is closed.
func TestTryLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	defer second.Close()
	if free, err := TryLock(first); !free || err != nil {
		t.Errorf("the first: %v, %v", free, err)
	}
	if free, err := TryLock(second); free || err != nil {
		t.Errorf("the second: %v, %v", free, err)
	}
	first.Close()
	if free, err := TryLock(second); !free || err != nil {
		t.Errorf("after the first: %v, %v", free, err)
	}
	if _, err := TryLock(first); err == nil {
		t.Error("a closed file has the lock")
	}
	SyncDir(path + "/nothing") // no folder: nothing to do
}
