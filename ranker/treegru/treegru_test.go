package treegru

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker/metric"
	"github.com/wmtune/wmtune/ranker/touch"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// drawn returns distinct states of a product of matrices, which splits all its loops twice.
func drawn(t *testing.T, n int) (task workload.Task, states []*schedule.State) {
	t.Helper()
	d, err := compute.Parse("input a: float32[24, 64]\ninput b: float32[64, 36]\n" +
		"c(i: 24, j: 36) = sum(k: 64) a[i, k]*b[k, j]\noutput c\n")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	seen := map[[16]byte]bool{}
	for len(states) < n {
		var steps []schedule.Step
		for axis, extent := range []int64{24, 36, 64} {
			var lengths []int64
			for rest := extent; len(lengths) < 2; rest /= lengths[len(lengths)-1] {
				all := arith.Divisors(rest)
				lengths = append(lengths, all[rng.IntN(len(all))])
			}
			steps = append(steps, schedule.Split{At: 2, Iter: 3 * axis, Extent: extent, Lengths: lengths, InnerToOuter: true})
		}
		steps = append(steps, schedule.Annotate{At: 2, Iter: 0, Ann: schedule.Parallel})
		s, err := schedule.ReplayBound(d, steps)
		if err != nil {
			t.Fatal(err)
		}
		if !seen[s.Signature()] {
			seen[s.Signature()] = true
			states = append(states, s)
		}
	}
	return workload.Task{DAG: d, Target: target.Generic(64, 2)}, states
}

// taught returns a model that has learned made times: each loop's share of the accesses costs.
func taught(t *testing.T, m *Model, states []*schedule.State) *Model {
	t.Helper()
	for _, s := range states {
		tree, err := Of(s)
		if err != nil {
			t.Fatal(err)
		}
		cost := 1.
		for l := range tree.Up {
			cost += float64(tree.X[l*touch.Columns+13]) * float64(tree.X[l*touch.Columns])
		}
		m.book.Local.Add(tree, cost, "task")
	}
	if err := m.Retrain(); err != nil {
		t.Fatal(err)
	}
	return m
}

func order(m *Model) float64 {
	var s []float64
	for _, tree := range m.book.Local.Programs {
		s = append(s, m.ScoreTree(tree))
	}
	return metric.AverageRecall(s, metric.Speeds(m.book.Local.Costs, m.book.Local.Tasks), len(s))
}

// one is a model that ranks and has learned 48 states; tests share it and leave it as it is.
var one = sync.OnceValue(func() *Model { return New(Options{Seed: 1}) })

func learned(t *testing.T) (*Model, workload.Task, []*schedule.State) {
	t.Helper()
	task, states := drawn(t, 48)
	if m := one(); !m.Ready() {
		taught(t, m, states)
	}
	return one(), task, states
}

// TestLearns: a model puts the programs that it learned in order, whatever it minimises. One of the same seed has the
// same scores to the bit, for any number of workers and whatever is scored beside; one of another seed has others.
func TestLearns(t *testing.T) {
	m, task, states := learned(t)
	regression := taught(t, New(Options{Seed: 1, Regression: true}), states)
	t.Logf("a-recall %.3f, of regression %.3f", order(m), order(regression))
	if order(m) < 0.95*full(m) || order(regression) < 0.85*full(m) {
		t.Errorf("a-recall %.3f, of regression %.3f; of the true order %.3f", order(m), order(regression), full(m))
	}
	again := taught(t, New(Options{Seed: 1}), states)
	m.Workers, again.Workers = 1, 4
	a, err := m.Score(t.Context(), task, states)
	b, err2 := again.Score(t.Context(), task, states[7:])
	if err != nil || err2 != nil || !slices.Equal(a[7:], b) {
		t.Errorf("scores differ: %v, %v", err, err2)
	}
	d := &m.book.Local
	labels := metric.Speeds(d.Costs, d.Tasks)
	var scores []float64
	for _, seed := range []uint64{1, 2} {
		n, err := learn(Options{Seed: seed}, d, labels, make([]float64, len(labels)), 64)
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, n.score(d.Programs[0], nil))
	}
	if scores[0] == scores[1] {
		t.Error("another seed has the same score")
	}
}

// full is the a-recall of the true order.
func full(m *Model) float64 {
	labels := metric.Speeds(m.book.Local.Costs, m.book.Local.Tasks)
	return metric.AverageRecall(labels, labels, len(labels))
}

// TestLoss: the loss of pairs falls with the steps of the optimiser, and its derivatives are those of differences.
func TestLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s, quality, task := make([]float32, 9), make([]float64, 9), []int{0, 0, 0, 1, 1, 1, 1, -1, -1}
	for i := range s {
		s[i], quality[i] = rng.Float32(), rng.Float64()
	}
	for _, regression := range []bool{false, true} {
		by, other := make([]float32, len(s)), make([]float32, len(s))
		lossOf(regression, s, quality, task, by)
		for i := range s {
			up, down := slices.Clone(s), slices.Clone(s)
			up[i] += 1e-2
			down[i] -= 1e-2
			want := (lossOf(regression, up, quality, task, other) - lossOf(regression, down, quality, task, slices.Clone(other))) / 2e-2
			clear(other)
			if math.Abs(float64(by[i])-want) > 1e-3 {
				t.Errorf("regression %v: derivative %d is %v, differences say %v", regression, i, by[i], want)
			}
		}
	}
}

