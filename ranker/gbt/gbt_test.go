package gbt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/trees"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

func taskOf(t testing.TB, spec string) workload.Task {
	t.Helper()
	w, err := op.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return workload.Task{DAG: w.DAG, Target: target.Generic(32, 2)}
}

// tiled returns the steps of a tiled matmul of 64.
func tiled(i, j, k int64) []schedule.Step {
	text := fmt.Sprintf(`[["SP", 2, 0, 64, [%d], 1], ["SP", 2, 2, 64, [%d], 1], ["SP", 2, 4, 64, [%d], 1], `+
		`["RE", 2, [0, 2, 4, 5, 1, 3]], ["AN", 2, 0, 3], ["AN", 2, 5, 2]]`, i, j, k)
	steps, err := schedule.ParseSteps([]byte(text))
	if err != nil {
		panic(err)
	}
	return steps
}

// measured returns records of random tilings, whose times are made up: a vector
// of 16 and a tile of 8 rows are best. Every ninth failed.
func measured(n int, seed uint64) []dataset.Record {
	rng := rand.New(rand.NewPCG(seed, 1))
	size := func() int64 { return int64(1) << rng.IntN(7) }
	var list []dataset.Record
	for trial := range n {
		i, j, k := size(), size(), size()
		r := dataset.Record{Steps: tiled(i, j, k), Status: measure.OK, Trial: trial}
		far := math.Abs(math.Log2(float64(i)/8)) + 2*math.Abs(math.Log2(float64(j)/16))
		r.Costs = []float64{1e-5 * (1 + far) * (1 + 0.01*rng.Float64())}
		if trial%9 == 8 {
			r.Status, r.Costs = measure.RunTimeout, nil
		}
		list = append(list, r)
	}
	return list
}

func statesOf(t testing.TB, task workload.Task, records []dataset.Record) []*schedule.State {
	t.Helper()
	var states []*schedule.State
	for _, r := range records {
		s, err := schedule.Replay(task.DAG, r.Steps)
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, s)
	}
	return states
}

