package eval

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/ranker/metric"
	"github.com/wmtune/wmtune/tir/schedule"
)

// trained returns a network that has learned from made-up tasks, with a recipe
// that is changed to be quick.
func trained(t testing.TB, name string, tasks []*Task) *neural {
	t.Helper()
	var groups []Group
	for _, task := range tasks {
		groups = append(groups, newGroup(task, task.Samples))
	}
	s := rowsNamed(t, name)[0].new(nil, 17).(*neural)
	s.batchRows, s.batchSize, s.steps = s.batchRows/8, s.batchSize/8, 60
	if err := s.Train(groups); err != nil {
		t.Fatal(err)
	}
	return s
}

// Each network learns the order that was made up, in a task that it has not seen,
// the same whenever it is trained; and it scores a candidate the same in whatever
// company.
func TestNetworks(t *testing.T) {
	tasks := append(tasksOf(t, 60), taskOf(t, "matmul:m=64,n=256,k=64", 60, 9))
	if _, _, err := Prepare(context.Background(), tasks, []Feature{Actions, Tiling, Statements}, 0, nil); err != nil {
		t.Fatal(err)
	}
	last := len(tasks) - 1
	g := newGroup(tasks[last], tasks[last].Samples)
	for _, name := range []string{"mlp-l1p", "mlp", "tlp"} {
		one, err := trained(t, name, tasks[:last]).Score(g)
		if err != nil {
			t.Fatal(err)
		}
		net := trained(t, name, tasks[:last])
		two, err := net.Score(g)
		if err != nil || !slices.Equal(one, two) {
			t.Errorf("%s: two trainings score differently (%v)", name, err)
		}
		alone, err := net.Score(Group{Task: g.Task, Samples: g.Samples[7:8], Quality: g.Quality[7:8]})
		if err != nil || alone[0] != one[7] {
			t.Errorf("%s: candidate 7 scores %v among others and %v alone (%v)", name, one[7], alone, err)
		}
		rank := metric.Count(one, g.Quality, metric.MinBand).Accuracy()
		t.Logf("%s: pairwise %.3f", name, rank)
		if rank < 0.65 {
			t.Errorf("%s: pairwise %.3f", name, rank)
		}
	}
}

// A candidate that does not fit into a batch is an error, not an endless loop.
func TestNetworkTooSmall(t *testing.T) {
	task := taskOf(t, "matmul:m=64,n=64,k=64", 8, 1)
	s := trained(t, "tlp", []*Task{task})
	long := &Sample{Steps: make([]schedule.Step, s.batchRows+1)}
	for i := range long.Steps {
		long.Steps[i] = schedule.ComputeInline{At: 2}
	}
	if _, err := s.Score(newGroup(task, []*Sample{long})); err == nil || !strings.Contains(err.Error(), "a candidate of 513 rows") {
		t.Errorf("error %v", err)
	}
}

// The numbers of a step are those of its record form, and no more than fit.
func TestStepsOf(t *testing.T) {
	steps, err := schedule.ParseSteps([]byte(`[["SP", 3, 1, 15, [1, 7], 1],
		["RE", 0, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]],
		["PR", 2, 0, "auto_unroll_max_step$63"]]`))
	if err != nil {
		t.Fatal(err)
	}
	rows := stepsOf(&Sample{Steps: steps})
	if len(rows) != 3*36 || rows[4] != 1 || rows[36+3] != 1 || rows[72+2] != 1 {
		t.Fatalf("kinds: %v", rows)
	}
	// log2(1+v)/4 of 3 1 15 1 7, and of 2 0 63.
	if got := rows[14:20]; !slices.Equal(got, []float32{0.5, 0.25, 1, 0.25, 0.75, 0}) {
		t.Errorf("split %v", got)
	}
	if got := rows[72+14 : 72+18]; got[0] != rows[72+14] || got[1] != 0 || got[2] != 1.5 || got[3] != 0 {
		t.Errorf("pragma %v", got)
	}
	if len(stepsOf(&Sample{})) != 36 {
		t.Error("a state without steps has no row")
	}
}

// Training of each network, per batch.
func BenchmarkTrain(b *testing.B) {
	rows := rowsNamed(b, "mlp-l1p", "mlp", "tlp")
	tasks := tasksOf(b, 60)
	if _, _, err := Prepare(context.Background(), tasks, Needs(rows), 0, nil); err != nil {
		b.Fatal(err)
	}
	var groups []Group
	for _, t := range tasks {
		groups = append(groups, newGroup(t, t.Samples))
	}
	for _, r := range rows {
		b.Run(r.Name, func(b *testing.B) {
			s := r.new(nil, 17).(*neural)
			s.steps = b.N
			if err := s.Train(groups); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(s.net.Weights()), "weights")
		})
	}
}
