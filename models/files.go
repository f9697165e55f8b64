package models

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// readFiles reads the files of a model and holds them against its manifest.
func readFiles(dir fs.FS) (*Manifest, map[string][]byte, error) {
	data, err := fs.ReadFile(dir, ManifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("there is no %s: it is not the folder of a model; 'wmtune train all' makes one", ManifestName)
	}
	if err != nil {
		return nil, nil, err
	}
	m, err := readManifest(data)
	if err != nil {
		return nil, nil, err
	}
	files := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		b, err := fs.ReadFile(dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("%s is missing, %s lists it: copy the whole folder", name, ManifestName)
		}
		if err != nil {
			return nil, nil, err
		}
		if err := m.Files[name].check(b); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = b
	}
	return m, files, nil
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
	path := filepath.Join(dir, ManifestName)
	if err := os.WriteFile(path+".new", data, 0o666); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	return nil
}

// partNames returns the files of parts in a folder, sorted.
func partNames(dir string, parts []Part) ([]string, error) {
	var names []string
	for _, p := range parts {
		names = append(names, partFiles[p]...)
	}
	for _, record := range []string{"ranker.json", "safe-ranker.json"} {
		if _, err := os.Stat(filepath.Join(dir, record)); err == nil {
			names = append(names, record)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
