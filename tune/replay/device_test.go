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
