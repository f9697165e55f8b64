package replay

import (
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
)

// Only what was good, and cannot be had at all, is a failure.
func TestCompiledNote(t *testing.T) {
	fits, spills := deviceResult{status: measure.OK}, deviceResult{measure.BuildError, "spills", true}
	refused := deviceResult{status: measure.LoadError, message: "too many threads"}
	for _, c := range []struct {
		logged                  measure.Status
		now                     deviceResult
		spilled, failed, fitted int
	}{
		{measure.OK, fits, 0, 0, 1},
		{measure.OK, spills, 1, 0, 0},
		{measure.OK, refused, 0, 1, 0},
		{measure.Unmeasured, refused, 0, 1, 0},
		{measure.BuildTimeout, refused, 0, 0, 0},
		{measure.BuildError, spills, 1, 0, 0},
	} {
		r := &Compiled{Status: map[string]int{}}
		r.note(&pending{record: dataset.Record{Status: c.logged}}, c.now)
		if r.Programs != 1 || r.Spilled != c.spilled || len(r.Failed) != c.failed || r.Status["ok"] != c.fitted {
			t.Errorf("%v, %+v: %+v", c.logged, c.now, r)
		}
	}
}

// TestWasGood: a candidate that was correct and not timed was good, one that another tool has no time of need not be.
func TestWasGood(t *testing.T) {
	refused := deviceResult{status: measure.LoadError, message: "too many threads"}
	for format, want := range map[string]int{"": 1, "metaschedule": 0} {
		r := newResult()
		r.Compiled = []*Compiled{{Status: map[string]int{}}}
		rec := dataset.Record{Status: measure.Unmeasured, Source: dataset.Source{Format: format}}
		now := measure.Result{Status: measure.RunTimeout}
		r.note(&pending{record: rec, result: now, compiled: []deviceResult{refused}})
		if len(r.Failed) != want || len(r.Compiled[0].Failed) != want {
			t.Errorf("format %q: failures %v, compiled %v; want %d each", format, r.Failed, r.Compiled[0].Failed, want)
		}
	}
}
