package replay

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// An interruptedMachine is interrupted after it has timed one candidate.
type interruptedMachine struct {
	machine.Machine
	interrupt func()
}

func (m *interruptedMachine) Target() target.Target    { return target.Target{Kind: target.LLVM} }
func (m *interruptedMachine) Builder() machine.Builder { return m }
func (m *interruptedMachine) Runner() machine.Runner   { return m }

func (m *interruptedMachine) SetTask(context.Context, *compute.DAG, uint64, measure.Timing) error {
	return nil
}

func (m *interruptedMachine) Build(_ context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	return make([]measure.BuildResult, len(inputs)), nil
}

func (*interruptedMachine) Modes() measure.Modes { return measure.Modes{} }

func (m *interruptedMachine) Run(
	_ context.Context, inputs []measure.Input, _ []measure.BuildResult,
) ([]measure.Result, error) {
	m.interrupt()
	results := make([]measure.Result, len(inputs))
	for i := range results {
		results[i].Status, results[i].Message = measure.Unmeasured, "interrupted"
	}
	results[0] = measure.Result{Status: measure.OK, Costs: []float64{1e-6}}
	return results, nil
}

// TestFlushInterrupted: records that were not timed when a replay was interrupted are
// neither counted nor in the new log. What was recorded as deployed is timed as repeated.
func TestFlushInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := filepath.Join(t.TempDir(), "out.arrow")
	log, err := openOutLog(out)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{
		Options: Options{Measure: true}, result: newResult(), out: log,
		opened: &interruptedMachine{interrupt: cancel}, kind: target.LLVM,
	}
	record := dataset.Record{
		WorkloadKey: "key", Workload: "text", Target: target.Target{Kind: target.LLVM},
		Status: measure.OK, Costs: []float64{1e-6}, Timing: measure.Deployed,
	}
	w, err := workload.Find("matmul:m=16,n=16,k=16")
	if err != nil {
		t.Fatal(err)
	}
	var batch []*pending
	for range 3 {
		batch = append(batch, &pending{record: record, dag: w.DAG, state: schedule.New(w.DAG)})
	}
	if err := s.flush(ctx, batch); err != nil {
		t.Fatal(err)
	}
	if err := log.close(); err != nil {
		t.Fatal(err)
	}
	records, _, err := dataset.ReadLog(out)
	if err != nil || len(records) != 1 || !records[0].Timed() {
		t.Errorf("the new log has %d records, %v", len(records), err)
	}
	if records[0].Timing != measure.Repeated || len(s.result.ratios) != 0 {
		t.Errorf("timed anew: %s, compared with a time of another kind: %v", records[0].Timing, s.result.ratios)
	}
	if s.result.Records != 1 || len(s.result.Failed) != 0 {
		t.Errorf("%d records, failed: %v", s.result.Records, s.result.Failed)
	}
}
