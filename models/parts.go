package models

import (
	"errors"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// parts are the trained parts of a model, as it uses them.
type parts struct {
	encoder interface {
		Encode(texts []string) ([][]float32, error)
	}
	transition func(z0 []float32, d *compute.DAG) roller
	features   func(s *schedule.State, t target.Target) ([]float32, error)
	ranker     interface {
		// Score ranks candidates among each other. Without latents and values it uses
		// what needs none.
		Score(features, latents [][]float32, values []float32) []float64
	}
}

// A roller predicts what becomes of a task's program; see transition.Roller.
type roller interface {
	Roll(states []*schedule.State, latents [][]float32, values []float32) []error
}

// openParts decodes the parts of a model.
func openParts(m *Manifest, files map[string][]byte) (parts, error) {
	return parts{}, errors.New("not there yet")
}
