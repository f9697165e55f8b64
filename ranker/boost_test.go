package ranker

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker/metric"
	"github.com/wmtune/wmtune/ranker/xgboost"
)

// needLibrary returns libxgboost. Without it the test is skipped, or fails where
// CI is set.
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

// madeUp returns groups whose quality falls with the first column, and more in
// later groups; a few failed.
func madeUp(groups, n int, seed uint64) []Group {
	rng := rand.New(rand.NewPCG(seed, 1))
	var list []Group
	for k := range groups {
		var g Group
		for i := range n {
			x := rng.Float32()
			g.Rows = append(g.Rows, x, rng.Float32(), float32(k))
			y := 1 / (1 + float64(x)*float64(1+k))
			if i%40 == 39 {
				y = 0
			}
			g.Quality = append(g.Quality, y)
		}
		list = append(list, g)
	}
	return list
}

// Every objective learns the order inside groups.
func TestBoost(t *testing.T) {
	l := needLibrary(t)
	for _, objective := range []Objective{Regression, Pairwise, NDCG} {
		b := Boosting{Objective: objective, Trees: 60, Depth: 4, Eta: 0.2, MinChildWeight: 0.001, Subsample: 0.8, Seed: 17}
		m, err := Boost(l, 3, madeUp(4, 200, 1), b)
		if err != nil {
			t.Fatal(err)
		}
		for k, g := range madeUp(4, 200, 2) {
			var s, y []float64
			for i, q := range g.Quality {
				if q > 0 { // which failed cannot be seen
					s, y = append(s, m.Score(g.Rows[3*i:3*i+3])), append(y, q)
				}
			}
			// rank:ndcg cares for the top, and in XGBoost 1.7 draws one pair a row.
			if r := nn.Spearman(s, y); r < 0.85 && objective != NDCG {
				t.Errorf("%s, group %d: Spearman %.3f", objective, k, r)
			}
			if r := metric.NDCG(s, y, 10); r < 0.9 {
				t.Errorf("%s, group %d: NDCG@10 %.3f", objective, k, r)
			}
		}
	}
	_, err := Boost(l, 3, madeUp(1, 20, 1), Boosting{Objective: "rank:luck", Trees: 2, Depth: 2, Eta: 0.2})
	if err == nil || !strings.HasPrefix(err.Error(), "ranker: xgboost: ") {
		t.Errorf("an unknown objective: %v", err)
	}
}

// The trees that are read score as libxgboost scores the record: on rows of the
// training, and on 10,000 that lie on thresholds and beside them.
func TestTreesEqualRecord(t *testing.T) {
	m, files := trained(t)
	read, err := Steps.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	columns := m.trees.columns
	rng := rand.New(rand.NewPCG(5, 6))
	d := xgboost.Data{Columns: columns}
	for _, task := range tasksFor(6, 80, 1) {
		for _, row := range task.Features {
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
	groups := []Group{{Quality: []float64{1, 0.5, 0.495, 0}}, {Quality: make([]float64, 400)}}
	p := &pairs{groups: groups, seed: 1, each: 250}
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

// TestMembers: each member begins as if there were no trees, and scores are those of all.
func TestMembers(t *testing.T) {
	p := &pairs{groups: []Group{{Quality: []float64{1, 0.5, 0}}}, seed: 1, each: 5}
	derive := func(round int, pred ...float32) []float32 {
		grad := make([]float32, 3)
		p.derive(round, pred, grad, make([]float32, 3))
		return grad
	}
	first, later := derive(0, 0, 0, 0), derive(4, 2, 1, -3)
	if slices.Equal(first, later) {
		t.Error("scores change no derivative")
	}
	if second := derive(5, 2, 1, -3); !slices.Equal(second, first) {
		t.Errorf("the second member begins with %v, the first with %v", second, first)
	}
	if got := derive(9, 4, 2, -6); !slices.Equal(got, later) {
		t.Errorf("the second member goes on with %v, the first with %v", got, later)
	}

	l := needLibrary(t)
	b := Boosting{Objective: Pairs, Trees: 20, Depth: 4, Eta: 0.2, MinChildWeight: 0.1, Seed: 17}
	groups := madeUp(4, 60, 1)
	one, err := Boost(l, 3, groups, b)
	if err != nil {
		t.Fatal(err)
	}
	b.Members = 2 // all rows and columns: both members are alike, but for the order of sums
	two, err := Boost(l, 3, groups, b)
	if err != nil {
		t.Fatal(err)
	}
	row := groups[1].Rows[:3]
	const begin = 0.5 // the score without trees
	if one, two := one.Score(row)-begin, two.Score(row)-begin; math.Abs(two-2*one) > 1e-4 || math.Abs(one) < 0.1 {
		t.Errorf("one member scores %v, two %v", one, two)
	}
}
