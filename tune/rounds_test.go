package tune

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/compute"
)

// A comparer is a machine that counts how often candidates are measured again.
type comparer struct {
	forgetful
	again  int
	before func() // called before they are; may be nil
}

func (m *comparer) Runner() machine.Runner { return m }

func (m *comparer) SetTask(context.Context, *compute.DAG, uint64, measure.Timing) error { return nil }

func (m *comparer) Baseline(context.Context, measure.Input) (measure.Result, error) {
	return measure.Result{Status: measure.OK, Costs: []float64{1}}, nil
}

func (m *comparer) Modes() measure.Modes { return measure.Modes{InTurns: m.Remeasure} }

func (m *comparer) Remeasure(
	ctx context.Context, inputs []measure.Input, b []measure.BuildResult,
) ([]measure.Result, error) {
	m.again++
	if m.before != nil {
		m.before()
	}
	return m.Run(ctx, inputs, b)
}

// TestComparisonCutOff: a session that ended before it compared the best candidates is followed by one that does,
// even if there is nothing left to try; the next one has nothing to do.
func TestComparisonCutOff(t *testing.T) {
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	m, dir := &comparer{}, filepath.Join(t.TempDir(), "out")
	log := filepath.Join(dir, "tuning.arrow")
	session := func(rounds bool) (r Result, said string) {
		t.Helper()
		var text bytes.Buffer
		s, err := Open(t.Context(), m, w, Options{
			Trials: 4, Scorer: search.Random{}, ScorerName: "random", Out: dir, Log: log,
			Observer: Logger(&text),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		err = s.Begin(t.Context())
		for more := rounds; more && err == nil; {
			more, err = s.Step(t.Context())
		}
		if err == nil && !rounds {
			err = s.End(t.Context(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		return *s.Result(), text.String()
	}
	session(true) // ends like a process that is killed before End
	if m.again != 0 {
		t.Fatalf("compared %d times without an end", m.again)
	}
	r, said := session(false)
	if m.again == 0 || r.Tied == 0 || r.Trials != 4 || r.Reason != search.TrialsSpent.String() ||
		!strings.Contains(said, "holds 4 trials already; the best of them are compared") {
		t.Errorf("compared %d times, %+v, it says %q", m.again, r, said)
	}
	before := m.again
	next, said := session(false)
	if m.again != before || next.Tied != r.Tied || next.Steps != r.Steps || !slices.Equal(next.Files, r.Files) ||
		!strings.Contains(said, "ask for more") {
		t.Errorf("compared %d times more, %+v, it says %q", m.again-before, next, said)
	}
	dir = filepath.Join(t.TempDir(), "another") // without a kernel, beside a full log
	if r, _ = session(false); m.again != before+1 || r.Tied == 0 || len(r.Files) == 0 {
		t.Errorf("compared %d times for a new folder, %+v", m.again-before, r)
	}
}

// TestFinalsCancelled: a session that is cancelled while the best are compared returns the context's error, and its
// folder does not say that the search is complete; the next session compares them.
func TestFinalsCancelled(t *testing.T) {
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	m, dir := &comparer{before: cancel}, filepath.Join(t.TempDir(), "out")
	log := filepath.Join(dir, "tuning.arrow")
	o := Options{Trials: 4, Scorer: search.Random{}, ScorerName: "random", Out: dir, Log: log}
	r, err := Run(ctx, m, w, o)
	kept, e := (&folder{dir: dir}).result()
	if want := search.Cancelled.String(); !errors.Is(err, context.Canceled) || e != nil || r.Reason != want ||
		kept.Reason != want || kept.Tied != 0 || kept.BestUS == nil {
		t.Errorf("%v, %v, ended as %q, in the folder as %q with %d tied", err, e, r.Reason, kept.Reason, kept.Tied)
	}
	m.before = nil
	r, err = Run(t.Context(), m, w, o)
	if err != nil || m.again != 2 || r.Tied == 0 || r.Reason != search.TrialsSpent.String() {
		t.Errorf("the next session: %v, compared %d times, ended as %q", err, m.again, r.Reason)
	}
}

// A faulty is a machine whose runner cannot start once, after it has measured a few candidates.
type faulty struct {
	comparer
	runs int
}

func (m *faulty) Runner() machine.Runner { return m }

func (m *faulty) Run(ctx context.Context, in []measure.Input, b []measure.BuildResult) ([]measure.Result, error) {
	if m.runs++; m.runs == 3 {
		return nil, errors.New("no worker")
	}
	return m.comparer.Run(ctx, in, b)
}

// TestFailedSearch: a search that failed does not say that it is complete; the next one goes on.
func TestFailedSearch(t *testing.T) {
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	m, dir := &faulty{}, filepath.Join(t.TempDir(), "out")
	o := Options{Trials: 8, PerRound: 4, Scorer: search.Random{}, ScorerName: "random", Out: dir,
		Log: filepath.Join(dir, "tuning.arrow")}
	r, err := Run(t.Context(), m, w, o)
	kept, e := (&folder{dir: dir}).result()
	if err == nil || e != nil || r.Trials == 0 || r.Trials == 8 || r.Reason != "not ended" || kept.Reason != r.Reason {
		t.Errorf("%v, %v, %d trials, ended as %q, in the folder as %q", err, e, r.Trials, r.Reason, kept.Reason)
	}
	if r, err = Run(t.Context(), m, w, o); err != nil || r.Trials != 8 || r.Reason != search.TrialsSpent.String() {
		t.Errorf("the next one: %v, %d trials, ended as %q", err, r.Trials, r.Reason)
	}
}

// TestCancelled: whatever the session does when its context is cancelled, the error is the context's.
func TestCancelled(t *testing.T) {
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []search.EventKind{search.Sketched, search.Proposing, search.Building, search.Running,
		search.Learning, search.Finals} {
		ctx, cancel := context.WithCancel(t.Context())
		told := false
		r, err := Run(ctx, &comparer{}, w, Options{Trials: 8, PerRound: 4, Scorer: search.Random{}, ScorerName: "random",
			OnEvent: func(e search.Event) {
				if e.Kind == kind {
					told = true
					cancel()
				}
			}})
		if !told || !errors.Is(err, context.Canceled) || r == nil || r.Reason != search.Cancelled.String() {
			t.Errorf("%v, told %v: %v, %+v", kind, told, err, r)
		}
	}
}
