package tune

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A choosy machine exports any kernel but those it has an error for, by their steps.
type choosy struct {
	machine.Machine
	errs  map[string]error
	asked []string // the steps
}

func (m *choosy) Target() target.Target { return target.Generic(32, 2) }
func (m *choosy) CannotTime() string    { return "a test" }

func (m *choosy) Export(_ context.Context, _ *tir.Func, opt machine.ExportOptions) (machine.Export, error) {
	_, steps, _ := strings.Cut(opt.Note, "\nsteps: ")
	steps, _, _ = strings.Cut(steps, "\n")
	m.asked = append(m.asked, steps)
	return machine.Export{Files: []model.File{{Name: "kernel", Data: []byte(steps)}}, ResourceUsage: "takes " + steps}, m.errs[steps]
}

// scoreBySplit scores a state by the length of its first split.
type scoreBySplit struct{ search.Random }

func (scoreBySplit) Score(_ context.Context, _ *search.Task, states []*schedule.State) ([]float64, error) {
	scores := make([]float64, len(states))
	for i, s := range states {
		scores[i] = float64(s.Steps[0].(schedule.Split).Lengths[0])
	}
	return scores, nil
}

// checkedSearch returns a search with three candidates that are correct, and their steps, of
// the highest score last.
func checkedSearch(t *testing.T) (*Session, *choosy, []string) {
	t.Helper()
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	m := &choosy{errs: map[string]error{}}
	s, err := Open(t.Context(), m, w, Options{Scorer: scoreBySplit{}, ScorerName: "split", Out: filepath.Join(t.TempDir(), "out")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var steps []string
	for _, n := range []int64{2, 4, 8} {
		list := []schedule.Step{schedule.Split{At: 2, Iter: 0, Extent: 16, Lengths: []int64{n}, InnerToOuter: true}}
		s.noteChecked(dataset.Record{Status: measure.Unmeasured, Message: "an old message", Steps: list})
		steps = append(steps, string(schedule.FormatSteps(list)))
	}
	return s, m, steps
}

// TestKeepChecked: a candidate whose export is rejected is passed over, and not tried again; an
// error that is about no program ends it.
func TestKeepChecked(t *testing.T) {
	spills := &machine.RejectedError{Status: measure.BuildError, Why: "it spills"}
	slow := &build.CompileError{Status: measure.BuildTimeout, Why: "it takes long"}

	s, m, steps := checkedSearch(t)
	m.errs = map[string]error{steps[2]: spills}
	for range 2 {
		if err := s.keepChecked(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := s.result; r.Steps != steps[1] || r.Rivals != 2 || r.ResourceUsage != "takes "+steps[1] || r.Score == nil || *r.Score != 4 {
			t.Errorf("%+v, want %s of 2", r, steps[1])
		}
	}
	if want := []string{steps[2], steps[1]}; !slices.Equal(m.asked, want) {
		t.Errorf("asked for %v, want %v", m.asked, want)
	}
	if kernel, err := os.ReadFile(filepath.Join(s.folder.dir, "kernel")); err != nil || string(kernel) != steps[1] {
		t.Errorf("%v, %s", err, kernel)
	}

	s, m, steps = checkedSearch(t)
	m.errs = map[string]error{steps[0]: spills, steps[1]: slow, steps[2]: spills}
	for _, want := range []string{"none of 3 candidates can be built", "none of 3 checked candidates can be built"} {
		if err := s.keepChecked(t.Context()); !machine.IsRejected(err) || !strings.Contains(err.Error(), want) || len(m.asked) != 3 {
			t.Errorf("all rejected: %v after %d tries, want %q", err, len(m.asked), want)
		}
	}

	s, m, steps = checkedSearch(t)
	full := errors.New("the disk is full")
	m.errs = map[string]error{steps[2]: spills, steps[1]: full}
	if err := s.keepChecked(t.Context()); !errors.Is(err, full) || machine.IsRejected(err) || len(m.asked) != 2 {
		t.Errorf("%v after %v", err, m.asked)
	}
	s.checked = nil
	if err := s.keepChecked(t.Context()); !errors.Is(err, search.ErrNothingCorrect) {
		t.Errorf("none checked: %v", err)
	}
}

// TestPutFirst: a state that has no program is rejected, too.
func TestPutFirst(t *testing.T) {
	s, _, _ := checkedSearch(t)
	plain := schedule.New(s.w.DAG)
	open, err := plain.Apply(schedule.Split{At: 2, Iter: 0, Extent: 16, Lengths: []int64{0}, InnerToOuter: true})
	if err != nil {
		t.Fatal(err)
	}
	rejected, err := s.putFirst(t.Context(), []*schedule.State{open, plain}, nil)
	if err != nil || len(rejected) != 1 || !strings.Contains(rejected[0].Error(), "lower error: ") || s.kernel.steps != "[]" {
		t.Errorf("%v, %v, shown %s", rejected, err, s.kernel.steps)
	}
}

// TestRoundGoesOn: a round whose correct candidates are all rejected does not end the search.
func TestRoundGoesOn(t *testing.T) {
	s, m, steps := checkedSearch(t)
	var err error
	if s.log, err = dataset.OpenWriter(filepath.Join(t.TempDir(), "log.arrow"), dataset.WriterOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, text := range steps {
		m.errs[text] = &machine.RejectedError{Status: measure.BuildError, Why: "it spills"}
	}
	if err := s.round(t.Context(), search.Round{}); err != nil || len(m.asked) != 3 {
		t.Errorf("%v after %v", err, m.asked)
	}
	s.checked[1].rejected, m.errs[steps[1]] = nil, errors.New("the disk is full")
	if err := s.round(t.Context(), search.Round{}); err == nil {
		t.Error("the disk is full, and the search goes on")
	}
}

// TestByGuess: the highest score comes first, of equal ones the plainest state, of these the first;
// before all what tensor cores compute.
func TestByGuess(t *testing.T) {
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	plain := schedule.New(w.DAG)
	padded, err := plain.Apply(schedule.StorageAlign{At: 2, Iter: 0, Factor: 8, Offset: 4})
	if err != nil {
		t.Fatal(err)
	}
	states := []*schedule.State{padded, plain, plain, padded}
	for _, c := range []struct {
		scores []float64
		want   []int
	}{
		{[]float64{1, 1, 1, 1}, []int{1, 2, 0, 3}},
		{[]float64{1, 0, 1, 1}, []int{2, 0, 3, 1}},
		{[]float64{1, 2, 1, 3}, []int{3, 1, 2, 0}},
		{[]float64{2, 1, 1, 2}, []int{0, 3, 1, 2}},
		{[]float64{math.Inf(-1), 2, math.NaN(), 1}, []int{1, 3, 0, 2}},
	} {
		if got := byGuess(states, c.scores); !slices.Equal(got, c.want) {
			t.Errorf("%v: states %v, want %v", c.scores, got, c.want)
		}
	}
	steps, err := schedule.ParseSteps([]byte(`[["SP", 2, 0, 16, [16], 1], ["SP", 2, 2, 16, [8], 1], ["SP", 2, 4, 16, [8], 1], ["RE", 2, [0, 2, 4, 1, 3, 5]]]`))
	if err != nil {
		t.Fatal(err)
	}
	tensor, err := schedule.Replay(w.DAG, append(steps, schedule.Annotate{At: 2, Iter: 3, Ann: schedule.Tensorize}))
	if err != nil {
		t.Fatal(err)
	}
	if got := byGuess([]*schedule.State{plain, tensor}, []float64{2, 1}); got[0] != 1 {
		t.Errorf("states %v, want what tensor cores compute first", got)
	}
}

// TestWithdrawn: a record that withdraws a candidate stands for it when a search
// is continued, and is no trial of its own.
func TestWithdrawn(t *testing.T) {
	past := Past([]dataset.Record{
		{Trajectory: "a", Status: measure.OK, Costs: []float64{2}}, {Trajectory: "b", Status: measure.OK, Costs: []float64{1}}, {Trajectory: "b", Status: measure.WrongAnswer},
	})
	if len(past) != 2 || !past[0].Timed() || past[1].Status != measure.WrongAnswer {
		t.Errorf("past %+v", past)
	}
}
