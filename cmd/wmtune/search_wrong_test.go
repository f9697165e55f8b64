package main

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
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/target"
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

func (m *forgetful) Remeasure(_ context.Context, inputs []measure.Input, _ []measure.BuildResult) ([]measure.Result, error) {
	return slices.Repeat([]measure.Result{{Status: measure.WrongAnswer}}, len(inputs)), nil
}

// tuneForgetful searches one trial into dir, where the kernel that old tells of lies if there
// is an old. It returns the search, and what it said as it went.
func tuneForgetful(t *testing.T, dir string, old *result) (s *searching, said string, err error) {
	t.Helper()
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	s = &searching{w: w, machine: &forgetful{}, ranks: search.Random{}, progress: newProgress(&text), signals: &interrupter{}}
	s.trials, s.layout, s.out, s.searchCommand.log = 1, target.Keep, dir, filepath.Join(dir, "tuning.arrow")
	s.space = space.Default(target.LLVM)
	if s.output, err = openOutput(dir, w); err != nil {
		t.Fatal(err)
	}
	defer s.output.close()
	if old != nil {
		if err := errors.Join(s.output.put("kernel", []byte("old")), s.output.putResult(*old)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.openLog(); err != nil {
		t.Fatal(err)
	}
	defer s.log.Close()
	s.result = result{
		Workload: w.Text, WorkloadKey: w.Key, Target: s.machine.Target().String(), Layout: s.layout.String(),
		Trials: len(s.past), Status: map[string]int{},
	}
	s.show = newDisplay(s)
	defer s.show.close()
	err = s.tune(t.Context())
	return s, text.String(), err
}

// TestDropWrong: a kernel whose program turns out wrong does not stay where no other is
// correct, and is not called the best; nor does one that an earlier search has left there. What
// else is in the folder stays, and so does a kernel of another program.
func TestDropWrong(t *testing.T) {
	dir := t.TempDir()
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	check := func(name string, s *searching, said string, err error, gone bool) {
		t.Helper()
		if !errors.Is(err, search.ErrNothingCorrect) || s.result.BestUS != nil || s.result.Steps != "" || len(s.result.Files) > 0 {
			t.Errorf("%s: %v, %+v", name, err, s.result)
		}
		_, missing := os.Stat(filepath.Join(dir, "kernel"))
		r, err := s.output.readResult()
		if err != nil || errors.Is(missing, fs.ErrNotExist) != gone || (len(r.Files) == 0) != gone || (r.Steps == "") != gone {
			t.Errorf("%s: kernel %v, result.json %+v, %v", name, missing, r, err)
		}
		if strings.Contains(said, "the kernel in "+dir+" is removed") != gone {
			t.Errorf("%s: it says %q", name, said)
		}
		if _, err := os.Stat(notes); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, said, err := tuneForgetful(t, dir, nil)
	check("searched", s, said, err, true)
	if m := s.machine.(*forgetful); len(m.asked) != 1 {
		t.Fatalf("%d kernels were handed over, want 1", len(m.asked))
	}
	var screen strings.Builder
	if s.result.print(&screen); !strings.HasPrefix(screen.String(), "no correct kernel among 1 trials: 1 wrong answer\n") {
		t.Errorf("the last screen is %q", screen.String())
	}

	handed := s.result // as it was while the kernel was thought to be correct
	handed.Steps, handed.Files = s.machine.(*forgetful).asked[0], []string{"kernel", "./notes.txt"}
	s, said, err = tuneForgetful(t, dir, &handed)
	check("continued", s, said, err, true)
	for name, change := range map[string]func(*result){
		"another program":  func(r *result) { r.Steps = "[]" },
		"another workload": func(r *result) { r.WorkloadKey = "other" },
		"another target":   func(r *result) { r.Target = "other" },
		"another layout":   func(r *result) { r.Layout = "rewrite" },
	} {
		other := handed
		change(&other)
		s, said, err = tuneForgetful(t, dir, &other)
		check(name, s, said, err, false)
	}
}
