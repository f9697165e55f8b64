package bench

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
)

func TestChoiceCompare(t *testing.T) {
	var records []dataset.Record
	for _, us := range []float64{5, 2, 3, 9} {
		records = append(records, dataset.Record{Status: measure.OK, Costs: []float64{us / 1e6}})
	}
	for _, c := range []struct {
		scores []float64
		want   ModelChoice
	}{
		{[]float64{4, 1, 3, 5, 4}, ModelChoice{BestUS: 2, BestScore: 3, FavouriteUS: 3, ChoiceScore: 4, Above: 1}},
		{[]float64{9, 1, 3, 5, 4}, ModelChoice{BestUS: 2, BestScore: 3, FavouriteUS: 3, ChoiceScore: 9}},
	} {
		var r ModelChoice
		r.compare(records, slices.Clone(c.scores))
		r.BestUS, r.FavouriteUS = float64(int(r.BestUS+.5)), float64(int(r.FavouriteUS+.5))
		if r.BestUS != c.want.BestUS || r.BestScore != c.want.BestScore || r.FavouriteUS != c.want.FavouriteUS || r.ChoiceScore != c.want.ChoiceScore || r.Above != c.want.Above {
			t.Errorf("%v: %+v, want %+v", c.scores, r, c.want)
		}
	}
}
