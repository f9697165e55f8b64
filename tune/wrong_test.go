package tune

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
)

// A forgetful machine times all candidates, and finds those wrong that it measures again.
type forgetful struct{ choosy }

func (m *forgetful) CannotTime() string       { return "" }
func (m *forgetful) Conditions() string       { return "" }
func (m *forgetful) Builder() machine.Builder { return m }
func (m *forgetful) Runner() machine.Runner   { return m }

func (m *forgetful) Build(_ context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	return slices.Repeat([]measure.BuildResult{{Status: measure.OK}}, len(inputs)), nil
}

func (m *forgetful) Run(_ context.Context, inputs []measure.Input, _ []measure.BuildResult) ([]measure.Result, error) {
	return slices.Repeat([]measure.Result{{Status: measure.OK, Costs: []float64{1e-3}}}, len(inputs)), nil
}

func (m *forgetful) Modes() measure.Modes { return measure.Modes{InTurns: m.Remeasure} }

func (m *forgetful) Remeasure(_ context.Context, inputs []measure.Input, _ []measure.BuildResult) ([]measure.Result, error) {
	return slices.Repeat([]measure.Result{{Status: measure.WrongAnswer}}, len(inputs)), nil
}

// tuneForgetful searches one trial into dir, where the kernel that old tells of lies if there
// is an old. It returns the session, and what it said as it went.
func tuneForgetful(t *testing.T, dir string, old *Result) (s *Session, said string, err error) {
	t.Helper()
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	if old != nil {
		f, err := openFolder(dir, w.Text, filepath.Join(dir, "tuning.arrow"))
		if err == nil {
			err = f.replace([]model.File{{Name: "kernel", Data: []byte("old")}}, old)
			f.close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var text bytes.Buffer
	s, err = Open(t.Context(), &forgetful{}, w, Options{
		Trials: 1, Scorer: search.Random{}, ScorerName: "random", Out: dir, Log: filepath.Join(dir, "tuning.arrow"), Observer: Logger(&text),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.result.UntunedStatus = "none" // the machine has no baseline
	tuner := s.tuner()
	tuner.Options.Trials = 1 - len(s.past)
	if len(s.past) > 0 {
		err = s.nothingLeft(t.Context())
		return s, text.String(), err
	}
	if s.search, err = tuner.Start(t.Context(), s.past); err != nil {
		t.Fatal(err)
	}
	for more := true; more && err == nil; {
		more, err = s.Step(t.Context())
	}
	err = s.End(t.Context(), err)
	return s, text.String(), err
}

// TestDropWrong: a kernel whose program turns out wrong does not stay where no other is
// correct, and is not called the best; nor does one that an earlier search has left there. A
// kernel of another program stays.
func TestDropWrong(t *testing.T) {
	dir := t.TempDir()
	check := func(name string, s *Session, said string, err error, gone bool) {
		t.Helper()
		if !errors.Is(err, search.ErrNothingCorrect) || s.result.BestUS != nil || s.result.Steps != "" || len(s.result.Files) > 0 {
			t.Errorf("%s: %v, %+v", name, err, s.result)
		}
		_, missing := os.Stat(filepath.Join(dir, "kernel"))
		r, err := s.folder.result()
		if err != nil || errors.Is(missing, fs.ErrNotExist) != gone || (len(r.Files) == 0) != gone || (r.Steps == "") != gone {
			t.Errorf("%s: kernel %v, result.json %+v, %v", name, missing, r, err)
		}
		if strings.Contains(said, "the kernel in "+dir+" is removed") != gone {
			t.Errorf("%s: it says %q", name, said)
		}
	}
	s, said, err := tuneForgetful(t, dir, nil)
	check("searched", s, said, err, true)
	if m := s.machine.(*forgetful); len(m.asked) != 1 {
		t.Fatalf("%d kernels were handed over, want 1", len(m.asked))
	}
	handed := s.result // as it was while the kernel was thought to be correct
	handed.Steps, handed.Files = s.machine.(*forgetful).asked[0], []string{"kernel"}
	s, said, err = tuneForgetful(t, dir, &handed)
	check("continued", s, said, err, true)
	for name, change := range map[string]func(*Result){
		"another program":  func(r *Result) { r.Steps = "[]" },
		"another workload": func(r *Result) { r.WorkloadKey = "other" },
		"another target":   func(r *Result) { r.Target = "other" },
		"another layout":   func(r *Result) { r.Layout = "rewrite" },
	} {
		other := handed
		change(&other)
		s, said, err = tuneForgetful(t, dir, &other)
		check(name, s, said, err, false)
	}
}

// TestPastWithdraws: a program that failed later has no times in the past, however often it was timed.
func TestPastWithdraws(t *testing.T) {
	timed := func(program string) dataset.Record {
		return dataset.Record{Trajectory: program, Status: measure.OK, Costs: []float64{1}}
	}
	past := Past([]dataset.Record{timed("a"), timed("b"), timed("a"), {Trajectory: "a", Status: measure.WrongAnswer}})
	var text string
	for _, r := range past {
		text += r.Trajectory + " " + r.Status.String() + ", "
	}
	if want := "a wrong answer, b ok, a wrong answer, "; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}
