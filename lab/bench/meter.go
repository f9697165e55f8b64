package bench

import (
	"context"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A quiet machine is one that is ready for the task of a search. It neither times the untuned loop nest nor exports
// kernels.
type quiet struct{ *machine.CPU }

// SetTask implements tune.Machine.
func (quiet) SetTask(context.Context, *compute.DAG, uint64, measure.Timing) error { return nil }

// Baseline implements tune.Machine.
func (quiet) Baseline(context.Context, measure.Input) (measure.Result, error) {
	return measure.Result{Status: measure.Unmeasured}, nil
}

// Export implements tune.Machine.
func (quiet) Export(context.Context, *tir.Func, machine.ExportOptions) (machine.Export, error) {
	return machine.Export{}, nil
}

// A meter adds up how long a search thinks: it proposes candidates and learns. Building and measuring do not count.
type meter struct {
	thought time.Duration
	since   time.Time // it has been thinking since then; zero: it does not think
}

func (m *meter) event(e search.Event) {
	switch e.Kind {
	case search.Proposing, search.Learning:
		m.stop()
		m.since = time.Now()
	case search.Building:
		m.stop()
	}
}

// stop ends the phase under way.
func (m *meter) stop() {
	if !m.since.IsZero() {
		m.thought += time.Since(m.since)
	}
	m.since = time.Time{}
}
