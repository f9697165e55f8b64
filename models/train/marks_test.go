package train

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/encoder"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/transition"
)

// TestShippedFolder: the folder of a shipped model, whose tokenizer is packed, is one to learn from.
func TestShippedFolder(t *testing.T) {
	o := &training{Options: Options{Out: "../cpu", Kind: target.LLVM}}
	if m, err := o.loadEncoder(); err != nil || m == nil {
		t.Errorf("its encoder: %v", err)
	}
	o.Kind = target.CUDA
	want := "its encoder is for target llvm, not cuda"
	if _, err := o.openTransition(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a model for another kind of target: %v", err)
	}
	if data, err := o.read("no.file"); data != nil || err != nil {
		t.Errorf("a file that is not there: %d bytes, %v", len(data), err)
	}
	o.Out = t.TempDir()
	if err := os.WriteFile(filepath.Join(o.Out, "tokenizer.json.zst"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := o.read("tokenizer.json"); err == nil || !strings.Contains(err.Error(), "tokenizer.json.zst: ") ||
		!strings.Contains(err.Error(), "copy the folder again") {
		t.Errorf("a damaged one: %v", err)
	}
}

// TestFinished: checkpoints of a stage go when it is done, also from a folder that is called as a pattern would be.
func TestFinished(t *testing.T) {
	o := &training{Options: Options{Out: filepath.Join(t.TempDir(), "[a]*")}, set: &taskSet{}}
	if err := os.MkdirAll(o.checkpoints(), 0o777); err != nil {
		t.Fatal(err)
	}
	s := stages()[0]
	s.files = nil
	old := filepath.Join(o.checkpoints(), s.name+"-1.checkpoint")
	other := filepath.Join(o.checkpoints(), "other-1.checkpoint")
	for _, path := range []string{old, other} {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.finished(s); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("its checkpoint is still there")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

// TestMeaning: a stage is trained again by a program that reads other files, computes other features or has another
// recipe.
func TestMeaning(t *testing.T) {
	o := &training{Options: Options{Kind: target.LLVM}}
	features := []any{ranker.Steps.Digest(), transition.VectorName}
	trees := []any{ranker.FileVersion, ranker.DefaultTrees(ranker.Steps), ranker.DefaultLearning()}
	for name, want := range map[string][]any{
		"tokenizer":  {encoder.Version},
		"encoder":    {encoder.Version, encoder.Defaults(target.LLVM)},
		"transition": append(features, transition.Version, transition.Default(), transitionDraws),
		"ranker":     slices.Concat(features, trees),
		"refiner":    append(trees, ranker.Lowered.Digest()),
	} {
		got := o.meaning(stageNamed(models.Part(name)))
		for _, w := range want {
			if !strings.Contains(got, fmt.Sprintf("%+v", w)) {
				t.Errorf("%s: what it is trained by does not say %+v: %s", name, w, got)
			}
		}
	}
}

// copied returns a copy of the shipped model for CPUs, which has no marks.
func copied(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(out, os.DirFS("../cpu")); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestKept: what a part that is not trained now has of itself stays, in a copy of a shipped model: its seed, its
// figures and its detector of tasks unlike the training.
func TestKept(t *testing.T) {
	o := &training{Options: Options{Out: copied(t), Kind: target.LLVM, Seed: 5, Stages: []string{"refiner"}},
		set: &taskSet{}}
	shipped, err := models.Default(target.LLVM)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.fits(); err != nil {
		t.Error(err)
	}
	if r, err := o.complete(t.Context()); err != nil || r.Missing != "" {
		t.Fatalf("%+v, %v", r, err)
	}
	m, err := models.Open(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	got, want := m.Manifest(), shipped.Manifest()
	if got.Seed != want.Seed || got.Split != want.Split || !slices.Equal(got.Data, want.Data) {
		t.Errorf("seed %d, split %q, data %v", got.Seed, got.Split, got.Data)
	}
	if !maps.Equal(got.Metrics, want.Metrics) || !maps.Equal(got.Weights, want.Weights) {
		t.Errorf("metrics %v, weights %v", got.Metrics, got.Weights)
	}
	if !slices.Equal(got.OOD.Operators, want.OOD.Operators) || len(got.OOD.Centroids) != len(want.OOD.Centroids) ||
		got.OOD.Threshold != want.OOD.Threshold {
		t.Errorf("a detector of %d operations and %d programs", len(got.OOD.Operators), len(got.OOD.Centroids))
	}
}

// TestOtherKind: parts of another kind of target are not joined, and the model stays as it was.
func TestOtherKind(t *testing.T) {
	out := copied(t)
	data := testSet(t, minTimed, func(_ int, r *dataset.Record) { r.Target.Kind = target.CUDA })
	before, err := os.ReadFile(filepath.Join(out, models.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"tokenizer", "encoder", "transition", "ranker", "refiner"} {
		_, err := Run(t.Context(), Options{Data: []string{data}, Out: out, Kind: target.CUDA, Split: "task", Effort: 0.001,
			All: true, Stages: []string{stage}})
		if err == nil || !strings.Contains(err.Error(), "is for target llvm, not cuda: choose another folder") {
			t.Errorf("%s: %v", stage, err)
		}
	}
	if after, _ := os.ReadFile(filepath.Join(out, models.ManifestName)); string(after) != string(before) {
		t.Error("the manifest was replaced")
	}
}

// TestLeftRefiner: of a refiner in the folder of a model that has none nothing is said.
func TestLeftRefiner(t *testing.T) {
	o := &training{Options: Options{Out: copied(t), Kind: target.LLVM},
		set: &taskSet{data: []models.Data{{Name: "left.arrow"}}}, notes: map[string]float64{"validation refiner all": 1}}
	if err := os.MkdirAll(o.checkpoints(), 0o777); err != nil {
		t.Fatal(err)
	}
	s := stageNamed(models.Refiner)
	for _, name := range s.files {
		if err := os.WriteFile(filepath.Join(o.Out, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.finished(s); err != nil {
		t.Fatal(err)
	}
	for _, o.Kind = range []target.Kind{target.LLVM, target.CUDA} {
		refines := o.Kind == target.LLVM
		m, err := o.manifest()
		if err != nil {
			t.Fatal(err)
		}
		_, noted := m.Metrics["validation refiner all"]
		if listed := slices.Contains(m.Data, o.set.data[0]); m.Has(models.Refiner) != refines || noted != refines ||
			listed != refines {
			t.Errorf("target %s: parts %v, its figures %v, its data %v", o.Kind, m.Parts, noted, listed)
		}
	}
}

// TestTransitionKind: a transition says for which kind of target it was trained.
func TestTransitionKind(t *testing.T) {
	dir := testSet(t, minTimed, func(int, *dataset.Record) {})
	o, err := open(Options{Data: []string{dir}, Out: t.TempDir(), Kind: target.LLVM, Split: "task", Effort: 0.001})
	if err != nil {
		t.Fatal(err)
	}
	defer o.set.close()
	o.set.tasks[0].part = split.Train
	if err := trainTransition(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if m, err := o.openTransition(); err != nil || m.transition.Kind != target.LLVM {
		t.Fatalf("%+v, %v", m, err)
	}
	o.Kind = target.CUDA
	if _, err := o.openTransition(); err == nil || !strings.Contains(err.Error(), "its transition is for target llvm") {
		t.Error(err)
	}
}
