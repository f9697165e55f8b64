package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/transition"
)

// checkpoints is the folder of what a training keeps to go on from.
func (t *training) checkpoints() string { return filepath.Join(t.out, ".training") }

// A stageMark says what a stage was trained from, and what it left: both must be as
// they were for it to count as done.
type stageMark struct {
	From  string            `json:"from"`  // hash of data and settings, and of the parts before
	Files map[string]string `json:"files"` // hashes

	// Notes are what it said of itself, for the manifest. They must outlast a training that
	// ends after this stage.
	Notes map[string]float64 `json:"notes,omitempty"`

	Provenance *provenance `json:"provenance,omitempty"`
}

// from identifies what a stage learns from.
func (t *training) from(s trainStage) (string, error) {
	before := ""
	for _, prior := range trainStages() {
		if prior.name == s.name {
			break
		}
		for _, name := range prior.files {
			hash, err := hashFiles([]string{filepath.Join(t.out, name)})
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
			before += name + hash
		}
	}
	meaning := ""
	if s.all { // it learns from features
		meaning = ranker.Digest() + transition.VectorName
	}
	return hashOf(s.name, t.set.id, t.kind, t.learned(s), t.variant, t.effort, t.seed, before, meaning), nil
}

// checkpoint is the file that a stage under way goes on from. That of a training of
// other data, settings or parts is another file.
func (t *training) checkpoint(stage string) (string, error) {
	for _, s := range trainStages() {
		if s.name == stage {
			from, err := t.from(s)
			return filepath.Join(t.checkpoints(), fmt.Sprintf("%s-%.12s.checkpoint", stage, from)), err
		}
	}
	panic("BUG: no stage " + stage)
}

func (t *training) markPath(s trainStage) string {
	return filepath.Join(t.checkpoints(), s.name+".done")
}

// mark reads the mark of a stage; nil if there is none, or one that is damaged.
func (t *training) mark(s trainStage) (*stageMark, error) {
	data, err := os.ReadFile(t.markPath(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	m := &stageMark{}
	if err != nil || json.Unmarshal(data, m) != nil {
		return nil, err
	}
	return m, nil
}

// done reports whether a stage was finished with what there is now.
func (t *training) done(s trainStage) (bool, error) {
	m, err := t.mark(s)
	if err != nil || m == nil {
		return false, err
	}
	if from, err := t.from(s); err != nil || m.From != from {
		return false, err
	}
	return t.left(m)
}

// left reports whether the files are there that a stage left.
func (t *training) left(m *stageMark) (bool, error) {
	for name, want := range m.Files {
		hash, err := hashFiles([]string{filepath.Join(t.out, name)})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if hash != want {
			return false, nil
		}
	}
	return true, nil
}

// finished marks a stage as done.
func (t *training) finished(s trainStage) error {
	m := stageMark{Files: map[string]string{}, Notes: t.notes}
	var err error
	if m.From, err = t.from(s); err != nil {
		return err
	}
	if m.Provenance, err = t.provenanceNow(s); err != nil {
		return err
	}
	for _, name := range s.files {
		hash, err := hashFiles([]string{filepath.Join(t.out, name)})
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		m.Files[name] = hash
	}
	if err := writeJSON(t.markPath(s), m); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(t.checkpoints(), s.name+"-*.checkpoint"))
	for _, path := range old {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// putFiles writes what a stage made.
func (t *training) putFiles(files map[string][]byte) error {
	for name, data := range files {
		if err := replaceFile(filepath.Join(t.out, name), data); err != nil {
			return err
		}
	}
	return nil
}