// A trained model ranks programs that it has not seen, whatever the number of
// workers, and the same records give the same scores.
func TestLearns(t *testing.T) {
	needLibrary(t)
	task, ctx := taskOf(t, "matmul:m=64,n=64,k=64"), context.Background()
	test := measured(200, 2)
	states := statesOf(t, task, test)
	var scores [2][]float64
	for k := range scores {
		m, err := New("")
		if err != nil {
			t.Fatal(err)
		}
		m.Workers = 1 + 3*k
		for round := range slices.Chunk(measured(192, 1), 64) {
			if err := m.Update(ctx, task, round); err != nil {
				t.Fatal(err)
			}
		}
		if !m.Ready() {
			t.Fatal("not ready after 192 records")
		}
		if scores[k], err = m.Score(ctx, task, states); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(scores[0], scores[1]) {
		t.Error("two models of the same records score differently")
	}
	right, pairs := 0, 0
	for i, a := range test {
		for k, b := range test[:i] {
			if !a.Timed() || !b.Timed() || math.Abs(a.Cost()/b.Cost()-1) < 0.1 {
				continue
			}
			pairs++
			if (a.Cost() < b.Cost()) == (scores[0][i] > scores[0][k]) {
				right++
			}
		}
	}
	if share := float64(right) / float64(pairs); share < 0.9 {
		t.Errorf("%.3f of %d pairs are in order", share, pairs)
	}
}

// Times of one workload on one target are compared, if the layout and what the caches held were the same.
func TestGroups(t *testing.T) {
	a := dataset.Record{WorkloadKey: "key", Target: target.Generic(32, 2)}
	b, c, d := a, a, a
	b.Layout, c.Timing, d.Seed = target.Rewrite, measure.Deployed, 7
	if groupOf(&a) == groupOf(&b) || groupOf(&a) == groupOf(&c) || groupOf(&a) != groupOf(&d) {
		t.Error("the wrong records are compared")
	}
}

// A model is ready when it has more records than AutoScheduler waits for, or
// was pretrained.
func TestReady(t *testing.T) {
	needLibrary(t)
	task, ctx := taskOf(t, "matmul:m=64,n=64,k=64"), context.Background()
	m, err := New("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Score(ctx, task, nil); err == nil {
		t.Error("a model scores without having learned")
	}
	if err := m.Update(ctx, task, measured(warmUp, 1)); err != nil || m.Ready() {
		t.Errorf("ready with %d records (%v)", warmUp, err)
	}
	if err := m.Update(ctx, task, measured(1, 2)); err != nil || !m.Ready() {
		t.Errorf("not ready with %d records (%v)", warmUp+1, err)
	}
	warm, err := New("")
	if err != nil {
		t.Fatal(err)
	}
	if err := warm.Pretrain(); err != nil || warm.Ready() {
		t.Errorf("ready without records (%v)", err)
	}
	if err := warm.Add(ctx, task, measured(20, 1)); err != nil {
		t.Fatal(err)
	}
	if err := warm.Pretrain(); err != nil || !warm.Ready() {
		t.Errorf("not ready after pretraining (%v)", err)
	}
}

// Scores follow the trees: those of states scored before change with what is
// learned.
func TestScoresAreOfTheTrees(t *testing.T) {
	needLibrary(t)
	task, ctx := taskOf(t, "matmul:m=64,n=64,k=64"), context.Background()
	m, err := New("")
	if err != nil {
		t.Fatal(err)
	}
	states := statesOf(t, task, measured(50, 2))
	var scores [3][]float64
	for k, n := range []int{150, 0, 150} {
		if n > 0 {
			if err := m.Update(ctx, task, measured(n, uint64(k))); err != nil {
				t.Fatal(err)
			}
		}
		if scores[k], err = m.Score(ctx, task, states); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(scores[0], scores[1]) || slices.Equal(scores[1], scores[2]) {
		t.Error("scores do not change with the trees, or without them")
	}
}

// What cannot be lowered scores -Inf, and what does not replay is left out.
func TestImpossible(t *testing.T) {
	needLibrary(t)
	task, ctx := taskOf(t, "matmul:m=64,n=64,k=64"), context.Background()
	m, err := New("")
	if err != nil {
		t.Fatal(err)
	}
	records := measured(20, 1)
	records = append(records, dataset.Record{Steps: []schedule.Step{schedule.Split{At: 77}}, Status: measure.OK,
		Costs: []float64{1}})
	if err := m.Update(ctx, task, records); err != nil || m.data.len() != 20 {
		t.Errorf("%d samples, %v", m.data.len(), err)
	}
	open, err := schedule.New(task.DAG).Apply(schedule.Split{At: 2, Extent: 64, Lengths: []int64{schedule.OpenLength},
		InnerToOuter: true})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := m.Score(ctx, task, append(statesOf(t, task, measured(1, 3)), open))
	if err != nil || math.IsInf(scores[0], 0) || !math.IsInf(scores[1], -1) {
		t.Errorf("scores %v, %v", scores, err)
	}
}

// Times are compared within a task only, and a new best changes the labels.
func TestLabels(t *testing.T) {
	var d samples
	rows := make([]float32, 2*164)
	d.add([]sample{{rows, 4, "a"}, {rows[:164], 2, "a"}, {rows, 0, "a"}, {nil, 0.5, "a"}})
	d.add([]sample{{rows, 100, "b"}, {rows, 1, "a"}})
	all, packs := d.packs()
	want := []pack{{0, 2, 0.25}, {2, 3, 0.5}, {3, 5, 0}, {5, 7, 1}, {7, 9, 1}}
	if !slices.Equal(packs, want) || len(all) != 9*164 {
		t.Errorf("packs %v of %d values, want %v", packs, len(all), want)
	}
}

// The objective's derivatives are those of half the weighted squared error.
func TestObjective(t *testing.T) {
	o := &objective{packs: []pack{{0, 2, 0.5}, {2, 3, 1}}, best: math.Inf(1)}
	grad, hess := make([]float32, 3), make([]float32, 3)
	if !o.derive(0, []float32{0.5, 0.25, 0.5}, grad, hess) {
		t.Error("stopped before the first round")
	}
	if !slices.Equal(grad, []float32{0.125, 0.125, -0.5}) || !slices.Equal(hess, []float32{0.5, 0.5, 1}) {
		t.Errorf("derivatives %v, %v", grad, hess)
	}
	last := 0
	for round := 1; o.derive(round, []float32{0.5, 0.25, 0.5}, grad, hess); round++ {
		last = round
	}
	if last != patience {
		t.Errorf("the last round without progress was %d, want %d", last, patience)
	}
}

// TestClone: a clone scores as the model does, and neither learns what the other is
// taught.
func TestClone(t *testing.T) {
	needLibrary(t)
	task, ctx := taskOf(t, "matmul:m=64,n=64,k=64"), context.Background()
	states := statesOf(t, task, measured(50, 2))
	score := func(m *Model) []float64 {
		scores, err := m.Score(ctx, task, states)
		if err != nil {
			t.Fatal(err)
		}
		return scores
	}
	teach := func(m *Model, records []dataset.Record) {
		if err := m.Update(ctx, task, records); err != nil {
			t.Fatal(err)
		}
	}
	m, err := New("")
	if err != nil {
		t.Fatal(err)
	}
	teach(m, measured(136, 1)) // there is room for more behind them
	before, a, b := score(m), m.Clone(), m.Clone()
	if !slices.Equal(score(a), before) || !a.Ready() {
		t.Error("the clone scores differently")
	}
	teach(a, measured(64, 3))
	afterA := score(a)
	teach(b, measured(64, 4))
	if err := a.Retrain(); err != nil || !slices.Equal(score(a), afterA) {
		t.Errorf("what one learned, another wrote over: %v", err)
	}
	if !slices.Equal(score(m), before) || slices.Equal(afterA, before) || slices.Equal(score(b), afterA) {
		t.Error("one learned from what another was taught, or nothing")
	}
	if m.data.len() != 136 || a.data.len() != 200 {
		t.Errorf("%d and %d samples", m.data.len(), a.data.len())
	}
	teach(m, measured(64, 3))
	if !slices.Equal(score(m), afterA) {
		t.Error("taught the same, the model and its clone differ")
	}
}

// needLibrary returns libxgboost. Without it the test is skipped, or fails where
// CI is set, as continuous integration services do.
func needLibrary(t testing.TB) *xgboost.Library {
	t.Helper()
	l, err := xgboost.Load("")
	switch {
	case err == nil:
		return l
	case os.Getenv("CI") == "" && errors.Is(err, xgboost.ErrMissing):
		t.Skip(err)
	}
	t.Fatal(err)
	return nil
}

// grow trains a model on random packs of rows with few distinct values, so
// that many rows lie on thresholds.
func grow(t testing.TB, l *xgboost.Library, packs int, f xgboost.Format) ([]byte, xgboost.Data) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	var d samples
	var list []sample
	for range packs {
		s := sample{rows: make([]float32, feature.Columns*(1+rng.IntN(4))), cost: 1}
		for k := range s.rows {
			s.rows[k] = float32(rng.IntN(9))/8 - 0.25
		}
		s.cost += float64(s.rows[3]*s.rows[5]+s.rows[7]) + rng.Float64()/8
		list = append(list, s)
	}
	d.add(list)
	rows, p := d.packs()
	data := xgboost.Data{Values: rows, Columns: feature.Columns}
	model, err := l.Train(data, params, 200, (&objective{packs: p, best: math.Inf(1)}).derive, f)
	if err != nil {
		t.Fatal(err)
	}
	return model, data
}

// Predictions are those of libxgboost, on the training rows, on rows made of
// thresholds and their neighbours, and with missing values.
func TestPredictionsEqualXGBoost(t *testing.T) {
	l := needLibrary(t)
	model, data := grow(t, l, 400, xgboost.Binary)
	read, err := trees.Read(model)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	odd := xgboost.Data{Columns: feature.Columns}
	for range 2000 * feature.Columns {
		v := data.Values[rng.IntN(len(data.Values))]
		switch rng.IntN(8) {
		case 0:
			v = math.Nextafter32(v, 2)
		case 1:
			v = math.Nextafter32(v, -2)
		case 2:
			v = (v + data.Values[rng.IntN(len(data.Values))]) / 2
		case 3:
			v = float32(math.NaN())
		}
		odd.Values = append(odd.Values, v)
	}
	for name, d := range map[string]xgboost.Data{"training rows": data, "odd rows": odd} {
		want, err := l.Predict(model, d)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for i, w := range want {
			got := read.Sum(d.Values[i*feature.Columns:(i+1)*feature.Columns], feature.Columns)
			worst = max(worst, math.Abs(got-float64(w)))
		}
		t.Logf("%s: largest difference of %d: %g", name, len(want), worst)
		if worst > 1e-6 {
			t.Errorf("%s: predictions differ by %g", name, worst)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	l := needLibrary(t)
	model, _ := grow(t, l, 20, xgboost.Binary)
	json, _ := grow(t, l, 20, xgboost.JSON)
	if _, err := trees.Read(json); err == nil || !strings.Contains(err.Error(), `does not begin with "binf"`) {
		t.Errorf("JSON: %v", err)
	}
	for n := 4; n < len(model)/2; n += 97 {
		if _, err := trees.Read(model[:n]); err == nil || !strings.HasPrefix(err.Error(), "trees: reading the model: ") {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}
