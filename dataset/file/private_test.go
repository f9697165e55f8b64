package file

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPrivate: a folder is this user's alone unless it, or one above it, is open to others.
func TestPrivate(t *testing.T) {
	top := t.TempDir()
	if err := os.Chmod(top, 0o700); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	above, dir := filepath.Join(top, "above"), filepath.Join(top, "above", "dir")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(top, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		above, dir os.FileMode
		want       string // a part of the error
	}{
		{0o700, 0o700, ""},
		{0o755, 0o755, ""},
		{0o700, 0o777, dir},
		{0o700, 0o720, dir},
		{0o700, 0o702, dir},
		{0o700, 0o777 | os.ModeSticky, dir},
		{0o777, 0o700, above},
		{0o777 | os.ModeSticky, 0o700, ""},
	} {
		for path, mode := range map[string]os.FileMode{above: c.above, dir: c.dir} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{dir, link} {
			err := Private(path)
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want+":") {
				t.Errorf("%o in %o, %s: %v", c.dir, c.above, path, err)
			}
		}
	}
	if err := Private(filepath.Join(top, "none")); err == nil {
		t.Error("a folder that is not there")
	}
	info, err := os.Lstat(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, above := range []bool{false, true} {
		if err := private(top, owned{info, 12345}, above); err == nil || !strings.Contains(err.Error(), "another user") {
			t.Errorf("of another user: %v", err)
		}
		if err := private(top, owned{info, 0}, above); err != nil {
			t.Errorf("of root: %v", err)
		}
	}
	if os.Geteuid() != 0 { // only root can make folders of other users
		return
	}
	for _, path := range []string{dir, above} {
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if err := Private(dir); err == nil || !strings.Contains(err.Error(), path+" belongs to another user") {
			t.Errorf("%s: %v", path, err)
		}
		if err := os.Chown(path, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
}

// An owned file is one of a user.
type owned struct {
	os.FileInfo
	uid uint32
}

func (o owned) Sys() any { return &syscall.Stat_t{Uid: o.uid} }

// TestReadPrivate: a file is read unless another user could have written it.
func TestReadPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]bool{0o600: true, 0o644: true, 0o666: false, 0o620: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if data, err := ReadPrivate(path, 9); (err == nil && string(data) == "text") != want {
			t.Errorf("%o: %q, %v", mode, data, err)
		}
	}
}
