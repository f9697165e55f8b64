package tune

import (
	"bytes"
	"context"
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
	again int
}

func (m *comparer) Runner() machine.Runner { return m }

func (m *comparer) SetTask(context.Context, *compute.DAG, uint64) error { return nil }

func (m *comparer) Baseline(context.Context, measure.Input) (measure.Result, error) {
	return measure.Result{Status: measure.OK, Costs: []float64{1}}, nil
}

func (m *comparer) Remeasure(
	ctx context.Context, inputs []measure.Input, b []measure.BuildResult,
) ([]measure.Result, error) {
	m.again++
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
