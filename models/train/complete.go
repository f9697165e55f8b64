package train

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/models"
)

// complete writes the manifest and the card of a folder that has a ranker, and opens
// the model, so that a folder that cannot be used does not look like a model.
func (t *training) complete(ctx context.Context) (*Result, error) {
	m, err := t.manifest()
	if err != nil {
		return nil, err
	}
	r := &Result{Kind: m.Kind, Parts: m.Parts}
	if !m.Has(models.Ranker) {
		r.Missing = fmt.Sprintf("parts %v have no ranker", m.Parts)
		return r, nil
	}
	if r.Missing, err = t.stale(); err != nil || r.Missing != "" {
		return r, err
	}
	encoder, err := t.openEncoder()
	if err != nil {
		return nil, err
	}
	if m.OOD, err = t.set.detector(encoder.encode); err != nil {
		return nil, err
	}
	if err := t.addNotes(&m); err != nil {
		return nil, err
	}
	if err := models.Write(t.Out, m); err != nil {
		return nil, err
	}
	model, err := models.Open(t.Out)
	if err != nil {
		return nil, err
	}
	if err := replace(filepath.Join(t.Out, "card.md"), []byte(card(model.Manifest(), t.set))); err != nil {
		return nil, err
	}
	return r, ctx.Err()
}

// manifest says what is in the folder.
func (t *training) manifest() (models.Manifest, error) {
	m := models.Manifest{Tool: t.Tool, Kind: t.Kind, Seed: t.Seed, Variant: t.Variant, Metrics: map[string]float64{}}
	var err error
	if m.Split, m.Data, err = t.origins(); err != nil {
		return m, err
	}
	for _, p := range models.Parts() {
		sums, err := t.sums(p.Files())
		if err != nil {
			return m, err
		}
		if len(sums) == len(p.Files()) {
			m.Parts = append(m.Parts, p)
		}
	}
	return m, nil
}

// addNotes puts what the stages said of themselves into a manifest, those of stages
// that were done before included.
func (t *training) addNotes(m *models.Manifest) error {
	m.Weights = map[string]float64{}
	for _, s := range stages() {
		mark, err := t.mark(s)
		if err != nil {
			return err
		}
		if mark == nil {
			continue
		}
		for name, v := range mark.Notes {
			if part, ok := strings.CutPrefix(name, "weight "); ok {
				m.Weights[part] = v
			} else {
				m.Metrics[name] = v
			}
		}
	}
	return nil
}

// card is the model card, written from the manifest.
func card(m *models.Manifest, set *taskSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Model for target %s\n\n", m.Kind)
	fmt.Fprintf(&b, "Parts %v, trained by wmtune %s with seed %d on split %s.\n", m.Parts, m.Tool, m.Seed, m.Split)
	if m.Variant != "" {
		fmt.Fprintf(&b, "It is an ablation: %s.\n", m.Variant)
	}
	b.WriteString("\n## Data\n\n")
	for _, d := range m.Data {
		fmt.Fprintf(&b, "- %s, sha256 %s\n", d.Name, d.SHA256)
	}
	for _, part := range split.All() {
		records := 0
		for _, t := range set.of(part) {
			records += t.Records
		}
		fmt.Fprintf(&b, "- %s: %d tasks, %d records\n", part, len(set.of(part)), records)
	}
	b.WriteString("\nThe card and the manifest name the logs; the dataset is made of them by `wmtune dataset build`.\n\n## Figures\n\n")
	b.WriteString("Of validation tasks, which weights and objectives were chosen by; worth is the mean quality of the best of 16\nless the regret after 8, so 1 is the most.\n\n| what | value |\n| --- | --- |\n")
	for _, list := range []map[string]float64{m.Metrics, m.Weights} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			fmt.Fprintf(&b, "| %s | %.4f |\n", name, list[name])
		}
	}
	fmt.Fprintf(&b, "\n## Limits\n\nScores compare candidates of one workload only. The training had %d kinds of operations; a task with another kind, or\n", len(m.OOD.Operators))
	b.WriteString("whose program is further from the training than the manifest's threshold, is ranked by features of its steps alone, which\nthe search says. docs/world-model.md has the figures of searches, beside those of other scorers.\n\n## Files\n\n")
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		fmt.Fprintf(&b, "- %s, %d bytes, sha256 %s\n", name, m.Files[name].Bytes, m.Files[name].SHA256)
	}
	return b.String()
}
