package eval

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker"
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
	if err := s.Train(context.Background(), groups); err != nil {
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

// A column that one candidate in a thousand changes is not blown up.
func TestByDeviationRare(t *testing.T) {
	var list []*Sample
	for i := range 4000 {
		list = append(list, &Sample{All: []float32{float32(i % 2), 0, 1}})
	}
	list[7].All[1] = 0.1
	a := byDeviation(list, allOf, 3)
	if a.factor[0] < 1.99 || a.factor[0] > 2.01 || a.factor[1] != 50 || a.factor[2] != 0 {
		t.Errorf("factors %v", a.factor)
	}
}

// A network that was closed is collected; one that was never made can be closed.
func TestNeuralCloseFrees(t *testing.T) {
	net := func() weak.Pointer[nn.Network] {
		tasks := []*Task{taskOf(t, "matmul:m=64,n=64,k=64", 8, 1)}
		n := trained(t, "tlp", tasks)
		for _, c := range []*neural{n, {}} {
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		return weak.Make(n.net)
	}()
	for range 10 { // pools keep what they hold for a cycle or two
		if runtime.GC(); net.Value() == nil {
			return
		}
	}
	t.Error("a closed network is still reachable")
}

// A candidate that does not fit into a batch is an error, not an endless loop.
func TestNetworkTooSmall(t *testing.T) {
	task := taskOf(t, "matmul:m=64,n=64,k=64", 8, 1)
	s := trained(t, "tlp", []*Task{task})
	long := &Sample{Steps: make([]schedule.Step, s.batchRows+1)}
	for i := range long.Steps {
		long.Steps[i] = schedule.ComputeInline{At: 2}
	}
	if _, err := s.Score(newGroup(task, []*Sample{long})); err == nil ||
		!strings.Contains(err.Error(), "a candidate of 513 rows") {
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
			if err := s.Train(context.Background(), groups); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(s.net.Weights()), "weights")
		})
	}
}

// Losses of three candidates by hand, and derivatives equal to differences.
func TestLosses(t *testing.T) {
	// Scores 0 > -1: the second is better, and last in order.
	s, y, task := []float32{0, -1, 9}, []float64{0.5, 1, 0}, []int{0, 0, -1}
	d := make([]float32, 3)
	wrong := math.Log1p(math.E) // log(1 + e^-(s1-s0)) with s1-s0 = -1
	// Places 1 and 2 have discounts 1 and 1/log2(3); gains are 2^y - 1.
	gain := math.Sqrt2 - 1
	weight := (1 - 1/math.Log2(3)) * (1 - gain) / (1 + gain/math.Log2(3))
	if got, want := lambdaRank(s, y, task, d), weight*wrong/math.Ln2; math.Abs(got-want) > 1e-6 {
		t.Errorf("LambdaRank %v, want %v", got, want)
	}
	if d[2] != 0 || d[0] <= 0 || d[1] != -d[0] {
		t.Errorf("its derivatives %v", d)
	}
	if got := ranker.PairLoss(s, y, task, d); math.Abs(got-wrong) > 1e-6 {
		t.Errorf("loss of pairs %v, want %v", got, wrong)
	}
	// Close ones and those of different tasks are no pairs.
	if got := ranker.PairLoss([]float32{0, 1, 2}, []float64{0.5, 0.51, 1}, []int{0, 0, 1}, d); got != 0 || d[0] != 0 {
		t.Errorf("loss of no pairs %v, %v", got, d)
	}
	if got := lambdaRank(s, make([]float64, 3), task, d); got != 0 || d[0] != 0 {
		t.Errorf("LambdaRank of failures %v, %v", got, d)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for name, l := range map[string]loss{"LambdaRank": lambdaRank, "pairs": ranker.PairLoss} {
		s, y, task, d := make([]float32, 12), make([]float64, 12), make([]int, 12), make([]float32, 12)
		for i := range s {
			s[i], y[i], task[i] = float32(i)/4+rng.Float32()/8, rng.Float64(), i%3-1
		}
		l(s, y, task, d)
		for i := range s {
			const h = 1e-2 // too little to change the order
			up, down := append([]float32(nil), s...), append([]float32(nil), s...)
			up[i] += h
			down[i] -= h
			scratch := make([]float32, 12)
			if want := (l(up, y, task, scratch) - l(down, y, task, scratch)) / (2 * h); math.Abs(float64(d[i])-want) > 2e-3 {
				t.Errorf("%s: derivative by score %d is %v, differences say %v", name, i, d[i], want)
			}
		}
	}
}
