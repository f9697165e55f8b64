package mlp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/nn"
)

// trained returns a model that has learned which programs of some random ones are fast.
func trained(t *testing.T) (*Model, [][]float32) {
	t.Helper()
	m := New(1)
	rng := rand.New(rand.NewPCG(1, 2))
	var list [][]float32
	for range 64 {
		rows := make([]float32, columns*(1+rng.IntN(4)))
		for i := range rows {
			rows[i] = 4 * rng.Float32()
		}
		list = append(list, rows)
		m.AddRows(rows, math.Exp(float64(rows[0])), "task")
	}
	if m.Ready() {
		t.Error("the model is ready before it has learned")
	}
	if err := m.Train(); err != nil {
		t.Fatal(err)
	}
	return m, list
}

// TestNetwork: it has Felix's weights, learns, and does not know the order of statements.
func TestNetwork(t *testing.T) {
	m, list := trained(t)
	weights := 0
	for _, p := range m.params.List() {
		weights += len(p.Value)
	}
	if weights != 237313 {
		t.Errorf("%d weights, want 237313", weights)
	}
	var scores, want []float64
	for _, rows := range list {
		scores, want = append(scores, m.ScoreRows(rows)), append(want, -float64(rows[0]))
		turned := slices.Concat(rows[columns:], rows[:columns])
		if got := m.ScoreRows(turned); math.Abs(got-scores[len(scores)-1]) > 1e-4*max(1, math.Abs(got)) {
			t.Errorf("the score is %v, and %v with statements in another order", scores[len(scores)-1], got)
		}
	}
	if r := nn.Spearman(scores, want); r < 0.9 {
		t.Errorf("after training the ranks correlate with %v only", r)
	}
	if !m.Ready() {
		t.Error("the model is not ready")
	}
}

// TestSlopes: derivatives by columns are those of differences.
func TestSlopes(t *testing.T) {
	m, list := trained(t)
	rows := list[0]
	slopes := make([]float32, len(rows))
	m.net.score(rows, slopes)
	wrong := 0
	for i := range rows {
		const h = 1e-2
		up, down := slices.Clone(rows), slices.Clone(rows)
		up[i] += h
		down[i] -= h
		want := (m.ScoreRows(up) - m.ScoreRows(down)) / float64(up[i]-down[i])
		if math.Abs(float64(slopes[i])-want) > 1e-2*max(0.1, math.Abs(want)) {
			wrong++ // a unit may change sides in between
		}
	}
	if wrong*20 > len(rows) {
		t.Errorf("%d of %d slopes differ from differences", wrong, len(rows))
	}
}
