package report

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph/compile"
)

// TestTuningTable: the task that takes most of the model is first, a task without a time has dashes, and the most
// frequent reason is first.
func TestTuningTable(t *testing.T) {
	table := TuningTable(&compile.Tuning{Trials: 40, New: 30, Rounds: 3, Seconds: 2, Reason: "time spent", FromUS: 600,
		ToUS: 400, Tasks: []compile.TaskTuning{
			{Name: "light", Weight: 1, Trials: 20, New: 10, FromUS: 200, ToUS: 100, Why: map[string]int{"first": 4, "slope": 6}},
			{Name: "broken", Weight: 1},
			{Name: "heavy", Weight: 4, Trials: 20, New: 20, FromUS: 100, ToUS: 75, Why: map[string]int{"guess": 20}},
		}})
	var b strings.Builder
	table.Print(&b)
	text := strings.Join(strings.Fields(b.String()), " ")
	at := 0
	for _, want := range []string{
		"heavy 4 20 20 100 75.0 1.33x 75% guess 20",
		"light 1 20 10 200 100 2.00x 25% slope 6, first 4",
		"broken 1 0 0 - - - -",
		"all, by weight 40 30 600 400 1.50x",
		"3 rounds in 2.0 s; tuning ended: time spent",
	} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("not in it, or in another place: %s\n%s", want, text)
		}
		at += i
	}
}

// TestSources: sources are counted, in one order, and those that no task has are left out.
func TestSources(t *testing.T) {
	r := &compile.Result{Kernels: []compile.KernelInfo{{Source: compile.ByHand}, {Source: compile.Tuned},
		{Source: compile.ByHand}, {Source: compile.Scored}}}
	if got := Sources(r); got != "1 tuned, 1 the scorer's choice, 2 written by hand" {
		t.Error(got)
	}
}

// TestSums: what extents are sums of stands below the plans.
func TestSums(t *testing.T) {
	got := OneRun(&compile.Result{Dims: []string{"seq"}, State: &compile.StateInfo{Name: "past"},
		Sums: []model.Sum{{Name: "total", Plus: 1, Of: []model.Term{{Dim: "past", Times: 1}, {Dim: "seq", Times: 2}}},
			{Name: "past + seq", Of: []model.Term{{Dim: "past", Times: 1}, {Dim: "seq", Times: 1}}}},
		Plans:   []compile.PlanInfo{{Least: []int64{1}, Most: []int64{4}, LatencyUS: 20, Arena: 3000, Calls: 3}},
		Kernels: []compile.KernelInfo{{Plans: []int{0}}}})
	want := `plan      one run  memory      calls  kernels  of other plans, too
seq=1..4  20 us    3000 bytes  3      1        0
total: past+2*seq+1
all plans: `
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
