package gbt

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/trees"
	"github.com/wmtune/wmtune/ranker/xgboost"
)

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
