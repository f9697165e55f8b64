package models

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/nn/onnx"
	"github.com/wmtune/wmtune/tir/target"
)

// Format is the version of the folders that this program reads and writes.
const Format = 1

// ManifestName is the file that says what is in a model's folder.
const ManifestName = "model.json"

// A Part is a trained part of a model.
type Part string

// The parts, in the order in which they are trained.
const (
	Encoder    Part = "encoder"
	Transition Part = "transition"
	Ranker     Part = "ranker"
	// a ranker that also sees lowered programs, for a closer look at the best
	Refiner Part = "refiner"
)

// partFiles are the files that a part must have.
var partFiles = map[Part][]string{
	Encoder:    {"tokenizer.json", "encoder.onnx"},
	Transition: {"transition.onnx"},
	Ranker:     {"ranker.onnx", "ranker.trees"},
	Refiner:    {"refiner-ranker.onnx", "refiner-ranker.trees"},
}

// Parts lists the parts.
func Parts() []Part { return []Part{Encoder, Transition, Ranker, Refiner} }

// Files lists the files that a part must have.
func (p Part) Files() []string { return slices.Clone(partFiles[p]) }

// A Manifest says what a model is. Fields may be added; a change of meaning is
// another Format.
type Manifest struct {
	Format int             `json:"format"`
	Tool   string          `json:"wmtune"` // version that trained it
	Kind   target.Kind     `json:"target"`
	Parts  []Part          `json:"parts"`
	Files  map[string]File `json:"files"` // all but the manifest and the card

	Seed  uint64 `json:"seed"`
	Split string `json:"split"` // rules of dataset/split, and which of them
	Data  []Data `json:"data"`

	Variant string             `json:"variant,omitempty"` // an ablation, of a wmtune that trained them
	Weights map[string]float64 `json:"weights,omitempty"` // of what is added up to a score, as the ranker chose them
	Metrics map[string]float64 `json:"metrics,omitempty"` // on validation tasks
	OOD     OODDetector        `json:"guard"`
}

