package tune

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A sure scorer scores all states alike, and has learned.
type sure struct{ search.Random }

func (sure) Traits() search.Traits { return search.Traits{} }

func (sure) Score(_ context.Context, _ *search.Task, states []*schedule.State) ([]float64, error) {
	return make([]float64, len(states)), nil
}

// TestChoose: an unmeasured choice replaces another one, and no measured kernel, whose trials may be in another log.
func TestChoose(t *testing.T) {
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	dir, us := filepath.Join(t.TempDir(), "out"), 3.0
	f, err := openFolder(dir, w.Text, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { f.close() }()
	for _, c := range []struct {
		what   string
		old    Result
		refuse bool
	}{
		{"unmeasured", Result{Workload: w.Text, Unmeasured: true}, false},
		{"measured", Result{Workload: w.Text, BestUS: &us}, true},
	} {
		c.old.Files = []string{"kernel"}
		if err := f.replace([]model.File{{Name: "kernel", Data: []byte("old")}}, &c.old); err != nil {
			t.Fatal(err)
		}
		f.close()
		r, err := Choose(t.Context(), &ready{}, w, Options{
			Scorer: sure{}, ScorerName: "sure", Out: dir, Evolution: search.Quick, Log: filepath.Join(dir, "other.arrow"),
		})
		if refused := err != nil; refused != c.refuse ||
			refused && !strings.Contains(err.Error(), "holds a measured kernel: --trials 0 would") {
			t.Errorf("%s: %v", c.what, err)
		} else if !refused && (!r.Unmeasured || r.Score == nil || r.Rivals != 0) {
			t.Errorf("%s: %+v does not say how the choice was scored", c.what, r)
		}
		if kept := contents(t, dir)["kernel"] == "old"; kept != c.refuse {
			t.Errorf("%s: the old kernel is kept: %v", c.what, kept)
		}
		if f, err = openFolder(dir, w.Text, ""); err != nil {
			t.Fatal(err)
		}
	}
}

// doubtful is a machine on which the first candidates are wrong.
type doubtful struct {
	ready
	wrong, runs int
}

func (m *doubtful) Runner() machine.Runner { return m }

func (m *doubtful) Run(_ context.Context, inputs []measure.Input, _ []measure.BuildResult) ([]measure.Result, error) {
	m.runs++
	if m.runs <= m.wrong {
		return slices.Repeat([]measure.Result{{Status: measure.WrongAnswer, Message: "C[3] is 1, want 2"}}, len(inputs)), nil
	}
	return slices.Repeat([]measure.Result{{Status: measure.OK, Costs: []float64{1e-3}}}, len(inputs)), nil
}

// TestChooseChecks: a choice that computes something wrong is passed over; if all do, the error says it.
func TestChooseChecks(t *testing.T) {
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	for wrong, failure := range map[int]string{0: "", 2: "", choices: "C[3] is 1, want 2"} {
		m := &doubtful{wrong: wrong}
		_, err := Choose(t.Context(), m, w, Options{Scorer: sure{}, ScorerName: "sure", Out: filepath.Join(t.TempDir(), "out"),
			Evolution: search.Quick})
		if (err == nil) != (failure == "") || err != nil && !strings.Contains(err.Error(), failure) {
			t.Errorf("%d wrong: %v", wrong, err)
		}
		if err == nil && m.runs != wrong+1 {
			t.Errorf("%d wrong: %d runs", wrong, m.runs)
		}
	}
}
