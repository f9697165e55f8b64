package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/transition"
)

// ErrLocked means that another training writes to the folder.
var ErrLocked = errors.New("another training writes to it: wait for it to end, or choose another folder")

// lock takes the lock of a folder of checkpoints, which ends with the process at the latest.
func lock(dir string) (unlock func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("folder for the model: %w; choose another", err)
	}
	free, err := dataset.TryLock(f)
	if err == nil && !free {
		err = ErrLocked
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Dir(dir), err), f.Close())
	}
	return f.Close, nil
}

// checkpoints is the folder of what a training keeps to continue from.
func (t *training) checkpoints() string { return filepath.Join(t.Out, ".training") }

// A stageMark says what a stage was trained from, and which files it wrote. The stage counts
// as done while both are unchanged.
type stageMark struct {
	From  string            `json:"from"`  // hash of data and settings, and of the parts before
	Files map[string]string `json:"files"` // hashes

	// Notes are the stage's figures, for the manifest. They must outlast a training that
	// ends after this stage.
	Notes map[string]float64 `json:"notes,omitempty"`

	Provenance *provenance `json:"provenance,omitempty"`
}

// A provenance is where the files of a stage come from.
type provenance struct {
	After   map[string]string `json:"after"`   // SHA-256 of the files of the stages before
	Learned string            `json:"learned"` // rules of the split, and which of them
	Data    []models.Data     `json:"data"`
}

// filesBefore returns the names of the files that the stages before s write.
func filesBefore(s stage) []string {
	var names []string
	for _, prior := range stages() {
		if prior.name == s.name {
			return names
		}
		names = append(names, prior.files...)
	}
	panic("BUG: no stage " + s.name)
}