// TestFalls: what pairs lose on the programs that are learned falls the longer a network learns.
func TestFalls(t *testing.T) {
	m, _, _ := learned(t)
	d := &m.book.Local
	labels := metric.Speeds(d.Costs, d.Tasks)
	last := math.Inf(1)
	for _, see := range []int{1, 480, 1920} {
		n, err := learn(Options{Seed: 3}, d, labels, make([]float64, len(labels)), see)
		if err != nil {
			t.Fatal(err)
		}
		s := make([]float32, len(labels))
		for i, tree := range d.Programs {
			s[i] = float32(n.score(tree, nil))
		}
		loss, pairs := nn.PairLoss(s, labels, make([]int, len(s)), 0, make([]float32, len(s)))
		if t.Logf("after %d programs the loss is %.3f", see, loss/float64(pairs)); loss >= last {
			t.Errorf("after %d programs the loss is %v, and was %v", see, loss, last)
		}
		last = loss
	}
}

// TestTransfer: a model that learned before scores like its global network until it measures, and the less the more it
// measures: not at all beyond 276 programs.
func TestTransfer(t *testing.T) {
	source, _, states := learned(t)
	m := New(Options{Seed: 1})
	for i, tree := range source.book.Local.Programs {
		m.AddTree(tree, source.book.Local.Costs[i], "before")
	}
	if err := m.Pretrain(); err != nil || !m.Ready() || m.margin != 0 {
		t.Fatalf("%v", err)
	}
	tree := source.book.Local.Programs[5]
	if m.ScoreTree(tree) != m.global.score(tree, nil) {
		t.Error("before anything is measured the score is not the global network's")
	}
	for i := range 16 {
		m.book.Local.Add(source.book.Local.Programs[i], source.book.Local.Costs[i], "task")
	}
	if err := m.Retrain(); err != nil || math.Abs(m.margin-math.Exp2(-0.25)) > 1e-12 {
		t.Errorf("margin %v, %v", m.margin, err)
	}
	if want := m.learned.score(tree, nil) + m.margin*m.global.score(tree, nil); m.ScoreTree(tree) != want {
		t.Errorf("score %v, want %v", m.ScoreTree(tree), want)
	}
	for i := range 270 {
		m.book.Local.Add(source.book.Local.Programs[i%len(states)], source.book.Local.Costs[i%len(states)], "task")
	}
	if err := m.Retrain(); err != nil || m.margin != 0 || m.ScoreTree(tree) != m.learned.score(tree, nil) {
		t.Errorf("margin %v after 286 programs, %v", m.margin, err)
	}
}

// TestRelax: at the lengths of a state the relaxed score is the score, and its slopes are those of differences.
func TestRelax(t *testing.T) {
	m, task, states := learned(t)
	rng := rand.New(rand.NewPCG(7, 8))
	relaxed, wrong, slopes := 0, 0, 0
	for _, s := range states {
		r, err := m.Relax(s, func(int) bool { return true })
		if err != nil {
			t.Logf("not relaxed: %v", err)
			continue
		}
		relaxed++
		y, slope := make([]float64, len(r.Vars())), make([]float64, len(r.Vars()))
		for k, v := range r.Vars() {
			y[k] = math.Log(float64(v.Value))
		}
		scores, err := m.Score(t.Context(), task, []*schedule.State{s})
		if got := r.Value(y, slope); err != nil || math.Abs(got-scores[0]) > 1e-5*max(1, math.Abs(got)) {
			t.Errorf("at its lengths a state scores %v, relaxed %v", scores[0], got)
		}
		for k, v := range r.Vars() {
			y[k] = rng.Float64() * math.Log(float64(v.Extent))
		}
		r.Value(y, slope)
		for k, want := range slope {
			const h = 1e-2
			other := make([]float64, len(y))
			up, down := slices.Clone(y), slices.Clone(y)
			up[k], down[k] = up[k]+h, down[k]-h
			got := (r.Value(up, other) - r.Value(down, other)) / (2 * h)
			if slopes++; math.Abs(got-want) > 2e-2*max(0.05, math.Abs(want)) {
				wrong++
				t.Logf("slope %v, by differences %v", want, got)
			}
		}
	}
	t.Logf("%d of %d states relaxed, %d of %d slopes differ", relaxed, len(states), wrong, slopes)
	if relaxed*10 < len(states)*9 || wrong*100 > slopes || slopes == 0 {
		t.Error("too few")
	}
}
