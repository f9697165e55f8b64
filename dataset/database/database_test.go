package database

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGetPut: what was put is returned under its kind and key, and not if a byte of it has changed.
func TestGetPut(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	key := Key("x", "y")
	if d.Get("object", key) != nil {
		t.Error("an empty database has something")
	}
	d.Put("object", key, []byte("code"))
	if got := string(d.Get("object", key)); got != "code" {
		t.Errorf("got %q", got)
	}
	if d.Get("choice", key) != nil || d.Get("object", Key("xy", "")) != nil {
		t.Error("another kind or key is found")
	}
	path := d.path("object", key)
	data, _ := os.ReadFile(path)
	data[len(data)-1]++
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if d.Get("object", key) != nil {
		t.Error("damaged data is returned")
	}
	var none *Database
	if none.Put("object", key, nil); none.Get("object", key) != nil || none.Dir() != "" {
		t.Error("the nil Database holds something")
	}
}
