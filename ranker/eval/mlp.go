package eval

import (
	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/feature"
)

func mlpRows() []Row {
	row := func(name, what string, r recipe, needs ...Feature) Row {
		scorer := func(_ *env, seed uint64) Scorer { return &neural{recipe: r, seed: seed} }
		return Row{Name: name, What: what, Needs: needs, new: scorer}
	}
	return []Row{
		row("mlp-l1p", "action and tiling features, 198-256-128-128-1 (100,481 weights), pairs inside a task, AdamW 2e-3, "+
			"400 batches of 8 x 64", mlpTiling, Actions, Tiling),
		row("ranker-mlp", "ranker.Features, otherwise as mlp-l1p", mlpAll, All),
		row("mlp", "TenSet's: 164 features, 164-256-256 by statement, their sum, two residual layers of 256 (239,873 weights), "+
			"LambdaRank, Adam 1e-3, 600 batches of 256", mlpStatements, Statements),
	}
}

// mlpTiling is a small network on the features of l1p.
var mlpTiling = recipe{
	columns: ranker.ActionColumns + ranker.TilingColumns, rows: tilingOf, scale: byDeviation,
	batchRows: 512, batchSize: 512, tasks: 8, steps: 400,
	adam: nn.Adam{Rate: 2e-3, Decay: 0.02, Clip: 1}, loss: ranker.PairLoss,
	layers: func(n *nn.Network, x nn.Value, _ *nn.Segments, _ int) nn.Value {
		for _, width := range []int{256, 128, 128} {
			x = n.ReLU(n.Linear(x, width))
		}
		return n.Linear(x, 1)
	},
}

// mlpAll is the same on all features.
var mlpAll = func() recipe {
	r := mlpTiling
	r.columns, r.rows = ranker.Columns, allOf
	return r
}()

// mlpStatements is TenSet's network (tlc-pack/tenset, SegmentSumMLP), without its
// flags for kinds of workloads.
var mlpStatements = recipe{
	columns: feature.Columns, rows: statementsOf, scale: byMost,
	batchRows: 1536, batchSize: 256, steps: 600,
	adam: nn.Adam{Rate: 1e-3, Decay: 1e-6, Clip: 0.5}, loss: lambdaRank,
	layers: func(n *nn.Network, x nn.Value, s *nn.Segments, most int) nn.Value {
		const width = 256
		x = n.ReLU(n.Linear(n.ReLU(n.Linear(x, width)), width))
		return n.Linear(residuals(n, n.SegmentSum(x, s, most), width), 1)
	},
}

// residuals adds two layers h = ReLU(Linear h) + h.
func residuals(n *nn.Network, h nn.Value, width int) nn.Value {
	for range 2 {
		h = n.Add(n.ReLU(n.Linear(h, width)), h)
	}
	return h
}

func statementsOf(s *Sample) []float32 { return s.Statements }
