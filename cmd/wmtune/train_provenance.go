package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/models"
)

// A provenance is where the files of a stage come from.
type provenance struct {
	After   map[string]string `json:"after"`   // SHA-256 of the files of the stages before
	Learned string            `json:"learned"` // rules of the split, and which of them
	Data    []models.Data     `json:"data"`
}

// provenanceNow is that of what a stage makes now.
func (t *training) provenanceNow(s trainStage) (*provenance, error) {
	after, err := t.filesBefore(s)
	return &provenance{after, t.set.rules + " by " + t.learned(s), t.set.data}, err
}

// learned says which part of the data a stage learns from.
func (t *training) learned(s trainStage) string {
	if s.all {
		return t.splitName()
	}
	return t.split
}

// filesBefore returns the SHA-256 of the files that the stages before s have left.
func (t *training) filesBefore(s trainStage) (map[string]string, error) {
	sums := map[string]string{}
	for _, prior := range trainStages() {
		if prior.name == s.name {
			break
		}
		for _, name := range prior.files {
			if err := t.addSum(sums, name); err != nil {
				return nil, err
			}
		}
	}
	return sums, nil
}

// addSum adds the SHA-256 of a file in the folder, if it is there.
func (t *training) addSum(sums map[string]string, name string) error {
	data, err := os.ReadFile(filepath.Join(t.out, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	sum := sha256.Sum256(data)
	sums[name] = hex.EncodeToString(sum[:])
	return err
}

// provenanceOf returns where the files of a stage come from: its mark says so, or, in a
// folder that was copied without marks, the manifest. Nil if neither is of these files.
func (t *training) provenanceOf(s trainStage) (*provenance, error) {
	m, err := t.mark(s)
	if err != nil {
		return nil, err
	}
	if m != nil && m.Provenance != nil {
		if left, err := t.left(m); left || err != nil {
			return m.Provenance, err
		}
	}
	data, err := os.ReadFile(filepath.Join(t.out, models.ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var old models.Manifest
	if json.Unmarshal(data, &old) != nil {
		return nil, nil // it is written anew
	}
	sums := map[string]string{}
	for _, name := range s.files {
		if err := t.addSum(sums, name); err != nil {
			return nil, err
		}
		if sums[name] == "" || sums[name] != old.Files[name].SHA256 {
			return nil, nil
		}
	}
	p := &provenance{After: map[string]string{}, Learned: old.Split, Data: old.Data}
	for _, prior := range trainStages() {
		if prior.name == s.name {
			return p, nil
		}
		for _, name := range prior.files {
			if f, ok := old.Files[name]; ok {
				p.After[name] = f.SHA256
			}
		}
	}
	panic("BUG: no stage " + s.name)
}

// stale says which stage is to be trained again, since one before it was; "" if none is.
func (t *training) stale() (string, error) {
	for _, s := range trainStages() {
		p, err := t.provenanceOf(s)
		if err != nil {
			return "", err
		}
		now, err := t.filesBefore(s)
		if err != nil {
			return "", err
		}
		if p == nil {
			continue
		}
		for _, prior := range trainStages() {
			for _, name := range prior.files {
				if sum, ok := p.After[name]; ok && sum != now[name] {
					return fmt.Sprintf("the %s was trained with another %s: train the %s again, and what follows it, or all", s.name, name, s.name), nil
				}
			}
		}
	}
	return "", nil
}

// origins says what the parts of a manifest learned from: all of it, if they are of several
// trainings.
func (t *training) origins(m *models.Manifest) error {
	var learned []string
	m.Data = nil
	for _, s := range trainStages() {
		p, err := t.provenanceOf(s)
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		if s.all && !slices.Contains(learned, p.Learned) { // the others never learn from test tasks
			learned = append(learned, p.Learned)
		}
		for _, d := range p.Data {
			if !slices.Contains(m.Data, d) {
				m.Data = append(m.Data, d)
			}
		}
	}
	m.Split = strings.Join(learned, "; ")
	return nil
}
