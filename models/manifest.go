package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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
	Safe       Part = "safe" // a ranker of features alone, for tasks unlike the training, if the other one has trees over predicted states
)

// partFiles are the files that a part must have.
var partFiles = map[Part][]string{
	Encoder:    {"tokenizer.json", "encoder.onnx"},
	Transition: {"transition.onnx"},
	Ranker:     {"ranker.onnx", "ranker.trees"},
	Safe:       {"safe-ranker.onnx", "safe-ranker.trees"},
}

// Parts lists the parts.
func Parts() []Part { return []Part{Encoder, Transition, Ranker, Safe} }

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

	Variant string             `json:"variant,omitempty"` // an ablation; see Variants
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
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%s: %w; the model is damaged", ManifestName, err)
	}
	if head.Format != Format {
		return nil, fmt.Errorf("%s: format %d, this wmtune reads format %d: use a model or a wmtune of the same age", ManifestName, head.Format, Format)
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
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
	case m.Variant != "" && !slices.Contains(Variants(), m.Variant):
		return fmt.Errorf("%s: unknown variant %q", ManifestName, m.Variant)
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
			return fmt.Errorf("%s: %s is said to have %d bytes; a file of a model has at most %d", ManifestName, name, f.Bytes, maxFile)
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
