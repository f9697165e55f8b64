package ranker

import (
	"errors"
	"math/rand/v2"
	"os"
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
