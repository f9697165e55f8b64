package autotvm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/metric"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// open returns a model, and skips the test without libxgboost.
func open(t *testing.T, o Options) *Model {
	t.Helper()
	m, err := New("", o)
	if err != nil {
		t.Skip(err)
	}
	return m
}

// given is 48 programs of 6 numbers and their times.
func given() (rows [][]float32, costs []float64) {
	for i := range 48 {
		row := make([]float32, 6)
		for k := range row {
			row[k] = float32((i*(3+2*k) + k*k) % (7 + k))
		}
		first := float64(row[0]) - 3
		rows, costs = append(rows, row), append(costs, 1+float64(i*37%23)*0.1+first*first*0.2)
	}
	return rows, costs
}

// TestRegression: 20 trees predict what those of Python's XGBoost 1.7.6 do with AutoTVM's parameters.
func TestRegression(t *testing.T) {
	m := open(t, Options{Features: Knob, Regression: true, MaxTrees: 20})
	rows, costs := given()
	for i, row := range rows {
		m.book.Local.Add(row, costs[i], "task")
	}
	if err := m.Retrain(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.445681, 0.529183, 0.419124, 0.508287, 0.417754, 0.658346, 0.57004, 0.371678, 0.463789,
		0.34708, 0.892633, 0.381291} {
		if got := m.ScoreRow(rows[i]); math.Abs(got-want) > 1e-4 {
			t.Errorf("row %d: %v, want %v", i, got, want)
		}
	}
}

// TestVariants: each kind of model orders what it has learned; one grown twice scores alike.
func TestVariants(t *testing.T) {
	rows, costs := given()
	for _, o := range []Options{
		{}, {Regression: true}, {Acquire: Mean}, {Regression: true, Acquire: Mean}, {Regression: true, Acquire: EI},
		{Regression: true, Acquire: UCB},
	} {
		var scores [2][]float64
		for k := range scores {
			m := open(t, o)
			for i, row := range rows {
				m.book.Local.Add(row, costs[i], "task")
			}
			if err := m.Retrain(); err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				scores[k] = append(scores[k], m.ScoreRow(row))
			}
		}
		speeds := make([]float64, len(costs))
		for i, c := range costs {
			speeds[i] = 1 / c
		}
		if a := metric.Count(scores[0], speeds, 0).Accuracy(); o.Acquire != EI && o.Acquire != UCB && a < 0.75 ||
			!slices.Equal(scores[0], scores[1]) {
			t.Errorf("%+v: %.2f of the pairs are in order; the same twice: %v", o, a, slices.Equal(scores[0], scores[1]))
		}
	}
}

// TestAcquire: the expected improvement is that of a normal distribution, and the bound is that of 99 %.
func TestAcquire(t *testing.T) {
	rows, costs := given()
	for _, acquire := range []Acquisition{EI, UCB} {
		m := open(t, Options{Regression: true, Acquire: acquire})
		for i, row := range rows {
			m.book.Local.Add(row, costs[i], "task")
		}
		if err := m.Retrain(); err != nil {
			t.Fatal(err)
		}
		spread := 0.0
		for _, row := range rows {
			mean, deviation := m.learned.predict(row)
			spread += deviation
			want := mean + 2.576*deviation
			if acquire == EI { // E max(X - best, 0), as a sum over slices of the distribution
				want = 0
				const slices = 20000
				for i := range slices {
					q := -8 + 16*(float64(i)+0.5)/slices
					density := math.Exp(-q*q/2) / math.Sqrt(2*math.Pi) * 16 / slices
					want += max(mean+q*deviation-m.learned.best, 0) * density
				}
			}
			if got := m.ScoreRow(row); math.Abs(got-want) > 1e-6 {
				t.Errorf("%s of mean %g and deviation %g, best %g: %g, want %g", acquire, mean, deviation, m.learned.best, got, want)
			}
		}
		if spread == 0 {
			t.Errorf("%s: the models of the ensemble are alike", acquire)
		}
	}
}

