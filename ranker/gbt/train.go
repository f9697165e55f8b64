package gbt

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/trees"
	"github.com/wmtune/wmtune/ranker/xgboost"
)

// params are AutoScheduler's, but for the last two. AutoScheduler leaves it to
// XGBoost how splits are sought, which takes exact for so little data; the
// histogram, of up to 256 values a column, is ten times faster and no worse. The
// number of threads is fixed, for it may show in the last bits of a model.
var params = []xgboost.Param{
	{Name: "max_depth", Value: "10"},
	{Name: "gamma", Value: "0.001"},
	{Name: "min_child_weight", Value: "0"},
	{Name: "eta", Value: "0.2"},
	{Name: "seed", Value: "43"},
	{Name: "verbosity", Value: "0"},
	{Name: "tree_method", Value: "hist"},
	{Name: "nthread", Value: "1"},
}

const (
	maxRounds = 10000
	patience  = 50 // rounds without a smaller error after which to stop
)

// train grows trees from all samples. It does nothing if none was timed.
func (m *Model) train() error {
	rows, packs := m.data.packs()
	timed := false
	for _, p := range packs {
		timed = timed || p.label > 0
	}
	if !timed {
		return nil
	}
	o := &objective{packs: packs, best: math.Inf(1)}
	data := xgboost.Data{Values: rows, Columns: feature.Columns}
	rounds := m.MaxTrees
	if rounds == 0 {
		rounds = maxRounds
	}
	model, err := m.library.Train(data, params, rounds, o.derive, xgboost.Binary)
	if err != nil {
		return fmt.Errorf("gbt: training on %d records: %w", len(packs), err)
	}
	if m.trees, err = trees.Read(model); err != nil {
		return fmt.Errorf("gbt: %w", err)
	}
	m.last = nil
	return nil
}

// An objective is the squared error of the sum over each pack, weighted by the
// label: fast programs matter more, and failed ones not at all. It stops when
// the error on the training data, looked at in every second round, does not
// shrink any more.
type objective struct {
	packs []pack
	best  float64
	at    int // the round of the best
}

func (o *objective) derive(round int, pred, grad, hess []float32) bool {
	if done := round - 1; done >= 0 && done%2 == 0 {
		switch e := rootMeanSquare(o.packs, pred); {
		case e < o.best:
			o.best, o.at = e, done
		case done-o.at >= patience:
			return false
		}
	}
	for _, p := range o.packs {
		g := (p.sum(pred) - p.label) * p.label
		for r := p.first; r < p.end; r++ {
			grad[r], hess[r] = g, p.label
		}
	}
	return true
}
