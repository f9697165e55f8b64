package tune

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A ready machine times all candidates, and has no baseline.
type ready struct{ forgetful }

func (m *ready) SetTask(context.Context, *compute.DAG, uint64, measure.Timing) error { return nil }

func (m *ready) Baseline(context.Context, measure.Input) (measure.Result, error) {
	return measure.Result{Status: measure.Unmeasured}, nil
}

// TestFirst: the first choice is one trial of the log, and told of as others are; a scorer that has
// learned nothing gives no candidates.
func TestFirst(t *testing.T) {
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []search.EventKind
	log := filepath.Join(t.TempDir(), "tuning.arrow")
	s, err := Open(t.Context(), &ready{}, w, Options{
		Scorer: search.Random{}, ScorerName: "random", Seed: 3, Log: log,
		OnEvent: func(e search.Event) { kinds = append(kinds, e.Kind) },
	})
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.First(t.Context())
	if err != nil || !first.Timed() || s.Result().Trials != 1 || s.Result().Status["ok"] != 1 {
		t.Errorf("%+v, %v, %+v", first, err, s.Result())
	}
	if !slices.Contains(kinds, search.Proposing) {
		t.Errorf("told of %v", kinds)
	}
	if _, err := s.Candidates(t.Context(), 1); !errors.Is(err, search.ErrUntrained) {
		t.Errorf("candidates of a scorer that knows nothing: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	records, _, err := dataset.ReadLog(log)
	if err != nil || len(records) != 1 || records[0].Trajectory != first.Trajectory {
		t.Errorf("%d records, %v", len(records), err)
	}
}

// TestSearchedCollapsed: dimensions of a workload become one for the search, not in the result, and not in the other
// spaces. A log that they began goes on as it was begun.
func TestSearchedCollapsed(t *testing.T) {
	const text = "conv2d:h=7,w=7,ci=8,co=16,k=1"
	w, err := workload.Find(text)
	if err != nil {
		t.Fatal(err)
	}
	for space, want := range map[string]string{"": "collapsed " + text, "direct": text, "autoscheduler": text} {
		log := filepath.Join(t.TempDir(), "tuning.arrow")
		s, err := Open(t.Context(), &ready{}, w, Options{
			Scorer: search.Random{}, ScorerName: "random", Space: space, Layout: target.Rewrite, Log: log,
		})
		if err != nil {
			t.Fatal(err)
		}
		first, err := s.First(t.Context())
		if err == nil {
			err = s.exportRecord(t.Context(), first)
		}
		if err != nil {
			t.Fatal(err)
		}
		r := s.Result()
		if first.Workload != want || r.Workload != text || r.WorkloadKey != w.Key || r.Searched != s.searched() ||
			(r.Searched != "") != (want != text) {
			t.Errorf("space %q: the record is of %q, the result of %q, searched as %q", space, first.Workload, r.Workload,
				r.Searched)
		}
		other := *r
		if other.Searched += "x"; !s.isOf(r) || s.isOf(&other) {
			t.Errorf("space %q: results of this form and of another are not told apart", space)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if s, err = Open(t.Context(), &ready{}, w, Options{ScorerName: "random", Layout: target.Rewrite,
			Log: log}); err != nil || len(s.Records()) != 1 || s.Task().Name != want {
			t.Errorf("space %q: a log of one trial goes on with %v, %v", space, s, err)
		} else if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestResultInTiles: the result says whether the kernel convolves by Winograd's algorithm. Where weights stay as they
// are, none does.
func TestResultInTiles(t *testing.T) {
	w, err := workload.Find("conv2d:h=32,w=32,ci=64,co=64,k=3,p=1")
	if err != nil {
		t.Fatal(err)
	}
	for layout, want := range map[target.Layout]bool{target.Rewrite: true, target.Keep: false} {
		s, err := Open(t.Context(), &ready{}, w, Options{Scorer: search.Random{}, ScorerName: "random", Layout: layout})
		if err != nil {
			t.Fatal(err)
		}
		first, err := s.First(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		state, err := schedule.Replay(w.DAG, first.Steps)
		if err == nil {
			err = s.putKernel(t.Context(), state)
		}
		if err == nil {
			err = s.putResult(state)
		}
		if err != nil || s.Result().Winograd != want {
			t.Errorf("layout %s: %v, in tiles %v", layout, err, s.Result().Winograd)
		}
		s.result.clearBest()
		if s.Result().Winograd {
			t.Error("no kernel is in tiles")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoCandidates: a space that has nothing for the workload is said before a folder is made.
func TestNoCandidates(t *testing.T) {
	w, err := workload.Find("softmax:m=8,n=8")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	_, err = Open(t.Context(), &ready{}, w, Options{ScorerName: "random", Space: TemplateSpace, Propose: "random", Out: out})
	if err == nil || !strings.Contains(err.Error(), "the space of templates has none for softmax") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("there is a folder: %v", err)
	}
}
