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
	"github.com/wmtune/wmtune/tir/target"
)

// has reports whether models for the target have what a stage trains: only those for processors have a refiner.
func (t *training) has(s stage) bool {
	return s.name != string(models.Refiner) || t.Kind == target.LLVM
}

// stages returns the stages of a model for the target.
func (t *training) stages() []stage {
	return slices.DeleteFunc(stages(), func(s stage) bool { return !t.has(s) })
}

// trains reports whether this training has a stage.
func (t *training) trains(name models.Part) bool {
	return len(t.Stages) == 0 || slices.Contains(t.Stages, string(name))
}

// fits reports whether the parts in the folder that are not trained now go with those that are.
func (t *training) fits() error {
	for _, s := range t.stages() {
		if t.trains(models.Part(s.name)) {
			continue
		}
		m, err := t.known(s)
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		if of := m.Provenance.Kind; of != "" && of != t.Kind {
			return t.otherKind(s.name, of)
		}
	}
	return nil
}

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
	of, err := t.known(stageNamed(models.Ranker))
	if err != nil {
		return nil, err
	}
	if m.OOD, err = t.detector(of); err != nil {
		return nil, err
	}
	if err := models.Check(t.Out, m); err != nil { // before the manifest of another model is gone
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

// manifest says what is in the folder, by what is known of the files of each stage.
func (t *training) manifest() (models.Manifest, error) {
	m := models.Manifest{Tool: t.Tool, Kind: t.Kind, Seed: t.Seed,
		Metrics: map[string]float64{}, Weights: map[string]float64{}}
	of, err := t.known(stageNamed(models.Ranker))
	if err != nil {
		return m, err
	}
	if of != nil && of.Provenance.Kind != "" {
		m.Seed = of.Provenance.Seed
	}
	if m.Split, m.Data, err = t.origins(); err != nil {
		return m, err
	}
	for _, p := range models.Parts() {
		sums, err := t.sums(p.Files())
		if err != nil {
			return m, err
		}
		if len(sums) == len(p.Files()) && t.has(stageNamed(p)) {
			m.Parts = append(m.Parts, p)
		}
	}
	for _, s := range t.stages() {
		of, err := t.known(s)
		if err != nil {
			return m, err
		}
		if of == nil {
			continue
		}
		for name, v := range of.Notes {
			if part, ok := strings.CutPrefix(name, weightNote); ok {
				m.Weights[part] = v
			} else {
				m.Metrics[name] = v
			}
		}
	}
	return m, nil
}

// detector returns the detector of tasks unlike the training of the ranker: that which was made with it, or, of a
// ranker of which none is known with the encoder of now, one of the tasks of now.
func (t *training) detector(ranker *stageMark) (models.OODDetector, error) {
	const file = "encoder.onnx"
	now, err := t.sums([]string{file})
	if err != nil {
		return models.OODDetector{}, err
	}
	if ranker != nil && ranker.Provenance.OOD != nil && ranker.Provenance.After[file] == now[file] {
		return *ranker.Provenance.OOD, nil
	}
	encoder, err := t.openEncoder()
	if err != nil {
		return models.OODDetector{}, err
	}
	return t.set.detector(encoder.encode)
}

// card is the model card, written from the manifest.
func card(m *models.Manifest, set *taskSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Model for target %s\n\n", m.Kind)
	fmt.Fprintf(&b, "Parts %v, trained by wmtune %s with seed %d on split %s.\n", m.Parts, m.Tool, m.Seed, m.Split)
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
	b.WriteString("\nThe card and the manifest name the logs; the dataset is made of them by `wmtune dataset " +
		"build`.\n\n## Figures\n\n")
	b.WriteString("Of validation tasks, which weights and objectives were chosen by; worth is the mean quality of what " +
		"one gets\nof the first 1, 2, 4, 8 and 16 candidates, first that of the first, so 1 is the most.\n\n" +
		"| what | value |\n| --- | --- |\n")
	for _, list := range []map[string]float64{m.Metrics, m.Weights} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			fmt.Fprintf(&b, "| %s | %.4f |\n", name, list[name])
		}
	}
	fmt.Fprintf(&b, "\n## Limits\n\nScores compare candidates of one workload only. The training had %d kinds of "+
		"operations; a task with another kind, or\n", len(m.OOD.Operators))
	b.WriteString("whose program is further from the training than the manifest's threshold, is ranked by features of " +
		"its steps alone, which\nthe search says. docs/manual/world-model.md has the figures of searches, beside those of " +
		"other scorers.\n\n## Files\n\n")
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		fmt.Fprintf(&b, "- %s, %d bytes, sha256 %s\n", name, m.Files[name].Bytes, m.Files[name].SHA256)
	}
	return b.String()
}
