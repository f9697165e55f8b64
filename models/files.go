package models

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/zstd"
)

// readFiles reads the files of a model and holds them against its manifest.
func readFiles(dir fs.FS) (*Manifest, map[string][]byte, error) {
	file, err := openFile(dir, ManifestName, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("there is no %s: it is not the folder of a model; 'wmtune train all' makes one", ManifestName)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", ManifestName, err)
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, nil, err
	}
	m, err := readManifest(data)
	if err != nil {
		return nil, nil, err
	}
	files := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		b, err := m.Files[name].read(dir, name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && slices.Contains(recordFiles, name):
			continue
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, fmt.Errorf("%s is missing, %s lists it: copy the whole folder", name, ManifestName)
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = b
	}
	return m, files, nil
}

// Limits of what is read, many times what a model has.
const (
	maxManifest = 64 << 20  // bytes
	maxFile     = 256 << 20 // bytes of one file, unpacked
)

// openFile opens a regular file of a folder that has at most so many bytes.
func openFile(dir fs.FS, name string, most int64) (fs.File, error) {
	info, err := fs.Stat(dir, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > most:
		return nil, fmt.Errorf("it has %d bytes, more than the %d that it may have: it is another file", info.Size(), most)
	}
	return dir.Open(name)
}

// packed ends the name of a file that is compressed with zstd.
const packed = ".zst"

// read returns a file of a folder, or of NAME.zst unpacked, if it has the bytes that it should
// have. It allocates no more than is there.
func (f File) read(dir fs.FS, name string) ([]byte, error) {
	file, err := openFile(dir, name, f.Bytes)
	var r io.Reader = file
	if errors.Is(err, fs.ErrNotExist) {
		if file, err = openFile(dir, name+packed, maxFile); err == nil {
			d, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
			if err != nil {
				return nil, errors.Join(err, file.Close())
			}
			defer d.Close()
			r = d
		}
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b := bytes.NewBuffer(make([]byte, 0, min(f.Bytes+bytes.MinRead, 8<<20)))
	if _, err := b.ReadFrom(io.LimitReader(r, f.Bytes+1)); err != nil {
		return nil, fmt.Errorf("%w; copy the folder again", err)
	}
	return b.Bytes(), f.check(b.Bytes())
}

// check holds what a file has against what it should have.
func (f File) check(b []byte) error {
	switch {
	case int64(len(b)) < f.Bytes:
		return fmt.Errorf("it has %d bytes of %d: it was cut short; copy the folder again", len(b), f.Bytes)
	case fileOf(b) != f:
		return errors.New("it is not the file that the manifest lists: it was changed or is another model's; copy the folder again")
	}
	return nil
}

// fileOf describes the contents of a file.
func fileOf(b []byte) File {
	sum := sha256.Sum256(b)
	return File{hex.EncodeToString(sum[:]), int64(len(b))}
}

// Write completes the folder of a model: it lists the files of its parts, and the
// records of their trees if they are there, with their hashes, and writes the manifest
// last, so that a folder with a manifest is whole.
func Write(dir string, m Manifest) error {
	m.Format, m.Files = Format, map[string]File{}
	names, err := partNames(dir, m.Parts)
	if err != nil {
		return err
	}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("models: %w", err)
		}
		m.Files[name] = fileOf(b)
	}
	if err := m.check(); err != nil {
		return fmt.Errorf("models: %s: %w", dir, err)
	}
	data, err := m.bytes()
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(dir, ManifestName), data, 0o666, renameio.WithTempDir(dir)); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	return nil
}

// recordFiles are the trees as XGBoost writes them: nothing reads them, and a model without them
// is whole.
var recordFiles = []string{"ranker.json", "safe-ranker.json"}

// partNames returns the files of parts in a folder, sorted.
func partNames(dir string, parts []Part) ([]string, error) {
	var names []string
	for _, p := range parts {
		names = append(names, partFiles[p]...)
	}
	for _, record := range recordFiles {
		if _, err := os.Stat(filepath.Join(dir, record)); err == nil {
			names = append(names, record)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
