package train

import (
	"context"

	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/tir/schedule"
)

// trainRefiner trains the ranker that also sees lowered programs.
func trainRefiner(ctx context.Context, t *training) error {
	files, report, err := t.rank(ctx, ranker.Lowered, ranker.DefaultTrees(ranker.Lowered)[:1], (*task).lower)
	if err != nil {
		return err
	}
	for name, worth := range report.Scores {
		t.notes["validation refiner "+name] = worth
	}
	named := map[string][]byte{}
	for name, data := range files {
		named[models.RefinerPrefix+name] = data
	}
	return t.write(named)
}

// lower puts what lowering shows of candidates behind their features. What cannot be lowered is left out.
func (t *task) lower(list *ranker.Candidates, states []*schedule.State) {
	kept := ranker.Candidates{Name: list.Name, Family: list.Family}
	for k, s := range states {
		row, err := ranker.Closer(list.Features[k], s, t.Target, t.Layout)
		if err != nil {
			continue // the search scores it -Inf
		}
		kept.Features, kept.Quality = append(kept.Features, row), append(kept.Quality, list.Quality[k])
		if list.Values != nil {
			kept.Values = append(kept.Values, list.Values[k])
		}
	}
	*list = kept
}
