package search

import (
	"context"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// An unmeasuring machine finds every third candidate wrong, and times none.
type unmeasuring struct{ machine }

func (m *unmeasuring) Run(ctx context.Context, inputs []measure.Input, builds []measure.BuildResult) ([]measure.Result, error) {
	out, err := m.machine.Run(ctx, inputs, builds)
	for i := range out {
		out[i] = measure.Result{Status: measure.Unmeasured}
		if i%3 == 0 {
			out[i].Status = measure.WrongAnswer
		}
	}
	return out, err
}

// A pupil keeps what it is taught.
type pupil struct {
	Random
	learned []dataset.Record
}

func (p *pupil) Update(_ context.Context, _ *Task, records []dataset.Record) error {
	p.learned = append(p.learned, records...)
	return nil
}

// A search whose candidates are correct, and not timed, is no failure, and its scorer
// learns from the failures only, of this run and of a log.
func TestUnmeasured(t *testing.T) {
	o := Options{Trials: 12, Seed: 1}
	records := collect(&o)
	m, p := &unmeasuring{}, &pupil{}
	tn := tuner(&m.machine, o)
	tn.Runner, tn.Scorer = m, p
	run := func(before []dataset.Record) {
		t.Helper()
		out, err := tn.Run(context.Background(), before)
		if err != nil || out.Found || out.State != (*schedule.State)(nil) || out.Reason != TrialsSpent || out.Status[measure.Unmeasured] == 0 {
			t.Errorf("%+v, %v", out, err)
		}
		if len(p.learned) == 0 || slices.ContainsFunc(p.learned, func(r dataset.Record) bool { return r.Status != measure.WrongAnswer }) {
			t.Errorf("the scorer learned of %d records, among them unmeasured ones", len(p.learned))
		}
	}
	run(nil)
	p.learned = nil
	run(*records)
}
