// Package database keeps what was found for tasks in a folder, so that it is found once: tuning logs, one a task and
// target, and small results of long work, by a hash of what they depend on. Several processes may use a folder at once.
// Readers check records again. What Put kept is used only if no other user can have written it: code is run, and a
// choice decides what code is made.
//
// It must not know how schedules are found or compiled.
package database

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/target"
)

// A Database is a folder. The nil Database holds nothing and keeps nothing.
type Database struct {
	dir    string
	timing measure.Timing // of the logs
	shared error          // see Shared
}

// Open opens the database in a folder, which is made if it is missing.
func Open(dir string) (*Database, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("record database: %w; choose another folder with --database", err)
	}
	d := &Database{dir: dir}
	names, err := fs.Glob(os.DirFS(dir), "*/??") // where Put keeps files
	for _, name := range append(names, ".") {
		if err == nil {
			err = file.Private(filepath.Join(dir, name))
		}
	}
	if err != nil {
		d.shared = fmt.Errorf("record database: its kernels and choices are not used, since %w", err)
	}
	return d, nil
}

// Shared says who else can write to the database, so that Get and Put do nothing; nil if nobody can.
func (d *Database) Shared() error { return d.shared }

// ReadOnly is an error if this user cannot write to the folder: what is there is used, and nothing is kept.
func (d *Database) ReadOnly() error {
	if err := unix.Access(d.dir, unix.W_OK); err != nil {
		return fmt.Errorf("record database %s: %w; nothing is kept", d.dir, err)
	}
	return nil
}

// Timed returns the database with the logs of times of a kind: other kinds have other logs. Open returns the one of
// repeated times.
func (d *Database) Timed(t measure.Timing) *Database {
	if d == nil {
		return nil
	}
	return &Database{d.dir, t, d.shared}
}

// Dir returns the folder; "" of a nil Database.
func (d *Database) Dir() string {
	if d == nil {
		return ""
	}
	return d.dir
}

// The name of a log is between these: half a key of its workload, then one of all else that its records depend on.
const logPrefix, logEnding = "log-", ".arrow"

// keyLength is the length of a key.
const keyLength = 2 * sha256.Size

// Log returns the path of the tuning log of a workload, by its text, on a target; "" of a nil Database.
func (d *Database) Log(workload string, t target.Target, l target.Layout) string {
	if d == nil {
		return ""
	}
	return filepath.Join(d.dir, logPrefix+workloadKey(workload)+
		Key(Machine(workload, t), l.String(), fmt.Sprint(dataset.LogVersion(d.timing)))[:16]+logEnding)
}

// Begin is Log for a search that writes the log: one that is missing is made, for this user alone.
func (d *Database) Begin(workload string, t target.Target, l target.Layout) string {
	path := d.Log(workload, t, l)
	if path != "" {
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil { // else the search says why
			f.Close()
		}
	}
	return path
}

func workloadKey(workload string) string { return Key(workload)[:16] }

// Records returns the records of a workload on a target, in the order in which they were measured. A log that cannot be
// read is an error; one that is missing holds none.
func (d *Database) Records(workload string, t target.Target, l target.Layout) ([]dataset.Record, error) {
	path := d.Log(workload, t, l)
	if path == "" {
		return nil, nil
	}
	list, _, err := dataset.ReadLog(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	used(path)
	return slices.DeleteFunc(list, func(r dataset.Record) bool { return r.Workload != workload }), err
}

// Key returns a hash of texts, in hexadecimal.
func Key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d %s\n", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// maxKept bounds the bytes of a file of Put: a kernel has some hundred thousand.
const maxKept = 1 << 30

// Get returns what Put kept under a kind and a key, or nil. What was damaged, or what another user can write to, is not
// returned.
func (d *Database) Get(kind, key string) []byte {
	if d == nil || d.shared != nil {
		return nil
	}
	data, err := file.ReadPrivate(d.path(kind, key), maxKept)
	if err != nil {
		return nil
	}
	found := body(data)
	if found != nil {
		used(d.path(kind, key))
	}
	return found
}

// used says that a file was used: Clean leaves it.
func used(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// body returns what a file of Put holds, or nil if it is damaged.
func body(data []byte) []byte {
	if len(data) < sha256.Size {
		return nil
	}
	sum, body := data[:sha256.Size], data[sha256.Size:]
	if want := sha256.Sum256(body); !bytes.Equal(sum, want[:]) {
		return nil
	}
	return body
}

// Put keeps data. It is a cache: what cannot be written is not kept.
func (d *Database) Put(kind, key string, data []byte) {
	if d == nil || d.shared != nil {
		return
	}
	path := d.path(kind, key)
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path))) // for this user alone
	if err != nil {
		return
	}
	defer f.Cleanup()
	sum := sha256.Sum256(data)
	if _, err := f.Write(append(sum[:], data...)); err == nil {
		_ = f.CloseAtomicallyReplace()
	}
}

func (d *Database) path(kind, key string) string { return filepath.Join(d.dir, kind, key[:2], key) }
