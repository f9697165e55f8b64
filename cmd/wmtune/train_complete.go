package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/models"
)

// complete writes the manifest and the card of a folder that has a ranker, and opens
// the model, so that what cannot be used is not left behind as if it could.
func (t *training) complete(ctx context.Context, stdout io.Writer) error {
	m, err := t.manifest()
	if err != nil {
		return err
	}
	if !m.Has(models.Ranker) {
		fmt.Fprintf(stdout, "%s: parts %v; without a ranker it is no model yet\n", t.out, m.Parts)
		return nil
	}
	switch why, err := t.stale(); {
	case err != nil:
		return err
	case why != "":
		fmt.Fprintf(stdout, "%s: no model yet: %s\n", t.out, why)
		return nil
	}
	encoder, err := t.openEncoder()
	if err != nil {
		return err
	}
	if m.Guard, err = t.set.guard(encoder.encode); err != nil {
		return err
	}
	if err := t.addNotes(&m); err != nil {
		return err
	}
	if err := models.Write(t.out, m); err != nil {
		return err
	}
	model, err := models.Open(t.out)
	if err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(t.out, "card.md"), []byte(card(model.Manifest(), t.set))); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: a model for %s of parts %v\n", t.out, m.Kind, m.Parts)
	return ctx.Err()
}

// manifest says what is in the folder.
func (t *training) manifest() (models.Manifest, error) {
	m := models.Manifest{
		Tool: version(), Kind: t.kind, Seed: t.seed, Variant: t.variant, Metrics: map[string]float64{},
	}
	if err := t.origins(&m); err != nil {
		return m, err
	}
	for _, p := range models.Parts() {
		whole := true
		for _, name := range p.Files() {
			_, err := os.Stat(filepath.Join(t.out, name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return m, err
			}
			whole = whole && err == nil
		}
		if whole {
			m.Parts = append(m.Parts, p)
		}
	}
	return m, nil
}

// addNotes puts what the stages said of themselves into a manifest, those of stages
// that were done before included.
func (t *training) addNotes(m *models.Manifest) error {
	m.Weights = map[string]float64{}
	for _, s := range trainStages() {
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
func card(m *models.Manifest, set *trainSet) string {
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
	fmt.Fprintf(&b, "\n## Limits\n\nScores compare candidates of one workload only. The training had %d kinds of operations; a task with another kind, or\n", len(m.Guard.Operators))
	b.WriteString("whose program is further from the training than the manifest's threshold, is ranked by features of its steps alone, which\nthe search says. docs/world-model.md has the figures of searches, beside those of other scorers.\n\n## Files\n\n")
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		fmt.Fprintf(&b, "- %s, %d bytes, sha256 %s\n", name, m.Files[name].Bytes, m.Files[name].SHA256)
	}
	return b.String()
}
