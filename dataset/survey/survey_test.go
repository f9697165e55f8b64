package survey_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/survey"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

func split(lengths ...int64) schedule.Step {
	return schedule.Split{At: 2, Iter: 0, Extent: 64, Lengths: lengths, InnerToOuter: true}
}

// TestSurvey counts two tasks by hand.
func TestSurvey(t *testing.T) {
	var s survey.Survey
	a := dataset.Task{WorkloadKey: `["ab", [1]]`, Workload: "matmul:m=1,n=1,k=1", Target: target.Generic(32, 2)}
	b := dataset.Task{WorkloadKey: `["ab", [2]]`, Workload: "matmul:m=2,n=1,k=1", Target: target.Target{Kind: target.CUDA, Arch: "sm_75"}}
	an := schedule.Annotate{At: 2, Ann: schedule.Parallel}
	s.Add(&a, survey.Row{Steps: []schedule.Step{split(2), an}, Status: measure.OK, Costs: []float64{4e-6, 2e-6}})
	s.Add(&a, survey.Row{Steps: []schedule.Step{split(2), split(3)}, Status: measure.OK, Costs: []float64{8e-6, 8e-6}})
	s.Add(&a, survey.Row{Steps: []schedule.Step{split(2), an}, Status: measure.Crash, Message: "signal 11 at 0x77\nmore"})
	s.Add(&b, survey.Row{Steps: []schedule.Step{split(2)}, Status: measure.Crash, Message: "signal 6 at 0x8"})
	r := s.Report()
	if r.Records != 4 || r.Timed != 2 || r.Tasks != 2 || r.DAGs != 1 {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(r.Steps, []survey.Count{{"SP", 5}, {"AN", 2}}) {
		t.Errorf("steps %v", r.Steps)
	}
	if !slices.Equal(r.Failures, []survey.Count{{"crash: signal # at #x#", 2}}) {
		t.Errorf("failures %v", r.Failures)
	}
	if len(r.Targets) != 2 || r.Targets[0].Count != 3 || r.Targets[1] != (survey.Count{Name: "cuda -arch=sm_75", Count: 1}) {
		t.Errorf("targets %v", r.Targets)
	}
	// Of a: three empty prefixes, split(2) three times, an twice, split(3); of b two.
	if r.Prefixes != 11 || r.Distinct != 6 || math.Abs(r.Common-5./11) > 1e-12 {
		t.Errorf("%d prefixes, %d distinct, %v common", r.Prefixes, r.Distinct, r.Common)
	}
	if r.Labels.Min != 0.25 || r.Labels.Max != 1 || r.Noise == nil || r.Noise.Min != 0 || math.Abs(r.Noise.Max-math.Sqrt2/3) > 1e-12 {
		t.Errorf("labels %v, noise %v", r.Labels, r.Noise)
	}
	row := r.List[0]
	if row.Records != 3 || row.Timed != 2 || row.CostUS.Min != 2 || row.CostUS.Max != 8 ||
		row.Labels[5] != 1 || row.Labels[survey.Bins-1] != 1 {
		t.Errorf("%+v", row)
	}
	if r.List[1].Timed != 0 || r.List[1].Noise != nil || r.List[1].CostUS != (survey.Quantiles{}) {
		t.Errorf("%+v", r.List[1])
	}
}

// TestWithdrawn: no time of a program that failed later counts, whichever log has the failure.
func TestWithdrawn(t *testing.T) {
	record := func(steps []schedule.Step, unix int64, status measure.Status, costs ...float64) dataset.Record {
		r := dataset.Record{WorkloadKey: "k", Workload: "w", Target: target.Generic(32, 2), Steps: steps, Unix: unix,
			Status: status, Costs: costs}
		r.Trajectory = dataset.TrajectoryHash(r.WorkloadKey, r.Workload, r.Steps)
		return r
	}
	a, b, c := []schedule.Step{split(2)}, []schedule.Step{split(4)}, []schedule.Step{split(8)}
	var logs []string
	for i, list := range [][]dataset.Record{
		{record(a, 5, measure.WrongAnswer), record(c, 5, measure.WrongAnswer)},
		{record(a, 2, measure.OK, 1e-6), record(b, 2, measure.OK, 2e-6), record(c, 7, measure.OK, 4e-6),
			record(b, 2, measure.WrongAnswer), record(c, 7, measure.OK, 8e-6)},
	} {
		log := filepath.Join(t.TempDir(), fmt.Sprintf("%d.arrow", i))
		write := func(w *dataset.Writer) error { return w.Append(list) }
		if err := dataset.Create(log, dataset.WriterOptions{}, write); err != nil {
			t.Fatal(err)
		}
		logs = append(logs, log)
	}
	for range 2 {
		info, err := survey.Read(t.Context(), logs, survey.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r := info.Report; r.Records != 5 || r.Timed != 2 || r.Labels.Min != 0.5 || r.List[0].CostUS.Min != 4 {
			t.Errorf("%+v", r)
		}
		slices.Reverse(logs)
	}
}

// TestTimings: times of two kinds are of two tasks, so that the fastest of one is no label of the other.
func TestTimings(t *testing.T) {
	var s survey.Survey
	repeated := dataset.Task{Workload: "x"}
	deployed := repeated
	deployed.Timing = measure.Deployed
	s.Add(&repeated, survey.Row{Status: measure.OK, Costs: []float64{1e-6}})
	s.Add(&deployed, survey.Row{Status: measure.OK, Costs: []float64{4e-6}})
	if r := s.Report(); r.Tasks != 2 || r.Labels.Min != 1 {
		t.Errorf("%d tasks, labels %v", r.Tasks, r.Labels)
	}
}

// TestNothing: a survey of nothing is one.
func TestNothing(t *testing.T) {
	var s survey.Survey
	if r := s.Report(); r.Records != 0 || r.Noise != nil || r.Common != 0 || r.List == nil {
		t.Errorf("%+v", r)
	}
	s.Add(&dataset.Task{Workload: "x"}, survey.Row{Status: measure.Crash, Message: strings.Repeat("é", 300)})
	if name := s.Report().Failures[0].Name; len(name) > 120 || !strings.HasSuffix(name, "...") {
		t.Errorf("a long message: %q", name)
	}
}