// hashOf identifies values by the text that they print.
func hashOf(values ...any) string {
	h := sha256.New()
	for _, v := range values {
		text := fmt.Sprintf("%+v", v)
		fmt.Fprintf(h, "%d %s\n", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// read returns the bytes of a file in the folder, or of NAME.zst unpacked, as models are shipped; nil if there is
// neither.
func (t *training) read(name string) ([]byte, error) {
	data, err := models.Unpack(os.DirFS(t.Out), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(t.Out, name), err)
	}
	return slices.Clip(data), nil
}

// hash identifies a file in the folder by its bytes; "" if there is none.
func (t *training) hash(name string) (string, error) {
	data, err := t.read(name)
	if err != nil || data == nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(data, " %d\n", len(data)))
	return hex.EncodeToString(sum[:]), nil
}

// sums returns the SHA-256 of those of the files that are in the folder.
func (t *training) sums(names []string) (map[string]string, error) {
	sums := map[string]string{}
	for _, name := range names {
		data, err := t.read(name)
		if err != nil {
			return nil, err
		}
		if data != nil {
			sum := sha256.Sum256(data)
			sums[name] = hex.EncodeToString(sum[:])
		}
	}
	return sums, nil
}

// learned says which part of the data a stage learns from.
func (t *training) learned(s stage) string {
	if s.all && t.All {
		return t.Split + ", test tasks learned"
	}
	return t.Split
}

// from identifies what a stage learns from.
func (t *training) from(s stage) (string, error) {
	before := ""
	for _, name := range filesBefore(s) {
		hash, err := t.hash(name)
		if err != nil {
			return "", err
		}
		before += name + hash
	}
	meaning := ""
	if s.all { // it learns from features
		meaning = t.table(s).Digest() + transition.VectorName
	}
	if s.name == string(models.Encoder) && t.Masked > 0 {
		meaning = fmt.Sprint("masked ", t.Masked)
	}
	return hashOf(s.name, t.set.id, t.Kind, t.learned(s), t.Variant, t.Effort, t.Seed, before, meaning), nil
}

// table returns what the features of a stage are.
func (t *training) table(s stage) ranker.Table {
	if s.name == string(models.Refiner) {
		return ranker.Lowered
	}
	return ranker.TableOf(t.Kind)
}

// checkpoint is the path of what a stage under way continues from. A training of
// other data, settings or parts has another one.
func (t *training) checkpoint(name string) (string, error) {
	i := slices.IndexFunc(stages(), func(s stage) bool { return s.name == name })
	from, err := t.from(stages()[i])
	return filepath.Join(t.checkpoints(), fmt.Sprintf("%s-%.12s.checkpoint", name, from)), err
}

func (t *training) markPath(s stage) string {
	return filepath.Join(t.checkpoints(), s.name+".done")
}

// mark reads the mark of a stage; nil if there is none, or one that is damaged.
func (t *training) mark(s stage) (*stageMark, error) {
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

// done reports whether a stage was finished with the data, settings and parts of now.
func (t *training) done(s stage) (bool, error) {
	m, err := t.mark(s)
	if err != nil || m == nil {
		return false, err
	}
	if from, err := t.from(s); err != nil || m.From != from {
		return false, err
	}
	return t.unchanged(m)
}

// unchanged reports whether the files of a stage are there as it wrote them.
func (t *training) unchanged(m *stageMark) (bool, error) {
	for name, want := range m.Files {
		if hash, err := t.hash(name); err != nil || hash != want {
			return false, err
		}
	}
	return true, nil
}

// finished marks a stage as done, and removes its checkpoints.
func (t *training) finished(s stage) error {
	m := stageMark{Files: map[string]string{}, Notes: t.notes}
	var err error
	if m.From, err = t.from(s); err != nil {
		return err
	}
	after, err := t.sums(filesBefore(s))
	if err != nil {
		return err
	}
	m.Provenance = &provenance{after, t.set.rules + " by " + t.learned(s), t.set.data}
	files := s.files
	if s.name == string(models.Ranker) {
		files = slices.Concat(files, models.Safe.Files()) // if it has them
	}
	for _, name := range files {
		hash, err := t.hash(name)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if hash != "" || slices.Contains(s.files, name) {
			m.Files[name] = hash
		}
	}
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if err := replace(t.markPath(s), append(data, '\n')); err != nil {
		return err
	}
	old, err := fs.Glob(os.DirFS(t.checkpoints()), s.name+"-*.checkpoint")
	for _, name := range old {
		err = errors.Join(err, os.Remove(filepath.Join(t.checkpoints(), name)))
	}
	return err
}

// replace writes a file beside its place and renames it.
func replace(path string, data []byte) error {
	return renameio.WriteFile(path, data, 0o644, renameio.IgnoreUmask(), renameio.WithTempDir(filepath.Dir(path)))
}

// write writes the files of a stage.
func (t *training) write(files map[string][]byte) error {
	for name, data := range files {
		if err := replace(filepath.Join(t.Out, name), data); err != nil {
			return err
		}
	}
	return nil
}

// provenanceOf returns where the files of a stage come from: its mark says so, or, in a
// folder that was copied without marks, the manifest. Nil if neither is of these files.
func (t *training) provenanceOf(s stage) (*provenance, error) {
	m, err := t.mark(s)
	if err != nil {
		return nil, err
	}
	if m != nil && m.Provenance != nil {
		if same, err := t.unchanged(m); same || err != nil {
			return m.Provenance, err
		}
	}
	data, err := t.read(models.ManifestName)
	if err != nil {
		return nil, err
	}
	var old models.Manifest
	if json.Unmarshal(data, &old) != nil {
		return nil, nil // there is none, or it is damaged and written anew
	}
	sums, err := t.sums(s.files)
	if err != nil {
		return nil, err
	}
	for _, name := range s.files {
		if sums[name] == "" || sums[name] != old.Files[name].SHA256 {
			return nil, nil
		}
	}
	p := &provenance{After: map[string]string{}, Learned: old.Split, Data: old.Data}
	for _, name := range filesBefore(s) {
		if f, ok := old.Files[name]; ok {
			p.After[name] = f.SHA256
		}
	}
	return p, nil
}

// stale says which stage is to be trained again, because one before it was; "" if none is.
func (t *training) stale() (string, error) {
	for _, s := range stages() {
		if t.Variant != "" && s.name == string(models.Refiner) {
			continue // a variant has none
		}
		p, err := t.provenanceOf(s)
		if err != nil {
			return "", err
		}
		if p == nil {
			continue
		}
		before := filesBefore(s)
		now, err := t.sums(before)
		if err != nil {
			return "", err
		}
		for _, name := range before {
			if sum, ok := p.After[name]; ok && sum != now[name] {
				return fmt.Sprintf("the %s was trained with another %s: train the %s again, and what follows it, or all",
					s.name, name, s.name), nil
			}
		}
	}
	return "", nil
}

// origins returns what the parts in the folder learned from: all of it, if they are of several
// trainings.
func (t *training) origins() (learned string, data []models.Data, err error) {
	var list []string
	for _, s := range stages() {
		p, err := t.provenanceOf(s)
		if err != nil {
			return "", nil, err
		}
		if p == nil {
			continue
		}
		if s.all && !slices.Contains(list, p.Learned) { // the others never learn from test tasks
			list = append(list, p.Learned)
		}
		for _, d := range p.Data {
			if !slices.Contains(data, d) {
				data = append(data, d)
			}
		}
	}
	return strings.Join(list, "; "), data, nil
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
		if len(sums) == len(p.Files()) && !(p == models.Refiner && t.Variant != "") { // it goes with the whole ranker
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
	b.WriteString("\nThe card and the manifest name the logs; the dataset is made of them by `wmtune dataset " +
		"build`.\n\n## Figures\n\n")
	b.WriteString("Of validation tasks, which weights and objectives were chosen by; worth is the mean quality of the " +
		"best of 16\nless the regret after 8, so 1 is the most.\n\n| what | value |\n| --- | --- |\n")
	for _, list := range []map[string]float64{m.Metrics, m.Weights} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			fmt.Fprintf(&b, "| %s | %.4f |\n", name, list[name])
		}
	}
	fmt.Fprintf(&b, "\n## Limits\n\nScores compare candidates of one workload only. The training had %d kinds of "+
		"operations; a task with another kind, or\n", len(m.OOD.Operators))
	b.WriteString("whose program is further from the training than the manifest's threshold, is ranked by features of " +
		"its steps alone, which\nthe search says. docs/world-model.md has the figures of searches, beside those of other " +
		"scorers.\n\n## Files\n\n")
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		fmt.Fprintf(&b, "- %s, %d bytes, sha256 %s\n", name, m.Files[name].Bytes, m.Files[name].SHA256)
	}
	return b.String()
}
