package ranker

import "math"

// Spread returns for each candidate how far the parts of the model are apart: the deviation of what the trees, each
// network and the value say of it, each over its scale and less its mean over the candidates. So it depends on the
// company, and is 0 for a model of one part. The arguments are those of Score.
func (m *Model) Spread(features [][]float32, values []float32) []float64 {
	var parts [][]float64
	add := func(scale float64, score func(out []float64)) {
		part := make([]float64, len(features))
		score(part)
		parts = append(parts, centred(part, scale))
	}
	if m.parts.Trees > 0 {
		add(m.parts.TreesScale, func(out []float64) { m.trees.model.Predict(features, out) })
	}
	if m.parts.Network > 0 {
		for _, n := range m.networks {
			add(m.parts.NetworkScale, func(out []float64) { n.score(features, out) })
		}
	}
	if m.parts.Value > 0 {
		add(m.parts.ValueScale, func(out []float64) {
			for i, v := range values {
				out[i] = float64(v)
			}
		})
	}
	spread := make([]float64, len(features))
	of := make([]float64, len(parts))
	for i := range spread {
		for k, part := range parts {
			of[k] = part[i]
		}
		if d := deviation(of); !math.IsNaN(d) && !math.IsInf(d, 0) {
			spread[i] = d
		}
	}
	return spread
}

// centred returns a part's scores over its scale, less their mean.
func centred(part []float64, scale float64) []float64 {
	mean := 0.0
	for _, v := range part {
		mean += v / float64(len(part))
	}
	for i := range part {
		part[i] = (part[i] - mean) / scale
	}
	return part
}
