package compile

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/tune/folder"
)

// resultFile is the file of a bundle's folder that describes it.
func resultFile(name string) string { return name + ".json" }

// folderOf returns the absolute path of the folder that dir names. That of a link is where it leads: a folder takes the
// place of another folder, and not of a link to it.
func folderOf(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Lstat(dir); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return dir, nil
	}
	to, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("folder for the bundle: the link %s leads nowhere; choose another with --out", dir)
	}
	return to, nil
}

// checkFolder makes sure that a bundle may take the place of what is at dir: nothing, an empty folder, or a bundle and
// no file besides. It returns the files of the bundle, their lists last.
func checkFolder(dir string) (old []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
			return nil, folderError(dir, err)
		}
		return nil, nil
	}
	if err != nil {
		return nil, folderError(dir, err)
	}
	var lists []string
	for _, e := range entries {
		if r, err := readResult(filepath.Join(dir, e.Name())); err == nil {
			lists = append(lists, e.Name())
			old = append(old, r.Files...)
		}
	}
	old = append(slices.DeleteFunc(old, func(name string) bool { return slices.Contains(lists, name) }), lists...)
	known := append([]string{"example", "__pycache__"}, old...) // example.c and example.py make these
	var foreign []string
	for _, e := range entries {
		if !slices.Contains(known, e.Name()) && !strings.HasPrefix(e.Name(), ".wmtune.") {
			foreign = append(foreign, e.Name())
		}
	}
	if len(foreign) > 0 {
		return nil, fmt.Errorf("folder %s holds files that wmtune did not write: %s; move them or choose "+
			"another folder with --out",
			dir, strings.Join(foreign[:min(len(foreign), 5)], ", "))
	}
	return old, nil
}

// newStage makes the folder that a bundle for dir is made in: beside dir, or inside of it where the two cannot change
// places.
func newStage(dir string) (*folder.Stage, error) {
	stage, err := (*folder.Stage)(nil), errors.ErrUnsupported
	if folder.Exchangeable(dir) {
		stage, err = folder.NewStage(dir)
	}
	if _, none := os.Stat(dir); err != nil && none == nil {
		stage, err = folder.NewStageIn(dir)
	}
	if err != nil {
		return nil, folderError(dir, err)
	}
	return stage, nil
}

// folderError says of a system's error that the folder of a bundle cannot be made. What the system says names files of
// passing names.
func folderError(dir string, err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("folder for the bundle: %s: %w; choose another with --out", dir, err)
}

// maxDescription bounds the bytes of NAME.json, and of NAME.tir: those of large models have some ten million.
const maxDescription = 1 << 30

// readResult reads NAME.json of a bundle.
func readResult(path string) (*Result, error) {
	if filepath.Ext(path) != ".json" {
		return nil, fmt.Errorf("%s: not a bundle's description", path)
	}
	data, err := file.Read(path, maxDescription)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Name == "" || len(r.Files) == 0 {
		return nil, fmt.Errorf("%s: not a bundle's description", path)
	}
	if r.Name != model.CIdentifier(r.Name) { // it begins names of files and functions
		return nil, fmt.Errorf("%s: the name %q cannot be a library's: compile the model again", path, r.Name)
	}
	return r, nil
}

// files writes the rest of the bundle: the object, the header, examples, and the description.
func (c *compilation) files(stage *folder.Stage, built *model.Bundle) error {
	r, dir := &c.result, stage.Dir
	for _, f := range built.Files(c.note()) {
		if err := stage.Put(f); err != nil && !errors.Is(err, fs.ErrExist) { // the library is there
			return fmt.Errorf("write the bundle: %w", err)
		}
	}
	if err := c.writePrograms(stage); err != nil {
		return err
	}
	if c.opt.Embed {
		os.Remove(filepath.Join(dir, r.Name+".weights"))
	}
	r.Files = nil
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		r.Files = append(r.Files, e.Name())
	}
	r.Files = append(r.Files, resultFile(r.Name))
	slices.Sort(r.Files)
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := stage.Write(resultFile(r.Name), append(data, '\n'), 0o666); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

// exchange is replaced in tests.
var exchange = (*folder.Stage).Exchange

// replaceFolder puts a folder in the place of dir, at once, or its files where that cannot be: see newStage. A file
// system that cannot exchange folders is found out here.
func replaceFolder(stage *folder.Stage, dir, name string) error {
	lock, err := lockFolder(dir) // files of two compilations must not mix
	if err != nil {
		return err
	}
	defer lock.Close()
	old, err := checkFolder(dir) // again: compiling took a while
	if err != nil {
		return err
	}
	if filepath.Dir(stage.Dir) != dir && !holdsStage(dir) {
		err := exchange(stage, dir)
		if err == nil {
			return nil
		}
		if _, none := os.Stat(dir); none != nil {
			return folderError(dir, err)
		}
	}
	if err := stage.Rewrite(dir, resultFile(name), old); err != nil {
		return folderError(dir, err)
	}
	return nil
}

// holdsStage reports whether another compilation makes its bundle inside of dir.
func holdsStage(dir string) bool {
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".wmtune.") })
}

// lockFolder locks a folder that is there, once no other compilation puts files there.
func lockFolder(dir string) (*os.File, error) {
	for n := 0; ; n++ {
		lock, err := folder.Lock(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case errors.Is(err, folder.ErrLocked) && n < 100:
			time.Sleep(100 * time.Millisecond)
			continue
		}
		return lock, err
	}
}

// objects is the cache of compiled kernels in a record database.
type objects struct{ db *database.Database }

func objectCache(db *database.Database) model.Cache {
	if db == nil {
		return nil
	}
	return objects{db}
}

func (o objects) Get(key [32]byte) []byte { return o.db.Get("object", hex.EncodeToString(key[:])) }

func (o objects) Put(key [32]byte, object []byte) {
	o.db.Put("object", hex.EncodeToString(key[:]), object)
}

// note is text for the head of the header.
func (c *compilation) note() string {
	if c.model.Path == "" {
		return ""
	}
	return "made from " + filepath.Base(c.model.Path)
}