// TestTransfer: with nothing measured the order is that of what was learned before; then margins follow their rows, also
// where rows are drawn: a model that learned the truth before errs no more after a few records; after 277 records
// nothing is left of it.
func TestTransfer(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	truth := func(row []float32) float64 { return 1 / (1 + float64(row[0])) }
	draw := func() []float32 { return []float32{float32(rng.IntN(8)), float32(rng.IntN(8)), float32(rng.IntN(8))} }
	for _, acquire := range []Acquisition{"", Mean} {
		m := open(t, Options{Regression: true, Acquire: acquire})
		for range 600 {
			row := draw()
			m.AddRow(row, 1/truth(row), "before")
		}
		if err := m.Pretrain(); err != nil || !m.Ready() {
			t.Fatal(err)
		}
		row := draw()
		if got, want := m.ScoreRow(row), m.global.mean(row); got != want {
			t.Errorf("without records the score is %v, and the global model says %v", got, want)
		}
		for range 12 {
			row := draw()
			m.book.Local.Add(row, 1/truth(row), "now")
		}
		if err := m.Retrain(); err != nil {
			t.Fatal(err)
		}
		if w := m.learned.margin; math.Abs(w-math.Exp2(-12./64)) > 1e-12 {
			t.Errorf("12 records give the global model a weight of %v", w)
		}
		wrong := 0.0
		for range 100 {
			row := draw()
			wrong += math.Abs(m.ScoreRow(row)-truth(row)) / 100
		}
		if wrong > 0.07 {
			t.Errorf("%s: after 12 records the mean error is %.3f", acquire, wrong)
		}
		for range 265 {
			row := draw()
			m.book.Local.Add(row, 1/truth(row), "now")
		}
		alone := open(t, m.Options)
		alone.book.Local = m.book.Local
		if err := m.Retrain(); err != nil {
			t.Fatal(err)
		}
		if err := alone.Retrain(); err != nil {
			t.Fatal(err)
		}
		if row := draw(); m.learned.margin != 0 || m.ScoreRow(row) != alone.ScoreRow(row) {
			t.Errorf("after 277 records the global model has a weight of %v", m.learned.margin)
		}
	}
}

// TestScore: a model learns from records, scores states in their order, and states without features lowest.
func TestScore(t *testing.T) {
	w, err := workload.Find("matmul:m=64,n=64,k=64")
	if err != nil {
		t.Fatal(err)
	}
	task := workload.Task{DAG: w.DAG, Target: target.Generic(32, 2)}
	var records []dataset.Record
	var states []*schedule.State
	for _, n := range []int64{1, 2, 4, 8, 16, 32, 64} {
		for _, k := range []int64{1, 4, 16, 64} {
			steps := []schedule.Step{
				schedule.Split{At: 2, Iter: 0, Extent: 64, Lengths: []int64{n}, InnerToOuter: true},
				schedule.Split{At: 2, Iter: 3, Extent: 64, Lengths: []int64{k}, InnerToOuter: true},
			}
			s, err := schedule.ReplayBound(w.DAG, steps)
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, s)
			records = append(records, dataset.Record{Workload: w.Text, Steps: steps, Status: measure.OK,
				Costs: []float64{1 + math.Abs(math.Log2(float64(n))-3) + math.Log2(float64(k))/10}})
		}
	}
	for _, f := range AllFeatures {
		m := open(t, Options{Features: f})
		if _, err := m.Score(t.Context(), task, states); err == nil {
			t.Error("a model scores that has learned nothing")
		}
		if err := m.Update(t.Context(), task, records); err != nil {
			t.Fatal(err)
		}
		bad := schedule.New(w.DAG)
		if bad, err = bad.Apply(schedule.Split{At: 2, Iter: 0, Extent: 64, Lengths: []int64{0}, InnerToOuter: true}); err != nil {
			t.Fatal(err)
		}
		scores, err := m.Score(t.Context(), task, append(slices.Clone(states), bad))
		if err != nil {
			t.Fatal(err)
		}
		last := len(states)
		if f != Knob && !math.IsInf(scores[last], -1) {
			t.Errorf("%s: a state without lengths scores %v", f, scores[last])
		}
		speeds := make([]float64, last)
		for i, r := range records {
			speeds[i] = 1 / r.Cost()
		}
		if a := metric.Count(scores[:last], speeds, 0).Accuracy(); a < 0.8 {
			t.Errorf("%s: %.2f of the pairs are in order", f, a)
		}
	}
}

// benchRows is 128 rows as wide as those of curves.
func benchRows(m *Model) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 128 {
		row := make([]float32, 480)
		for k := range row {
			row[k] = float32(rng.IntN(20))
		}
		m.book.Local.Add(row, 1+float64(row[0])+float64(row[7])/4, "task")
	}
}

// BenchmarkScoreRow is one prediction after 128 records; BenchmarkRetrain is one refit.
func BenchmarkScoreRow(b *testing.B) {
	for _, o := range []Options{{Features: Curve}, {Features: Curve, Regression: true}} {
		m, err := New("", o)
		if err != nil {
			b.Skip(err)
		}
		benchRows(m)
		if err := m.Retrain(); err != nil {
			b.Fatal(err)
		}
		b.Run(map[bool]string{false: "rank", true: "reg"}[o.Regression], func(b *testing.B) {
			for b.Loop() {
				m.ScoreRow(m.book.Local.Programs[5])
			}
		})
	}
}

func BenchmarkRetrain(b *testing.B) {
	for _, o := range []Options{{Features: Curve}, {Features: Curve, Regression: true}} {
		m, err := New("", o)
		if err != nil {
			b.Skip(err)
		}
		benchRows(m)
		b.Run(map[bool]string{false: "rank", true: "reg"}[o.Regression], func(b *testing.B) {
			for b.Loop() {
				if err := m.Retrain(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
