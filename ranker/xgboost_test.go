package ranker

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/ranker/xgboost"
)

// The trees that are read score as libxgboost scores the record: on rows of the
// training, and on 10,000 that lie on thresholds and beside them.
func TestTreesEqualRecord(t *testing.T) {
	m, files := trained(t)
	read, err := Load(files)
	if err != nil {
		t.Fatal(err)
	}
	columns := m.trees.columns
	rng := rand.New(rand.NewPCG(5, 6))
	d := xgboost.Data{Columns: columns}
	for _, task := range tasksFor(6, 80, 1) {
		for _, row := range rowsOf(task.Features, task.Latents, 8) {
			d.Values = append(d.Values, row...)
		}
	}
	known := len(d.Values)
	for range 10_000 * columns {
		v := d.Values[rng.IntN(known)]
		switch rng.IntN(4) {
		case 0:
			v = math.Nextafter32(v, 9)
		case 1:
			v = (v + d.Values[rng.IntN(known)]) / 2
		}
		d.Values = append(d.Values, v)
	}
	want, err := needLibrary(t).Predict(files[RecordFile], d)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]float32, len(want))
	for i := range rows {
		rows[i] = d.Values[i*columns:][:columns]
	}
	got := make([]float64, len(rows))
	read.trees.model.Predict(rows, got)
	shift := got[0] - float64(want[0]) // XGBoost may add where it begins
	for i, v := range got {
		if math.Abs(v-float64(want[i])-shift) > 1e-5 {
			t.Fatalf("row %d of %d: %v, XGBoost says %v", i, len(rows), v, want[i])
		}
	}
	if math.Abs(shift) > 1e-5 {
		t.Errorf("all scores differ by %v", shift)
	}
}

// The derivatives of the loss of pairs point the right way, and are the same in each
// round.
func TestPairs(t *testing.T) {
	p := &pairs{groups: []Group{{Quality: []float64{1, 0.5, 0.495, 0}}, {Quality: make([]float64, 400)}}, seed: 1}
	for i := range p.groups[1].Quality {
		p.groups[1].Quality[i] = float64(i) / 399
	}
	pred, grad, hess := make([]float32, 404), make([]float32, 404), make([]float32, 404)
	p.derive(3, pred, grad, hess)
	// Pairs of the first: 1 over three others (weight 1.3), the two in the middle over
	// the last (.8, .795); they are a tie. Half of each, scaled to weights of 4 in all.
	scale := 4 / (3*1.3 + 0.8 + 0.795)
	want := []float64{-1.5 * 1.3 * scale, (0.65 - 0.4) * scale, (0.65 - 0.3975) * scale, (0.65 + 0.4 + 0.3975) * scale}
	for i, w := range want {
		if math.Abs(float64(grad[i])-w) > 1e-5 || hess[i] <= 0 {
			t.Errorf("candidate %d: %v, %v, want %v", i, grad[i], hess[i], w)
		}
	}
	if grad[4] <= 0 || grad[403] >= 0 {
		t.Errorf("the worst and the best of many: %v, %v", grad[4], grad[403])
	}
	again := make([]float32, 404)
	p.derive(3, pred, again, hess)
	for i := range grad {
		if grad[i] != again[i] {
			t.Fatalf("candidate %d: %v, then %v", i, grad[i], again[i])
		}
	}
}
