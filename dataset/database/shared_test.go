package database

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/target"
)

// TestPrivate: whatever the umask is, only this user can read or write what a database makes.
func TestPrivate(t *testing.T) {
	defer unix.Umask(unix.Umask(0))
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o700); err != nil { // t.TempDir made it by the umask
		t.Fatal(err)
	}
	d, err := Open(dir)
	if err != nil || d.Shared() != nil {
		t.Fatal(err, d.Shared())
	}
	key := Key("x")
	d.Put("object", key, []byte("code"))
	if log := d.Begin("w", target.Generic(8, 1), target.Keep); log != d.Log("w", target.Generic(8, 1), target.Keep) {
		t.Error(log)
	}
	files := 0
	err = filepath.WalkDir(filepath.Dir(dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %s", path, info.Mode())
		}
		files++
		return err
	})
	if err != nil || files != 6 || string(d.Get("object", key)) != "code" {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestShared: what another user can have written is neither used nor kept, and the sentence names the place.
func TestShared(t *testing.T) {
	key := Key("x")
	for _, name := range []string{"", "object", "object/" + key[:2], "choice"} {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		open := func() *Database {
			d, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		d := open()
		d.Put("object", key, []byte("code"))
		d.Put("choice", Key("y"), []byte("steps"))
		path := filepath.Join(dir, name)
		if err := os.Chmod(path, 0o775); err != nil {
			t.Fatal(err)
		}
		d = open()
		if err := d.Shared(); err == nil || !strings.Contains(err.Error(), "other users can write to "+path+":") {
			t.Errorf("%s: %v", name, err)
		}
		d.Put("object", Key("z"), []byte("code"))
		if d.Get("object", key) != nil || d.Get("choice", Key("y")) != nil || d.Timed(1).Get("object", key) != nil {
			t.Errorf("%s: used", name)
		}
		c, err := d.Verify()
		if err != nil || c.Objects != 1 || len(c.Damage) != 1 || !strings.Contains(c.Damage[0], "kernels and choices") {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if d = open(); string(d.Get("object", key)) != "code" {
			t.Errorf("%s: not used when it is this user's again: %v", name, d.Shared())
		}
	}
}

// TestSharedFile: a file that another user can write to is not used in a folder that none can.
func TestSharedFile(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	key := Key("x")
	d.Put("object", key, []byte("code"))
	if err := os.Chmod(d.path("object", key), 0o622); err != nil {
		t.Fatal(err)
	}
	if d.Get("object", key) != nil {
		t.Error("used")
	}
	d.Put("object", key, []byte("code")) // takes its place
	if string(d.Get("object", key)) != "code" {
		t.Error("not made again")
	}
	if os.Geteuid() == 0 && os.Chown(d.path("object", key), 12345, -1) == nil && d.Get("object", key) != nil {
		t.Error("a file of another user is used")
	}
}

// reader is the environment variable that makes TestReadOnly look at a database that it cannot write to.
const reader = "WMTUNE_TEST_READ"

// TestReadOnly: of a database that this user cannot write to, logs are read, and kernels and choices are used if its
// owner is root or this user. Nothing is kept, and one sentence says so.
func TestReadOnly(t *testing.T) {
	if dir := os.Getenv(reader); dir != "" {
		readOnly(t, dir, os.Getenv("OWNER") == "0")
		return
	}
	top := t.TempDir()
	dir := filepath.Join(top, "db")
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	d.Put("object", Key("x"), []byte("code"))
	log, err := dataset.OpenWriter(d.Begin(workloadOf(0), here, target.Rewrite), dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Append([]dataset.Record{record(1, 0)}); err != nil {
		t.Fatal(err)
	}
	log.Close()
	change := func(owner int, folders, files os.FileMode) {
		err := filepath.WalkDir(filepath.Dir(top), func(path string, e fs.DirEntry, err error) error {
			mode := files
			if e.IsDir() {
				mode = folders
			}
			if err == nil && strings.HasPrefix(path, dir) {
				err = os.Chown(path, owner, -1)
			}
			if err == nil {
				err = os.Chmod(path, mode)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if me := os.Geteuid(); me != 0 {
		change(me, 0o500, 0o400)
		readOnly(t, dir, true)
		change(me, 0o700, 0o600)
		return
	}
	for _, owner := range []int{0, 23456} {
		change(owner, 0o755, 0o644)
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestReadOnly$") // which another user may start, wherever it is
		cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
		cmd.Env = append(os.Environ(), reader+"="+dir, "OWNER="+strconv.Itoa(owner))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("of user %d: %v\n%s", owner, err, out)
		}
	}
}

func readOnly(t *testing.T, dir string, trusted bool) {
	t.Helper()
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.ReadOnly(); err == nil || !strings.Contains(err.Error(), dir+": permission denied; nothing is kept") {
		t.Errorf("who writes: %v", err)
	}
	if got := d.Get("object", Key("x")); (d.Shared() == nil) != trusted || (string(got) == "code") != trusted {
		t.Errorf("trusted: %v; %v, %q", trusted, d.Shared(), got)
	}
	d.Put("object", Key("new"), []byte("code"))
	began := d.Begin(workloadOf(1), here, target.Rewrite)
	if _, err := os.Stat(began); err == nil || d.Get("object", Key("new")) != nil {
		t.Errorf("%s is kept: %v", began, err)
	}
	if list, err := d.Records(workloadOf(0), here, target.Rewrite); err != nil || len(list) != 1 {
		t.Errorf("%d records, %v", len(list), err)
	}
}

// TestNoFiles: what is no file is named by Verify, and nobody waits for it.
func TestNoFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{Key("zero"), Key("pipe"), Key("good")}
	for _, key := range keys {
		d.Put("object", key, []byte("code"))
	}
	path := func(i int) string { return d.path("object", keys[i]) }
	log := d.Log("w", target.Generic(8, 1), target.Keep)
	for _, err := range []error{os.Remove(path(0)), os.Remove(path(1)), os.Symlink("/dev/zero", path(0)),
		unix.Mkfifo(path(1), 0o600), unix.Mkfifo(log, 0o600), os.Symlink(log, log[:len(log)-8]+"0f.arrow")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	c, err := d.Verify()
	text := strings.Join(c.Damage, "\n")
	if err != nil || len(c.Damage) != 4 || !strings.Contains(text, path(0)+": it is a device, not a regular file") ||
		!strings.Contains(text, path(1)+": it is a pipe, not a regular file") ||
		!strings.Contains(text, "log "+log+": it is a pipe, not a regular file") {
		t.Errorf("%v\n%s", err, text)
	}
	if d.Get("object", keys[0]) != nil || d.Get("object", keys[1]) != nil || d.Get("object", keys[2]) == nil {
		t.Error("Get")
	}
	if path, err := d.SetAside("w", target.Generic(8, 1), target.Keep); path != "" || err != nil {
		t.Error(path, err)
	}
	if list, err := d.Records("w", target.Generic(8, 1), target.Keep); len(list) != 0 || err == nil {
		t.Error(list, err)
	}
	d.Put("object", keys[1], []byte("code")) // takes the pipe's place
	if string(d.Get("object", keys[1])) != "code" {
		t.Error("not made again")
	}
}
