package train

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/models"
)

// TestShippedFolder: the folder of a shipped model, whose tokenizer is packed, is one to learn from and to diagnose.
func TestShippedFolder(t *testing.T) {
	o := &training{Options: Options{Out: "../cpu"}}
	if m, err := o.loadEncoder(); err != nil || m == nil {
		t.Errorf("its encoder: %v", err)
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

// An encoder with another pretraining is trained from something else, and no other part is.
func TestMaskedIsAnotherTraining(t *testing.T) {
	plain := &training{Options: Options{Out: t.TempDir()}, set: &taskSet{}}
	masked := &training{Options: Options{Out: plain.Out, Masked: 9}, set: plain.set}
	for _, s := range stages() {
		one, err := plain.from(s)
		if err != nil {
			t.Fatal(err)
		}
		two, err := masked.from(s)
		if err != nil {
			t.Fatal(err)
		}
		if (one != two) != (s.name == "encoder") {
			t.Errorf("stage %s: trained from another thing by a pretraining: %v", s.name, one != two)
		}
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

// TestSafeRankerIsMissing: the ranker is trained again if files of its safe part are gone.
func TestSafeRankerIsMissing(t *testing.T) {
	o := &training{Options: Options{Out: t.TempDir()}, set: &taskSet{}}
	if err := os.MkdirAll(o.checkpoints(), 0o777); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(stages(), func(s stage) bool { return s.name == string(models.Ranker) })
	s := stages()[i]
	for _, name := range slices.Concat(s.files, models.Safe.Files()) {
		if err := os.WriteFile(filepath.Join(o.Out, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.finished(s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if done, err := o.done(s); err != nil || done != want {
			t.Errorf("done: %v, %v, want %v", done, err, want)
		}
		if err := os.RemoveAll(filepath.Join(o.Out, models.Safe.Files()[0])); err != nil {
			t.Fatal(err)
		}
	}
}