// A File is one file of a model.
type File struct {
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Data is a log that a model was trained on.
type Data struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Has reports whether the model has a part.
func (m *Manifest) Has(p Part) bool { return slices.Contains(m.Parts, p) }

// readManifest decodes a manifest and checks what it says of itself.
func readManifest(data []byte) (*Manifest, error) {
	m := &Manifest{}
	switch err := json.Unmarshal(data, m); {
	case m.Format != Format && (err == nil || m.Format != 0):
		return nil, fmt.Errorf("%s: format %d, this wmtune reads format %d: use a model or a wmtune of the same age",
			ManifestName, m.Format, Format)
	case err != nil:
		return nil, fmt.Errorf("%s: %w; the model is damaged", ManifestName, err)
	}
	return m, m.check()
}

func (m *Manifest) check() error {
	switch {
	case m.Kind == "":
		return fmt.Errorf("%s: no target is named", ManifestName)
	case !m.Has(Ranker):
		return fmt.Errorf("%s: parts %v: there is no ranker, so nothing can be scored", ManifestName, m.Parts)
	case m.Variant != "":
		return fmt.Errorf("%s: the model is the ablation %q, which no wmtune scores with any more: train its ranker again",
			ManifestName, m.Variant)
	}
	for _, p := range m.Parts {
		files, ok := partFiles[p]
		if !ok {
			return fmt.Errorf("%s: unknown part %q", ManifestName, p)
		}
		for _, name := range files {
			if _, ok := m.Files[name]; !ok {
				return fmt.Errorf("%s: part %s needs %s, which is not listed", ManifestName, p, name)
			}
		}
	}
	for name, f := range m.Files {
		if f.Bytes < 0 || f.Bytes > maxFile {
			return fmt.Errorf("%s: %s is said to have %d bytes; a file of a model has at most %d", ManifestName, name, f.Bytes,
				maxFile)
		}
		if name == "" || strings.ContainsAny(name, `/\`) || name == ManifestName {
			return fmt.Errorf("%s: %q is no name of a file in the folder", ManifestName, name)
		}
	}
	return nil
}

// bytes encodes the manifest, always in the same way.
func (m *Manifest) bytes() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(m); err != nil {
		return nil, fmt.Errorf("models: %s: %w", ManifestName, err)
	}
	return b.Bytes(), nil
}

// readFiles reads the files of a model and holds them against its manifest.
func readFiles(dir fs.FS) (*Manifest, map[string][]byte, error) {
	file, err := openFile(dir, ManifestName, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("there is no %s: it is not the folder of a model; 'wmtune train all' makes one",
			ManifestName)
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
	names := slices.Sorted(maps.Keys(m.Files))
	read, errs := make([][]byte, len(names)), make([]error, len(names))
	g := (&Model{}).workers()
	for i, name := range names {
		g.Go(func() error {
			read[i], errs[i] = m.Files[name].read(dir, name)
			return nil
		})
	}
	_ = g.Wait() // errs has what failed
	files := map[string][]byte{}
	for i, name := range names {
		switch err := errs[i]; {
		case errors.Is(err, fs.ErrNotExist) && slices.Contains(recordFiles, name):
			continue
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, fmt.Errorf("%s is missing, %s lists it: copy the whole folder", name, ManifestName)
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = read[i]
	}
	return m, files, nil
}

// Limits of what is read, many times what a model has.
const (
	maxManifest = 64 << 20  // bytes
	maxFile     = 256 << 20 // bytes of one file, unpacked
	maxRuns     = 64 << 10  // bytes of the list of runs in planes
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

// packed ends the name of a file that is compressed with zstd, planed before it that of a network whose weights are in
// planes (onnx.Planes).
const packed, planed = ".zst", ".planes"

// read is Unpack for a file that should have certain bytes. It allocates no more than a small multiple of what is
// there.
func (f File) read(dir fs.FS, name string) ([]byte, error) {
	b, err := unpack(dir, name, f.Bytes)
	if err != nil {
		return nil, err
	}
	return b, f.check(b)
}

// Unpack returns a file of a model's folder, or of NAME.zst or NAME.planes.zst unpacked. An error that is
// fs.ErrNotExist says that there is none of them.
func Unpack(dir fs.FS, name string) ([]byte, error) {
	b, err := unpack(dir, name, maxFile)
	if err == nil && len(b) > maxFile {
		return nil, fmt.Errorf("it has more than %d bytes: it is another file", maxFile)
	}
	return b, err
}

// unpack is Unpack for a file of so many bytes. It returns one more at most.
func unpack(dir fs.FS, name string, most int64) ([]byte, error) {
	file, err := openFile(dir, name, most)
	if errors.Is(err, fs.ErrNotExist) {
		b, err := unpackZstd(dir, name+packed, most)
		if !errors.Is(err, fs.ErrNotExist) {
			return b, err
		}
		if b, err = unpackZstd(dir, name+planed+packed, most+maxRuns); err != nil {
			return nil, err
		}
		return onnx.FromPlanes(b)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var b bytes.Buffer
	if info, err := file.Stat(); err == nil {
		b.Grow(int(info.Size()) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(io.LimitReader(file, most+1)); err != nil {
		return nil, fmt.Errorf("%w; copy the folder again", err)
	}
	return b.Bytes(), nil
}

func unpackZstd(dir fs.FS, name string, most int64) ([]byte, error) {
	file, err := openFile(dir, name, maxFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var b bytes.Buffer
	if info, err := file.Stat(); err == nil {
		b.Grow(int(min(most, 8*info.Size())) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(io.LimitReader(r, most+1)); err != nil {
		return nil, fmt.Errorf("%s: %w; copy the folder again", name, err)
	}
	return b.Bytes(), nil
}

// check holds what a file has against what it should have.
func (f File) check(b []byte) error {
	switch {
	case int64(len(b)) < f.Bytes:
		return fmt.Errorf("it has %d bytes of %d: it was cut short; copy the folder again", len(b), f.Bytes)
	case fileOf(b) != f:
		return errors.New("it is not the file that the manifest lists: it was changed or is another model's; copy the " +
			"folder again")
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
	if _, err := m.list(dir); err != nil {
		return err
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

// Check reports what Open would say of a folder after Write, and changes nothing.
func Check(dir string, m Manifest) error {
	files, err := m.list(dir)
	if err != nil {
		return err
	}
	if _, err := openParts(&m, files); err != nil {
		return fmt.Errorf("models: %s: %w", dir, err)
	}
	return nil
}

// list puts the files of a model's parts in a folder into its manifest. It returns their contents.
func (m *Manifest) list(dir string) (map[string][]byte, error) {
	m.Format, m.Files = Format, map[string]File{}
	names, err := partNames(dir, m.Parts)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range names {
		b, err := Unpack(os.DirFS(dir), name)
		if err != nil {
			return nil, fmt.Errorf("models: %s: %w", filepath.Join(dir, name), err)
		}
		files[name], m.Files[name] = b, fileOf(b)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("models: %s: %w", dir, err)
	}
	return files, nil
}

// recordFiles are the trees as XGBoost writes them: nothing reads them, and a model without them
// is whole.
var recordFiles = []string{"ranker.json", "refiner-ranker.json"}

// partNames returns the files of parts in a folder, sorted.
func partNames(dir string, parts []Part) ([]string, error) {
	var names []string
	for _, p := range parts {
		names = append(names, partFiles[p]...)
	}
	for _, record := range recordFiles {
		for _, name := range []string{record, record + packed} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				names = append(names, record)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// embedded has what opening a model reads: no cards, and no records of trees.
//
//go:embed cpu/model.json cpu/*.zst
//go:embed gpu/model.json gpu/*.zst
var embedded embed.FS

// defaults is the table of the embedded models.
var defaults = []struct {
	kind   target.Kind
	folder string
}{
	{target.LLVM, "cpu"},
	{target.CUDA, "gpu"},
}

// ErrNone means that no model is embedded for a kind of target.
var ErrNone = errors.New("no model is embedded for it")

// Fingerprint returns a hash of the embedded model for a kind of target; "" if there is none. It tells which model has
// chosen.
func Fingerprint(kind target.Kind) string {
	manifest, err := DefaultManifest(kind) // has the hashes of the other files
	if err != nil {
		return ""
	}
	return fileOf(manifest).SHA256
}

// Default opens the embedded model for a kind of target. The error is ErrNone if there
// is none.
func Default(kind target.Kind) (*Model, error) {
	dir, err := embeddedFor(kind)
	if err != nil {
		return nil, err
	}
	m, err := open(dir)
	if err != nil {
		return nil, fmt.Errorf("models: the embedded model for %s: %w", kind, err)
	}
	return m, nil
}

// embeddedFor returns the folder of the embedded model for a kind of target.
func embeddedFor(kind target.Kind) (fs.FS, error) {
	for _, d := range defaults {
		if d.kind == kind {
			return fs.Sub(embedded, d.folder)
		}
	}
	return nil, fmt.Errorf("models: target %s: %w", kind, ErrNone)
}

// DefaultManifest returns the manifest of the embedded model for a kind of target, as it
// is written: it identifies the model. The error is ErrNone if there is none.
func DefaultManifest(kind target.Kind) ([]byte, error) {
	dir, err := embeddedFor(kind)
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(dir, ManifestName)
}

// HasDefault reports whether a model is embedded for a kind of target.
func HasDefault(kind target.Kind) bool {
	_, err := DefaultManifest(kind)
	return err == nil
}

// Open opens the model in a folder. The error says which file is wrong, and how.
func Open(dir string) (*Model, error) {
	m, err := open(os.DirFS(dir))
	if err != nil {
		return nil, fmt.Errorf("models: %s: %w", dir, err)
	}
	return m, nil
}
