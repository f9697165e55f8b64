package models

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// parts are the trained parts of a model, as it uses them.
type parts struct {
	encoder    encodes  // nil: there is none
	transition newRolls // nil: there is none
	features   func(s *schedule.State, t target.Target) ([]float32, error)
	ranker     ranks
	safe       ranks // without latents and values
}

// encodes is what is used of an encoder.
type encodes interface {
	Encode(texts []string) ([][]float32, error)
	Truncated(text string) bool // Encode does not see all of it
}

// newRolls is what is used of a transition.
type newRolls interface {
	newRoller(z0 []float32, t Task, workers int) roller
	latentSize() int
	contributions(z0 []float32, t Task, state *schedule.State) ([]Contribution, error)
}

// A roller predicts what becomes of a task's program; see transition.Roller.
type roller interface {
	Roll(states []*schedule.State, latents [][]float32, values []float32) []error
}

// ranks is what is used of a ranker. Latents and values may be nil if it was trained
// without.
type ranks interface {
	Score(features, latents [][]float32, values []float32) []float64
}

// openParts decodes the parts of a model.
func openParts(m *Manifest, files map[string][]byte) (parts, error) {
	p := parts{features: ranker.Features}
	if err := p.openLatent(m, files); err != nil {
		return p, err
	}
	whole, err := ranker.Load(files)
	if err != nil {
		return p, err
	}
	p.ranker = whole
	of := whole.Parts()
	switch {
	case p.transition == nil && (of.Latent > 0 || of.Value > 0):
		return p, fmt.Errorf("%s: the ranker was trained on predicted states, and there is no transition to predict them", ManifestName)
	case of.Latent == 0:
		p.safe = whole.TreesAlone()
		return p, nil
	case of.Latent != p.transition.latentSize():
		return p, fmt.Errorf("the ranker was trained on predicted states of %d numbers, the transition has %d: they are not of one model", of.Latent, p.transition.latentSize())
	case !m.Has(Safe):
		return p, fmt.Errorf("%s: the trees were grown on predicted states; a safe ranker is needed, too, for tasks unlike the training", ManifestName)
	}
	safe, err := ranker.Load(safeFiles(files))
	if err != nil {
		return p, fmt.Errorf("safe: %w", err)
	}
	if safe.Parts().Latent > 0 {
		return p, fmt.Errorf("%s: the safe ranker uses predicted states", ManifestName)
	}
	p.safe = safe.TreesAlone()
	return p, nil
}

// SafePrefix begins the names of the files of the safe ranker.
const SafePrefix = "safe-"

// safeFiles returns the files of the safe ranker under the names of a ranker's.
func safeFiles(files map[string][]byte) map[string][]byte {
	list := map[string][]byte{}
	for name, data := range files {
		if name, ok := strings.CutPrefix(name, SafePrefix); ok {
			list[name] = data
		}
	}
	return list
}
