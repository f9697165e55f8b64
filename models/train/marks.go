package train

import (
	"cmp"
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

	"github.com/google/renameio/v2"

	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/encoder"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/tir/target"
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
	free, err := file.TryLock(f)
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

// weightNote begins the names of notes that are weights of the ranker's parts.
const weightNote = "weight "

// A provenance is where the files of a stage come from.
type provenance struct {
	After   map[string]string `json:"after"`   // SHA-256 of the files of the stages before
	Learned string            `json:"learned"` // rules of the split, and which of them
	Data    []models.Data     `json:"data"`

	Kind target.Kind `json:"target,omitempty"` // "" in marks of programs that did not say it, nor what follows
	Seed uint64      `json:"seed"`

	OOD *models.OODDetector `json:"guard,omitempty"` // of the ranker
}

// stageNamed returns the stage of a part.
func stageNamed(name models.Part) stage {
	i := slices.IndexFunc(stages(), func(s stage) bool { return s.name == string(name) })
	return stages()[i]
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
	return hashOf(s.name, t.set.id, t.Kind, t.learned(s), t.Effort, t.Seed, before, t.meaning(s)), nil
}

// meaning says what a stage makes of its data: the versions of files and features, and the recipe.
func (t *training) meaning(s stage) string {
	of := []any{models.Format, encoder.Version}
	if s.name == string(models.Encoder) {
		of = append(of, encoder.Defaults(t.Kind))
	}
	if s.all { // it learns from features
		of = []any{models.Format, t.table(s).Digest(), transition.VectorName}
	}
	switch models.Part(s.name) {
	case models.Transition:
		of = append(of, transition.Version, transition.Default(), transitionDraws)
	case models.Ranker, models.Refiner:
		of = append(of, ranker.FileVersion, ranker.DefaultTrees(t.table(s)), ranker.DefaultLearning(),
			ranker.DefaultNetworks)
	}
	return fmt.Sprintf("%+v", of)
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
	from, err := t.from(stageNamed(models.Part(name)))
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
	m.Provenance = &provenance{After: after, Learned: t.set.rules + " by " + t.learned(s), Data: t.set.data, Kind: t.Kind,
		Seed: t.Seed}
	if s.name == string(models.Ranker) {
		ood, err := t.detector(nil)
		if err != nil {
			return err
		}
		m.Provenance.OOD = &ood
	}
	for _, name := range s.files {
		if m.Files[name], err = t.hash(name); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if err := replace(t.markPath(s), append(data, '\n')); err != nil {
		return err
	}
	return remove(t.checkpoints(), s.name+"-*.checkpoint")
}

// remove removes the files of a folder that a pattern names.
func remove(dir, pattern string) error {
	old, err := fs.Glob(os.DirFS(dir), pattern)
	for _, name := range old {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
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

// known returns what is known of the files of a stage: its mark says it, or, in a folder that was copied without
// marks, the manifest. Nil if neither is of these files. What it returns has a provenance.
func (t *training) known(s stage) (*stageMark, error) {
	m, err := t.mark(s)
	if err != nil {
		return nil, err
	}
	if m != nil {
		same, err := t.unchanged(m)
		if err != nil {
			return nil, err
		}
		if !same || m.Provenance == nil {
			m = nil
		} else if m.Provenance.Kind != "" {
			return m, nil
		}
	}
	listed, err := t.listed(s)
	if err != nil || m == nil || listed == nil {
		return cmp.Or(m, listed), err
	}
	of := listed.Provenance
	m.Provenance.Kind, m.Provenance.Seed, m.Provenance.OOD = of.Kind, of.Seed, of.OOD
	return m, nil
}

// listed returns what the manifest says of the files of a stage; nil if it is of other files.
func (t *training) listed(s stage) (*stageMark, error) {
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
		if sums[name] == "" && strings.HasSuffix(name, "ranker.json") {
			continue // nothing reads it, and a model without it is whole
		}
		if sums[name] == "" || sums[name] != old.Files[name].SHA256 {
			return nil, nil
		}
	}
	p := &provenance{After: map[string]string{}, Learned: old.Split, Data: old.Data, Kind: old.Kind, Seed: old.Seed}
	for _, name := range filesBefore(s) {
		if f, ok := old.Files[name]; ok {
			p.After[name] = f.SHA256
		}
	}
	m := &stageMark{Provenance: p, Notes: map[string]float64{}}
	for name, v := range old.Metrics {
		if stageOfNote(name) == s.name {
			m.Notes[name] = v
		}
	}
	if s.name == string(models.Ranker) {
		p.OOD = &old.OOD
		for name, v := range old.Weights {
			m.Notes[weightNote+name] = v
		}
	}
	return m, nil
}

// stageOfNote returns the name of the stage that makes a note of such a name.
func stageOfNote(name string) string {
	switch {
	case strings.HasPrefix(name, "encoder "):
		return string(models.Encoder)
	case strings.HasPrefix(name, "validation refiner "):
		return string(models.Refiner)
	}
	return string(models.Ranker)
}

// stale says which stage is to be trained again, because one before it was; "" if none is.
func (t *training) stale() (string, error) {
	for _, s := range t.stages() {
		m, err := t.known(s)
		if err != nil {
			return "", err
		}
		if m == nil {
			continue
		}
		before := filesBefore(s)
		now, err := t.sums(before)
		if err != nil {
			return "", err
		}
		for _, name := range before {
			if sum, ok := m.Provenance.After[name]; ok && sum != now[name] {
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
	for _, s := range t.stages() {
		m, err := t.known(s)
		if err != nil {
			return "", nil, err
		}
		if m == nil {
			continue
		}
		p := m.Provenance
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
