package models

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/wmtune/wmtune/tir/target"
)

// embedded has what opening a model reads: no cards, and no records of trees.
//
//go:embed cpu/model.json cpu/tokenizer.json.zst cpu/*.onnx cpu/*.trees.zst
//go:embed gpu/model.json gpu/tokenizer.json.zst gpu/*.onnx gpu/*.trees.zst
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

// Default opens the embedded model for a kind of target. The error is ErrNone if there
// is none.
func Default(kind target.Kind) (*Model, error) {
	for _, d := range defaults {
		if d.kind != kind {
			continue
		}
		dir, err := fs.Sub(embedded, d.folder)
		if err != nil {
			return nil, fmt.Errorf("models: %w", err)
		}
		if _, err := fs.Stat(dir, ManifestName); errors.Is(err, fs.ErrNotExist) {
			break
		}
		m, err := open(dir)
		if err != nil {
			return nil, fmt.Errorf("models: the embedded model for %s: %w", kind, err)
		}
		return m, nil
	}
	return nil, fmt.Errorf("models: target %s: %w", kind, ErrNone)
}

// DefaultManifest returns the manifest of the embedded model for a kind of target, as it
// is written: it identifies the model. The error is ErrNone if there is none.
func DefaultManifest(kind target.Kind) ([]byte, error) {
	for _, d := range defaults {
		if d.kind == kind {
			if data, err := embedded.ReadFile(d.folder + "/" + ManifestName); err == nil {
				return data, nil
			}
		}
	}
	return nil, fmt.Errorf("models: target %s: %w", kind, ErrNone)
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
