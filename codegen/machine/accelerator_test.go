package machine

import (
	"bytes"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

const chipSteps = `[["CHW", 2, "local"], ["SP", 2, 0, 32, [2, 4, 1], 1], ["SP", 2, 4, 32, [1, 1, 16], 1],
	["SP", 2, 8, 32, [1, 16], 1], ["RE", 2, [0, 4, 1, 5, 8, 9, 2, 6, 10, 3, 7]], ["FSP", 3, 0, 1, 2], ["FSP", 3, 3, 2, 2],
	["RE", 3, [0, 3, 1, 4, 2, 5]], ["CA", 2, 3, 3], ["CHR", 1, "wgt", [2]], ["CA", 2, 3, 4], ["CHR", 0, "inp", [3]],
	["CA", 1, 4, 4], ["AN", 5, 2, 4]]`

func chipInput(t *testing.T) (*compute.DAG, measure.Input) {
	t.Helper()
	w, err := op.Parse("matmul:m=32,n=32,k=32,dtype=int8")
	if err != nil {
		t.Fatal(err)
	}
	return w.DAG, measure.Input{Workload: w.DAG.Text(), Steps: chipSteps, Target: target.Accelerator()}
}

// TestAccelerator: cycles are the same each time; a program that computes something else, one that is refused, and one
// that is none have statuses that say so.
func TestAccelerator(t *testing.T) {
	m, err := Open(t.Context(), "vdla", Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	d, in := chipInput(t)
	if err := m.SetTask(t.Context(), d, 5, measure.Repeated); err != nil {
		t.Fatal(err)
	}
	untiled := measure.NewInput(schedule.New(d), m.Target(), target.Keep)
	built, results, err := m.Check(t.Context(), []measure.Input{in, in, untiled})
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Status != measure.OK || len(results[0].Costs) != 1 || results[0].Cost() != results[1].Cost() ||
		!strings.Contains(results[0].Message, "cycles, products in") {
		t.Errorf("got %+v and %+v", results[0], results[1])
	}
	if results[2].Status != measure.BuildError || !strings.HasPrefix(results[2].Message, "vdla: ") {
		t.Errorf("got %+v", results[2])
	}
	text := built[0].Object
	for _, c := range []struct {
		old, new string
		want     measure.Status
	}{
		{"imm 0", "imm 1", measure.WrongAnswer}, {"load inp 0 from x 0", "load inp 0 from x 32", measure.WrongAnswer},
		{"ld.push ex\n", "", measure.Crash}, {"load inp", "load imp", measure.LoadError},
	} {
		changed := built[0]
		if changed.Object = bytes.Replace(text, []byte(c.old), []byte(c.new), 1); bytes.Equal(changed.Object, text) {
			t.Fatalf("no %q in\n%s", c.old, text)
		}
		got, err := m.Runner().Run(t.Context(), []measure.Input{in}, []measure.BuildResult{changed})
		if err != nil || got[0].Status != c.want || got[0].Costs != nil {
			t.Errorf("%q: %+v, %v", c.new, got[0], err)
		}
	}
}

// TestAcceleratorRefuses: floats are none of its tasks, and the target takes no options.
func TestAcceleratorRefuses(t *testing.T) {
	m, err := Open(t.Context(), "vdla", Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	w, err := op.Parse("matmul:m=32,n=32,k=32")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SetTask(t.Context(), w.DAG, 1, measure.Repeated); err == nil || !strings.Contains(err.Error(), "use dtype=int8") {
		t.Errorf("got %v", err)
	}
	if _, err := Open(t.Context(), "vdla -fast", Options{}); err == nil || !strings.Contains(err.Error(), "takes no options") {
		t.Errorf("got %v", err)
	}
}
