package models

import (
	"github.com/wmtune/wmtune/encoder"
	"github.com/wmtune/wmtune/transition"
)

// openLatent decodes the parts of a model that predict states: the encoder and the
// transition.
func (p *parts) openLatent(m *Manifest, files map[string][]byte) error {
	if m.Has(Encoder) {
		e, err := encoder.Load(files["encoder.onnx"], files["tokenizer.json"])
		if err != nil {
			return err
		}
		p.encoder = e
		if err := m.OOD.check(encoder.Size); err != nil {
			return err
		}
	}
	if !m.Has(Transition) {
		return nil
	}
	t, err := transition.Load(files["transition.onnx"])
	if err != nil {
		return err
	}
	p.transition = rolls{t}
	return nil
}

// rolls is a transition as a model uses it.
type rolls struct{ *transition.Model }

func (r rolls) latentSize() int { return r.LatentSize() }

func (r rolls) newRoller(z0 []float32, t Task, workers int) roller {
	roller := r.NewRoller(transition.Start(z0, t.DAG, t.Target), t.DAG)
	roller.Workers = workers
	return roller
}
